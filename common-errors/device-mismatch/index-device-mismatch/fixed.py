import torch

torch.manual_seed(0)
device = "cuda"
features = torch.randn(1000, 64)  # the dataset stays in the memory of the CPU
labels = torch.arange(1000) % 10

order = torch.randperm(1000)  # on the CPU, like the tensor that it indexes
batch = features[order[:32]].to(device)
print(f"batch: {tuple(batch.shape)} on {batch.device.type}")
