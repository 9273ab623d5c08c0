import io

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
inputs, targets = torch.randn(64, 8), torch.randn(64, 1)
loader = DataLoader(TensorDataset(inputs, targets), batch_size=16, shuffle=True)


def fit(model, optimizer, epochs, keep):
    """Train, and return the last checkpoint as it was written."""
    for epoch in epochs:
        for batch, wanted in loader:
            optimizer.zero_grad()
            F.mse_loss(model(batch), wanted).backward()
            optimizer.step()
        file = io.BytesIO()
        torch.save({"epoch": epoch + 1, "model": model.state_dict()} | keep(optimizer), file)
    return torch.load(io.BytesIO(file.getvalue()))


nothing, state = lambda optimizer: {}, lambda optimizer: {"optimizer": optimizer.state_dict()}

# %% momentum is lost
model = nn.Linear(8, 1)
checkpoint = fit(model, torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), range(10), nothing)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
# %% fixed
model = nn.Linear(8, 1)
checkpoint = fit(model, torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), range(10), state)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
optimizer.load_state_dict(checkpoint["optimizer"])

# %% only the weights are in the file
model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters())
fit(model, optimizer, range(2), nothing)
checkpoint = {"model": model.state_dict()}

# %% right: SGD without momentum has no state
model = nn.Linear(8, 1)
checkpoint = fit(model, torch.optim.SGD(model.parameters(), lr=0.01), range(10), nothing)
model.load_state_dict(checkpoint["model"])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
fit(model, optimizer, range(10, 12), nothing)

# %% right: all is saved and loaded
model = nn.Linear(8, 1)
checkpoint = fit(model, torch.optim.Adam(model.parameters()), range(10), state)
model.load_state_dict(checkpoint["model"])
optimizer = torch.optim.Adam(model.parameters())
optimizer.load_state_dict(checkpoint["optimizer"])
checkpoint = fit(model, optimizer, range(10, 12), state)

# %% watched: resumed in a new process, with a counter of epochs and no DataLoader events before
weights = nn.Linear(8, 1).state_dict()  # as from the file of a run of 10 epochs
model = nn.Linear(8, 1)
model.load_state_dict(weights)
fit(model, torch.optim.AdamW(model.parameters()), range(10, 13), nothing)

# %% watched: a class that counts iterations, RMSprop
class Trainer:
    def __init__(self, weights, iteration):
        self.net, self.iteration = nn.GRU(4, 8, batch_first=True), iteration
        self.net.load_state_dict(weights)
        self.opt = torch.optim.RMSprop(self.net.parameters(), lr=1e-3)

    def run(self, count):
        for _ in range(count):
            self.opt.zero_grad()
            self.net(torch.randn(4, 5, 4))[0].square().mean().backward()
            self.opt.step()
            self.iteration += 1
        torch.save({"net": self.net.state_dict(), "iteration": self.iteration, "lr": 1e-3}, io.BytesIO())


trainer = Trainer(nn.GRU(4, 8, batch_first=True).state_dict(), 1000)
trainer.run(5)
trainer.run(5)

# %% right: pretrained weights, and a counter of the environment's steps
model = nn.Linear(4, 2)
model.load_state_dict({"weight": torch.randn(2, 4), "bias": torch.randn(2)})
optimizer = torch.optim.Adam(model.parameters())
for step in range(1, 201):
    if step > 100 and step % 4 == 0:
        optimizer.zero_grad()
        model(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()
    if step % 50 == 0:
        torch.save({"step": step, "model": model.state_dict()}, io.BytesIO())
checkpoint = {"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}

# %% right: a second phase begins from the best weights, with a lower rate
model, best = nn.Linear(4, 2), None
for phase in range(2):
    if best:
        model.load_state_dict(best["model"])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001 / (phase + 1))
    for epoch in range(6 * phase, 6 * phase + 6):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).square().mean().backward()
        optimizer.step()
        best = {"epoch": epoch, "model": {name: value.clone() for name, value in model.state_dict().items()}}
        torch.save(best, io.BytesIO())
checkpoint = best | {"optimizer": optimizer.state_dict()}
