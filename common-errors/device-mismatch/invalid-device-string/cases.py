import os
import tempfile

import torch

# %% a name in capital letters
device = "CPU"
torch.zeros(4, device=device)
# %% fixed
device = "CPU"
device = device.lower()
torch.zeros(4, device=device)

# %% an index from the command line
number = ""
device = f"cuda:{number}"
torch.device(device)

# %% fixed
device = "cuda"
torch.device(device)

# %% a prefix twice
number = "cuda:0"
device = f"cuda:{number}"
torch.device(device)

# %% fixed
number = "1"
device = torch.device("cuda", int(number))

# %% the list of visible GPUs
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
device = "cuda:" + os.environ["CUDA_VISIBLE_DEVICES"]
torch.device(device)

# %% fixed
number = "1"
device = torch.device("cuda", int(number))

# %% a number that is a string
device = "0"
torch.device(device)
# %% fixed
number = "0"
device = torch.device("cuda", int(number))
torch.device(device)

# %% the name of another framework
device = "GPU:0"
torch.ones(2).to(device)
# %% fixed
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.ones(2).to(device)

# %% a name for pipelines that choose by themselves
device = "auto"
torch.device(device)
# %% fixed
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.device(device)

# %% an accelerator whose package is not imported
device = "npu:0"
torch.device(device)

# %% a dtype by its name
x, name = torch.ones(2), "float16"
device = name
x.to(device)
# %% fixed
x, name, device = torch.ones(2, device="cpu"), "float16", "cpu"
x.to(getattr(torch, name))

# %% message: a dtype by its short name
torch.nn.Linear(2, 2).to("half")
# %% fixed
x = torch.nn.Linear(2, 2)
x.to(torch.float16)

# %% message: a checkpoint is loaded to a device of another framework
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.pt")
    torch.save({"weight": torch.ones(2)}, path)
    torch.load(path, map_location="gpu")
# %% fixed
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.pt")
    torch.save({"weight": torch.ones(2)}, path)
    torch.load(path, map_location="cpu")

# %% message: a file name in place of the device
torch.ones(2).to("weights/best.pt")

# %% message: another argument in its place
split = "train"
torch.zeros(4, device=split)
# %% fixed
torch.zeros(4, device="cuda" if torch.cuda.is_available() else "cpu")

# %% message: an empty setting
torch.device("")
# %% fixed
torch.device("cuda" if torch.cuda.is_available() else "cpu")

# %% right: a device without and with an index
device = "cpu:0"
torch.ones(2).to(device)

# %% right: a device that this machine may lack, but that has a valid name
device = "cuda:1"
torch.device(device)
