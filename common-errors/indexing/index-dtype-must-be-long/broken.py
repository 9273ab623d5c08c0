import torch

torch.manual_seed(0)
vocab_size, beams = 1000, 3
sequences = torch.tensor([[1, 12], [1, 7], [1, 301]])  # the words of each beam so far
scores = torch.randn(beams, vocab_size).log_softmax(dim=1)  # of each next word

# The best continuations of all beams: a position in the flattened scores gives beam and word.
best_scores, positions = scores.flatten().topk(beams)
beam = positions / vocab_size
word = positions % vocab_size
sequences = torch.cat([sequences[beam], word.unsqueeze(1)], dim=1)  # error
print(f"sequences: {sequences.tolist()}")
