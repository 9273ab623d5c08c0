import torch
from torch import nn

torch.manual_seed(0)

# %% one-hot labels in NLLLoss
labels = nn.functional.one_hot(torch.randint(3, (16,)), num_classes=3)
logits = nn.Linear(8, 3)(torch.randn(16, 8))
loss = nn.NLLLoss()(logits.log_softmax(dim=1), labels)

# %% several labels per sample
labels = torch.tensor([[3, 7], [0, 4]])
logits = nn.Linear(8, 10)(torch.randn(2, 8))
loss = nn.functional.cross_entropy(logits, labels)

# %% one prediction for a sequence of labels, in a class that trains


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.head = nn.GRU(8, 16, batch_first=True), nn.Linear(16, 5)

    def loss(self, inputs, labels):
        return nn.functional.cross_entropy(self.predict(inputs), labels)

    def predict(self, inputs):
        return self.head(self.gru(inputs)[0][:, -1])


model, batch, labels = Tagger(), torch.randn(4, 20, 8), torch.randint(5, (4, 20))
logits = model.predict(batch)
model.loss(batch, labels)

# %% message: a single sample without a batch dimension
loss = nn.functional.cross_entropy(torch.randn(3), torch.tensor([[1]]))

# %% message: pairs in a column
first, second, same = torch.randn(8, 16), torch.randn(8, 16), torch.ones(8, 1)
loss = nn.CosineEmbeddingLoss()(first, second, same)

# %% message: a margin loss with a column
loss = nn.MultiMarginLoss()(torch.randn(4, 3), torch.tensor([[0], [2], [1], [1]]))

# %% right: class probabilities
labels = torch.tensor([[0.2, 0.8, 0.0], [0.0, 0.5, 0.5]])
logits = nn.Linear(8, 3)(torch.randn(2, 8))
loss = nn.functional.cross_entropy(logits, labels)

# %% right: one label for each position
labels = torch.randint(5, (4, 20))
logits = nn.Linear(16, 5)(torch.randn(4, 20, 16)).transpose(1, 2)
loss = nn.functional.cross_entropy(logits, labels)
