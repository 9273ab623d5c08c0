import numpy as np
import torch

# %% camera matrices, one of which was never filled
matrix = torch.eye(3).repeat(4, 1, 1)
matrix[2] = 0
rays = matrix.inverse()

# %% the Laplacian of a graph
matrix = torch.tensor([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
potentials = torch.linalg.inv(matrix)

# %% a scale that became zero
matrix = torch.diag(torch.tensor([2.0, 0.5, 0.0, 1.0]))
unscaled = torch.linalg.inv(matrix)

# %% two equal equations
matrix = torch.tensor([[1.0, 1.0], [1.0, 1.0]])
solution = torch.linalg.solve(matrix, torch.tensor([1.0, 2.0]))

# %% one of several systems of equations
matrix = torch.stack([torch.eye(2), torch.ones(2, 2)])
solution = torch.linalg.solve(matrix, torch.ones(2, 2))

# %% an empty matrix of poses
matrix = torch.zeros(4, 4)
pose = torch.inverse(matrix)

# %% covariances of two equal features, in a batch
matrix = torch.ones(3, 2, 2)
precision = torch.linalg.inv(matrix)

# %% message: a factorization for lu_solve
factors = torch.linalg.lu_factor(torch.ones(3, 3))

# %% message: NumPy
inverse = np.linalg.inv(np.ones((2, 2)))

# %% message: least squares with a driver for full rank
features = torch.tensor([[1.0, 0.0, 2.0], [1.0, 0.0, 5.0], [1.0, 0.0, 3.0], [1.0, 0.0, 4.0]])
weights = torch.linalg.lstsq(features, torch.ones(4, 1), driver="gels").solution
# %% fixed
features = torch.tensor([[1.0, 0.0, 2.0], [1.0, 0.0, 5.0], [1.0, 0.0, 3.0], [1.0, 0.0, 4.0]])
weights = torch.linalg.lstsq(features, torch.ones(4, 1), driver="gelsd").solution

# %% right: a pseudo-inverse, and a regularized matrix
matrix = torch.ones(2, 2) + 0.1 * torch.eye(2)
inverse, pseudo = torch.linalg.inv(matrix), torch.linalg.pinv(torch.ones(2, 2))

# %% right: features in very different units
matrix = torch.tensor([[4e10, 1e5, 0.0], [1e5, 3.0, 1e-5], [0.0, 1e-5, 2e-8]])
inverse = torch.linalg.inv(matrix)

# %% undecided: poses, one of which is unknown
matrix = torch.eye(4).repeat(3, 1, 1)
matrix[1] = float("nan")
inverses = [torch.linalg.inv(pose) for pose in matrix if pose.isfinite().all()]
