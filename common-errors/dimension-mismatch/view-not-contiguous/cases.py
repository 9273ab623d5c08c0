import torch
from torch import nn

torch.manual_seed(0)


# %% heads that are merged in a model of another file
class Merge(nn.Module):
    def forward(self, context):
        batch, heads, length, width = context.shape
        return context.permute(0, 2, 1, 3).view(batch * length, heads * width)


model = nn.Sequential(Merge(), nn.Linear(32, 8))
batch = torch.randn(3, 2, 5, 16)
model(batch)


# %% shifted logits
def model(logits):
    return logits[:, :-1].view(-1, 100)


batch = torch.randn(8, 20, 100)
model(batch)
# %% fixed
model = lambda logits: logits[:, :-1].reshape(-1, 100)
batch = torch.randn(8, 20, 100)
model(batch)


# %% top-5 accuracy as in old training scripts
def model(scores):
    predicted = scores.topk(5)[1].t()
    correct = predicted.eq(torch.arange(10).expand_as(predicted))
    return correct[:5].view(-1).float().sum()


batch = torch.randn(10, 50)
model(batch)
# %% fixed
predicted = torch.randn(10, 50).topk(5)[1].t()
correct = predicted.eq(torch.arange(10).expand_as(predicted))
model, batch = (lambda correct: correct[:5].reshape(-1).float().sum()), correct
model(batch)

# %% maps in channels_last
conv = nn.Conv2d(3, 8, 3).to(memory_format=torch.channels_last)
model = lambda images: conv(images).view(len(images), -1)
batch = torch.rand(4, 3, 16, 16).to(memory_format=torch.channels_last)
model(batch)

# %% the last state of a bidirectional LSTM
lstm = nn.LSTM(3, 4, bidirectional=True, batch_first=True)
model = lambda readings: lstm(readings)[1][0].transpose(0, 1).view(len(readings), -1)
batch = torch.randn(2, 5, 3)
model(batch)

# %% a mask that was expanded
model = lambda mask: mask.expand(4, 5).view(20)
batch = torch.ones(1, 5)
model(batch)

# %% message: every second value as pairs of bytes
x = torch.rand(4, 6)[:, ::2]
pairs = x.view(torch.int16)
# %% fixed
x = torch.rand(4, 6)[:, ::2]
pairs = x.contiguous().view(torch.int16)

# %% message: four of seven bytes as an integer
x = torch.zeros(4, 7, dtype=torch.uint8)[:, :4]
numbers = x.view(torch.int32)
# %% fixed
x = torch.zeros(4, 7, dtype=torch.uint8)[:, :4]
numbers = x.clone(memory_format=torch.contiguous_format).view(torch.int32)

# %% message: an integer behind a header of one byte
x = torch.zeros(9, dtype=torch.uint8)[1:]
numbers = x.view(torch.int32)
# %% fixed
x = torch.zeros(9, dtype=torch.uint8)[1:]
numbers = x.clone(memory_format=torch.contiguous_format).view(torch.int32)

# %% message: rotary embeddings of real and imaginary halves
query = torch.randn(2, 10, 64).unflatten(2, (2, 32)).transpose(2, 3)
torch.view_as_complex(query)
# %% fixed
query = torch.randn(2, 10, 64).unflatten(2, (2, 32)).transpose(2, 3)
torch.view_as_complex(query.contiguous())

# %% message: weights of 8 bits
A, weight = torch.rand(4, 4).T, torch.zeros(4, 4, dtype=torch.int8)
torch._weight_int8pack_mm(A, weight, torch.ones(4))
# %% fixed
A, weight = torch.rand(4, 4).T, torch.zeros(4, 4, dtype=torch.int8)
torch._weight_int8pack_mm(A.contiguous(), weight, torch.ones(4))

# %% right: heads are split off a transposed tensor
model = lambda features: features.transpose(1, 2).view(2, 10, 4, 16)
batch = torch.randn(2, 64, 10)
model(batch)

# %% right: heads join the batch, as in nn.MultiheadAttention
model = lambda query: query.view(10, 3 * 4, 16).transpose(0, 1)
batch = torch.randn(10, 3, 64)
model(batch)

# %% right: the shuffle of channels
model = lambda maps: maps.view(2, 4, 8, 5, 5).transpose(1, 2).contiguous().view(2, 32, 5, 5)
batch = torch.randn(2, 32, 5, 5)
model(batch)
