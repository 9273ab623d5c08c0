import torch

# Sales per day: a constant, and a column for each value of "weekend".
weekend = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
features = torch.stack([torch.ones(8), weekend, 1 - weekend], dim=1)
sales = torch.tensor([3.0, 9.0, 4.0, 8.0, 3.0, 9.0, 2.0, 10.0])

gram = features.T @ features
weights = torch.linalg.inv(gram) @ features.T @ sales  # error
print(f"weights: {[round(w, 2) for w in weights.tolist()]}")
