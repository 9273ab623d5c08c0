import torch
from torch import nn

torch.autograd.set_detect_anomaly(True)
torch.manual_seed(0)

# %% a variance that is negative
model, batch = nn.Linear(4, 3), torch.tensor([[1.0, 2.0, 0.0, 1.0]] * 2)


def compute_loss():
    x = model(batch)
    return (x.pow(2).mean(dim=0) - x.mean(dim=0).abs() - 9).sqrt().sum()


loss = compute_loss()
loss.backward()
# %% fixed
model, batch = nn.Linear(4, 3), torch.tensor([[1.0, 2.0, 0.0, 1.0]] * 2)


def compute_loss():
    x = model(batch)
    return (x.pow(2).mean(dim=0) - x.mean(dim=0).pow(2)).clamp(min=1e-8).sqrt().sum()


loss = compute_loss()
loss.backward()

# %% where() around a logarithm
model, batch, exposure = nn.Linear(4, 3), torch.randn(16, 4), torch.tensor([0.0, 1.0, 2.0])


def compute_loss():
    rates = exposure * model(batch).exp()
    return torch.where(rates > 0, rates.log(), 0.0).mean()


loss = compute_loss()
loss.backward()
# %% fixed
model, batch, exposure = nn.Linear(4, 3), torch.randn(16, 4), torch.tensor([0.0, 1.0, 2.0])


def compute_loss():
    rates = exposure * model(batch).exp()
    return torch.where(rates > 0, rates.clamp(min=1e-8).log(), 0.0).mean()


loss = compute_loss()
loss.backward()

# %% a sequence that is all padding, in a class that trains


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, padding):
        scores = self.query(x) @ self.key(x).mT
        return scores.masked_fill(padding[:, None], -torch.inf).softmax(dim=-1) @ x


model, batch, padding = Attention(), torch.randn(2, 3, 8), torch.tensor([[False, False, True], [True, True, True]])


def compute_loss():
    return model(batch, padding).pow(2).mean()


loss = compute_loss()
loss.backward()

# %% message: a softmax over hidden positions only
scores = torch.randn(2, 3, requires_grad=True)
weights = scores.masked_fill(torch.tensor([[True, True, True], [False, False, True]]), -torch.inf).softmax(dim=1)
weights[1].sum().backward()
# %% fixed
scores = torch.randn(2, 3, requires_grad=True)
hidden = torch.tensor([[True, True, True], [False, False, True]])
weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=1)
weights[1].sum().backward()

# %% message: a vector of zeros, normalized
x = torch.zeros(3, requires_grad=True)
(x / x.abs().sum()).sum().backward()
# %% fixed
F = nn.functional
x = torch.zeros(1, 3, requires_grad=True)
F.normalize(x, eps=1e-6).sum().backward()

# %% message: the standard deviation of a batch of one
x = torch.randn(1, 3, requires_grad=True)
x.std(dim=0).sum().backward()
# %% fixed
x = torch.randn(1, 3, requires_grad=True)
x.std(dim=0, correction=0).sum().backward()

# %% the length of a change to an image, before the first step
pixels = torch.rand(4)
change = torch.zeros(4, requires_grad=True)


def compute_loss():
    return (pixels + change).mean() + change.square().sum().sqrt()


compute_loss().backward()
# %% fixed
pixels = torch.rand(4)
change = torch.zeros(4, requires_grad=True)


def compute_loss():
    return (pixels + change).mean() + torch.linalg.vector_norm(change)


compute_loss().backward()

# %% message: the distance of equal images, stopped by clipping
model, pair = nn.Linear(4, 3), torch.ones(2, 4)
with torch.autograd.set_detect_anomaly(False):
    (model(pair[0]) - model(pair[1])).square().sum().sqrt().backward()
nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
# %% fixed
model, pair = nn.Linear(4, 3), torch.ones(2, 4)
with torch.autograd.set_detect_anomaly(True):  # it named the square root, which has an infinite slope at 0
    ((model(pair[0]) - model(pair[1])).square().sum() + 1e-12).sqrt().backward()
nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)

# %% message: a cosine that rounding carries above 1
x = torch.tensor([1.0000001, 0.2], requires_grad=True)
x.acos().sum().backward()
# %% fixed
x = torch.tensor([1.0000001, 0.2], requires_grad=True)
x.clamp(-1 + 1e-6, 1 - 1e-6).acos().sum().backward()

# %% message: gamma correction of a negative value
pixels = torch.tensor([0.3, -0.01], requires_grad=True)
pixels.pow(1 / 2.2).sum().backward()

# %% message: a harmless product before a logarithm of 0
x, weight = torch.zeros(3, requires_grad=True), torch.zeros(3)
(x * weight).log().sum().backward()

# %% right: the data has NaN, and the backward pass only hands it on
model, batch = nn.Linear(4, 3), torch.tensor([[1.0, 2.0, float("nan"), 1.0]])


def compute_loss():
    return model(batch).pow(2).mean()


loss = compute_loss()

# %% right: the length of a zero vector
model, batch = nn.Linear(4, 3, bias=False), torch.zeros(2, 4)


def compute_loss():
    return torch.linalg.vector_norm(model(batch), dim=1).sum()


loss = compute_loss()
loss.backward()

# %% right: one hidden position
model, batch = nn.Linear(4, 3), torch.randn(2, 4)


def compute_loss():
    hidden = torch.tensor([[True, False, False]] * 2)
    return model(batch).masked_fill(hidden, -torch.inf).softmax(dim=1)[:, 1].log().mean()


loss = compute_loss()
loss.backward()
