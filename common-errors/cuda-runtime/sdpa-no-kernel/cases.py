import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

query = torch.randn(2, 4, 10, 16)


def run(**options):
    return nn.functional.scaled_dot_product_attention(query, query, query, **options)


# %% dropout in training, with flash attention only
def attend():
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return run(dropout_p=0.1)


attend()
# %% fixed
def attend():
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        return run(dropout_p=0.1)


attend()

# %% memory-efficient attention only, on the CPU
def attend():
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
        return run()


attend()
# %% fixed
def attend():
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]):
        return run()


attend()

# %% math switched off for the whole program, and a mask with three dimensions
torch.backends.cuda.enable_math_sdp(False)
mask = torch.ones(4, 10, 10, dtype=torch.bool)
attend = lambda: run(attn_mask=mask)
attend()

# %% an encoder layer in training mode
layer = nn.TransformerEncoderLayer(16, 2, batch_first=True)


def attend():
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return layer(torch.randn(3, 7, 16))


attend()

# %% message: fewer key heads than query heads
keys = query[:, :2]
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    nn.functional.scaled_dot_product_attention(query, keys, keys)

# %% message: a value that is narrower than the query
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    nn.functional.scaled_dot_product_attention(query, query, torch.randn(2, 4, 10, 8))

# %% message: cuDNN only, on the CPU
with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
    nn.functional.scaled_dot_product_attention(query, query, query)

# %% right: flash attention only, with what it supports
def attend():
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return run(is_causal=True)


attend()

# %% right: all backends, and a mask with three dimensions
mask = torch.ones(4, 10, 10, dtype=torch.bool)
attend = lambda: run(attn_mask=mask)
attend()
