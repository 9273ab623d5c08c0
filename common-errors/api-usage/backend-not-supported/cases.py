import torch
from torch import nn

torch.manual_seed(0)
identity = torch.eye(4).to_sparse()

# %% another shape of a sparse matrix
def line():
    return identity.view(16)


line()
# %% fixed
def line():
    return identity.to_dense().view(16)


line()

# %% a sparse matrix through an activation
def line():
    return torch.sigmoid(identity)


line()
# %% fixed
def line():
    return torch.sigmoid(identity.to_dense())


line()

# %% the sum of quantized tensors
levels = torch.quantize_per_tensor(torch.rand(4), 0.1, 0, torch.quint8)


def line():
    return levels + levels


line()
# %% fixed
levels = torch.quantize_per_tensor(torch.rand(4), 0.1, 0, torch.quint8)


def line():
    return levels.dequantize() + levels.dequantize()


line()

# %% the mean of sequences of different lengths
sequences = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])


def line():
    return sequences.mean()


line()
# %% fixed
sequences = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])


def line():
    return sequences.to_padded_tensor(0.0).sum() / 5


line()

# %% a quantized layer and an ordinary tensor
model = nn.Sequential(nn.Linear(4, 2)).eval()
model.qconfig = torch.ao.quantization.default_qconfig
model = torch.ao.quantization.prepare(model)
model(torch.rand(8, 4))
model = torch.ao.quantization.convert(model)


def line():
    return model(torch.rand(1, 4))


line()

# %% an operator of your own, for CUDA alone
@torch.library.custom_op("shop::rank", mutates_args=(), device_types="cuda")
def rank(x: torch.Tensor) -> torch.Tensor:
    return x.argsort()


def line():
    return rank(torch.rand(4))


line()

# %% right: operations that sparse matrices have
def line():
    return torch.sparse.mm(identity, torch.rand(4, 2)) + (identity * 2) @ torch.rand(4, 2)


line()

# %% right: dense after all
def line():
    return torch.sigmoid(identity.to_dense())


line()
