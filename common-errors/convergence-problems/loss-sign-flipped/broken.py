import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
# A forecast with its uncertainty: the noise grows with the second input.
inputs = torch.rand(1200, 4)
noise = 0.05 + 0.3 * inputs[:, 1]
targets = torch.sin(4 * inputs[:, 0]) + noise * torch.randn(1200)

model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

for epoch in range(20):
    for batch in torch.randperm(1000).split(50):
        mean, spread = model(inputs[batch]).unbind(1)
        predicted = Normal(mean, nn.functional.softplus(spread) + 0.01)
        loss = predicted.log_prob(targets[batch]).mean()  # error
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch={epoch} loss={loss.item():.1g}")

with torch.no_grad():
    mean, _ = model(inputs[1000:]).unbind(1)
print(f"within_1_of_target={((mean - targets[1000:]).abs() < 1).float().mean().item():.2f}")
