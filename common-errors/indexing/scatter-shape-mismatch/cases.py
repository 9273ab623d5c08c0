import torch

# %% log-probabilities of the tokens of a sequence
tensor, dim, index = torch.randn(4, 12, 50).log_softmax(-1), -1, torch.randint(50, (4, 12))
picked = tensor.gather(dim, index)
# %% fixed
tensor, dim, index = torch.randn(4, 12, 50).log_softmax(-1), -1, torch.randint(50, (4, 12))
index = index.unsqueeze(-1)
picked = tensor.gather(dim, index).squeeze(-1)

# %% labels as one-hot vectors
tensor, dim, index = torch.zeros(8, 10), 1, torch.randint(10, (8,))
one_hot = tensor.scatter(dim, index, 1.0)
# %% fixed
tensor, dim, index = torch.zeros(8, 10), 1, torch.randint(10, (8,))
index = index.unsqueeze(-1)
one_hot = tensor.scatter(dim, index, 1.0)

# %% messages of a graph, added at their nodes
tensor, dim, index, source = torch.zeros(5, 16), 0, torch.randint(5, (20,)), torch.randn(20, 16)
nodes = tensor.scatter_add(dim, index, source)
# %% fixed
tensor, dim, index, src = torch.zeros(5, 16), 0, torch.randint(5, (20,)), torch.randn(20, 16)
index, source = index.unsqueeze(-1).expand_as(src), src
nodes = tensor.scatter_add(dim, index, src)

# %% actions of states that were filtered
tensor, dim, index = torch.randn(115, 2), 1, torch.randint(2, (128, 1))
chosen = tensor.gather(dim, index)

# %% a label map of another resolution
tensor, dim, index = torch.zeros(2, 21, 32, 32), 1, torch.randint(21, (2, 1, 64, 64))
one_hot = tensor.scatter(dim, index, 1.0)

# %% fewer messages than edges
tensor, dim, index, source = torch.zeros(5, 16), 0, torch.randint(5, (20, 16)), torch.randn(18, 16)
nodes = tensor.scatter_add(dim, index, source)

# %% messages with fewer features than the index
tensor, dim, index, source = torch.zeros(5, 16), 0, torch.randint(5, (20, 16)), torch.randn(20, 8)
nodes = tensor.scatter_add(dim, index, source)

# %% source larger than the tensor in the other dimension
tensor, dim, index, source = torch.zeros(5, 16), 0, torch.randint(5, (20, 18)), torch.randn(20, 18)
nodes = tensor.scatter_add(dim, index, source)

# %% message: whole vectors picked from sequences
x, index = torch.rand(2, 7, 16), torch.randint(7, (2, 3))
spans = x.gather(1, index)
# %% fixed
x, index, src = torch.rand(2, 7, 16), torch.randint(7, (2, 3)), torch.rand(2, 3, 16)
spans = x.gather(1, index.unsqueeze(-1).expand(*index.shape, x.shape[-1]))
spans_of_source = x.gather(1, index.unsqueeze(-1).expand_as(src))

# %% message: a constant as a tensor
index, src = torch.randint(10, (8, 1)), torch.tensor(1.0)
one_hot = torch.zeros(8, 10).scatter(1, index, src)
# %% fixed
index, src = torch.randint(10, (8, 1)), torch.tensor(1.0)
one_hot = torch.zeros(8, 10).scatter(1, index, src.expand_as(index))

# %% message: rows added by index_add
totals = torch.zeros(5, 16).index_add(0, torch.tensor([0, 3, 3]), torch.randn(4, 16))

# %% right: an index that is longer in the dimension it selects from
tensor, dim, index = torch.randn(4, 3), 1, torch.randint(3, (4, 9))
picked = tensor.gather(dim, index)

# %% right: fewer rows than the tensor has
tensor, dim, index = torch.randn(4, 3), -1, torch.randint(3, (2, 1))
picked = tensor.gather(dim, index)
