# fewer: each message needs a GPU, where one process can raise only one of them
import torch

# %% an address in bytes where the kernel counts numbers
SOURCE = 'extern "C" __global__ void take(const float* x, const long long* at, float* y) { y[0] = x[at[0]]; }'
values, taken = torch.randn(4, device="cuda"), torch.zeros(1, device="cuda")
indices, size = torch.tensor([4 * 2**40]), 4
torch.cuda._compile_kernel(SOURCE, "take")(grid=(1, 1, 1), block=(1, 1, 1), args=(values, indices.to("cuda"), taken))
print(taken.item())

# %% fixed
SOURCE = 'extern "C" __global__ void take(const float* x, const long long* at, float* y) { y[0] = x[at[0]]; }'
values, taken = torch.randn(4, device="cuda"), torch.zeros(1, device="cuda")
indices, size = torch.tensor([3]), 4
print("out of range:", ((indices < 0) | (indices >= size)).any().item())
torch.cuda._compile_kernel(SOURCE, "take")(grid=(1, 1, 1), block=(1, 1, 1), args=(values, indices.to("cuda"), taken))
print(taken.item())

# %% right: positions within the table
indices, size = torch.tensor([[0, 1, 2], [999, 0, 1]]), 1000
graph = torch.sparse_coo_tensor(indices, torch.ones(3), (size, size), check_invariants=True)
print(torch.sparse.mm(graph, torch.randn(size, 8)).shape)
