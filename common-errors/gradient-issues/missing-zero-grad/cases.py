import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.2), nn.Linear(16, 3))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
batch, labels = torch.randn(16, 8), torch.randint(3, (16,))

# %% AdamW without a reset
def train():
    nn.functional.cross_entropy(model(batch), labels).backward()
    optimizer.step()


for _ in range(5):
    train()

# %% only one of two parts of the model is reset
def train():
    model[0].zero_grad()
    nn.functional.cross_entropy(model(batch), labels).backward()
    optimizer.step()


for _ in range(5):
    train()

# %% right: gradients accumulated over four batches
micro_batches = 0


def train():
    global micro_batches
    (nn.functional.cross_entropy(model(batch), labels) / 4).backward()
    micro_batches += 1
    if micro_batches % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()


for _ in range(8):
    train()

# %% right: a reset after the step
def train():
    nn.functional.cross_entropy(model(batch), labels).backward()
    optimizer.step()
    optimizer.zero_grad()


train()
