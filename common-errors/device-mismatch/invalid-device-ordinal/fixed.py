import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # the job got one GPU
from torch import nn

device = "cuda:0"  # a process counts the GPUs that it sees from 0
model = nn.Linear(16, 4).to(device)
print(f"weights on {model.weight.device}")
