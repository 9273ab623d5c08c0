import torch
from torch import nn

torch.manual_seed(0)
# Stay small: this process may use 512 MiB of the GPU.
total_memory = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction(512 * 2**20 / total_memory)

layers = [layer for _ in range(12) for layer in (nn.Linear(1024, 1024), nn.GELU())]
model = nn.Sequential(*layers, nn.Linear(1024, 10)).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
features, labels = torch.randn(8192, 1024), torch.randint(10, (8192,))

optimizer.zero_grad()
torch.cuda.empty_cache()
scores = model(features.to("cuda"))  # error
loss = nn.functional.cross_entropy(scores, labels.to("cuda"))
loss.backward()
optimizer.step()
print(f"peak: {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB")
