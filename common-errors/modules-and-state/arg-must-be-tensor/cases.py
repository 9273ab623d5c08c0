from collections import OrderedDict

import numpy as np
import torch
from torch import nn

# %% an LSTM in a Sequential
model = nn.Sequential(nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 1))
batch = torch.rand(4, 5, 3)
model(batch)
# %% fixed
model = nn.Sequential(nn.Linear(8, 1))
lstm, x = nn.LSTM(3, 8, batch_first=True), torch.rand(4, 5, 3)
outputs, _ = lstm(x)
batch = outputs
model(batch)

# %% message: an LSTM before a Linear in a Sequential
nn.Sequential(nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 2))(torch.rand(4, 5, 3))
# %% fixed
lstm, head, x = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 2), torch.rand(4, 5, 3)
outputs, _ = lstm(x)
scores = head(outputs[:, -1])

# %% a batch with labels
model, batch = nn.Sequential(nn.Linear(3, 1)), [torch.rand(4, 3), torch.zeros(4)]
model(batch)
# %% fixed
model, batch = nn.Sequential(nn.Linear(3, 1)), [torch.rand(4, 3), torch.zeros(4)]
inputs, labels = batch
batch = inputs
model(inputs)

# %% a layer without return
class Scale(nn.Module):
    def forward(self, x):
        x * 2


model, batch = nn.Sequential(Scale(), nn.Linear(3, 1)), torch.rand(4, 3)
model(batch)

# %% an array of NumPy
model, batch = nn.Sequential(nn.Linear(8, 4)), np.zeros((2, 8), dtype=np.float32)
model(batch)
# %% fixed
model, array = nn.Sequential(nn.Linear(8, 4)), np.zeros((2, 8), dtype=np.float32)
batch = torch.from_numpy(array)
model(batch)

# %% the dictionary of a segmentation model
class Backbone(nn.Module):
    def forward(self, x):
        return {"out": x}


model, batch = nn.Sequential(Backbone(), nn.Linear(3, 1)), torch.rand(4, 3)
model(batch)
# %% fixed
class Backbone(nn.Module):
    def forward(self, x):
        outputs = {"out": x}
        return outputs["out"]


model, batch = nn.Sequential(Backbone(), nn.Linear(3, 1)), torch.rand(4, 3)
model(batch)

# %% message: several outputs in an OrderedDict
class Backbone(nn.Module):
    def forward(self, x):
        return OrderedDict(out=x, aux=2 * x)


nn.Sequential(Backbone(), nn.Linear(3, 1))(torch.rand(4, 3))
# %% fixed
class Backbone(nn.Module):
    def forward(self, x):
        return OrderedDict(out=x, aux=2 * x)


outputs = Backbone()(torch.rand(4, 3))
nn.Linear(3, 1)(outputs["out"])

# %% message: a batch of a dataset that returns dictionaries
samples = [{"image": torch.rand(3), "label": index % 2} for index in range(8)]
for batch in torch.utils.data.DataLoader(samples, batch_size=4):
    nn.Linear(3, 2)(batch)
# %% fixed
samples = [{"image": torch.rand(3), "label": index % 2} for index in range(8)]
for batch in torch.utils.data.DataLoader(samples, batch_size=4):
    nn.Linear(3, 2)(batch["image"])

# %% message: the last step of an LSTM
class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, x):
        outputs = self.lstm(x)
        return self.head(outputs[:, -1])


Forecast()(torch.rand(4, 5, 3))
# %% fixed
lstm, x = nn.LSTM(3, 8, batch_first=True), torch.rand(4, 5, 3)
outputs, _ = lstm(x)
nn.Linear(8, 1)(outputs[:, -1])

# %% raw text
model, batch = nn.Sequential(nn.Embedding(10, 4)), "a sentence"
model(batch)

# %% message: a number
torch.sqrt(2.0)

# %% message: a layer that was created in place of called
nn.functional.linear(nn.ReLU(torch.rand(4, 3)), torch.rand(2, 3))
# %% fixed
model = nn.Sequential(nn.Linear(3, 2))
batch = x = torch.rand(4, 3)
model(nn.ReLU()(x))

# %% message: parentheses are missing
x = torch.rand(4, 3)
torch.sqrt(x.mean)

# %% message: a packed sequence
packed = nn.utils.rnn.pack_sequence([torch.rand(3, 4), torch.rand(2, 4)])
nn.functional.linear(packed, torch.rand(2, 4))

# %% right: a packed sequence for an LSTM
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(4, 8), nn.Linear(8, 2)

    def forward(self, packed):
        return self.head(self.lstm(packed)[0].data)


model, batch = Tagger(), nn.utils.rnn.pack_sequence([torch.rand(3, 4), torch.rand(2, 4)])
model(batch)
