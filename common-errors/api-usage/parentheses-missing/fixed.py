import torch
from torch import nn

torch.manual_seed(0)
images, labels = torch.randn(64, 1, 28, 28), torch.randint(10, (64,))
dataset = torch.utils.data.TensorDataset(images, labels)
loader = torch.utils.data.DataLoader(dataset, batch_size=16, shuffle=True)
model = nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

running_loss = 0.0
for batch, targets in loader:
    loss = nn.functional.cross_entropy(model(batch), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    batch_loss = loss.item()  # called: a Python float
    running_loss += batch_loss
print("mean loss below 5:", running_loss / len(loader) < 5)
