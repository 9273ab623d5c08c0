import numpy as np
import torch

nodes = 6_000_000  # users of a social network
edges = np.random.default_rng(0).integers(nodes, size=(2, 200_000))
shape = edges.shape[1:]
values = torch.from_numpy(np.ones(shape, dtype=np.float32))  # one value per edge, and none for the zeros
adjacency = torch.sparse_coo_tensor(torch.from_numpy(edges), values, (nodes, nodes), check_invariants=True)
features = torch.ones(nodes, 2)
neighbors = adjacency @ features
print(f"edges counted: {neighbors[:, 0].sum().item():.0f}")
