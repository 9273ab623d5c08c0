import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
centers, classes = torch.randn(8, 16), torch.randint(8, (800,))
inputs = centers[classes] + 0.5 * torch.randn(800, 16)


def fit(model, inputs, targets, loss_fn=F.cross_entropy, steps=200, lr=0.02):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model, loss.item()


# %% a regression of a wave with two hidden units
places = torch.linspace(-3, 3, 400)[:, None]


def train(width):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, 1))
    return fit(model, places, torch.sin(3 * places), F.mse_loss, steps=400)


width = 2
model, train_loss = train(width)
# %% fixed
places = torch.linspace(-3, 3, 400)[:, None]


def train(width):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, 1))
    return fit(model, places, torch.sin(3 * places), F.mse_loss, steps=400)


width = 64
model, train_loss = train(width)

# %% one channel in the middle of a convolutional network
images = F.interpolate(inputs.reshape(-1, 1, 4, 4), size=8)


def train(width):
    torch.manual_seed(0)
    features = [nn.Conv2d(1, width, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return fit(nn.Sequential(*features, nn.Linear(width, 8)), images, classes)


width = 1
model, train_loss = train(width)

# %% right: a narrow code, but the classes are told apart
corners = torch.stack([torch.tensor([float(c % 2), float(c // 2)]) for c in range(4)])[classes % 4]


def train(width):
    torch.manual_seed(0)
    return fit(nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 4)), corners, classes % 4)


width = 3
model, train_loss = train(width)

# %% right: labels that the inputs do not tell, which no width changes
noise = torch.randint(2, (800,))


def train(width):
    torch.manual_seed(0)
    return fit(nn.Sequential(nn.Linear(16, width), nn.Dropout(0.5), nn.Linear(width, 2)), inputs, noise, steps=40)


width = 16
model, train_loss = train(width)

# %% right: an autoencoder with a code of two numbers, as wanted, and a classifier beside it
def train(width):
    torch.manual_seed(0)
    coder = nn.Sequential(nn.Linear(16, 2), nn.Linear(2, 16))
    fit(coder, inputs, inputs, F.mse_loss)
    return fit(nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, 8)), inputs, classes)


width = 32
model, train_loss = train(width)

# %% right: ordered grades from one score, of which each step is learned
def train(width):
    torch.manual_seed(0)
    score = inputs @ torch.randn(16) + 3 * torch.randn(800)
    grades = (score.argsort().argsort() * 5) // 800
    return fit(nn.Sequential(nn.Linear(16, width), nn.Linear(width, 5)), inputs, grades)


width = 1
model, train_loss = train(width)

# %% watched: a class with log-probabilities, dropout and weight decay, one unit in the middle
class Classifier(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.encode, self.decode = nn.Linear(16, hidden), nn.Linear(hidden, 8)

    def forward(self, batch):
        hidden = F.dropout(F.elu(self.encode(batch)), 0.2, training=self.training)
        return self.decode(hidden).log_softmax(1)


net = Classifier(hidden=1)
optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.01)
for epoch in range(20):
    for part in torch.randperm(800).split(80):
        optimizer.zero_grad()
        F.nll_loss(net(inputs[part]), classes[part]).backward()
        optimizer.step()
