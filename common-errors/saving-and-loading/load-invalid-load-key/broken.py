import tempfile
from pathlib import Path
from urllib.request import urlretrieve

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(128, 10)

folder = tempfile.TemporaryDirectory()
# Stands for a repository on the web: the page about the weights, and the weights.
blob, raw = Path(folder.name, "blob"), Path(folder.name, "raw")
blob.mkdir()
raw.mkdir()
(blob / "weights.pt").write_text("<!DOCTYPE html>\n<html><head><title>weights.pt</title></head></html>\n")
torch.save(model.state_dict(), raw / "weights.pt")

path = Path(folder.name, "weights.pt")
urlretrieve((blob / "weights.pt").as_uri(), path)
weights = torch.load(path)  # error
model.load_state_dict(weights)
print(f"{len(weights)} tensors loaded")
