import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
data = torch.randn(400, 32)
model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1)).eval()


# %% a loader whose batch size was left at 1
def predict():
    with torch.no_grad():
        return [model(row).item() for (row,) in DataLoader(TensorDataset(data))]


predict()


# %% fixed
def predict():
    with torch.no_grad():
        return [value for (rows,) in DataLoader(TensorDataset(data), batch_size=100) for value in model(rows).tolist()]


predict()


# %% a recurrent network, a series at a time, without no_grad
class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, series):
        return self.head(self.rnn(series)[0][:, -1])


model = Forecast().eval()


def predict():
    results = []
    for index in range(len(data)):
        results.append(model(data[index : index + 1, :, None]).item())
    return results


predict()


# %% right: an image network whose single call has enough to compute
model = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU()).eval()
images = torch.randn(4, 3, 64, 64)


def predict():
    with torch.no_grad():
        return [model(image[None]).mean() for image in images]


predict()


# %% right: batches, of which the last has one sample
def predict():
    with torch.no_grad():
        return torch.cat([model(rows) for rows in data[:385].split(64)])


predict()


# %% watched: features without a batch dimension, in a class
class Scorer:
    def __init__(self):
        self.network = nn.Sequential(nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 1)).double().eval()

    @torch.no_grad()
    def score(self, rows):
        best = None
        for number, row in enumerate(rows.double()):
            score = self.network(row).item()
            best = max(best or (score, number), (score, number))
        return best


Scorer().score(data)

# %% watched: after training, with the labels beside
model = nn.Sequential(nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
train_set = TensorDataset(data, data.sum(1, keepdim=True))
for inputs, targets in DataLoader(train_set, batch_size=40):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(inputs), targets).backward()
    optimizer.step()
model.eval()
errors = []
with torch.no_grad():
    for inputs, targets in train_set:
        errors.append((model(inputs) - targets).abs().item())
