import torch

torch.manual_seed(0)
# Ratings of 4 users; the columns are the shop's article numbers instead of positions in the table of 1000 articles.
users = torch.tensor([0, 0, 1, 2, 3])
articles = torch.tensor([90_000_017, 12, 90_000_231, 7, 90_000_950])
ratings = torch.sparse_coo_tensor(
    torch.stack([users, articles]), torch.tensor([5.0, 3.0, 4.0, 1.0, 2.0]), (4, 1000), check_invariants=False
)

vectors = torch.randn(1000, 64, device="cuda")
profiles = torch.sparse.mm(ratings.to("cuda"), vectors)
print(f"mean: {profiles.mean().item():.3f}")  # error
