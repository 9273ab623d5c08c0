import torch

max_length = 64
reviews = [torch.randint(1, 5000, (length,)) for length in (12, 48, 73)]

tokens = torch.zeros(len(reviews), max_length, dtype=torch.long)
for row, review in enumerate(reviews):
    review = review[:max_length]  # a slice ends at the last element, so 73 tokens found room for 64
    tokens[row, : len(review)] = review
print(f"tokens: {tuple(tokens.shape)}")
