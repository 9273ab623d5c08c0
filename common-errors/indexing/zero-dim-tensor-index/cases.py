import torch
from torch import nn

# %% the accuracy of old code
prec1 = (torch.tensor([1, 0, 1]) == torch.tensor([1, 1, 1])).float().mean()
indexed = prec1
total = 0.0
total += prec1[0]
# %% fixed
prec1 = (torch.tensor([1, 0, 1]) == torch.tensor([1, 1, 1])).float().mean()
indexed = prec1.item()
total = 0.0
total += prec1.item()

# %% one prediction left by squeeze
t = nn.Linear(20, 1)(torch.rand(1, 20)).squeeze()
indexed = t
for prediction in t:
    print(prediction.item())
# %% fixed
t = nn.Linear(20, 1)(torch.rand(1, 20)).squeeze()
indexed = t.reshape(-1)
for prediction in t.reshape(-1):
    print(prediction.item())

# %% a label that is indexed twice
labels = torch.tensor([3, 1])
indexed = labels[0]
label = labels[0][0]

# %% the number of detections
t = torch.rand(1).squeeze()
indexed = t
print(len(t), "detections")
# %% fixed
t = torch.rand(1).squeeze()
indexed = t.reshape(-1)
print(len(t.reshape(-1)), "detections")

# %% the first three of one
t = torch.rand(1, 1).squeeze()
indexed = t
top = t[:3]
# %% fixed
t = torch.rand(1, 1).squeeze()
indexed = t.reshape(-1)
top = t.reshape(-1)[:3]

# %% message: two results of a function that returns one
def evaluate():
    return torch.rand(4).mean()


loss, accuracy = evaluate()
# %% fixed
t = torch.rand(4).mean()
loss = t.item()

# %% message: a loss of a layer that is summed as a list
class Total(nn.Module):
    def forward(self, losses):
        return sum(losses)


t = torch.rand(4).mean()
nn.Sequential(Total())(t)
# %% fixed
t = torch.rand(4).mean()
total = sum(t.reshape(-1))

# %% right: one element with a dimension
indexed = torch.tensor([0.5])
value = indexed[0]

# %% right: a number in place of the loss
indexed = torch.rand(4).mean().item()
total = 0.0 + indexed
