import torch
import torchvision
from torch import nn

torch.manual_seed(0)

# %% a ResNet that was just created is in training mode
model = torchvision.models.resnet18(num_classes=10)
batch = torch.randn(2, 3, 64, 64)
with torch.no_grad():
    logits = model(batch)
# %% fixed
model = torchvision.models.resnet18(num_classes=10)
batch = torch.randn(2, 3, 64, 64)
model.eval()
with torch.no_grad():
    logits = model(batch)

# %% train() in the epoch before, and only the head was switched
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.Linear(16, 2))
model.train()
model[2].eval()
batch = torch.randn(4, 8)
logits = model(batch)

# %% an LSTM that drops out between its layers
model = nn.LSTM(8, 16, num_layers=2, dropout=0.3)
batch = torch.randn(5, 2, 8)
with torch.inference_mode():
    outputs, _ = model(batch)

# %% right: in training mode, but no layer behaves differently
model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 2))
batch = torch.randn(4, 8)
logits = model(batch)

# %% right: dropout with probability 0, in training mode
model = nn.TransformerEncoderLayer(16, 2, dropout=0.0)
batch = torch.randn(4, 3, 16)
logits = model(batch)
