import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs, labels = torch.randn(64, 8), torch.randint(3, (64,))
val_inputs = inputs
predict = lambda batch: model(batch)


def train(model, loss_of, steps=5):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(steps):
        loss = loss_of()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %% probabilities instead of their logarithms
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=1))
train(model, lambda: nn.NLLLoss()(model(inputs), labels))
# %% fixed
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3), nn.LogSoftmax(dim=1))
train(model, lambda: nn.NLLLoss()(model(inputs), labels))

# %% logits of each pixel
model = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1))
images, masks = torch.randn(4, 1, 8, 8), torch.randint(3, (4, 8, 8))
train(model, lambda: F.nll_loss(model(images), masks))
val_inputs = images

# %% watched: logits of a tagger, weighted classes and ignored positions, in bfloat16
class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(8, 16, batch_first=True), nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


model, tags = Tagger(), torch.randint(3, (8, 8))
loss_fn = nn.NLLLoss(weight=torch.tensor([1.0, 2.0, 2.0]), ignore_index=0)


def loss_of():
    with torch.autocast("cpu", torch.bfloat16):
        logits = model(inputs.view(8, 8, 8))
    return loss_fn(logits.float().transpose(1, 2), tags)


train(model, loss_of)

# %% watched: logits of a graph convolution, which adds up those of the neighbours
layer, bias = nn.Linear(8, 3, bias=False), nn.Parameter(torch.zeros(3))
senders, receivers = torch.randint(64, (2, 256))


def loss_of():
    messages = layer(inputs).index_select(0, senders) / 4
    return F.nll_loss(torch.zeros(64, 3).index_add(0, receivers, messages) + bias, labels)


train(layer, loss_of)

# %% right: the logarithm of a softmax
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=1))
train(model, lambda: F.nll_loss(torch.log(model(inputs) + 1e-9), labels))
predict = lambda batch: torch.log(model(batch) + 1e-9)

# %% right: logits of two experts are mixed, and the logarithms of the mixture are taken
class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.gate = nn.Linear(8, 3), nn.Linear(8, 3), nn.Linear(8, 1)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        return (gate * self.first(x).softmax(1) + (1 - gate) * self.second(x).softmax(1)).log()


model = Mixture()
train(model, lambda: F.nll_loss(model(inputs), labels))

# %% right: cross_entropy takes logits
model = nn.Linear(8, 3)
train(model, lambda: F.cross_entropy(model(inputs), labels))
predict = lambda batch: model(batch).log_softmax(1)  # what cross_entropy makes of them

# %% right: cross entropy by hand, the score of the class and the logarithm of the sum
model = nn.Linear(8, 3)
train(model, lambda: F.nll_loss(model(inputs), labels) + model(inputs).logsumexp(1).mean())
predict = lambda batch: model(batch) - model(batch).logsumexp(1, keepdim=True)

# %% right: the expected error, 1 minus the probability of the class, as a loss that outliers harm less
model = nn.Sequential(nn.Linear(8, 3), nn.Softmax(dim=1))
train(model, lambda: 1 + F.nll_loss(model(inputs), labels))
predict = lambda batch: model(batch).log()
