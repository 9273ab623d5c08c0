import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
batches = torch.randn(5, 4, 8)

# %% a running total of losses
history = 0.0
for batch in batches:
    loss = model(batch).square().mean()
    history += loss
# %% fixed
history = 0.0
for batch in batches:
    loss = model(batch).square().mean()
    history += loss.item()

# %% predictions of a validation set in a dictionary of lists
history = {"predictions": [model(batch) for batch in batches]}
# %% fixed
with torch.inference_mode():
    history = {"predictions": [model(batch) for batch in batches]}

# %% a hidden state that is never detached
rnn, history = nn.LSTM(8, 4), None
for batch in batches:
    output, history = rnn(batch.unsqueeze(1), history)

# %% right: detached losses and a metric
history = [(model(batch).square().mean().detach(), 0.5) for batch in batches]

# %% right: weights and inputs that require gradients, but have no graph
history = [*model.parameters(), batches.requires_grad_()]

# %% right: ever longer episodes, whose graphs end with them
optimizer = torch.optim.Adam(model.parameters())
for episode in range(40):
    rewards = [model(torch.randn(8)) for _ in range(5 + 2 * episode)]
    optimizer.zero_grad()
    (-torch.stack(rewards).sum()).backward()
    optimizer.step()
history = [reward.item() for reward in rewards]
