import torch
from torch import nn

# %% a position beyond the table
model = nn.Module()
model.words, model.positions = nn.Embedding(1000, 16), nn.Embedding(512, 16)
model.forward = lambda ids: model.words(ids) + model.positions(torch.arange(ids.size(1)))
batch = torch.randint(0, 1000, (2, 600))
model(batch)

# %% ids from 1
model = nn.Sequential(nn.Embedding(3, 16), nn.Flatten(), nn.Linear(16, 1))
batch = torch.tensor([[1], [2], [3], [2]])
model(batch)

# %% ignored positions as input
model = nn.Embedding(1000, 16, padding_idx=0)
batch = torch.tensor([[4, 7, 2], [3, -100, -100]])
model(batch)

# %% a bag of words
model = nn.EmbeddingBag(9, 4)
batch = torch.tensor([[3, 9], [0, 8]])
model(batch)

# %% a bag with a negative id
model = nn.EmbeddingBag(9, 4)
batch = torch.tensor([[3, -1], [0, 8]])
model(batch)

# %% the largest in a bag
model = nn.EmbeddingBag(9, 4, mode="max")
batch = torch.tensor([[3, 12], [0, 8]])
model(batch)

# %% the largest in a bag, with a negative id
model = nn.EmbeddingBag(9, 4, mode="max")
batch = torch.tensor([[3, -1], [0, 8]])
model(batch)

# %% the table is called with a keyword
model = nn.Module()
model.words = nn.Embedding(50, 8)
model.forward = lambda ids: model.words(input=ids)
batch = torch.tensor([[1, 50, 3]])
model(batch)

# %% message: rows of an empty tensor
nothing = torch.rand(0, 16).index_select(0, torch.tensor([0]))

# %% message: a table without rows
vocabulary = {}
table = nn.Embedding(len(vocabulary), 8)
table(torch.tensor([0]))

# %% message: rows that another table has
features = torch.rand(50, 16)
neighbours = features.index_select(0, torch.tensor([3, 50]))

# %% message: columns by index_select
features = torch.rand(50, 16)
chosen = features.index_select(1, torch.tensor([3, 50]))

# %% message: a tokenizer of another model inside a module
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.word_embeddings = nn.Embedding(21128, 8)

    def forward(self, input_ids):
        return self.word_embeddings(input_ids)


Encoder()(torch.tensor([[101, 28996, 102]]))

# %% right: the last id, and one of two tables is not used
model = nn.Module()
model.words, model.kinds = nn.Embedding(10, 4), nn.Embedding(2, 4)
model.forward = lambda ids: model.words(ids)
batch = torch.tensor([[0, 9, 5]])
model(batch)

# %% right: the table got more rows than it was created with
model = nn.Embedding(50, 8)
model.weight = nn.Parameter(torch.randn(60, 8))
batch = torch.tensor([[1, 50, 59]])
model(batch)

# %% right: an empty text
model = nn.Embedding(10, 4)
batch = torch.zeros(2, 0, dtype=torch.int64)
model(batch)
