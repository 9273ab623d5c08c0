import torch

torch.manual_seed(0)
# Ratings of 4 users; the columns are positions in the table of 1000 articles.
users = torch.tensor([0, 0, 1, 2, 3])
articles = torch.tensor([17, 12, 231, 7, 950])
ratings = torch.sparse_coo_tensor(  # the indices are compared with the size: a wrong one raises here
    torch.stack([users, articles]), torch.tensor([5.0, 3.0, 4.0, 1.0, 2.0]), (4, 1000), check_invariants=True
)

vectors = torch.randn(1000, 64, device="cuda")
profiles = torch.sparse.mm(ratings.to("cuda"), vectors)
print(f"mean: {profiles.mean().item():.3f}")
