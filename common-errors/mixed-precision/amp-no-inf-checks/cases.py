import torch
from torch import nn

torch.manual_seed(0)
batch, labels = torch.randn(16, 8), torch.randint(3, (16,))
scaler = torch.amp.GradScaler("cpu")

# %% zero_grad() between backward() and step()
model = nn.Linear(8, 3)
optimizer = torch.optim.AdamW(model.parameters())
with torch.autocast("cpu", dtype=torch.float16):
    loss = nn.functional.cross_entropy(model(batch), labels)
scaler.scale(loss).backward()
optimizer.zero_grad()
scaler.step(optimizer)

# %% frozen after the optimizer was created
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)
model[0].requires_grad_(False)
with torch.autocast("cpu", dtype=torch.float16):
    loss = nn.functional.cross_entropy(model(batch), labels)
scaler.scale(loss).backward()
scaler.step(optimizer)

# %% the generator of a GAN after the loss of the discriminator
generator, model = nn.Linear(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam(generator.parameters())
fake = generator(torch.randn(16, 4)).detach()
loss = model(fake).mean() - model(batch).mean()
scaler.scale(loss).backward()
scaler.step(optimizer)

# %% a copy of the model in the optimizer
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(nn.Linear(8, 3).parameters(), lr=0.1)
scaler.scale(nn.functional.cross_entropy(model(batch), labels)).backward()
scaler.step(optimizer)

# %% message: a loss of numbers
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = [nn.functional.cross_entropy(model(batch), labels).item() for _ in range(2)]
scaler.scale(torch.tensor(losses, requires_grad=True).mean()).backward()
scaler.step(optimizer)

# %% message: an update without a step
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler.scale(nn.functional.cross_entropy(model(batch), labels)).backward()
optimizer.step()
scaler.update()
# %% fixed
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler.scale(nn.functional.cross_entropy(model(batch), labels)).backward()
scaler.step(optimizer)
scaler.update()

# %% message: a fused optimizer whose parameters have no gradients
model = nn.Linear(8, 3)
optimizer = torch.optim.AdamW(nn.Linear(8, 3).parameters(), fused=True)
scaler.scale(nn.functional.cross_entropy(model(batch), labels)).backward()
scaler.step(optimizer)
scaler.update()
# %% fixed
model = nn.Linear(8, 3)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
scaler.scale(nn.functional.cross_entropy(model(batch), labels)).backward()
scaler.step(optimizer)
scaler.update()

# %% message: backward() on the loss that was not scaled
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(model(batch), labels)
loss.backward()
scaler.unscale_(optimizer)
# %% fixed
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(model(batch), labels)
scaler.scale(loss).backward()
scaler.unscale_(optimizer)

# %% right: some of the layers are frozen
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
model[0].requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.autocast("cpu", dtype=torch.float16):
    loss = nn.functional.cross_entropy(model(batch), labels)
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
