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
