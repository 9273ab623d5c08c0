import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randint(3, (16,))
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

# %% a metric that is overwritten
accuracy = lambda outputs, labels: (outputs.argmax(1) == labels).float().mean()
for _ in range(2):
    called = accuracy
    accuracy = accuracy(model(x), y)
# %% fixed
accuracy = lambda outputs, labels: (outputs.argmax(1) == labels).float().mean()
for _ in range(2):
    called = accuracy
    batch_accuracy = accuracy(model(x), y)

# %% the model is overwritten by its output
model = model(x)
called = model
probabilities = model(x).softmax(1)
# %% fixed
outputs = model(x)
called = model
probabilities = model(x).softmax(1)

# %% an attribute of a module
class Trainer:
    def __init__(self):
        self.loss = nn.CrossEntropyLoss()

    def step(self):
        self.loss = self.loss(model(x), y)


trainer = Trainer()
trainer.step()
called = trainer.loss
trainer.step()
# %% fixed
class Trainer:
    def __init__(self):
        self.loss = nn.CrossEntropyLoss()

    def step(self):
        self.batch_loss = self.loss(model(x), y)


trainer = Trainer()
trainer.step()
called = trainer.loss
trainer.step()

# %% the transpose with parentheses
called = x.T
scores = x @ x.T()
# %% fixed
scores = x @ x.T
called = scores.softmax

# %% an index in parentheses
called = y
first = y(0)
# %% fixed
x = y
first = x[0]
called = first.item

# %% a product without its sign
scale = torch.tensor(0.5)
called = scale
scaled = scale(x - x.mean())
# %% fixed
scale = torch.tensor(0.5)
scaled = scale * (x - x.mean())
called = scaled.sum

# %% a parameter in place of its layer
class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, features):
        return self.weight(features).sum(1)


pool = Pool()
called = pool.weight
pool(x)

# %% the shape with parentheses
called = x.shape
flat = x.view(x.shape(0), -1)
# %% fixed
flat = x.view(x.size(0), -1)
called = x.size

# %% the number of dimensions
called = x.shape
print(len(x.shape()))
# %% fixed
print(x.shape[0])
called = x.size

# %% the device with parentheses
called = x.device
target = y.to(x.device())
# %% fixed
target = y.to(x.device)
called = y.to

# %% a dtype used like one of NumPy
called = torch.float32
values = torch.float32(y)
# %% fixed
x = y
values = x.to(torch.float32)
called = x.to

# %% a file of weights used as a model
model = model.state_dict()
called = model
outputs = model(x)
# %% fixed
state = model.state_dict()
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
model.load_state_dict(state)
called = model
outputs = model(x)

# %% gradients switched on
called = x.requires_grad
x.requires_grad(True)
# %% fixed
x.requires_grad_(True)
called = x.requires_grad_

# %% the mode of a model
called = model.training
if model.training():
    print("training")
# %% fixed
if model.training:
    print("training")
called = model.train

# %% a module of Python
called = F
hidden = F(model[0](x))
# %% fixed
x = model[0](x)
hidden = F.relu(x)
called = F.relu

# %% message: a scheduler
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler(optimizer, step_size=10)
# %% fixed
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
lr_scheduler = torch.optim.lr_scheduler
scheduler = lr_scheduler.StepLR(optimizer, 10)

# %% message: an index in a thread
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(1) as pool:
    pool.submit(x, 0).result()

# %% right: a loss function with a name of its own
loss = nn.CrossEntropyLoss()
called = loss
batch_loss = loss(model(x), y)

# %% right: an index after a call
called = model
first = model(x)[0]
