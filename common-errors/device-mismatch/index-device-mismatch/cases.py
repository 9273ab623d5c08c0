# fewer: without a GPU, torch does not compare the devices of a tensor and its index
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

# %% message: values on the CPU for a tensor on the GPU
with FakeTensorMode():
    target, index = torch.zeros(10, device="cuda"), torch.tensor([1, 3], device="cuda")
    target[index] = torch.rand(2)
# %% fixed
with FakeTensorMode():
    target, index = torch.zeros(10, device="cuda"), torch.tensor([1, 3], device="cuda")
    values = torch.rand(2)
    target[index] = values.to(target.device)

# %% right: a tensor on a device, an index on the CPU
tensor, index = torch.rand(10, device="meta"), torch.tensor([3, 1])
batch = tensor[index]

# %% right: a mask on the device of the tensor
tensor = torch.rand(10, 4)
index = tensor[:, 0] > 0.5
batch = tensor[index]
