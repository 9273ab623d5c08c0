import numpy as np
import torch

nodes = 6_000_000  # users of a social network
edges = np.random.default_rng(0).integers(nodes, size=(2, 200_000))
shape = (nodes, nodes)
adjacency = np.zeros(shape)  # error
adjacency[edges[0], edges[1]] = 1
adjacency = torch.from_numpy(adjacency).float()
features = torch.ones(nodes, 2)
neighbors = adjacency @ features
print(f"edges counted: {neighbors[:, 0].sum().item():.0f}")
