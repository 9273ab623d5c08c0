import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("mps")
rnn = nn.RNN(8, 32).to(device)
# A spectral radius above 1 lets the hidden state explode.
weight = rnn.weight_hh_l0.detach()
radius = torch.linalg.eigvals(weight).abs().max()  # error
print(f"radius_below_1={radius.item() < 1}")
