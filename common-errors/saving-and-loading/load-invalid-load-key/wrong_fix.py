import tempfile
from pathlib import Path
from urllib.request import urlretrieve

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(128, 10)

with tempfile.TemporaryDirectory() as folder:
    # Stands for a repository on the web: the page about the weights, and the weights.
    blob, raw = Path(folder, "blob"), Path(folder, "raw")
    blob.mkdir()
    raw.mkdir()
    (blob / "weights.pt").write_text("<!DOCTYPE html>\n<html><head><title>weights.pt</title></head></html>\n")
    torch.save(model.state_dict(), raw / "weights.pt")

    path = Path(folder, "weights.pt")
    urlretrieve((blob / "weights.pt").as_uri(), path)
    weights = torch.load(path, weights_only=False)  # error
    model.load_state_dict(weights)
    print(f"{len(weights)} tensors loaded")
