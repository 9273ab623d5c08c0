import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
sentences = ["the cat sat on the mat", "the dog barked", "a cat saw a dog"]
words = sorted({word for sentence in sentences for word in sentence.split()})
vocab = {word: id for id, word in enumerate(words)}
embedding = nn.Embedding(len(vocab), 8)
vocab["<pad>"] = len(vocab)

# Pad all sentences to the longest one.
encoded = [torch.tensor([vocab[word] for word in sentence.split()]) for sentence in sentences]
tokens = pad_sequence(encoded, batch_first=True, padding_value=vocab["<pad>"])
vectors = embedding(tokens)  # error
print(f"vocabulary: {len(vocab)} tokens, embedding: {embedding.num_embeddings} rows")
print(f"vectors: {tuple(vectors.shape)}")
