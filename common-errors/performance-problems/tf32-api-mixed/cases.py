import torch
from torch import nn

torch.manual_seed(0)

# %% the flag of matrix multiplications is logged
torch.backends.cuda.matmul.fp32_precision = "tf32"
read = lambda: torch.backends.cuda.matmul.allow_tf32
print("TF32:", read())
# %% fixed
torch.backends.cuda.matmul.fp32_precision = "tf32"
read = lambda: torch.backends.cuda.matmul.fp32_precision
print("TF32:", read() == "tf32")

# %% full precision everywhere, and cuDNN is asked
torch.backends.fp32_precision = "ieee"
read = lambda: torch.backends.cudnn.allow_tf32
print("TF32:", read())
# %% fixed
torch.backends.fp32_precision = "ieee"
read = lambda: torch.backends.cudnn.conv.fp32_precision
print("TF32:", read() == "tf32")

# %% the LSTM of a gradient penalty runs without cuDNN
torch.backends.cudnn.conv.fp32_precision = "ieee"
lstm, signal = nn.LSTM(4, 8), torch.randn(16, 2, 4, requires_grad=True)
read = lambda: torch.backends.cudnn.flags(enabled=False).__enter__()
with torch.backends.cudnn.flags(enabled=False):
    score = lstm(signal)[0].sum()
(slope,) = torch.autograd.grad(score, signal, create_graph=True)
slope.norm().backward()
# %% fixed
torch.backends.cudnn.allow_tf32 = False
lstm, signal = nn.LSTM(4, 8), torch.randn(16, 2, 4, requires_grad=True)
read = lambda: torch.backends.cudnn.allow_tf32
with torch.backends.cudnn.flags(enabled=False):
    score = lstm(signal)[0].sum()
(slope,) = torch.autograd.grad(score, signal, create_graph=True)
slope.norm().backward()

# %% bfloat16 on the CPU, and a library asks for the precision
torch.backends.mkldnn.matmul.fp32_precision = "bf16"
read = torch.get_float32_matmul_precision
print(read())
# %% fixed
torch.set_float32_matmul_precision("medium")
read = torch.get_float32_matmul_precision
print(read())

# %% TF32 by the old function, then off by the new setting
torch.set_float32_matmul_precision("high")
torch.backends.cuda.matmul.fp32_precision = "ieee"
read = lambda: torch.backends.cuda.matmul.allow_tf32
print(read())
# %% fixed
torch.set_float32_matmul_precision("high")
torch.set_float32_matmul_precision("highest")
read = lambda: torch.backends.cuda.matmul.allow_tf32
print(read())

# %% right: both, and they agree
torch.set_float32_matmul_precision("high")
torch.backends.cuda.matmul.fp32_precision = "tf32"
read = torch.get_float32_matmul_precision
print(read(), torch.backends.cuda.matmul.allow_tf32)

# %% right: only the new settings
torch.backends.fp32_precision = "ieee"
read = lambda: torch.backends.cuda.matmul.fp32_precision
print(read(), torch.backends.cudnn.conv.fp32_precision)
