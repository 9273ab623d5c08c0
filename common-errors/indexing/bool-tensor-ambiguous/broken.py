import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(20, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss
inputs, labels = torch.randn(32, 20), torch.randint(3, (32,))

for epoch in range(5):
    logits = model(inputs)
    loss = criterion(logits, labels)  # error
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss: {loss.item():.2f}")
