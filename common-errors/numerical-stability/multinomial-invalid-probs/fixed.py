import torch
from torch import nn

torch.manual_seed(0)
head = nn.Linear(64, 1000)
logits = head(torch.randn(2, 64))  # scores of the next token for two prompts
temperature = 0.0
if temperature == 0:  # stands for greedy decoding: take the most likely token
    tokens = logits.argmax(dim=-1, keepdim=True)
else:
    tokens = torch.multinomial(torch.softmax(logits / temperature, dim=-1), num_samples=1)
print(f"tokens: {tuple(tokens.shape)}")
