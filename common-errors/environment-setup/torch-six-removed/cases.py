# %% strings in a collate function
from torch._six import string_classes

names = [name for name in ("cat.jpg", 3) if isinstance(name, string_classes)]
# %% fixed
names = [name for name in ("cat.jpg", 3) if isinstance(name, (str, bytes))]

# %% containers in a collate function
from torch._six import container_abcs

is_mapping = isinstance({"image": 1}, container_abcs.Mapping)

# %% the module itself
import torch._six as six

print(six.PY3)

# %% numbers in a transform
from torch._six import int_classes as _int_classes

# %% message: another internal number
from torch._six import nan

# %% the module from its parent
from torch import _six

# %% message: as an attribute
import torch

names = [name for name in ("cat.jpg", 3) if isinstance(name, torch._six.string_classes)]

# %% message: with importlib
import importlib

importlib.import_module("torch._six")

# %% right: what replaces it
from collections import abc
from math import inf

is_mapping = isinstance({"image": inf}, abc.Mapping)
names = [name for name in ("cat.jpg", 3) if isinstance(name, (str, bytes))]
