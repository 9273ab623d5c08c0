import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
# Without a GPU, meta stands for it: the other device, where tensors have shapes and no values.
device = torch.device("cuda" if torch.cuda.is_available() else "meta")
loader = DataLoader(TensorDataset(torch.randn(512, 64)), batch_size=64)
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))  # error
model.eval()

with torch.no_grad():
    for (inputs,) in loader:
        scores = model(inputs)

moved = [parameter.device.type == device.type for parameter in model.parameters()]
print(f"parameters_on_the_device={sum(moved)}")
