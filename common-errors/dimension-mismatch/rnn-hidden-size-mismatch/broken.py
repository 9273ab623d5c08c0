import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

batch_size, num_layers, hidden_size = 16, 2, 64


class ReviewClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 32)
        self.lstm = nn.LSTM(32, hidden_size, num_layers, batch_first=True)
        self.head = nn.Linear(hidden_size, 2)

    def forward(self, tokens):
        zeros = torch.zeros(num_layers, batch_size, hidden_size, device=tokens.device)
        outputs, _ = self.lstm(self.embedding(tokens), (zeros, zeros))  # error
        return self.head(outputs[:, -1])


torch.manual_seed(0)
reviews = TensorDataset(torch.randint(1000, (40, 25)), torch.randint(2, (40,)))
model = ReviewClassifier()
for tokens, labels in DataLoader(reviews, batch_size=batch_size):
    loss = nn.functional.cross_entropy(model(tokens), labels)
    print(f"reviews: {len(tokens)} loss: {loss.item():.3f}")
