import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional as F

# The meta device takes the place of a GPU; under FakeTensorMode, tensors can have the device cuda without one.
torch.manual_seed(0)

# %% labels that were left behind
model = nn.Linear(16, 3).to("meta")
features, labels = torch.rand(8, 16, device="meta"), torch.randint(3, (8,))
call = lambda: F.cross_entropy(model(features), labels)
call()

# %% class weights that are no buffer
model = nn.Linear(16, 3).to("meta")
loss_fn = lambda logits, labels: F.cross_entropy(logits, labels, weight=torch.ones(3))
call = lambda: loss_fn(model(torch.rand(8, 16, device="meta")), torch.zeros(8, dtype=torch.long, device="meta"))
call()

# %% a model that was not moved
model = nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 3))
images = torch.rand(8, 16).to("meta")
call = lambda: model(images)
call()

# %% the state of an LSTM
model = nn.LSTM(8, 16, batch_first=True).to("meta")
words, state = torch.rand(4, 10, 8, device="meta"), torch.zeros(1, 4, 16)
call = lambda: model(words, (state, state))
call()

# %% the weights of a GRU
model = nn.GRU(8, 16)
words = torch.rand(10, 4, 8, device="meta")
call = lambda: model(words)
call()

# %% a causal mask of forward
scores = torch.rand(2, 4, 10, 10, device="meta")
call = lambda: scores.masked_fill(torch.ones(10, 10).triu(1).bool(), float("-inf"))
call()

# %% a class token in a list
tokens, class_token = torch.rand(2, 10, 8, device="meta"), torch.zeros(2, 1, 8)
call = lambda: torch.cat([class_token, tokens], dim=1)
call()

# %% message: an addition on a GPU
with FakeTensorMode():
    torch.rand(3, device="cuda") + torch.rand(3)

# %% message: the state of an optimizer that was offloaded
model = nn.Linear(16, 3)
optimizer = torch.optim.Adam(model.parameters(), foreach=True)
for epoch in range(2):
    model(torch.rand(8, 16)).sum().backward()
    optimizer.step()
    for state in optimizer.state.values():
        state["exp_avg"] = state["exp_avg"].to("meta")
# %% fixed
model = nn.Linear(16, 3)
optimizer = torch.optim.Adam(model.parameters(), foreach=False)
for epoch in range(2):
    model(torch.rand(8, 16)).sum().backward()
    optimizer.step()

# %% right: a number and an index on the CPU
values = torch.rand(10, device="meta")
call = lambda: (values * torch.tensor(0.5))[torch.tensor([0, 3])]
call()

# %% right: a model on two devices
first, second = nn.Linear(16, 8).to("meta"), nn.Linear(8, 3)
call = lambda: second(torch.zeros_like(first(torch.rand(4, 16, device="meta")), device="cpu"))
call()
