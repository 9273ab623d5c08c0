import torch
import torchvision
from torch import nn

torch.manual_seed(0)

# %% a ResNet that was just created is in training mode
model = torchvision.models.resnet18(num_classes=10)
val_inputs = torch.randn(2, 3, 64, 64)
with torch.no_grad():
    logits = model(val_inputs)
# %% fixed
model = torchvision.models.resnet18(num_classes=10)
val_inputs = torch.randn(2, 3, 64, 64)
model.eval()
with torch.no_grad():
    logits = model(val_inputs)

# %% train() in the epoch before, and only the head was switched
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.Linear(16, 2))
model.train()
model[2].eval()
val_inputs = torch.randn(4, 8)
logits = model(val_inputs)

# %% dropout as a function that reads the mode, and an output that is a dictionary
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.tags = nn.LSTM(8, 16), nn.Linear(16, 3)

    def forward(self, words):
        hidden = nn.functional.dropout(self.words(words)[0], 0.3, self.training)
        return {"tags": self.tags(hidden), "length": len(words)}


model = Tagger()
val_inputs = torch.randn(5, 2, 8)
with torch.inference_mode():
    outputs = model(val_inputs)

# %% right: in training mode, but nothing behaves differently
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, track_running_stats=False), nn.Dropout(0.0), nn.ReLU())
val_inputs = torch.randn(4, 3, 8, 8)
outputs = model(val_inputs)

# %% right: samples in evaluation, too, as a variational autoencoder may
class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.drop, self.decode = nn.Linear(8, 4), nn.Dropout(0.2), nn.Linear(4, 8)

    def forward(self, inputs):
        mean = self.drop(self.encode(inputs))
        return self.decode(mean + torch.randn_like(mean)), mean


model = Autoencoder().eval()
val_inputs = torch.randn(4, 8)
outputs, mean = model(val_inputs)

# %% right: Monte Carlo dropout on the one graph that there is
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 3))
optimizer, val_inputs = torch.optim.Adam(model.parameters()), torch.randn(12, 8)
for epoch in range(5):
    model.train()
    optimizer.zero_grad()
    model(val_inputs)[:8].square().mean().backward()
    optimizer.step()
    with torch.no_grad():
        spread = torch.stack([model(val_inputs) for _ in range(5)]).std(0)
model.eval()

# %% right: samples are drawn in training mode, from other inputs
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 3))
optimizer, val_inputs = torch.optim.Adam(model.parameters()), torch.randn(12, 8)
for epoch in range(5):
    model.train()
    optimizer.zero_grad()
    model(val_inputs).square().mean().backward()
    optimizer.step()
    with torch.no_grad():
        drawn = model(torch.randn(12, 8))
model.eval()

# %% watched: one graph that is evaluated with dropout, once an epoch
class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 3)

    def forward(self, nodes, edges):
        return self.last(edges @ nn.functional.dropout(self.first(edges @ nodes).relu(), 0.5, self.training))


nodes, edges, labels, model = torch.randn(12, 8), torch.eye(12), torch.arange(12) % 3, Graph()
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(5):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(nodes, edges)[:8], labels[:8]).backward()
    optimizer.step()
    with torch.no_grad():
        accuracy = (model(nodes, edges).argmax(1) == labels)[8:].float().mean()

# %% watched: a validation set of two batches
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(3):
    optimizer.zero_grad()
    model(torch.randn(12, 8)).square().mean().backward()
    optimizer.step()
    with torch.no_grad():
        outputs = [model(batch) for batch in torch.randn(24, 8).split(12)]
