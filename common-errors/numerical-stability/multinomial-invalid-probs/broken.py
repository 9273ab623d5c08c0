import torch
from torch import nn

torch.manual_seed(0)
head = nn.Linear(64, 1000)
logits = head(torch.randn(2, 64))  # scores of the next token for two prompts
temperature = 0.0
probabilities = torch.softmax(logits / temperature, dim=-1)
tokens = torch.multinomial(probabilities, num_samples=1)  # error
print(f"tokens: {tuple(tokens.shape)}")
