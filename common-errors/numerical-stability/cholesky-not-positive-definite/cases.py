import torch

# %% a kernel of points of which two are equal
points = torch.tensor([[0.0], [0.0], [1.0]])
matrix = torch.exp(-0.5 * torch.cdist(points, points) ** 2)
factor = torch.linalg.cholesky(matrix)

# %% a feature without variance
matrix = torch.diag(torch.tensor([1.0, 0.0, 2.0]))
factor = torch.linalg.cholesky(matrix)

# %% one covariance of a batch has a negative variance
matrix = torch.eye(2).repeat(3, 1, 1)
matrix[1, 0, 0] = -0.1
factor = torch.linalg.cholesky(matrix)

# %% later in the batch, two variables that are more than correlated
matrix = torch.eye(2).repeat(3, 1, 1)
matrix[2] = torch.tensor([[1.0, 1.5], [1.5, 1.0]])
factor = torch.linalg.cholesky(matrix)

# %% a covariance that a network returned
matrix = torch.tensor([[-0.4, 0.2], [0.2, 1.3]])
factor = torch.linalg.cholesky(matrix)

# %% a matrix of the wrong sign
matrix = -2.0 * torch.eye(4)
factor = torch.linalg.cholesky(matrix)

# %% right: a kernel with noise on its diagonal
points = torch.tensor([[0.0], [0.0], [1.0]])
matrix = torch.exp(-0.5 * torch.cdist(points, points) ** 2) + 1e-2 * torch.eye(3)
factor = torch.linalg.cholesky(matrix)

# %% right: a covariance built from a factor
factor = torch.tensor([[0.5, 0.0], [-1.0, 0.2]])
matrix = factor @ factor.T
factor = torch.linalg.cholesky(matrix)
