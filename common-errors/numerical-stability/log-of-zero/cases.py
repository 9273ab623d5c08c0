import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, labels = 40 * torch.randn(64, 8), torch.randint(3, (64,))

# %% the entropy of a softmax, as a bonus of a policy
def train():
    policy = nn.Linear(8, 3)
    probabilities = policy(10 * inputs).softmax(dim=1)
    loss = -0.01 * (-(probabilities * probabilities.log()).sum(dim=1)).mean()
    loss.backward()
    return policy, loss


train()
# %% fixed
def train():
    policy = nn.Linear(8, 3)
    logits = policy(10 * inputs)
    loss = -0.01 * (-(logits.softmax(dim=1) * logits.log_softmax(dim=1)).sum(dim=1)).mean()
    loss.backward()
    return policy, loss


train()

# %% the logarithm of a softmax, in an nll_loss
def train():
    classifier = nn.Linear(8, 3)
    loss = F.nll_loss(torch.log(F.softmax(classifier(20 * inputs), dim=1)), labels)
    loss.backward()
    return classifier, loss


train()

# %% right: the logarithm is clamped from below
def train():
    model = nn.Linear(8, 3)
    for step in range(10):
        probability = model(10 * inputs).sigmoid()
        loss = -probability.log().clamp(min=-100).mean()
    return model, loss


train()

# %% right: a logarithm of counts with log1p, some of which are 0
def train():
    model, optimizer = nn.Linear(8, 1), None
    loss = model(inputs.abs().floor().log1p()).square().mean()
    loss.backward()
    return model, loss


train()

# %% right: zeros hidden by a mask, in data, and a loss that is finite
def train():
    model, counts = nn.Linear(8, 1), torch.poisson(torch.ones(64, 8))
    features = torch.where(counts > 0, counts.log(), -1.0)
    loss = model(features).square().mean()
    loss.backward()
    return model, loss


train()

# %% right: NaN in the data, and a logarithm that is fine
def train():
    model, holes = nn.Linear(8, 1), inputs.clone()
    holes[3, 2] = torch.nan
    loss = (model(holes).sigmoid() + 1).log().mean()
    loss.backward()
    return model, loss


train()

# %% watched: a divergence of two distributions in a class, with Adam
class Distiller:
    def __init__(self):
        self.teacher, self.student = nn.Linear(8, 5), nn.Linear(8, 5)
        self.optimizer = torch.optim.Adam(self.student.parameters(), lr=1e-3)

    def step(self, x):
        p, q = self.teacher(x).softmax(-1).detach(), self.student(x).softmax(-1)
        loss = (p * (torch.log(p) - torch.log(q))).sum(-1).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


distiller = Distiller()
for scale in (1, 1, 10, 5000):
    distiller.step(scale * torch.randn(16, 8))

# %% watched: an autoencoder whose decoder ends in a ReLU
coder = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 8), nn.ReLU())
optimizer = torch.optim.SGD(coder.parameters(), lr=0.01)
spectra = torch.rand(32, 8) + 0.1
for step in range(5):
    loss = (coder(spectra).log10() - spectra.log10()).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: the discriminator of a GAN that is too good
critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(critic.parameters(), lr=0.05)
for step in range(400):
    real, fake = 20 + torch.randn(32, 2), -20 + torch.randn(32, 2)
    loss = -(critic(real).log().mean() + (1 - critic(fake)).log().mean() + 0 * (1 - critic(real)).log().mean())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: a cross-entropy by hand that picks the labels by an index
classifier = nn.Linear(8, 3)
optimizer = torch.optim.SGD(classifier.parameters(), lr=0.1)
for scale in (1, 20):
    loss = -classifier(scale * inputs).softmax(dim=-1).log()[torch.arange(64), labels].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
