import torch
from torch import nn
from torch.ao.quantization import FakeQuantize, MinMaxObserver

torch.manual_seed(0)
quant_min, quant_max = 0, 255

# %% all values are negative
activations = torch.rand(100) - 3
scale = ((activations.max() - activations.min()) / 255).item()
zero_point = round(-activations.min().item() / scale)
torch.fake_quantize_per_tensor_affine(activations, scale, zero_point, quant_min, quant_max)

# %% an asymmetric range of four bits
activations = torch.randn(100)
scale, zero_point, quant_min, quant_max = 0.4, 8, -8, 7
torch.fake_quantize_per_tensor_affine(activations, scale, zero_point, quant_min, quant_max)

# %% one of the channels
weight = torch.randn(3, 4)
scale = torch.tensor([0.1, 0.1, 0.1])
zero_point = torch.tensor([0, 300, 0], dtype=torch.int32)
torch.fake_quantize_per_channel_affine(weight, scale, zero_point, 0, quant_min, quant_max)

# %% a weight became NaN in quantization-aware training
fake_quantize = torch.ao.quantization.get_default_qat_qconfig("x86").weight()
quant_min, quant_max = fake_quantize.quant_min, fake_quantize.quant_max
scale, zero_point = fake_quantize.scale, fake_quantize.zero_point
fake_quantize(torch.tensor([[0.5, -1.0], [float("nan"), 2.0]]))

# %% message: a stored zero point of another range
torch.quantize_per_tensor(torch.rand(10), 0.1, 300, torch.quint8)
# %% fixed
torch.quantize_per_tensor(torch.rand(10), 0.1, 255, torch.quint8)

# %% message: a zero point below the range
torch.quantize_per_tensor(torch.rand(10), 0.1, -5, torch.quint8)
# %% fixed
torch.quantize_per_tensor(torch.rand(10), 0.1, -5, torch.qint8)

# %% message: a range the wrong way round
torch.fake_quantize_per_tensor_affine(torch.rand(10), 0.1, 0, 255, 0)

# %% right: an observer computes both
fake_quantize = FakeQuantize(MinMaxObserver, 0, 255, dtype=torch.quint8)
fake_quantize(torch.randn(100))
scale, zero_point = fake_quantize.calculate_qparams()

# %% right: symmetric, with the zero point in the middle
scale, zero_point, quant_min, quant_max = 0.02, 0, -128, 127
torch.fake_quantize_per_tensor_affine(torch.randn(100), scale, zero_point, quant_min, quant_max)
