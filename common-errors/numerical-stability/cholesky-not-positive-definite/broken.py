import torch

torch.manual_seed(0)
# Correlations of three stocks, each estimated on the days on which both were traded.
correlation = torch.tensor([[1.0, 0.9, 0.1], [0.9, 1.0, 0.9], [0.1, 0.9, 1.0]])

factor = torch.linalg.cholesky(correlation)  # error
returns = torch.randn(10000, 3) @ factor.T
print(f"simulated correlations: {[round(c, 1) for c in torch.corrcoef(returns.T)[0].tolist()]}")
