import numpy as np
import torch
from torch import nn

# %% an image of one channel
tensor, dim, index = torch.rand(8, 1, 28, 28), 1, 1
green = tensor[:, index]

# %% a mask that selected nothing
scores = torch.tensor([0.2, 0.3, 0.1])
tensor, dim, index = scores[scores > 0.5], 0, 0
best = tensor[index]

# %% classes from 1 in a one-hot tensor
tensor, dim, index, lowest = torch.zeros(3, 10), 1, torch.tensor([[1], [10], [2]]), 0
one_hot = tensor.scatter(dim, index, 1.0)

# %% gather with -100 as padding
tensor, dim, index, lowest = torch.randn(2, 5, 7).log_softmax(-1), 2, torch.tensor([[3, 1, 2, 4, 0], [6, 5, -100, -100, -100]]), 0
picked = tensor.gather(dim, index.unsqueeze(-1))

# %% gather with -1
tensor, dim, index, lowest = torch.randn(4, 6), 1, torch.tensor([[0], [5], [-1], [2]]), 0
picked = tensor.gather(dim, index)

# %% one more past than there is
tensor, dim, index = torch.rand(20, 3), 0, -21
oldest = tensor[index]

# %% an index of another tensor
features, boxes = torch.rand(50, 16), torch.rand(200, 4)
tensor, dim, index = features, 0, torch.tensor([3, 120, 49])
kept = tensor[index]

# %% message: NumPy, and the last row of a table
table = np.zeros((5, 3))
row = table[5]

# %% message: an index tensor on nothing
boxes = torch.zeros(0, 4)
first = boxes[torch.tensor([0])]

# %% message: select by name
frames = torch.rand(14, 64, 300)
frame = frames.select(0, 14)

# %% message: take counts the elements of the whole tensor
image = torch.rand(4, 4)
pixels = image.take(torch.tensor([3, 16]))

# %% message: a window that ends too late
series = torch.arange(100.0)
window = series.narrow(0, 90, 20)

# %% message: top 5 of three classes
x, k, dim = torch.randn(8, 3), 5, 1
values, classes = x.topk(k, dim=dim)
# %% fixed
x, k, dim = torch.randn(8, 3), 5, 1
k = min(k, x.size(dim))
values, classes = x.topk(k, dim=dim)

# %% message: a dataset whose __len__ is not that of its data
class Crops(torch.utils.data.Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return 12

    def __getitem__(self, index):
        return self.images[index]


batches = list(torch.utils.data.DataLoader(Crops(torch.rand(10, 3, 8, 8)), batch_size=4))
# %% fixed
class Crops(torch.utils.data.Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index]


batches = list(torch.utils.data.DataLoader(Crops(torch.rand(10, 3, 8, 8)), batch_size=4))

# %% message: an edge to a node that a sparse matrix lacks
edges = torch.sparse_coo_tensor([[0, 1], [1, 6]], torch.ones(2), (6, 6), check_invariants=False)
torch.sparse.mm(edges, torch.rand(6, 8))
# %% fixed
edges = torch.sparse_coo_tensor([[0, 1], [1, 6]], torch.ones(2), (7, 7), check_invariants=True)
torch.sparse.mm(edges, torch.rand(7, 8))

# %% message: an edge to a node that a sparse matrix lacks, checked
torch.sparse_coo_tensor([[0, 1], [1, 6]], torch.ones(2), (6, 6), check_invariants=True)
# %% fixed
torch.sparse_coo_tensor([[0, 1], [1, 6]], torch.ones(2), (7, 7), check_invariants=True)

# %% message: a user's module in a traceback
class Pooler(nn.Module):
    def forward(self, hidden, lengths):
        return hidden[torch.arange(len(hidden)), lengths]


nn.Sequential(Pooler())[0](torch.rand(4, 20, 8), torch.tensor([3, 19, 20, 7]))

# %% right: indices that count from the end, and a slice beyond it
tensor, dim, index = torch.rand(3, 12), 1, torch.tensor([-12, 11, -1])
steps = tensor[:, index], tensor[:, 10:20]

# %% right: an empty index
tensor, dim, index = torch.rand(3, 12), 0, torch.tensor([], dtype=torch.int64)
rows = tensor[index]
