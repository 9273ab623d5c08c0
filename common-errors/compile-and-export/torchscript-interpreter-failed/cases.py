import torch
from torch import nn

# %% a key that is missing
def embed(inputs: dict[str, torch.Tensor]):
    return inputs["input_ids"] * 2


model, batch = torch.jit.script(embed), {"ids": torch.ones(2)}
model(batch)

# %% a key with a space
def area(box: dict[str, torch.Tensor]):
    return box["box width"] * box["box height"]


model, batch = torch.jit.script(area), {"box width": torch.ones(2), "height": torch.ones(2)}
model(batch)

# %% windows longer than the signal
class Windows(nn.Module):
    def forward(self, signal: torch.Tensor):
        return signal.unfold(-1, 400, 160).mean(-1)


model, batch = torch.jit.script(Windows()), torch.randn(1, 300)
model(batch)

# %% a quantile in percent
def threshold(scores: torch.Tensor):
    return scores > scores.quantile(95.0)


model, batch = torch.jit.script(threshold), torch.rand(10)
model(batch)

# %% an assertion of the model
class Encoder(nn.Module):
    def forward(self, images: torch.Tensor):
        assert images.shape[-1] % 32 == 0, "the width must be a multiple of 32"
        return images.mean()


model, batch = torch.jit.script(Encoder()), torch.rand(3, 40)
model(batch)

# %% an exception of the model
class Loss(nn.Module):
    def __init__(self, reduction: str):
        super().__init__()
        self.reduction = reduction

    def forward(self, error: torch.Tensor):
        if self.reduction == "mean":
            return error.mean()
        raise ValueError("unknown reduction")


model, batch = torch.jit.script(Loss("avg")), torch.rand(3)
model(batch)

# %% message: no frames
def per_frame(total: torch.Tensor, frames: int):
    return total.shape[0] // frames


torch.jit.script(per_frame)(torch.rand(4), 0)

# %% message: a traced model and a shorter signal
class Frames(nn.Module):
    def forward(self, signal):
        return signal.unfold(-1, 16, 8).mean(-1)


traced = torch.jit.trace(Frames(), torch.randn(1, 64))
traced(torch.randn(1, 10))

# %% right: the key is there
def embed(inputs: dict[str, torch.Tensor]):
    return inputs["input_ids"] * 2


model, batch = torch.jit.script(embed), {"input_ids": torch.ones(2)}
model(batch)

# %% right: not TorchScript
model, batch = nn.Linear(4, 2), torch.rand(3, 4)
model(batch)
