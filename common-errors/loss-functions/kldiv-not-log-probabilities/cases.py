import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
val_inputs = inputs = torch.randn(64, 8)
teacher = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 4)).eval().requires_grad_(False)


def train(model, loss_of, steps=5):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %% distillation with a temperature, from softmax to softmax
student = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
predict = lambda batch: F.softmax(student(batch) / 2, dim=1)
train(student, lambda: 4 * nn.KLDivLoss(reduction="batchmean")(predict(inputs), F.softmax(teacher(inputs) / 2, dim=1)))
# %% fixed
student = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
predict = lambda batch: F.log_softmax(student(batch) / 2, dim=1)
train(student, lambda: 4 * nn.KLDivLoss(reduction="batchmean")(predict(inputs), F.softmax(teacher(inputs) / 2, dim=1)))

# %% logits, against targets in logarithms
class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.last(F.gelu(self.first(x)))


student = Student()
predict = lambda batch: student(batch) / 2
train(student, lambda: F.kl_div(predict(inputs), F.log_softmax(teacher(inputs) / 2, dim=1), reduction="batchmean", log_target=True))

# %% watched: heatmaps of key points, in a class
class KeyPoints(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 2, 1))
        self.loss_fn = nn.KLDivLoss(reduction="sum")

    def forward(self, images, heatmaps):
        return self.loss_fn(self.layers(images).flatten(2).softmax(dim=-1).view_as(heatmaps), heatmaps)


model = KeyPoints()
heatmaps = torch.rand(4, 2, 64).softmax(-1).view(4, 2, 8, 8)
train(model, lambda: model(torch.randn(4, 1, 8, 8), heatmaps))

# %% right: the logarithm of a softmax, with a small number against infinity
student = nn.Linear(8, 4)
predict = lambda batch: (student(batch).softmax(1) + 1e-9).log()
train(student, lambda: F.kl_div(predict(inputs), F.softmax(teacher(inputs), dim=1), reduction="batchmean"))

# %% right: both in logarithms
student = nn.Linear(8, 4)
predict = lambda batch: student(batch).log_softmax(1)
train(student, lambda: F.kl_div(predict(inputs), teacher(inputs).log_softmax(1), reduction="batchmean", log_target=True))

# %% right: the divergence that torch.distributions computes takes probabilities
student = nn.Linear(8, 4)
predict = lambda batch: student(batch).log_softmax(1)
make = torch.distributions.Categorical
train(student, lambda: torch.distributions.kl_divergence(make(teacher(inputs).softmax(1)), make(student(inputs).softmax(1))).mean())

# %% right: the distance of two distributions to their mean (Jensen-Shannon)
student = nn.Linear(8, 4)
predict = lambda batch: ((student(batch).softmax(1) + teacher(batch).softmax(1)) / 2).log()


def loss_of():
    middle = predict(inputs)
    return F.kl_div(middle, student(inputs).softmax(1), reduction="batchmean") + F.kl_div(middle, teacher(inputs).softmax(1), reduction="batchmean")


train(student, loss_of)
