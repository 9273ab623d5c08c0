import torch
from torch import nn

torch.manual_seed(0)
# Four kinds of cells, 20 measurements each.
centers = torch.randn(4, 20)
train_labels, val_labels = torch.randint(4, (1000,)), torch.randint(4, (400,))
train_inputs = centers[train_labels] + torch.randn(1000, 20)
val_inputs = centers[val_labels] + torch.randn(400, 20)

model = nn.Sequential(
    *(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.5)),
    *(nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.5)),
    nn.Linear(64, 4),
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

model.train()
for epoch in range(5):
    for batch in torch.randperm(1000).split(50):
        loss = nn.functional.cross_entropy(model(train_inputs[batch]), train_labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.4f}")

model.eval()  # dropout off, batch norm uses its running statistics
with torch.no_grad():
    logits = torch.cat([model(batch) for batch in val_inputs.split(4)])

print(f"val_error={(logits.argmax(1) != val_labels).float().mean().item():.4f}")
