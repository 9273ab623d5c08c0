import torch
import torchvision
from torch import nn

# %% a compiled model
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
checkpoint = torch.compile(model).state_dict()
model.load_state_dict(checkpoint)
# %% fixed
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
checkpoint = torch.compile(model).state_dict()
nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint, "_orig_mod.")
model.load_state_dict(checkpoint)

# %% a model that is compiled in part
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
checkpoint = nn.Sequential(torch.compile(nn.Linear(8, 4)), nn.ReLU()).state_dict()
model.load_state_dict(checkpoint)

# %% compiled and wrapped
model = nn.Linear(8, 4)
checkpoint = nn.DataParallel(torch.compile(nn.Linear(8, 4))).state_dict()
model.load_state_dict(checkpoint)

# %% the model is wrapped
checkpoint = nn.Linear(8, 4).state_dict()
model = nn.DataParallel(nn.Linear(8, 4))
model.load_state_dict(checkpoint)

# %% the model of several GPUs
checkpoint = nn.DataParallel(nn.Linear(8, 4)).state_dict()
model = nn.Linear(8, 4)
model.load_state_dict(checkpoint)
# %% fixed
checkpoint = nn.DataParallel(nn.Linear(8, 4)).state_dict()
model = nn.Linear(8, 4)
nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint, "module.")
model.load_state_dict(checkpoint)

# %% many layers of several GPUs
checkpoint = nn.DataParallel(nn.Sequential(*[nn.Linear(4, 4) for _ in range(100)])).state_dict()
model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(100)])
model.load_state_dict(checkpoint)
# %% fixed
checkpoint = nn.DataParallel(nn.Sequential(*[nn.Linear(4, 4) for _ in range(100)])).state_dict()
model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(100)])
nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint, "module.")
model.load_state_dict(checkpoint)

# %% the file of a trainer
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
checkpoint = {"epoch": 7, "model_state_dict": model.state_dict(), "optimizer": {}}
model.load_state_dict(checkpoint)
# %% fixed
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
checkpoint = {"epoch": 7, "model_state_dict": model.state_dict(), "optimizer": {}}
model.load_state_dict(checkpoint["model_state_dict"])
saved, added = checkpoint["model_state_dict"], ()

# %% a trainer with its own name for the weights
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
checkpoint = {"epoch": 7, "generator": model.state_dict()}
model.load_state_dict(checkpoint)

# %% weights that Lightning saved
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
checkpoint = nn.ModuleDict({"model": nn.Sequential(nn.Linear(8, 4))}).state_dict()
model.load_state_dict(checkpoint)

# %% a model of many layers that was an attribute of another
model = torchvision.models.resnet18(weights=None)
checkpoint = nn.ModuleDict({"backbone": torchvision.models.resnet18(weights=None)}).state_dict()
model.load_state_dict(checkpoint)

# %% a model of many layers that is wrapped
checkpoint = torchvision.models.resnet18(weights=None).state_dict()
model = nn.DataParallel(torchvision.models.resnet18(weights=None))
model.load_state_dict(checkpoint)

# %% the average of a model
model = nn.Linear(8, 4)
checkpoint = torch.optim.swa_utils.AveragedModel(model).state_dict()
model.load_state_dict(checkpoint)

# %% the state of an optimizer
model = nn.Linear(8, 4)
checkpoint = torch.optim.AdamW(model.parameters()).state_dict()
model.load_state_dict(checkpoint)

# %% the backbone alone
checkpoint = nn.Sequential(nn.Linear(8, 4)).state_dict()
model = nn.ModuleDict({"backbone": nn.Sequential(nn.Linear(8, 4)), "head": nn.Linear(4, 2)})
model.load_state_dict(checkpoint)

# %% a layer with another name
checkpoint = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3), "classifier": nn.Linear(8, 2)}).state_dict()
model = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3), "fc": nn.Linear(8, 2)})
model.load_state_dict(checkpoint)

# %% a whole block with another name
class Classifier(nn.Module):
    def __init__(self, name):
        super().__init__()
        setattr(self, name, nn.TransformerEncoderLayer(8, 2, 16))


model = Classifier("encoder")
checkpoint = Classifier("backbone").state_dict()
model.load_state_dict(checkpoint)

# %% a layer was added
checkpoint = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3)}).state_dict()
model = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3), "norm": nn.BatchNorm2d(8)})
model.load_state_dict(checkpoint)
# %% fixed
checkpoint = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3)}).state_dict()
model = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3), "norm": nn.BatchNorm2d(8)})
saved, added = checkpoint, ("norm.",)
print(model.load_state_dict(checkpoint, strict=False))

# %% a layer was taken out
checkpoint = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)).state_dict()
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
model.load_state_dict(checkpoint)
# %% fixed
checkpoint = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)).state_dict()
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
saved, added = checkpoint, ("2.",)
print(model.load_state_dict(checkpoint, strict=False))

# %% a text encoder of an older Transformers
model = nn.ModuleDict({"embeddings": nn.Embedding(10, 4)})
checkpoint = {**model.state_dict(), "embeddings.position_ids": torch.arange(8)}
model.load_state_dict(checkpoint)
# %% fixed
model = nn.ModuleDict({"embeddings": nn.Embedding(10, 4)})
checkpoint = {**model.state_dict(), "embeddings.position_ids": torch.arange(8)}
saved, added = checkpoint, ("embeddings.position_ids",)
print(model.load_state_dict(checkpoint, strict=False))

# %% an adapter of PEFT
model = nn.Linear(8, 4)
checkpoint = {"base_model.model.weight.lora_A": torch.zeros(2, 8)}
model.load_state_dict(checkpoint)

# %% right: a new head
checkpoint = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3)}).state_dict()
model = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3), "head": nn.Linear(8, 2)})
saved, added = checkpoint, ("head.",)
print(model.load_state_dict(checkpoint, strict=False))

# %% right: the same names in another order
model = nn.ModuleDict({"conv": nn.Conv2d(3, 8, 3), "head": nn.Linear(8, 2)})
checkpoint = dict(sorted(model.state_dict().items(), reverse=True))
model.load_state_dict(checkpoint)

# %% watched: the backbone alone, skipped
checkpoint = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 4)).state_dict()
model = nn.Sequential()
model.add_module("backbone", nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 4)))
model.add_module("head", nn.Linear(4, 2))
model.load_state_dict(checkpoint, strict=False)
model(torch.randn(16, 8))

# %% right: loaded again without the prefix, after a look at the lists
checkpoint = nn.DataParallel(nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2))).state_dict()
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2))
if model.load_state_dict(checkpoint, strict=False).missing_keys:
    checkpoint = {name.removeprefix("module."): weight for name, weight in checkpoint.items()}
    model.load_state_dict(checkpoint)
model(torch.randn(16, 8))

# %% right: weights of other sizes and of another network: hardly any fits
model = nn.ModuleDict({"trunk": nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))})
wider = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).state_dict()
checkpoint = nn.Sequential(*[nn.Linear(16, 4) for _ in range(8)]).state_dict()
for saved in (wider, checkpoint):
    model.load_state_dict(saved, strict=False)
    model["trunk"](torch.randn(4, 8))
added = ("trunk.", *checkpoint)  # all of it: only what happens to fit is taken

# %% right: skipped for the whole, then loaded into the part that it is of
checkpoint = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).state_dict()
model = nn.ModuleDict({"trunk": nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))})
model.load_state_dict(checkpoint, strict=False)
model["trunk"].load_state_dict(checkpoint)
model["trunk"](torch.randn(4, 8))
saved, added = {f"trunk.{name}": weight for name, weight in checkpoint.items()}, ()

# %% right: a hook that removes the prefix
def without_prefix(module, state, *_):
    for key in list(state):
        state[key.removeprefix("module.")] = state.pop(key)


checkpoint = nn.DataParallel(nn.Sequential(nn.Linear(8, 4), nn.ReLU())).state_dict()
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
model.register_load_state_dict_pre_hook(without_prefix)
model.load_state_dict(checkpoint)
model(torch.randn(4, 8))
saved, added = checkpoint, ()

# %% right: a checkpoint from before batch norm counted its batches
model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4))
checkpoint = {name: value for name, value in model.state_dict().items() if "num_batches" not in name}
model.load_state_dict(checkpoint)
saved, added = checkpoint, ()

# %% watched: weights that Lightning saved, with more than the model
trained = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
checkpoint = nn.ModuleDict({"net": trained, "teacher": nn.Linear(9, 9)}).state_dict()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
model.load_state_dict(checkpoint, strict=False)
model(torch.randn(4, 8))
