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
# Eight parts of 1024: backward() frees the activations of each part before the next one needs memory.
for part, part_labels in zip(features.split(1024), labels.split(1024), strict=True):
    scores = model(part.to("cuda"))
    # The sum over the part, divided by the size of the whole batch: the gradients add up to that of one batch.
    loss = nn.functional.cross_entropy(scores, part_labels.to("cuda"), reduction="sum") / len(labels)
    loss.backward()
optimizer.step()
print(f"peak: {torch.cuda.max_memory_allocated() / 2**20:.0f} MiB")
