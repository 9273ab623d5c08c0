import torch
from torch import nn

torch.manual_seed(0)
dataset = torch.utils.data.TensorDataset(torch.randn(64, 8), torch.randn(64, 1))
loader = torch.utils.data.DataLoader(dataset, batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss = nn.MSELoss()

for step, (features, targets) in enumerate(loader):
    print("step", step)
    loss = loss(model(features), targets)  # error
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
