import torch
from torch import nn

# %% the scaler of gradients
context = scaler = torch.cuda.amp.GradScaler()

# %% the CPU's own name
context = torch.cpu.amp.autocast(dtype=torch.bfloat16)
with context:
    logits = nn.Linear(4, 2)(torch.randn(3, 4))
# %% fixed
context = torch.amp.autocast("cpu", dtype=torch.bfloat16)
with context:
    logits = nn.Linear(4, 2)(torch.randn(3, 4))


# %% message: a decorator of a forward pass
@torch.cuda.amp.autocast(enabled=False)
def forward(x):
    return x.float()


# %% message: a scaler for the CPU
scaler = torch.cpu.amp.GradScaler()
# %% fixed
scaler = torch.amp.GradScaler("cpu")


# %% message: a function with a backward pass of its own
class Scale(torch.autograd.Function):
    @staticmethod
    @torch.cuda.amp.custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


# %% right: autocast with a device
context = torch.autocast("cpu", dtype=torch.bfloat16)
with context:
    logits = nn.Linear(4, 2)(torch.randn(3, 4))
