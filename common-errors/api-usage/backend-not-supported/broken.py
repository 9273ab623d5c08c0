import torch

torch.manual_seed(0)
edges = torch.tensor([[0, 0, 1, 2, 2, 3], [1, 2, 0, 0, 3, 2]])
scores = torch.sparse_coo_tensor(edges, torch.randn(6), (4, 4), check_invariants=True)
normalize = torch.softmax
attention = normalize(scores, dim=1)  # error
print("rows sum to", attention.to_dense().sum(1).tolist())
