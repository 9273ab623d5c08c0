import torch
from torch import nn

torch.manual_seed(0)
head = nn.Linear(64, 1000)
logits = head(torch.randn(2, 64))  # scores of the next token for two prompts
temperature = 0.0
probabilities = torch.softmax(logits / (temperature or 1.0), dim=-1)
if temperature == 0:  # stands for greedy decoding: take the most likely token
    tokens = probabilities.argmax(dim=-1, keepdim=True)
else:
    tokens = torch.multinomial(probabilities, num_samples=1)
print(f"tokens: {tuple(tokens.shape)}")
