import torch
from torch import nn

# %% a graph with another number of nodes than the data
equation, operands = "ncvl,vw->ncwl", [torch.randn(2, 16, 65, 12), torch.rand(38, 38)]
hidden = torch.einsum(equation, *operands)

# %% the weight of a linear layer, which is output x input
equation, operands = "bi,io->bo", [torch.randn(5, 20), nn.Linear(20, 7).weight]
outputs = torch.einsum(equation, *operands)

# %% a batch of one that squeeze removed
image, audio = torch.randn(1, 64, 8, 8), torch.randn(1, 64, 1)
equation, operands = "bchw,bc->bchw", [image, audio.squeeze()]
fused = torch.einsum(equation, *operands)
# %% fixed
image, x = torch.randn(1, 64, 8, 8), torch.randn(1, 64, 1)
equation, operands = "bchw,bc->bchw", [image, x.squeeze(-1)]
fused = torch.einsum(equation, *operands)

# %% a batch dimension that the equation does not name
equation, operands = "ij,jk->ik", [torch.randn(4, 10, 16), torch.randn(16, 5)]
outputs = torch.einsum(equation, *operands)
# %% fixed
equation, operands = "...ij,...jk->...ik", [torch.randn(4, 10, 16), torch.randn(16, 5)]
outputs = torch.einsum(equation, *operands)

# %% message: an operand is missing
outputs = torch.einsum("ij,jk,kl->il", torch.randn(3, 4), torch.randn(4, 5))

# %% message: an output letter that no operand has
outputs = torch.einsum("bqd,bkd->bhqk", torch.randn(2, 5, 8), torch.randn(2, 6, 8))

# %% message: more operands than in the equation
outputs = torch.einsum("ij->i", torch.randn(3, 4), torch.randn(3, 4))

# %% message: a diagonal of a matrix that is not square
diagonal = torch.einsum("ii->i", torch.randn(2, 3))

# %% message: batches of different sizes behind an ellipsis
scores = torch.einsum("...i,...i->...", torch.randn(2, 3), torch.randn(4, 3))

# %% right: size 1 is broadcast
equation, operands = "bhqd,bhkd->bhqk", [torch.randn(8, 4, 10, 16), torch.randn(8, 1, 10, 16)]
scores = torch.einsum(equation, *operands)

# %% right: an ellipsis for the dimensions in front
equation, operands = "...d,de->...e", [torch.randn(2, 3, 8), torch.randn(8, 4)]
outputs = torch.einsum(equation, *operands)
