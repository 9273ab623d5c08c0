# fewer: a refused call needs a GPU, and which sizes are refused depends on its version of PyTorch
import torch

# %% a block in two dimensions
SOURCE = 'extern "C" __global__ void fill(float* x) { x[threadIdx.y * blockDim.x + threadIdx.x] = 1.0f; }'
image = torch.empty(64, 64, device="cuda")
grid, block = (1, 1, 1), (64, 64, 1)
torch.cuda._compile_kernel(SOURCE, "fill")(grid=grid, block=block, args=(image,))

# %% fixed
SOURCE = 'extern "C" __global__ void fill(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }'
image = torch.empty(64, 64, device="cuda")
grid, block = (16, 1, 1), (256, 1, 1)
torch.cuda._compile_kernel(SOURCE, "fill")(grid=grid, block=(256, 1, 1), args=(image,))

# %% right: many samples in attention on the CPU
grid, block = (1, 1, 1), (256, 1, 1)
tokens = torch.randn(70_000, 1, 2, 8)
print(torch.nn.functional.scaled_dot_product_attention(tokens, tokens, tokens).shape)
