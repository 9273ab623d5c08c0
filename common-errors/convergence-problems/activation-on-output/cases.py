import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs = torch.randn(128, 8)


def train(network, loss_of, steps=20):
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(steps):
        outputs = network(inputs)
        optimizer.zero_grad()
        loss_of(outputs).backward()
        optimizer.step()
    return outputs


# %% a ReLU on the logits of a classifier
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.head = nn.Linear(8, 32), nn.Linear(32, 5)

    def forward(self, features):
        return F.relu(self.head(F.relu(self.hidden(features))))


targets = inputs[:, :5].argmax(dim=1)
outputs = train(Classifier(), lambda logits: F.cross_entropy(logits, targets))
# %% fixed
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.head = nn.Linear(8, 32), nn.Linear(32, 5)

    def forward(self, features):
        return self.head(F.relu(self.hidden(features)))


targets = inputs[:, :5].argmax(dim=1)
outputs = train(Classifier(), lambda logits: F.cross_entropy(logits, targets))

# %% a sigmoid on standardized prices
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())
targets = inputs[:, :1].exp()
targets = (targets - targets.mean()) / targets.std()
outputs = train(model, lambda prices: F.smooth_l1_loss(prices, targets))

# %% right: counts are never below 0
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Softplus())
targets = torch.poisson(inputs[:, :1].exp())
outputs = train(model, lambda rate: F.mse_loss(rate, targets))

# %% right: an autoencoder of pixels between 0 and 1
pixels = inputs.sigmoid()
inputs, targets = pixels, pixels
model = nn.Sequential(nn.Linear(8, 3), nn.ReLU(), nn.Linear(3, 8), nn.Sigmoid())
outputs = train(model, lambda images: F.mse_loss(images, targets))

# %% watched: the values of an actor-critic, a step at a time
body, actor, critic = nn.Linear(4, 32), nn.Linear(32, 2), nn.Linear(32, 1)
optimizer = torch.optim.Adam([*body.parameters(), *actor.parameters(), *critic.parameters()], lr=0.01)
for episode in range(10):
    values, log_probs, returns = [], [], torch.linspace(1.5, -1.5, 20)
    for state in torch.randn(20, 4):
        hidden = body(state).relu()
        policy = torch.distributions.Categorical(logits=actor(hidden))
        log_probs.append(policy.log_prob(policy.sample()))
        values.append(F.relu(critic(hidden)))
    pairs = list(zip(values, log_probs, returns, strict=True))
    policy_loss = torch.stack([-log_prob * (target - value.item()) for value, log_prob, target in pairs]).sum()
    loss = policy_loss + torch.stack([F.smooth_l1_loss(value, target.view(1)) for value, _, target in pairs]).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: an error written by hand, under LBFGS
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1), nn.ReLU())
optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = ((model(inputs).squeeze(-1) - inputs[:, 0] * inputs[:, 1]) ** 2).mean()
    loss.backward()
    return loss


for step in range(3):
    optimizer.step(closure)

# %% watched: a policy chooses by probabilities of a ReLU
policy = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3), nn.ReLU(), nn.Softmax(dim=-1))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for step in range(12):
    choices = torch.distributions.Categorical(policy(inputs))
    actions = choices.sample()
    loss = -(choices.log_prob(actions) * inputs[:, 0]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% right: hidden features behind a ReLU imitate a teacher's
student, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU()), nn.Linear(16, 3)
teacher, labels = torch.randn(128, 16), inputs[:, :3].argmax(dim=1)
optimizer = torch.optim.Adam([*student.parameters(), *head.parameters()], lr=0.01)
for step in range(12):
    features = student(inputs)
    outputs, targets = head(features), labels
    loss = F.cross_entropy(outputs, targets) + 0.1 * F.mse_loss(features, teacher)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% right: a generator draws images between -1 and 1
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.Tanh())
critic, targets = nn.Linear(16, 1), torch.rand(128, 16) * 2 - 1
outputs = train(model, lambda images: F.l1_loss(images, targets) - 0.1 * critic(images).mean())

# %% right: attention over keys behind a ReLU, and distances behind a hinge
queries, keys, readout = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 5)
optimizer = torch.optim.Adam([*queries.parameters(), *keys.parameters(), *readout.parameters()], lr=0.01)
for step in range(12):
    weights = (queries(inputs) @ keys(inputs).T).relu().softmax(dim=-1)
    outputs, targets = readout(weights @ inputs), inputs[:, :5].argmax(dim=1)
    loss = F.cross_entropy(outputs, targets) + F.relu(1 - outputs[:, 0]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: the last value of a sequence, under autocast
body, head, series = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 1), torch.randn(64, 12, 1).cumsum(1)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
for step in range(12):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.l1_loss(head(body(series[:, :-1])[0]).relu()[:, -1], series[:, -1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: the decoder of an autoencoder, whose sigmoid gets the outputs of a ReLU
pixels = (inputs > 0.8).float()
network = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8), nn.ReLU(), nn.Sigmoid())
train(network, lambda outputs: F.binary_cross_entropy(outputs, pixels))
