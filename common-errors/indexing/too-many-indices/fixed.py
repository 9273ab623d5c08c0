import torch
from torch import nn


class ReviewClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 16)
        self.rnn = nn.LSTM(16, 32, batch_first=True)
        self.fc = nn.Linear(32, 2)

    def forward(self, tokens):
        outputs, _ = self.rnn(self.embedding(tokens))
        last = outputs[:, -1, :]
        return self.fc(last)


torch.manual_seed(0)
model = ReviewClassifier().eval()
review = torch.tensor([[12, 7, 301, 44, 9]])  # a batch of one review: 1 x 5
with torch.inference_mode():
    logits = model(review)
print(f"review: {tuple(review.shape)} logits: {tuple(logits.shape)}")
