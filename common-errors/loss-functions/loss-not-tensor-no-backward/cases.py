import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 3)
batch, labels = torch.randn(16, 8), torch.randint(3, (16,))

# %% a running total of numbers
total = 0
for inputs, target in zip(batch.split(4), labels.split(4)):
    total += float(nn.functional.cross_entropy(model(inputs), target))
loss = total / 4
loss.backward()
# %% fixed
total = 0
for inputs, target in zip(batch.split(4), labels.split(4)):
    total += nn.functional.cross_entropy(model(inputs), target)
loss = total / 4
loss.backward()
print(loss.item())

# %% no batch had a loss
loss = sum(nn.functional.cross_entropy(model(inputs), target) for inputs, target in zip(batch.split(4), []))
loss.backward()

# %% a function without return
def compute_loss(inputs, target):
    value = nn.functional.cross_entropy(model(inputs), target)


loss = compute_loss(batch, labels)
loss.backward()

# %% the loss function instead of its result
loss = nn.CrossEntropyLoss(label_smoothing=0.1)
logits = model(batch)
loss.backward()
# %% fixed
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
predictions, targets = model(batch), labels
loss = criterion(predictions, targets)
loss.backward()

# %% message: a dictionary, as detection models return it
losses = {"classification": model(batch).mean(), "box_reg": model(batch).pow(2).mean()}
losses.backward()
# %% fixed
losses = {"classification": model(batch).mean(), "box_reg": model(batch).pow(2).mean()}
loss = sum(losses.values())
loss.backward()

# %% message: one loss for each head
losses = [head(batch).pow(2).mean() for head in (model, nn.Linear(8, 1))]
losses.backward()
# %% fixed
losses = [head(batch).pow(2).mean() for head in (model, nn.Linear(8, 1))]
loss = sum(losses)
loss.backward()

# %% message: a function that returns two values
def step(inputs, target):
    logits = model(inputs)
    return nn.functional.cross_entropy(logits, target), logits


step(batch, labels).backward()

# %% message: a mean by NumPy
loss = np.mean([nn.functional.cross_entropy(model(batch), labels).item()])
loss.backward()

# %% message: a class that was not instantiated
loss = nn.NLLLoss
loss.backward()
# %% fixed
criterion = nn.NLLLoss()
predictions, targets = model(batch).log_softmax(1), labels
loss = criterion(predictions, targets)
loss.backward()

# %% message: a function that was not called
loss = nn.functional.cross_entropy
loss.backward()

# %% message: what a model of a library returns
class ClassifierOutput(dict):
    loss = model(batch).pow(2).mean()


outputs = ClassifierOutput()
outputs.backward()
# %% fixed
class ClassifierOutput(dict):
    loss = model(batch).pow(2).mean()


outputs = ClassifierOutput()
loss = outputs.loss
loss.backward()

# %% message: the model itself
loss = model
loss.backward()

# %% right: the sum of a list of losses, item() for printing
losses = [head(batch).pow(2).mean() for head in (model, nn.Linear(8, 1))]
loss = sum(losses)
loss.backward()
print(loss.item())
