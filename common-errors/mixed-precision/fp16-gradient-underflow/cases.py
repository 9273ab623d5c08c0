import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs = torch.randn(64, 8)
batch, scaler = None, torch.amp.GradScaler("cpu", enabled=False)


def steps(loss_of, optimizer, number=12):
    for _ in range(number):
        optimizer.zero_grad()
        scaler.scale(loss_of(batch)).backward()
        scaler.step(optimizer)
        scaler.update()


# %% a mean over many outputs, with a small weight
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 512))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def compute_loss(batch):
    with torch.autocast("cpu", dtype=torch.float16):
        return F.mse_loss(model(inputs), torch.ones(64, 512)) * 2e-4


steps(compute_loss, optimizer)
# %% fixed
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 512))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")


def compute_loss(batch):
    with torch.autocast("cpu", dtype=torch.float16):
        return F.mse_loss(model(inputs), torch.ones(64, 512)) * 2e-4


steps(compute_loss, optimizer)

# %% an autoencoder of images, convolutional, accumulated over 32 passes
model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 1, 1))
optimizer, images = torch.optim.AdamW(model.parameters(), lr=1e-3), torch.rand(16, 1, 64, 64)


def compute_loss(batch):
    with torch.autocast("cpu", dtype=torch.float16):
        return 0.01 * F.mse_loss(model(images), images) / 32


steps(compute_loss, optimizer, number=2)

# %% right: float16 without scaling, and a loss of ordinary size
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


def compute_loss(batch):
    with torch.autocast("cpu", dtype=torch.float16):
        return F.cross_entropy(model(inputs), torch.arange(64) % 4)


steps(compute_loss, optimizer)

# %% right: bfloat16, whose range is that of float32
model = nn.Linear(8, 512)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def compute_loss(batch):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return 1e-5 * F.mse_loss(model(inputs), torch.ones(64, 512))


steps(compute_loss, optimizer)

# %% right: most units are dead, for another reason, and the loss is scaled
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1))
model[0].bias.data[4:] = -50.0
optimizer, scaler = torch.optim.Adam(model.parameters(), lr=1e-3), torch.amp.GradScaler("cpu")


def compute_loss(batch):
    with torch.autocast("cpu", dtype=torch.float16):
        return 1e-4 * F.mse_loss(model(inputs), torch.ones(64, 1))


steps(compute_loss, optimizer)

# %% watched: a class with a decoder, two passes for each step, gradients that are zeroed
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Linear(900, 8), nn.Linear(8, 900)

    def forward(self, images):
        return self.decode(F.silu(self.encode(images)))


net, images = Net(), torch.rand(64, 900)
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for step in range(12):
    optimizer.zero_grad(set_to_none=False)
    for part in images.split(32):
        with torch.autocast(device_type="cpu", dtype=torch.float16):
            loss = 0.002 * F.smooth_l1_loss(net(part), part)
        (loss / 2).backward()
    optimizer.step()
