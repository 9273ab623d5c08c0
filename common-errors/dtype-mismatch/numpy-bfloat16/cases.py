import numpy as np
import torch
from torch import nn
from torchvision.transforms import functional as transforms

# %% the output of an autocast block, with a gradient
model, batch = nn.Linear(64, 10), torch.randn(32, 64)
with torch.autocast("cpu", dtype=torch.bfloat16):
    logits = model(batch)
tensors = [logits]
logits = logits.detach().cpu().numpy()
# %% fixed
model, batch = nn.Linear(64, 10), torch.randn(32, 64)
with torch.autocast("cpu", dtype=torch.bfloat16):
    x = model(batch)
tensors = [x.detach().float()]
logits = x.detach().float().cpu().numpy()

# %% a list of losses for a plot
tensors = [torch.tensor(loss, dtype=torch.bfloat16) for loss in (2.3, 1.9, 1.4)]
curve = np.array(tensors)
# %% fixed
losses = [torch.tensor(loss, dtype=torch.bfloat16) for loss in (2.3, 1.9, 1.4)]
tensors = [x.float() for x in losses]
curve = np.array(tensors)

# %% codes of a quantized tensor
ratings = torch.quantize_per_tensor(torch.rand(5), 0.01, 0, torch.quint8)
tensors = [ratings]
codes = ratings.numpy()
# %% fixed
x = torch.quantize_per_tensor(torch.rand(5), 0.01, 0, torch.quint8)
tensors = [x.dequantize()]
values, codes = x.dequantize().numpy(), x.int_repr().numpy()

# %% message: an image for Pillow
image = transforms.to_pil_image(torch.rand(3, 32, 32).bfloat16())
# %% fixed
x = torch.rand(3, 32, 32).bfloat16()
image = transforms.to_pil_image(x.float())

# %% message: a function of NumPy on one number
scale = torch.tensor(0.5, dtype=torch.bfloat16)
logarithm = np.log(scale)

# %% message: a tensor times an array
weights, array = torch.ones(3, dtype=torch.bfloat16), np.ones(3)
scaled = weights * array
# %% fixed
weights, array = torch.ones(3, dtype=torch.bfloat16), np.ones(3)
scaled = weights * torch.from_numpy(array)

# %% message: weights in 8 bits
weights = torch.rand(4, 4).to(torch.float8_e4m3fn).numpy()
# %% fixed
x = torch.rand(4, 4).to(torch.float8_e4m3fn)
weights = x.float().numpy()

# %% message: a spectrum in half precision
spectrum = torch.ones(4, dtype=torch.complex32).numpy()
# %% fixed
x = torch.ones(4, dtype=torch.complex32)
spectrum = x.to(torch.complex64).numpy()

# %% message: four bits
codes = torch.arange(6, dtype=torch.uint8).view(torch.uint4).numpy()
# %% fixed
x = torch.arange(6, dtype=torch.uint8).view(torch.uint4)
codes = x.view(torch.uint8).numpy()

# %% right: half precision
tensors = [torch.rand(4).half(), torch.arange(3)]
arrays = [tensor.numpy() for tensor in tensors]

# %% right: the exact bits of the weights
tensors = [torch.rand(4).bfloat16().view(torch.int16)]
weights = torch.from_numpy(tensors[0].numpy()).view(torch.bfloat16)
