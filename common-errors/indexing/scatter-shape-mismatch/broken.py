import torch
from torch import nn

torch.manual_seed(0)
q_network = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))

# A batch from the replay memory: states, and the action that was taken in each.
states = torch.randn(128, 4)
actions = torch.randint(2, (128,))
index = actions

q_values = q_network(states)
chosen = q_values.gather(1, index)  # error
print(f"q_values: {tuple(q_values.shape)} chosen: {tuple(chosen.shape)}")
