import torch

max_length = 64
reviews = [torch.randint(1, 5000, (length,)) for length in (12, 48, 73)]

tokens = torch.zeros(len(reviews), max_length, dtype=torch.long)
for row, review in enumerate(reviews):
    tokens[row, : len(review)] = review  # error
print(f"tokens: {tuple(tokens.shape)}")
