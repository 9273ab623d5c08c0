import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(1000, 16), nn.Flatten(), nn.Linear(5 * 16, 2))


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = nn.EmbeddingBag(200, 8, mode="sum")
        self.score = nn.Linear(8, 1)

    def forward(self, items):
        return self.score(self.items(input=items))


# %% torch.Tensor makes floats of a list of ids
batch = torch.Tensor([[5, 17, 2, 9, 0]])
model(batch)
# %% fixed
batch = torch.Tensor([[5, 17, 2, 9, 0]])
ids = batch
batch = ids.long()
model(batch)

# %% baskets in an EmbeddingBag, read from a float64 table
model = Ranker()
batch = torch.from_numpy(np.array([[3.0, 7.0], [1.0, 199.0]]))
model(batch)

# %% a document without words
model = nn.Embedding(1000, 16)
batch = torch.tensor([[]])
model(batch)

# %% ids of a data set in 16 bits
batch = torch.tensor([[5, 17, 2, 9, 0]], dtype=torch.int16)
model(batch)
# %% fixed
ids = torch.tensor([[5, 17, 2, 9, 0]], dtype=torch.int16)
batch = ids.long()
model(batch)

# %% message: a mask in place of the ids
ids = torch.tensor([[5, 17, 2, 0, 0]])
model(ids != 0)

# %% a column of flags
model = nn.Embedding(2, 4)
batch = torch.tensor([True, False, True])
model(batch)

# %% the whole batch is converted to float16
model = model.half()
batch = torch.tensor([[5, 17, 2, 9, 0]]).half()
model(batch)
# %% fixed
model = model.half()
batch = torch.tensor([[5, 17, 2, 9, 0]], dtype=torch.long)  # stays torch.long
model(batch)

# %% message: the whole batch is converted to bfloat16
model.bfloat16()(torch.tensor([[5, 17, 2, 9, 0]]).bfloat16())
# %% fixed
model.bfloat16()(torch.tensor([[5, 17, 2, 9, 0]], dtype=torch.long))  # stays torch.long

# %% message: positions from linspace
positions = nn.Embedding(512, 16)
positions(torch.linspace(0, 9, 10))

# %% message: a decoder gets state and token in the wrong order
def decode(token, state):
    return nn.GRU(16, 32)(nn.Embedding(1000, 16)(token), state)


state, token = torch.zeros(1, 1, 32), torch.tensor([[5]])
decode(state, token)

# %% message: pixels, which are bytes
ids, palette = torch.zeros(2, 2, dtype=torch.uint8), torch.rand(256, 3)
nn.functional.embedding(ids, palette)
# %% fixed
ids, palette = torch.zeros(2, 2, dtype=torch.uint8), torch.rand(256, 3)
nn.functional.embedding(ids.long(), palette)

# %% right: int32 ids
batch = torch.tensor([[5, 17, 2, 9, 0]], dtype=torch.int32)
model(batch)

# %% right: a model in bfloat16 with int64 ids
model = model.bfloat16()
batch = torch.tensor([[5, 17, 2, 9, 0]])
model(batch)
