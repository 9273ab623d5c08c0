from collections import OrderedDict

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

# %% a list that was overwritten
losses = []
losses = F.cross_entropy(torch.randn(4, 3), torch.tensor([0, 2, 1, 1]))
thing, name = losses, "append"
losses.append(losses)

# %% an activation that is only a function
x = torch.randn(4, 8)
thing, name = x, "elu"
x = x.elu()
# %% fixed
x = torch.randn(4, 8)
thing, name = x, "relu"
x = F.elu(x)

# %% the output of a model that returns a tensor
model, batch = nn.Linear(8, 3), torch.randn(4, 8)
outputs = model(batch)
thing, name = outputs, "logits"
loss = F.cross_entropy(outputs.logits, torch.tensor([0, 2, 1, 1]))

# %% a model that was replaced by its output
model, batch = nn.Linear(8, 3), torch.randn(4, 8)
model = model(batch)
thing, name = model, "parameters"
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% an array instead of a tensor
thing, name = np.zeros((2, 3), dtype=np.float32), "to"
batch = thing.to("cpu")
# %% fixed
array = np.zeros((2, 3), dtype=np.float32)
thing, name = torch.from_numpy(array), "to"
batch = thing.to("cpu")

# %% a batch of two parts
thing, name = [torch.rand(2, 3), torch.tensor([0, 1])], "to"
batch = thing.to("cpu")

# %% a dictionary to the device
thing, name = {"input_ids": torch.zeros(2, 3)}, "cuda"
batch = thing.cuda()

# %% message: the output of an LSTM in a hook
def log_shape(module, inputs, output):
    print(output.shape)


lstm = nn.LSTM(4, 8)
lstm.register_forward_hook(log_shape)
lstm(torch.rand(5, 2, 4))
# %% fixed
def log_shape(module, inputs, output):
    first = output[0] if isinstance(output, tuple) else output
    print(first.shape)


lstm = nn.LSTM(4, 8)
lstm.register_forward_hook(log_shape)
lstm(torch.rand(5, 2, 4))

# %% message: the input in a hook before the layer
def log_input(module, inputs):
    print(inputs.mean())


layer = nn.Linear(4, 8)
layer.register_forward_pre_hook(log_input)
layer(torch.rand(2, 4))
# %% fixed
def log_input(module, inputs):
    print(inputs[0].mean())


layer = nn.Linear(4, 8)
layer.register_forward_pre_hook(log_input)
layer(torch.rand(2, 4))

# %% message: the classes of a segmentation model
outputs = OrderedDict(out=torch.rand(2, 21, 8, 8), aux=torch.rand(2, 21, 8, 8))
classes = outputs.argmax(dim=1)
# %% fixed
outputs = OrderedDict(out=torch.rand(2, 21, 8, 8), aux=torch.rand(2, 21, 8, 8))
print(outputs.keys())
classes = outputs["out"].argmax(dim=1)

# %% message: the classes of a language model
class CausalLMOutputWithPast:
    logits = torch.rand(2, 5, 100)


outputs = CausalLMOutputWithPast()
classes = outputs.argmax(dim=-1)
# %% fixed
class CausalLMOutputWithPast:
    logits = torch.rand(2, 5, 100)


outputs = CausalLMOutputWithPast()
classes = outputs.logits.argmax(dim=-1)

# %% message: item twice
loss = F.mse_loss(torch.rand(3), torch.rand(3)).item()
total = loss.item()

# %% message: predictions compared with a list
predictions, labels = torch.tensor([0, 1, 1]), [0, 1, 0]
correct = (predictions == labels).sum()
# %% fixed
predictions, labels = torch.tensor([0, 1, 1]), [0, 1, 0]
correct = (predictions == torch.tensor(labels)).sum()

# %% message: a NumPy dtype
mask = (torch.rand(4) > 0.5).astype("float32")
# %% fixed
x = torch.rand(4) > 0.5
mask = x.to(torch.float32)

# %% message: copy
best = nn.Linear(2, 2).weight.copy()
# %% fixed
x = nn.Linear(2, 2).weight
best = x.detach().clone()

# %% message: to a list and to an array, as pandas calls it
values = torch.rand(4).to_numpy()
# %% fixed
x = torch.rand(4)
values = x.detach().cpu().numpy()

# %% message: a new dimension, as NumPy calls it
image = torch.rand(3, 8, 8).expand_dims(0)
# %% fixed
x = torch.rand(3, 8, 8)
image = x.unsqueeze(0)

# %% message: two tensors joined
a, b = torch.rand(2, 3), torch.rand(2, 3)
both = a.cat(b)
# %% fixed
a, b = torch.rand(2, 3), torch.rand(2, 3)
both = torch.cat([a, b])

# %% message: the shape, as TensorFlow calls it
batch_size = torch.rand(2, 3).get_shape()[0]

# %% message: misspelled, in a layer
class Block(nn.Module):
    def forward(self, x):
        return x.transpose(1, 2).contiguos()


nn.Sequential(Block())(torch.rand(2, 3, 4))

# %% right: NumPy where the array is one
thing, name = np.zeros((2, 3)), "astype"
thing.astype("float32").copy()

# %% right: a method of tensors
thing, name = torch.rand(3, 4), "softmax"
thing.softmax(dim=1)
