import torch
from torch import nn

torch.manual_seed(0)
q_network = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))

# A batch from the replay memory: states, and the action that was taken in each.
states = torch.randn(128, 4)
actions = torch.randint(2, (128,))
# The index needs as many dimensions as q_values: one row for each state, with one column.
index = actions.unsqueeze(1)

q_values = q_network(states)
chosen = q_values.gather(1, index).squeeze(1)
print(f"q_values: {tuple(q_values.shape)} chosen: {tuple(chosen.shape)}")
