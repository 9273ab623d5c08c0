import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
inputs, labels = torch.randn(32, 6), torch.randint(3, (32,))

# %% images of a single color, each normalized by itself
def train():
    model, images = nn.Linear(16, 3), torch.rand(32, 1, 4, 4)
    images[5] = 0.0
    whitened = torch.stack([(image - image.mean()) / torch.std(image) for image in images])
    loss = F.cross_entropy(model(whitened.flatten(1)), labels)
    loss.backward()
    return model, loss


train()
# %% fixed
def train():
    model, images = nn.Linear(16, 3), torch.rand(32, 1, 4, 4)
    images[5] = 0.0
    whitened = torch.stack([(image - image.mean()) / torch.std(image).clamp(min=1e-6) for image in images])
    loss = F.cross_entropy(model(whitened.flatten(1)), labels)
    loss.backward()
    return model, loss


train()

# %% advantages of an episode of one step
def train():
    policy, rewards = nn.Linear(6, 3), torch.tensor([1.0])
    advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
    loss = -(policy(inputs[:1]).log_softmax(1)[:, 0] * advantage).mean()
    loss.backward()
    return policy, loss


train()

# %% right: a constant column, and eps beside the deviation
def train():
    model, table = nn.Linear(6, 3), inputs.clone()
    table[:, 2] = 0.0
    loss = F.cross_entropy(model((table - table.mean(0)) / (table.std(0) + 1e-5)), labels)
    loss.backward()
    return model, loss


train()

# %% right: NaN in the data, and deviations that are fine
def train():
    model, table = nn.Linear(6, 3), inputs / inputs.std(0)
    table[4, 1] = torch.nan
    loss = F.cross_entropy(model(table), labels)
    loss.backward()
    return model, loss


train()

# %% right: layers that add eps themselves
def train():
    model, table = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3)), inputs.clone()
    table[:, 2] = 7.0
    loss = F.cross_entropy(model(table), labels)
    loss.backward()
    return model, loss


train()

# %% right: deviations that are only printed, of outputs that start at 0
def train():
    model = nn.Linear(6, 3)
    nn.init.zeros_(model.weight), nn.init.zeros_(model.bias)
    for step in range(3):
        outputs = model(inputs)
        deviation = outputs.std(0).tolist()
        loss = F.cross_entropy(outputs, labels)
        loss.backward()
    return model, loss


train()

# %% right: constant columns are left out
def train():
    table = inputs.clone()
    table[:, 2] = 1.0
    kept = table[:, table.std(0) > 0]
    model = nn.Linear(kept.shape[1], 3)
    loss = F.cross_entropy(model((kept - kept.mean(0)) / kept.std(0)), labels)
    loss.backward()
    return model, loss


train()

# %% watched: a dataset that normalizes each series, in a DataLoader, with a GRU
class Series(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        series = torch.zeros(10) if index == 25 else torch.randn(10).cumsum(0)
        return ((series - series.mean()) / series.std())[:, None], series[-1:]


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(1, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, series):
        return self.head(self.rnn(series)[0][:, -1])


model = Forecaster()
optimizer = torch.optim.Adam(model.parameters())
for series, target in DataLoader(Series(), batch_size=8):
    optimizer.zero_grad()
    F.smooth_l1_loss(model(series), target).backward()
    optimizer.step()

# %% watched: REINFORCE with returns of an episode, some of one step
policy = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(6):
    length = 1 if episode == 5 else 5
    returns = torch.arange(float(length), 0.0, -1)
    returns = (returns - returns.mean()) / (returns.std() + 1e-9)
    chosen = torch.distributions.Categorical(logits=policy(torch.randn(length, 4)))
    loss = -(chosen.log_prob(chosen.sample()) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: channels of images, one of which is empty, in a convolution
images = torch.rand(20, 4, 8, 8)
images[:, 3] = 0.0
mean, deviation = images.mean(dim=(0, 2, 3), keepdim=True), images.std(dim=(0, 2, 3), keepdim=True)
network = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
for part in ((images - mean) / deviation).split(5):
    optimizer.zero_grad()
    F.cross_entropy(network(part), torch.zeros(5, dtype=torch.long)).backward()
    optimizer.step()
