import torch
import torchvision
from torch import nn

torch.manual_seed(0)


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.classifier = nn.Linear(8, 10)

    def forward(self, images):
        return self.classifier(self.features(images))


model = SmallNet()

# %% a head that is one layer
part = model.classifier
features = model.classifier[-1].in_features
# %% fixed
features = model.classifier.in_features
model.classifier = nn.Linear(features, 5)
part = model.features

# %% a new layer in a head that is one layer
part = model.classifier
model.classifier[0] = nn.Linear(8, 5)
# %% fixed
features = model.classifier.in_features
model.classifier = nn.Linear(features, 5)
part = model.features

# %% a layer by its name
part = model
first = model["features"]
# %% fixed
first = model.get_submodule("features")
part = first

# %% a layer that is deleted
part = model.classifier
del model.classifier[0]
# %% fixed
features = model.classifier.in_features
model.classifier = nn.Identity()
part = model.features

# %% a loop over the layers
part = model
for layer in model:
    layer.requires_grad_(False)
# %% fixed
for layer in model.children():
    layer.requires_grad_(False)
part = list(model.children())

# %% the layers as arguments
part = model
backbone = nn.Sequential(*model)
# %% fixed
backbone = nn.Sequential(*model.children())
part = backbone

# %% the number of layers
part = model
print(len(model))
# %% fixed
print(len(list(model.children())))
part = list(model.children())

# %% the first parameter
part = model.parameters()
first = model.parameters()[0]
# %% fixed
part = list(model.parameters())
first = list(model.parameters())[0]

# %% the number of parameters
part = model.parameters()
print(len(model.parameters()))
# %% fixed
part = list(model.parameters())
print(len(list(model.parameters())))

# %% the parameters of two models
other = nn.Linear(4, 2)
part = other.parameters()
optimizer = torch.optim.SGD(model.parameters() + other.parameters(), lr=0.1)
# %% fixed
other = nn.Linear(4, 2)
part = [*model.parameters(), *other.parameters()]
optimizer = torch.optim.SGD(part, lr=0.1)

# %% message: a layer of a model with a name of its own
class TextModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 2)


torch.nn.utils.clip_grad_norm_(TextModel()[0].parameters(), 1.0)
# %% fixed
class TextModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 2)


torch.nn.utils.clip_grad_norm_(TextModel().get_submodule("body").parameters(), 1.0)

# %% message: a layer number that does not exist
model.features[4]
# %% fixed
model.features[-1]

# %% message: a layer of a Sequential by its name
encoder = nn.Sequential()
encoder.add_module("fc", nn.Linear(4, 2))
encoder["fc"]
# %% fixed
encoder = nn.Sequential()
encoder.add_module("fc", nn.Linear(4, 2))
encoder.fc

# %% right: a layer of a Sequential
part = model.features
first = model.features[0]

# %% right: the named layers of a ModuleDict
part = nn.ModuleDict({"detect": nn.Linear(4, 2)})
first = part["detect"]
