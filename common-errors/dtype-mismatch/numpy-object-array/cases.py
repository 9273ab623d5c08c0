import csv
import io

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torchvision.transforms import functional as transforms

# %% reviews of different lengths
array = np.array([[4, 8, 15], [16, 23]], dtype=object)
reviews = torch.from_numpy(array)
# %% fixed
reviews = np.array([[4, 8, 15], [16, 23]], dtype=object)
array = pad_sequence([torch.tensor(review) for review in reviews], batch_first=True).numpy().astype(np.int64)
reviews = torch.from_numpy(array)

# %% class names for labels
array = np.array(["cat", "dog", "cat"])
labels = torch.tensor(array)
# %% fixed
array = np.array(["cat", "dog", "cat"])
classes, labels = np.unique(array, return_inverse=True)
array = labels
labels = torch.tensor(array)

# %% numbers and booleans, as of a table with dummies
array = np.array([[0.5, True], [0.1, False]], dtype=object)
features = torch.tensor(array)
# %% fixed
array = np.array([[0.5, True], [0.1, False]], dtype=object).astype(np.float32)
features = torch.tensor(array)

# %% an array of arrays of the same length
array = np.empty(2, dtype=object)
array[:] = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
features = torch.as_tensor(array)
# %% fixed
array = np.empty(2, dtype=object)
array[:] = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
array = np.stack(list(array)).astype(np.float32)
features = torch.as_tensor(array)

# %% the columns in a list
array = [np.array([1.0, None], dtype=object), np.array([2.0, 3.0], dtype=object)]
features = torch.tensor(array)

# %% nothing was selected
array = np.array([row for row in [[1.0, None]] if None not in row], dtype=object)
features = torch.as_tensor(array)

# %% a CSV file without a converter
rows = list(csv.reader(io.StringIO("34,52000.0\n51,61000.0")))
array = np.array(rows)
features = torch.from_numpy(array)
# %% fixed
rows = list(csv.reader(io.StringIO("34,52000.0\n51,61000.0")))
array = np.array(rows)
array = array.astype(np.float32)
features = torch.from_numpy(array)

# %% message: numbers as bytes
digits = np.array([b"3", b"7"])
labels = torch.LongTensor(digits)
# %% fixed
array = np.array([b"3", b"7"])
labels = torch.from_numpy(array.astype(np.float32)).long()

# %% message: frames of a file of objects
frames = np.array([[[0, 128, 255]], [[3, 4, 5]]], dtype=object)
image = transforms.to_tensor(frames)

# %% message: time stamps
stamps = np.array(["2024-05-01T08:00", "2024-05-02T20:00", "NaT"], dtype="datetime64[s]")
times = torch.tensor(stamps)
# %% fixed
array = np.array(["2024-05-01T08:00", "2024-05-02T20:00", "NaT"], dtype="datetime64[s]")
days = (array - np.datetime64("2024-01-01")) / np.timedelta64(1, "D")
times = torch.tensor(days, dtype=torch.float32)

# %% message: durations of less than a second
durations = np.array([250, 1500], dtype="timedelta64[ms]")
seconds = torch.from_numpy(durations)
# %% fixed
array = np.array([250, 1500], dtype="timedelta64[ms]")
seconds = torch.from_numpy(array / np.timedelta64(1, "s"))

# %% message: extended precision
weights = torch.from_numpy(np.ones(3, dtype=np.longdouble))
# %% fixed
array = np.ones(3, dtype=np.longdouble)
weights = torch.from_numpy(array.astype(np.float64))

# %% message: extended precision, complex
weights = torch.from_numpy(np.ones(3, dtype=np.clongdouble))
# %% fixed
array = np.ones(3, dtype=np.clongdouble)
weights = torch.from_numpy(array.astype(np.complex128))

# %% message: a record of named columns
points = np.array([(1, 2.0), (3, 4.5)], dtype=[("count", "i4"), ("height", "f4")])
features = torch.from_numpy(points)
# %% fixed
array = np.array([(1, 2.0), (3, 4.5)], dtype=[("count", "i4"), ("height", "f4")])
features = torch.from_numpy(np.stack([array[name] for name in array.dtype.names], axis=-1))

# %% right: missing values that are numbers
array = np.array([[34.0, np.nan], [51.0, 2.0]])
features = torch.from_numpy(array)

# %% right: numbers that were objects
array = np.array([1, 2, 3], dtype=object).astype(np.int64)
labels = torch.from_numpy(array)
