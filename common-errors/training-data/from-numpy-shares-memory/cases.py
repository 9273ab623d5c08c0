import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
table = np.random.RandomState(0).rand(40, 12)


def train(dataset):
    model = nn.Linear(12, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for inputs, targets in torch.utils.data.DataLoader(dataset, 8):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs.float()).squeeze(1), targets.float()).backward()
        optimizer.step()

# %% a list of samples that were read into one array
row, dataset = np.empty(12), []
for values in table:
    row[:] = values
    dataset.append((torch.from_numpy(row), values.sum()))
train(dataset)
# %% fixed
row, dataset = np.empty(12), []
for values in table:
    row[:] = values
    dataset.append((torch.tensor(row), values.sum()))
train(dataset)

# %% a tensor that is filled again and again
sample = torch.empty(12)
dataset = [(sample.copy_(torch.from_numpy(values)), values.sum()) for values in table]
train(dataset)

# %% right: views of one table, each of another row
dataset = [(row, row.sum()) for row in torch.from_numpy(table)]
train(dataset)

# %% right: a copy of each sample
buffer = np.empty(12)


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        buffer[:] = table[index]
        return torch.from_numpy(buffer.copy()), table[index].sum()


dataset = Rows()
train(dataset)

# %% right: one latent vector for all, and a decoder
latent, images = torch.ones(1, 16).expand(8, 16), torch.rand(8, 20)
decoder = nn.Linear(16, 20)
dataset = [(image, 0) for image in images]
for step in range(5):
    nn.functional.mse_loss(decoder(latent + 0.1 * torch.randn(8, 16)), images).backward()

# %% watched: observations of an environment that fills one array
observation, memory = np.zeros(4, dtype=np.float32), []
network = nn.Linear(4, 2)
for step in range(60):
    observation += np.random.RandomState(step).rand(4).astype(np.float32)
    memory.append((torch.from_numpy(observation), float(step % 3)))
    states, rewards = zip(*memory[-16:])
    nn.functional.mse_loss(network(torch.stack(states)).amax(1), torch.tensor(rewards)).backward()

# %% right: windows without any signal, and one state of several
for inputs in (torch.zeros(16, 12), nn.functional.one_hot(torch.full((16,), 3), 12).float()):
    network = nn.Linear(12, 1)
    for step in range(5):
        nn.functional.mse_loss(network(inputs), torch.randn(16, 1)).backward()
dataset = list(zip(torch.eye(12), range(12)))
