import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # the job got one GPU
from torch import nn

device = "cuda:1"  # written on a machine with two
model = nn.Linear(16, 4).to(device)  # error
print(f"weights on {model.weight.device}")
