import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(20, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs, labels = torch.randn(64, 20), torch.randint(3, (64,))

total_loss = 0.0
for batch, batch_labels in zip(inputs.split(16), labels.split(16)):
    loss = nn.functional.cross_entropy(model(batch), batch_labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    loss = loss.item()  # a Python number; the tensor has no dimension to index
    total_loss += loss
print(f"mean loss: {total_loss / 4:.2f}")
