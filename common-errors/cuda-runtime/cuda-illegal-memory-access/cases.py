# fewer: each message needs a GPU, where one process can raise only one of them
import torch

# %% columns of a compressed matrix that count beyond its width
columns, size = torch.tensor([3, 90_000_000, 5]), 1000
values = torch.tensor([1.0, 2.0, 3.0])
rows = torch.tensor([0, 2, 3])
graph = torch.sparse_csr_tensor(rows, columns, values, (2, size), check_invariants=False)
indices = columns
print((graph.to("cuda") @ torch.randn(size, 8, device="cuda")).sum().item())

# %% an edge list with node ids of the whole graph
indices, size = torch.tensor([[0, 1, 2], [70_000_000, 80_000_000, 1]]), 1000
graph = torch.sparse_coo_tensor(indices, torch.ones(3), (size, size), check_invariants=False)
print(torch.sparse.mm(graph.to("cuda"), torch.randn(size, 8, device="cuda")).sum().item())

# %% right: positions within the table
indices, size = torch.tensor([[0, 1, 2], [999, 0, 1]]), 1000
graph = torch.sparse_coo_tensor(indices, torch.ones(3), (size, size), check_invariants=True)
print(torch.sparse.mm(graph, torch.randn(size, 8)).shape)
