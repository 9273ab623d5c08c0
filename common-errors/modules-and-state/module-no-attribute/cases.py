import torch
from torch import nn

# %% a model in DataParallel
model, head = nn.DataParallel(nn.ModuleDict({"fc": nn.Linear(4, 2)})), "fc"
features = model.fc.in_features

# %% the weight of a Sequential
model, head = nn.Sequential(nn.Linear(4, 2), nn.ReLU()), "weight"
nn.init.zeros_(model.weight)
# %% fixed
layers, head = nn.Sequential(nn.Linear(4, 2), nn.ReLU()), "weight"
model = layers[0]
nn.init.zeros_(layers[0].weight)

# %% the weight of an LSTM
model, head = nn.LSTM(4, 8), "weight"
nn.init.xavier_uniform_(model.weight)

# %% a layer that __init__ forgot
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)

    def forward(self, x):
        return self.head(self.conv(x).mean((2, 3)))


model, head = Classifier(), "head"
model(torch.rand(2, 1, 8, 8))

# %% a property that fails
class Detector(nn.Module):
    @property
    def width(self):
        return self.fc.in_features


model, head = Detector(), "width"
print(model.width)

# %% the device of a layer
model, head = nn.Linear(4, 2), "device"
batch = torch.rand(3, 4).to(model.device)
# %% fixed
model, head = nn.Linear(4, 2), "weight"
batch = torch.rand(3, 4).to(next(model.parameters()).device)

# %% a layer in place of its output
model, head = nn.Conv2d(3, 8, 3), "shape"
print(model.shape)
# %% fixed
model, head = nn.Conv2d(3, 8, 3), "weight"
print(model.weight.shape)

# %% message: the head of another torchvision model
from torchvision.models import resnet18

resnet18().head.in_features

# %% message: a transformer layer
nn.TransformerEncoderLayer(8, 2).attention

# %% right: a layer in a wrapper
model, head = nn.DataParallel(nn.ModuleDict({"fc": nn.Linear(4, 2)})), "module"
features = model.module.fc.in_features

# %% right: a buffer
model, head = nn.BatchNorm2d(4), "running_mean"
print(model.running_mean)
