import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
# Like "nccl", "cuda:gloo" serves GPU tensors only; unlike it, it starts on a machine without a GPU.
dist.init_process_group("cuda:gloo", store=dist.HashStore(), rank=0, world_size=1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Linear(16, 4).to(device)
loader = DataLoader(TensorDataset(torch.randn(200, 16), torch.randint(4, (200,))), batch_size=50)
correct = 0
for inputs, labels in loader:
    correct += (model(inputs.to(device)).argmax(1) == labels.to(device)).sum().item()

counts = torch.tensor([correct, len(loader.dataset)])
dist.all_reduce(counts)  # error
print(f"samples on all ranks: {counts[1]}, accuracy: {counts[0] / counts[1]:.1f}")
