import torch
from torch import nn

torch.manual_seed(0)
images = torch.rand(8, 3, 16, 16)
call_model = call_export = lambda net: net(images)

# %% batch norm, traced in training mode, and eval() comes later
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(8 * 14 * 14, 5))
exported = torch.jit.trace(model, images)
exported.eval()

# %% dropout, exported in training mode
model = nn.Sequential(nn.Flatten(), nn.Linear(768, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 5))
exported = torch.export.export(model, (images,)).module()

# %% Normalize is left out where the export is called
normalize = lambda x: (x - 0.5) / 0.25
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 5)).eval()
exported = torch.export.export(model, (normalize(images),)).module()
call_model = lambda net: net(normalize(images))

# %% a branch of the example is frozen
class Rescaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 5, 16)

    def forward(self, x):
        return self.layer(x / 255 if x.max() > 1 else x).flatten(1)


model = Rescaled().eval()
exported = torch.jit.trace(model, images)
call_model = call_export = lambda net: net(images * 255)

# %% right: exported in evaluation mode
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Dropout(), nn.Linear(8 * 14 * 14, 5))
exported = torch.export.export(model.eval(), (images,)).module()

# %% right: the same weights in float16
model = nn.Sequential(nn.Flatten(), nn.Linear(768, 32), nn.ReLU(), nn.Linear(32, 5)).eval()
half = nn.Sequential(nn.Flatten(), nn.Linear(768, 32), nn.ReLU(), nn.Linear(32, 5)).half()
half.load_state_dict(model.state_dict())
exported = torch.export.export(half.eval(), (images.half(),)).module()
call_export = lambda net: net(images.half()).float()

# %% undecided: the last layer starts at zero
model = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(768, 5)).train()
nn.init.zeros_(model[2].weight)
nn.init.zeros_(model[2].bias)
exported = torch.export.export(model, (images,)).module()
