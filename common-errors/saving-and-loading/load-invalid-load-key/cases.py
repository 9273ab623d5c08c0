import gzip
import tempfile
from pathlib import Path

import torch
from torch import nn

folder = tempfile.TemporaryDirectory()
path = Path(folder.name, "weights.pt")

# %% a Git LFS pointer
path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 44789\n")
weights = torch.load(path)

# %% a page of Google Drive
path.write_text("<html><head><title>Google Drive - Virus scan warning</title></head></html>")
weights = torch.load(path, weights_only=False)

# %% a pointer, with the older default
path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a21\nsize 44789\n")
weights = torch.load(path, weights_only=False)

# %% a file of safetensors
path.write_bytes((200).to_bytes(8, "little") + b'{"weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}' + bytes(24))
weights = torch.load(path, weights_only=False)

# %% a file of safetensors, read by default
path.write_bytes((200).to_bytes(8, "little") + b'{"weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}' + bytes(24))
weights = torch.load(path)

# %% packed with gzip
path.write_bytes(gzip.compress(b"weights" * 100, mtime=0))
weights = torch.load(path)

# %% packed with gzip, with the older default
path.write_bytes(gzip.compress(b"weights" * 100, mtime=0))
weights = torch.load(path, weights_only=False)

# %% weights of Keras
path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
weights = torch.load(path)

# %% weights of Keras, with the older default
path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
weights = torch.load(path, weights_only=False)

# %% 404
path.write_text("404: Not Found")
weights = torch.load(path)

# %% 404, with the older default
path.write_text("404: Not Found")
weights = torch.load(path, weights_only=False)

# %% a repository that does not exist
path.write_text("Entry not found")
weights = torch.load(path)

# %% a server that wants a token
path.write_text('{"error":"Invalid credentials in Authorization header"}')
weights = torch.load(path, weights_only=False)

# %% a file of llama.cpp
path.write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(64))
weights = torch.load(path, weights_only=False)

# %% a server that wants a login
path.write_text("Please log in to continue")
weights = torch.load(path)

# %% right: a checkpoint in the format before torch 1.6
torch.save(nn.Linear(3, 2).state_dict(), path, _use_new_zipfile_serialization=False)
weights = torch.load(path)

# %% right: a checkpoint whose name ends in .bin
path = Path(folder.name, "pytorch_model.bin")
torch.save(nn.Linear(3, 2).state_dict(), path)
weights = torch.load(path)
