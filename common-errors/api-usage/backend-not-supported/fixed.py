import torch

torch.manual_seed(0)
edges = torch.tensor([[0, 0, 1, 2, 2, 3], [1, 2, 0, 0, 3, 2]])
scores = torch.sparse_coo_tensor(edges, torch.randn(6), (4, 4), check_invariants=True)
# The function for sparse tensors: the softmax of each row is taken over its edges alone.
normalize = torch.sparse.softmax
attention = normalize(scores, dim=1)
print("rows sum to", [round(total, 3) for total in attention.to_dense().sum(1).tolist()])
