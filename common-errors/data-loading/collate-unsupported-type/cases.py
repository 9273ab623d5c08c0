from dataclasses import asdict, dataclass
from datetime import date

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, default_collate
from torchvision.transforms import v2

# %% scans of which the third cannot be used
scans = [(torch.rand(1, 8, 8), 0), (torch.rand(1, 8, 8), 1), None, (torch.rand(1, 8, 8), 1)]
loader = DataLoader(scans, batch_size=4)
for images, labels in loader:
    print(images.shape)

# %% the same in a worker, as dictionaries
samples = [{"image": torch.rand(3, 8, 8)}, None, {"image": torch.rand(3, 8, 8)}]
if __name__ == "__main__":
    loader = DataLoader(samples, batch_size=3, num_workers=1)
    next(iter(loader))

# %% photos without a transform
loader = DataLoader([(Image.new("RGB", (32, 32)), 0), (Image.new("RGB", (32, 32)), 1)], batch_size=2)
next(iter(loader))
# %% fixed
transform = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
loader = DataLoader([(transform(Image.new("RGB", (32, 32))), 0), (transform(Image.new("RGB", (32, 32))), 1)], batch_size=2)
next(iter(loader))

# %% a mask that is still an image
loader = DataLoader([(torch.rand(3, 16, 16), Image.new("P", (16, 16)))], batch_size=1)
next(iter(loader))
# %% fixed
mask = Image.new("P", (16, 16))
loader = DataLoader([(torch.rand(3, 16, 16), v2.functional.pil_to_tensor(mask))], batch_size=1)
next(iter(loader))


# %% a dataclass
@dataclass
class Sample:
    tokens: torch.Tensor
    label: int


loader = DataLoader([Sample(torch.arange(5), 0), Sample(torch.arange(5), 1)], batch_size=2)
next(iter(loader))
# %% fixed


@dataclass
class Sample:
    tokens: torch.Tensor
    label: int


samples = [asdict(Sample(torch.arange(5), 0)), asdict(Sample(torch.arange(5), 1))]
loader = DataLoader(samples, batch_size=2, collate_fn=default_collate)
next(iter(loader))

# %% the date of the photo in each sample
loader = DataLoader([{"image": torch.rand(3, 8, 8), "taken": date(2024, 5, 1)}], batch_size=1)
next(iter(loader))

# %% a row of a table
row = np.array([31.0, 2, 0.5], dtype=object)
loader = DataLoader([(row, 1), (row, 0)], batch_size=2)
next(iter(loader))
# %% fixed
array = np.array([31.0, 2, 0.5], dtype=object)
row = array.astype(np.float32)
loader = DataLoader([(row, 1), (row, 0)], batch_size=2)
next(iter(loader))

# %% an array of words
loader = DataLoader([np.array(["good", "value"]), np.array(["too", "small"])], batch_size=2)
next(iter(loader))
# %% fixed
words = [array.tolist() for array in (np.array(["good", "value"]), np.array(["too", "small"]))]
loader = DataLoader(words, batch_size=2)
next(iter(loader))

# %% a field that is missing in later samples only
loader = DataLoader([{"boxes": torch.rand(1, 4)}, {"boxes": None}], batch_size=2)
next(iter(loader))

# %% a label that is missing in later samples only
loader = DataLoader([(torch.rand(4), 1), (torch.rand(4), None)], batch_size=2)
next(iter(loader))

# %% a score that is missing in later samples only
loader = DataLoader([(torch.rand(4), 0.5), (torch.rand(4), None)], batch_size=2)
next(iter(loader))

# %% a tensor in one sample and an array in the next
loader = DataLoader([torch.rand(4), np.random.rand(4)], batch_size=2)
next(iter(loader))
# %% fixed
loader = DataLoader([torch.rand(4), *(torch.as_tensor(value) for value in [np.random.rand(4)])], batch_size=2)
next(iter(loader))

# %% right: unusable samples are dropped in the collate_fn
scans = [None, (torch.rand(1, 8, 8), 0), (torch.rand(1, 8, 8), 1), None]


def drop_unusable(samples):
    return default_collate([sample for sample in samples if sample is not None])


loader = DataLoader(scans, batch_size=4, collate_fn=drop_unusable)
next(iter(loader))

# %% right: images in a list, for a processor that takes PIL images
loader = DataLoader([Image.new("RGB", (32, 32)), Image.new("L", (16, 32))], batch_size=2, collate_fn=list)
next(iter(loader))

# %% right: numbers, strings and arrays
samples = [{"id": "a7", "age": 31, "scores": np.ones(3), "seen": True}, {"id": "b2", "age": 54, "scores": np.ones(3), "seen": False}]
loader = DataLoader(samples, batch_size=2)
next(iter(loader))
