import torch
from torch import nn

# %% a wider hidden layer
torch.manual_seed(0)
checkpoint = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3)).state_dict()
model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 3))
model.load_state_dict(checkpoint)

# %% a head of the same model, in a file with the epoch
model = nn.ModuleDict({"backbone": nn.Linear(8, 4), "classifier": nn.Linear(4, 2)})
checkpoint = {**model.state_dict(), "classifier.weight": torch.zeros(5, 4), "classifier.bias": torch.zeros(5)}
model.load_state_dict(checkpoint, strict=False)

# %% gray images
checkpoint = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU()).state_dict()
model = nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU())
model.load_state_dict(checkpoint)

# %% more input channels of a decoder
checkpoint = nn.ModuleDict({"up": nn.ConvTranspose2d(512, 256, 2, stride=2)}).state_dict()
model = nn.ModuleDict({"up": nn.ConvTranspose2d(1024, 256, 2, stride=2)})
model.load_state_dict(checkpoint)

# %% another kernel
checkpoint = nn.Sequential(nn.Conv2d(3, 16, kernel_size=3), nn.ReLU()).state_dict()
model = nn.Sequential(nn.Conv2d(3, 16, kernel_size=5), nn.ReLU())
model.load_state_dict(checkpoint)

# %% one class
checkpoint = {"weight": torch.zeros(2, 64)}
model = nn.Linear(64, 1, bias=False)
model.load_state_dict(checkpoint)

# %% a narrower embedding
checkpoint = nn.ModuleDict({"item_ids": nn.Embedding(100, 64)}).state_dict()
model = nn.ModuleDict({"item_ids": nn.Embedding(100, 32)})
model.load_state_dict(checkpoint)

# %% tokens were added
checkpoint = nn.ModuleDict({"embed_tokens": nn.Embedding(32000, 16)}).state_dict()
model = nn.ModuleDict({"embed_tokens": nn.Embedding(32001, 16)})
model.load_state_dict(checkpoint)

# %% another language model
checkpoint = nn.ModuleDict({"embed_tokens": nn.Embedding(320, 16)}).state_dict()
model = nn.ModuleDict({"embed_tokens": nn.Embedding(512, 32)})
model.load_state_dict(checkpoint)

# %% a larger image
class Encoder(nn.Module):
    def __init__(self, patches, width):
        super().__init__()
        self.pos_embed = nn.Parameter(torch.zeros(1, patches + 1, width))


checkpoint = Encoder(196, 768).state_dict()
model = Encoder(576, 768)
model.load_state_dict(checkpoint)

# %% the larger variant of a vision transformer
class Encoder(nn.Module):
    def __init__(self, patches, width):
        super().__init__()
        self.pos_embed = nn.Parameter(torch.zeros(1, patches + 1, width))


checkpoint = Encoder(196, 768).state_dict()
model = Encoder(196, 1024)
model.load_state_dict(checkpoint)

# %% weights of GPT-2, which are stored transposed
checkpoint = {"weight": torch.zeros(64, 192), "bias": torch.zeros(192)}
model = nn.Linear(64, 192)
model.load_state_dict(checkpoint)

# %% a convolution instead of a linear layer
checkpoint = nn.Linear(16, 8).state_dict()
model = nn.Conv2d(16, 8, 1)
model.load_state_dict(checkpoint)

# %% other channels of a batch norm
checkpoint = nn.BatchNorm2d(32).state_dict()
model = nn.BatchNorm2d(64)
model.load_state_dict(checkpoint)

# %% a weight of 4 bits
checkpoint = {"weight": torch.zeros(2048, 1, dtype=torch.uint8)}
model = nn.Linear(64, 64, bias=False)
model.load_state_dict(checkpoint)

# %% a model of 4 bits
checkpoint = {"weight": torch.zeros(64, 64)}
model = nn.ParameterDict({"weight": nn.Parameter(torch.zeros(2048, 1))})
model.load_state_dict(checkpoint)

# %% another width and another number of inputs
checkpoint = nn.Linear(320, 64).state_dict()
model = nn.Linear(768, 96)
model.load_state_dict(checkpoint)

# %% a buffer that is filled later
model = nn.Module()
model.register_buffer("memory", torch.empty(0))
checkpoint = {"memory": torch.zeros(128)}
model.load_state_dict(checkpoint)

# %% a buffer that was saved before it was filled
model = nn.Module()
model.register_buffer("memory", torch.zeros(128))
checkpoint = {"memory": torch.empty(0)}
model.load_state_dict(checkpoint)

# %% a scalar that is saved with one dimension
model = nn.ParameterDict({"scale": nn.Parameter(torch.zeros(4))})
checkpoint = {"scale": torch.tensor(1.0)}
model.load_state_dict(checkpoint)

# %% message: a checkpoint in a larger program
def load_pretrained(model, weights):
    print("Loading weights from weights/best.pth")
    model.load_state_dict(weights, strict=False)


model = nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 80))
load_pretrained(model, nn.Sequential(nn.Linear(8, 4), nn.Linear(4, 20)).state_dict())

# %% right: a head that the checkpoint lacks
pretrained = nn.ModuleDict({"backbone": nn.Linear(8, 4), "head": nn.Linear(4, 1000)})
model = nn.ModuleDict({"backbone": nn.Linear(8, 4), "head": nn.Linear(4, 10)})
checkpoint = {name: weight for name, weight in pretrained.state_dict().items() if name.startswith("backbone.")}
model.load_state_dict(checkpoint, strict=False)

# %% an LSTM with another hidden size
checkpoint = {f"lstm.{name}": weight for name, weight in nn.LSTM(8, 16).state_dict().items()}
model = nn.ModuleDict({"lstm": nn.LSTM(8, 32)})
model.load_state_dict(checkpoint)

# %% a LoRA of another rank
checkpoint = {"q_proj.lora_A.default.weight": torch.zeros(8, 64), "q_proj.lora_B.default.weight": torch.zeros(64, 8)}
model = nn.ModuleDict({"q_proj": nn.ModuleDict({"lora_A": nn.ModuleDict({"default": nn.Linear(64, 16, bias=False)})})})
model.load_state_dict(checkpoint, strict=False)

# %% the second matrix of a LoRA of another rank
checkpoint = {"q_proj.lora_up.weight": torch.zeros(64, 4)}
model = nn.ModuleDict({"q_proj": nn.ModuleDict({"lora_up": nn.Linear(8, 64, bias=False)})})
model.load_state_dict(checkpoint)

# %% a LoRA for a wider base model
checkpoint = {"q_proj.lora_down.weight": torch.zeros(4, 1280)}
model = nn.ModuleDict({"q_proj": nn.ModuleDict({"lora_down": nn.Linear(768, 4, bias=False)})})
model.load_state_dict(checkpoint)

# %% the second matrix of a LoRA for a wider base model
checkpoint = {"q_proj.lora_up.weight": torch.zeros(1280, 4)}
model = nn.ModuleDict({"q_proj": nn.ModuleDict({"lora_up": nn.Linear(4, 768, bias=False)})})
model.load_state_dict(checkpoint)

# %% another maximum length
checkpoint, model = {"position_ids": torch.arange(512)[None]}, nn.Module()
model.register_buffer("position_ids", torch.arange(514)[None])
model.load_state_dict(checkpoint)

# %% another window of a Swin transformer
checkpoint = {"relative_position_bias_table": torch.zeros(169, 4)}
model = nn.ParameterDict({"relative_position_bias_table": nn.Parameter(torch.zeros(529, 4))})
model.load_state_dict(checkpoint)

# %% one input and two
checkpoint = nn.Linear(1, 8).state_dict()
model = nn.Linear(2, 8)
model.load_state_dict(checkpoint)

# %% several numbers for a scalar
model = nn.ParameterDict({"scale": nn.Parameter(torch.tensor(1.0))})
checkpoint = {"scale": torch.ones(4)}
model.load_state_dict(checkpoint)

# %% right: state that is no tensor


class Counter(nn.Linear):
    def get_extra_state(self):
        return {"calls": 3}

    def set_extra_state(self, state):
        self.calls = state["calls"]


model, checkpoint = Counter(4, 2), Counter(4, 2).state_dict()
model.load_state_dict(checkpoint)

# %% right: a scalar of one dimension
model = nn.ParameterDict({"scale": nn.Parameter(torch.tensor(1.0))})
checkpoint = {"scale": torch.ones(1)}
model.load_state_dict(checkpoint)
