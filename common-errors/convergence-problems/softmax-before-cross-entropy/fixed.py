import torch
from torch import nn

torch.manual_seed(0)
centers = torch.randn(10, 20)
labels = torch.randint(10, (1000,))
inputs = centers[labels] + torch.randn(1000, 20)

model = nn.Sequential(
    nn.Linear(20, 64),
    nn.ReLU(),
    nn.Linear(64, 10),  # logits: CrossEntropyLoss applies the softmax itself
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()

for step in range(201):
    logits = model(inputs)
    loss = loss_fn(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        accuracy = (logits.argmax(1) == labels).float().mean().item()
        print(f"step={step} loss={loss.item():.3f} accuracy={accuracy:.3f}")

print(f"final_loss={loss.item():.4f}")
