import torch
from torch import nn

torch.manual_seed(0)
inputs, targets = torch.randn(64, 8), torch.randn(64, 1)


def train(model, optimizer, dtype, steps=5):
    for step in range(steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs.to(dtype)), targets.to(dtype)).backward()
        optimizer.step()

# %% RMSprop, and a model that is converted by to()
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(torch.float16)
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
train(model, optimizer, torch.float16)
# %% fixed
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for step in range(5):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.bfloat16):
        loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()

# %% an embedding, most of whose rows get no gradient
model = nn.Sequential(nn.Embedding(100, 16), nn.Linear(16, 1)).half()
optimizer = torch.optim.AdamW(model.parameters())
for step in range(3):
    optimizer.zero_grad()
    model(torch.arange(8)).square().mean().backward()
    optimizer.step()

# %% watched: a class, and a part in half precision
class Trainer:
    def __init__(self):
        self.body, self.head = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()).half(), nn.Linear(64, 1)
        parts = [{"params": self.body.parameters(), "lr": 1e-4}, {"params": self.head.parameters()}]
        self.optimizer = torch.optim.NAdam(parts, lr=1e-3)

    def fit(self, steps):
        for step in range(steps):
            loss = nn.functional.l1_loss(self.head(self.body(inputs.half()).float()), targets)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


Trainer().fit(4)

# %% right: an eps that float16 can hold
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).half()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-4)
train(model, optimizer, torch.float16)

# %% right: frozen layers in half precision
body, model = nn.Linear(8, 8).half().requires_grad_(False), nn.Linear(8, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(5):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(body(inputs.half()).float()), targets).backward()
    optimizer.step()

# %% right: SGD, which has no eps
model = nn.Linear(8, 1).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, optimizer, torch.float16)

# %% right: frozen layers in half precision that the optimizer has as well
body, head = nn.Linear(8, 8).half().requires_grad_(False), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
for step in range(5):
    optimizer.zero_grad()
    nn.functional.mse_loss(head(body(inputs.half()).float()), targets).backward()
    optimizer.step()

# %% right: copies of the weights in float32 for the optimizer
model = nn.Linear(8, 1).half()
copies = [weight.detach().float().requires_grad_() for weight in model.parameters()]
optimizer = torch.optim.Adam(copies, lr=1e-3)
for step in range(5):
    model.zero_grad()
    nn.functional.mse_loss(model(inputs.half()), targets.half()).backward()
    for copy, weight in zip(copies, model.parameters()):
        copy.grad = weight.grad.float()
    optimizer.step()
    for copy, weight in zip(copies, model.parameters()):
        weight.data.copy_(copy.detach())
