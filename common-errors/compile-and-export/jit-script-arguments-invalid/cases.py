from typing import Optional

import torch
from torch import nn

x = torch.randn(4, 16)

# %% a size without an annotation
def crop(images, size):
    return images[:, :size]


function, arguments = crop, (x, 2)
torch.jit.script(function)(*arguments)
# %% fixed
def crop(images, size: int):
    return images[:, :size]


function, arguments = crop, (x, 2)
torch.jit.script(function)(*arguments)

# %% half a repetition
def tile(images: torch.Tensor, times: int):
    return images.repeat(times, 1)


function, arguments = tile, (x, 2.5)
torch.jit.script(function)(*arguments)

# %% numbers in a list
def lengths(images: torch.Tensor):
    sizes = []
    for row in range(images.shape[0]):
        sizes.append(row)
    return sizes


function, arguments = lengths, (x,)
torch.jit.script(function)(*arguments)
# %% fixed
def lengths(images: torch.Tensor):
    sizes: list[int] = []
    for row in range(images.shape[0]):
        sizes.append(row)
    return sizes


function, arguments = lengths, (x,)
torch.jit.script(function)(*arguments)

# %% as many steps as an argument says
def blur(images, steps):
    for _ in range(steps):
        images = (images + images.roll(1, 0)) / 2
    return images


function, arguments = blur, (x, 3)
torch.jit.script(function)(*arguments)

# %% no size
def enlarge(images: torch.Tensor, times: int):
    return images.repeat(times, 1)


function, arguments = enlarge, (x, None)
torch.jit.script(function)(*arguments)

# %% the spelling of NumPy
def center(images: torch.Tensor):
    return images - images.mean(1, keepdims=True)


function, arguments = center, (x,)
torch.jit.script(function)(*arguments)

# %% a mode without an annotation, in a module
class Pooling(nn.Module):
    def forward(self, images, mode):
        return images.amax(1) if mode == "max" else images.mean(1)


function, arguments = Pooling(), (x, "max")
torch.jit.script(function)(*arguments)

# %% message: a list of tensors without an annotation
def joined(parts):
    return torch.cat(parts, 1)


torch.jit.script(joined)

# %% message: a scale from a table
def scaled(images: torch.Tensor, sizes: list[int]):
    return torch.add(images, images, alpha="two")


torch.jit.script(scaled)

# %% message: an optional mask is passed on
def apply(images: torch.Tensor, mask: torch.Tensor):
    return images * mask


def masked(images: torch.Tensor, mask: Optional[torch.Tensor] = None):
    return apply(images, mask)


torch.jit.script(masked)

# %% message: a size that is a fraction
def halve(images: torch.Tensor):
    return images.narrow(0, 0, images.shape[0] / 2)


torch.jit.script(halve)

# %% a number into a layer
def position(table: torch.Tensor, index: int):
    return nn.functional.embedding(index, table)


function, arguments = position, (x, 2)
torch.jit.script(function)(*arguments)
# %% fixed
def position(table: torch.Tensor, index: int):
    return nn.functional.embedding(torch.tensor(index), table)


function, arguments = position, (x, 2)
torch.jit.script(function)(*arguments)

# %% message: a result of another type than declared
def count(images: torch.Tensor) -> torch.Tensor:
    return images.shape[0]


torch.jit.script(count)

# %% message: one input too many
def double(images: torch.Tensor):
    return images * 2


torch.jit.script(double)(x, x)

# %% one input too few
def add(images: torch.Tensor, other: torch.Tensor):
    return images + other


function, arguments = add, (x,)
torch.jit.script(function)(*arguments)

# %% a helper without its size
def shrink(images: torch.Tensor, times: int):
    return images[:, ::times]


def preview(images: torch.Tensor):
    return shrink(images)


function, arguments = preview, (x,)
torch.jit.script(function)(*arguments)

# %% message: a list of tensors for a tensor
def flatten(images: torch.Tensor):
    return images.flatten()


torch.jit.script(flatten)([x, x])

# %% right: everything declared
def pad(images, size: int, mask: Optional[torch.Tensor] = None):
    if mask is not None:
        images = images * mask
    return images.repeat(size, 1)


function, arguments = pad, (x, 2)
torch.jit.script(function)(*arguments)

# %% right: tensors need no annotation
def mean(a, b):
    return (a + b) / 2


function, arguments = mean, (x, x)
torch.jit.script(function)(*arguments)
