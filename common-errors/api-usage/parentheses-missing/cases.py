import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(16, 4), torch.randint(3, (16,))
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
loss = nn.functional.cross_entropy(model(x), y)

# %% the method in the failing line
value = loss.item
total = 0
total += loss.item
# %% fixed
value = loss.item()
total = 0
total += loss.item()

# %% a mean that is subtracted
value = x.mean
centered = x - x.mean
# %% fixed
value = x.mean()
centered = x - x.mean()

# %% a list of losses
losses = [loss.item for _ in range(3)]
value = losses[0]
print(sum(losses) / len(losses))

# %% square brackets after size
value = x.size
flat = x.view(x.size[0], -1)
# %% fixed
value = x.shape[0]
flat = x.view(x.shape[0], -1)

# %% a function of torch with square brackets
value = torch.zeros
hidden = torch.zeros[3, 4]
# %% fixed
value = torch.zeros(3, 4)
hidden = torch.zeros(3, 4)

# %% the first parameter
value = model.parameters
first = model.parameters[0]
# %% fixed
value = list(model.parameters())[0]
first = list(model.parameters())[0]

# %% a loop over the parameters
value = model.named_parameters
for name, parameter in model.named_parameters:
    print(name, parameter.numel())
# %% fixed
value = model.named_parameters()
for name, parameter in model.named_parameters():
    print(name, parameter.numel())

# %% the number of dimensions
value = x.size
print(len(x.size))
# %% fixed
value = x.dim()
print(x.dim())

# %% a formatted loss
value = loss.item
print(f"loss {loss.item:.4f}")
# %% fixed
value = loss.item()
print(f"loss {loss.item():.4f}")

# %% the best loss so far
value = loss.item
best = float("inf")
if loss.item < best:
    best = loss.item
# %% fixed
value = loss.item()
best = float("inf")
if loss.item() < best:
    best = loss.item()

# %% an array from a tensor
value = loss.detach().cpu
array = loss.detach().cpu.numpy()
# %% fixed
value = loss.detach().cpu()
array = loss.detach().cpu().numpy()

# %% the function that builds the model
def build_model():
    return nn.Linear(4, 3)


value = build_model
optimizer = torch.optim.Adam(build_model.parameters(), lr=1e-3)
# %% fixed
def build_model():
    return nn.Linear(4, 3)


value = build_model()
optimizer = torch.optim.Adam(build_model().parameters(), lr=1e-3)

# %% the class of the model
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)


value = Classifier
optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)
# %% fixed
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)


value = model = Classifier()
optimizer = torch.optim.Adam(value.parameters(), lr=1e-3)

# %% a class that is moved to a device
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)


value = Classifier
model = Classifier.to(torch.device("cpu"))
# %% fixed
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)


value = Classifier()
device = torch.device("cpu")
model = Classifier().to(device)

# %% message: a tensor of losses
history = torch.tensor([loss.item, loss.item])
# %% fixed
losses = []
losses.append(loss.item())
history = torch.tensor(losses)

# %% message: a loop over the elements
for index in range(x.numel):
    print(index)
# %% fixed
for index in range(x.numel()):
    print(index)

# %% message: an array of losses
import numpy as np

history = np.array([loss.item, loss.item], dtype=np.float32)
# %% fixed
import numpy as np

losses = []
losses.append(loss.item())
history = np.array(losses, dtype=np.float32)

# %% message: a rounded loss
print(round(loss.item, 4))
# %% fixed
print(round(loss.item(), 4))

# %% message: the highest loss of an epoch
losses = [loss.item, loss.item]
print(max(losses))

# %% message: the weights of a class
nn.Linear.state_dict()
# %% fixed
Classifier = nn.Linear
model = Classifier(4, 3)
model.state_dict()

# %% right: a function that is stored to be called later
activation = torch.relu
value = activation(x)

# %% right: a number that was read with item
value = loss.item()
total = 0.0
total += value
