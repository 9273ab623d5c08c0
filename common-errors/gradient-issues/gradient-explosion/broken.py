import torch
from torch import nn

torch.manual_seed(0)
# 32 recordings of a machine, 200 readings each: on or off. Wanted: the share of the time it was on.
readings = (torch.rand(32, 200, 1) < torch.rand(32, 1, 1)).float()
share_on = readings.mean(dim=1)

rnn = nn.RNN(1, 16, nonlinearity="relu", batch_first=True)
nn.init.eye_(rnn.weight_hh_l0)  # the usual start of a ReLU network that is to remember long sequences
head = nn.Linear(16, 1)
parameters = [*rnn.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.01)

for step in range(60):
    hidden_states, _ = rnn(readings)
    loss = nn.functional.mse_loss(head(hidden_states[:, -1]), share_on)
    optimizer.zero_grad()
    loss.backward()
    grad_norm = nn.utils.get_total_norm([p.grad for p in parameters])
    optimizer.step()  # error
    print(f"step={step} loss={loss.item():.4g} grad_norm={grad_norm.item():.4g}")

print(f"final_loss={loss.item():.4g}")
