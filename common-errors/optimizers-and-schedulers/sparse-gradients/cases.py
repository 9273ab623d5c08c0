import torch
from torch import nn

torch.manual_seed(0)
words = torch.randint(400, (8, 6))


def text_classifier():
    return nn.Sequential(nn.Embedding(400, 16, sparse=True), nn.Flatten(), nn.Linear(96, 3))


# %% AdamW and an EmbeddingBag
model = nn.Sequential(nn.EmbeddingBag(400, 16, sparse=True), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters())
model(words).sum().backward()
optimizer.step()
# %% fixed
model = nn.Sequential(nn.EmbeddingBag(400, 16, sparse=True), nn.Linear(16, 4))
embeddings = model[0].parameters()
optimizer = torch.optim.SparseAdam(embeddings)
others = torch.optim.AdamW(model[1].parameters())
model(words).sum().backward()
optimizer.step()
others.step()

# %% RMSprop
model = text_classifier()
optimizer = torch.optim.RMSprop(model.parameters())
model(words).sum().backward()
optimizer.step()
# %% fixed
model = text_classifier()
embeddings = model[0].parameters()
optimizer = torch.optim.SparseAdam(embeddings)
others = torch.optim.RMSprop(model[2].parameters())
model(words).sum().backward()
optimizer.step()
others.step()

# %% SparseAdam for the whole model
model = text_classifier()
optimizer = torch.optim.SparseAdam(model.parameters())
model(words).sum().backward()
optimizer.step()
# %% fixed
model = text_classifier()
optimizer = torch.optim.SparseAdam(model[0].parameters())
others = torch.optim.Adam(model[2].parameters())
model(words).sum().backward()
optimizer.step()
others.step()
optimizer.zero_grad()
others.zero_grad()
model(words).sum().backward()
optimizer.step()

# %% SparseAdam and tied weights
embedding, head = nn.Embedding(400, 16, sparse=True), nn.Linear(16, 400, bias=False)
head.weight = embedding.weight
model = nn.Sequential(embedding, head)
optimizer = torch.optim.SparseAdam(model.parameters())
model(words).sum().backward()
optimizer.step()
# %% fixed
embedding, head = nn.Embedding(400, 16, sparse=True), nn.Linear(16, 400, bias=False)
head.weight = embedding.weight
model = nn.Sequential(embedding, head)
optimizer = torch.optim.Adam(model.parameters())
optimizer.zero_grad()
model(words).sum().backward()
optimizer.step()

# %% weight decay in Adagrad
model = text_classifier()
optimizer = torch.optim.Adagrad(model.parameters(), weight_decay=1e-4)
model(words).sum().backward()
optimizer.step()
# %% fixed
model = text_classifier()
embeddings, others = model[0].parameters(), model[2].parameters()
groups = [{"params": embeddings, "weight_decay": 0}, {"params": others}]
optimizer = torch.optim.Adagrad(groups, weight_decay=1e-4)
model(words).sum().backward()
optimizer.step()

# %% weight decay in SGD
model = text_classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
model(words).sum().backward()
optimizer.step()
# %% fixed
model = text_classifier()
embeddings, others = model[0].parameters(), model[2].parameters()
groups = [{"params": embeddings, "weight_decay": 0}, {"params": others}]
optimizer = torch.optim.SGD(groups, lr=0.1, weight_decay=1e-4)
model(words).sum().backward()
optimizer.step()

# %% fused SGD
model = text_classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
model(words).sum().backward()
optimizer.step()
# %% fixed
model = nn.Sequential(nn.Embedding(400, 16), nn.Flatten(), nn.Linear(96, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
model(words).sum().backward()
optimizer.step()

# %% message: a sparse matrix as a parameter
weight = nn.Parameter(torch.eye(4).to_sparse())
torch.optim.SparseAdam([weight])
# %% fixed
class Graph(nn.Module):
    def __init__(self, indices, size):
        super().__init__()
        self.indices, self.size = indices, size
        self.values = nn.Parameter(torch.ones(indices.shape[1]))

    def forward(self, x):
        indices, size = self.indices, self.size
        adjacency = torch.sparse_coo_tensor(indices, self.values, size)
        return torch.sparse.mm(adjacency, x)


model = Graph(torch.arange(4).expand(2, 4), (4, 4))
optimizer = torch.optim.Adam(model.parameters())
model(torch.rand(4, 2)).sum().backward()
optimizer.step()

# %% message: L2 added by hand
model = text_classifier()
model(words).sum().backward()
for parameter in model.parameters():
    parameter.grad = parameter.grad + 1e-4 * parameter.detach()
# %% fixed
model = text_classifier()
model(words).sum().backward()
for parameter in model.parameters():
    grad = parameter.grad
    parameter.grad = (grad.to_dense() if grad.is_sparse else grad) + 1e-4 * parameter.detach()

# %% message: gradients scaled by frequency
embedding = nn.Embedding(400, 16, sparse=True, scale_grad_by_freq=True)
embedding(words).sum().backward()
# %% fixed
embedding = nn.Embedding(400, 16, scale_grad_by_freq=True)
embedding(words).sum().backward()

# %% message: the largest of a bag
nn.EmbeddingBag(400, 16, sparse=True, mode="max")(words)
# %% fixed
nn.EmbeddingBag(400, 16, sparse=True, mode="mean")(words)

# %% message: gradients clipped by value
model = text_classifier()
model(words).sum().backward()
torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
# %% fixed
model = text_classifier()
model(words).sum().backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)

# %% right: Adam and dense gradients
model = nn.Sequential(nn.Embedding(400, 16), nn.Flatten(), nn.Linear(96, 3))
optimizer = torch.optim.Adam(model.parameters())
model(words).sum().backward()
optimizer.step()

# %% right: SGD with momentum
model = text_classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(words).sum().backward()
optimizer.step()

# %% right: SparseAdam for the embedding alone
model = text_classifier()
optimizer = torch.optim.SparseAdam(model[0].parameters())
others = torch.optim.Adam(model[2].parameters())
model(words).sum().backward()
optimizer.step()
others.step()
