import torch

# Sales per day: a constant, and whether it is a weekend.
weekend = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
# No column for 1 - weekend: with the constant it would say the same again.
features = torch.stack([torch.ones(8), weekend], dim=1)
sales = torch.tensor([3.0, 9.0, 4.0, 8.0, 3.0, 9.0, 2.0, 10.0])

gram = features.T @ features
weights = torch.linalg.inv(gram) @ features.T @ sales
print(f"weights: {[round(w, 2) for w in weights.tolist()]}")
