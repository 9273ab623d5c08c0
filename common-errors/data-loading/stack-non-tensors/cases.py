import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

# %% losses that were already converted
values = [nn.functional.mse_loss(torch.rand(4), torch.rand(4)).item() for _ in range(3)]
mean = torch.stack(values).mean()
# %% fixed
losses = [nn.functional.mse_loss(torch.rand(4), torch.rand(4)).item() for _ in range(3)]
values = losses
mean = torch.tensor(values).mean()
values = [mean]

# %% features of a NumPy model
values = [np.ones((1, 5), dtype=np.float32), np.ones((1, 5), dtype=np.float32)]
features = torch.cat(values)
# %% fixed
arrays = [np.ones((1, 5), dtype=np.float32), np.ones((1, 5), dtype=np.float32)]
values = [torch.from_numpy(array) for array in arrays]
features = torch.cat(values)

# %% token ids that are to be padded
values = [[101, 7592, 102], [101, 102]]
tokens = pad_sequence(values, batch_first=True)
# %% fixed
rows = [[101, 7592, 102], [101, 102]]
values = [torch.tensor(row) for row in rows]
tokens = pad_sequence(values, batch_first=True)

# %% a model with two outputs per batch
model = nn.LSTM(4, 8)
values = [model(torch.rand(3, 4)) for _ in range(2)]
outputs = torch.cat(values)
# %% fixed
model = nn.LSTM(4, 8)
rows = [model(torch.rand(3, 4)) for _ in range(2)]
values = [row[0] for row in rows]
outputs = torch.cat(values)


# %% an augmentation that returns nothing half of the time
def brightened(image, factor):
    if factor > 1:
        return image * factor


values = [brightened(torch.rand(3, 8, 8), factor) for factor in (1.2, 0.8)]
batch = torch.stack(values)

# %% the samples are still dictionaries
values = [{"image": torch.rand(3, 8, 8), "label": 0}, {"image": torch.rand(3, 8, 8), "label": 1}]
batch = torch.stack(values)

# %% mean rewards as NumPy numbers
values = [np.array([1.0, 0.5]).mean(), np.array([0.0, 2.0]).mean()]
rewards = torch.stack(values)
# %% fixed
values = [np.array([1.0, 0.5]).mean(), np.array([0.0, 2.0]).mean()]
rewards = torch.tensor(values)
values = list(rewards)

# %% message: a grid of two numbers
torch.meshgrid([4, 3], indexing="ij")
# %% fixed
torch.meshgrid([torch.tensor(value) for value in (4, 3)], indexing="ij")

# %% message: weights of an einsum in a list
torch.einsum("bi,i->b", torch.rand(4, 3), [0.2, 0.3, 0.5])

# %% message: an array of samples
torch.stack(np.zeros((4, 5)))
# %% fixed
array = np.zeros((4, 5))
torch.from_numpy(array)

# %% message: one tensor for each feature
torch.cat({"age": torch.rand(4, 1), "income": torch.rand(4, 1)})
# %% fixed
tensors = {"age": torch.rand(4, 1), "income": torch.rand(4, 1)}
torch.cat(list(tensors.values()))

# %% message: a generator of losses
torch.stack(loss * 0.5 for loss in (torch.tensor(0.4), torch.tensor(0.2)))
# %% fixed
tensors = (loss * 0.5 for loss in (torch.tensor(0.4), torch.tensor(0.2)))
torch.stack(list(tensors))


# %% message: a function that collects and does not return
def predictions(batches):
    collected = [batch * 2 for batch in batches]


torch.cat(predictions([torch.rand(2), torch.rand(2)]))

# %% message: a loop over no batches
outputs = []
for batch in torch.rand(0, 4, 8):
    outputs.append(batch.mean())
torch.stack(outputs)

# %% message: a loop over no batches, concatenated
outputs = [batch for batch in torch.rand(0, 4, 8)]
torch.cat(outputs)

# %% right: parameters are tensors
model = nn.Linear(4, 2)
values = [parameter.flatten() for parameter in model.parameters()]
print(torch.cat(values).norm())
values = list(model.parameters())

# %% right: a list of 0-dimensional losses
values = [nn.functional.mse_loss(torch.rand(4), torch.rand(4)) for _ in range(3)]
torch.stack(values).mean()
