import torch

torch.manual_seed(0)
# Correlations of three stocks, each estimated on the days on which both were traded.
correlation = torch.tensor([[1.0, 0.9, 0.1], [0.9, 1.0, 0.9], [0.1, 0.9, 1.0]])

# The nearest matrix that is possible: no eigenvalue below a small positive number.
eigenvalues, vectors = torch.linalg.eigh(correlation)
correlation = vectors @ torch.diag(eigenvalues.clamp(min=1e-3)) @ vectors.T
factor = torch.linalg.cholesky(correlation)
returns = torch.randn(10000, 3) @ factor.T
print(f"simulated correlations: {[round(c, 1) for c in torch.corrcoef(returns.T)[0].tolist()]}")
