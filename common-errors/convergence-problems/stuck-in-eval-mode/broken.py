import torch
from torch import nn

torch.manual_seed(0)
# Ten kinds of sensors with 20 readings each; three labels in ten are guesses.
centers = torch.randn(10, 20)
labels = torch.randint(10, (1600,))
inputs = centers[labels] + torch.randn(1600, 20)
labels = torch.where(torch.rand(1600) < 0.3, torch.randint(10, (1600,)), labels)
train_inputs, val_inputs = inputs.split([600, 1000])
train_labels, val_labels = labels.split([600, 1000])

model = nn.Sequential(
    *(nn.Linear(20, 128), nn.ReLU(), nn.Dropout(0.5)),
    *(nn.Linear(128, 128), nn.ReLU(), nn.Dropout(0.5)),
    nn.Linear(128, 10),
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

best_loss = float("inf")
for step in range(360):
    batch = torch.randint(600, (50,))
    loss = nn.functional.cross_entropy(model(train_inputs[batch]), train_labels[batch])  # error
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

    if step % 30 == 29:
        model.eval()
        with torch.no_grad():
            val_loss = nn.functional.cross_entropy(model(val_inputs), val_labels).item()
        best_loss = min(best_loss, val_loss)
        print(f"step={step} loss={loss.item():.3f} val_loss={val_loss:.3f}")

print(f"rise_above_best={val_loss / best_loss - 1:.2f}")
