import torch
from torch import nn

torch.manual_seed(0)

# %% an encoder under no_grad, with an optimizer for all
encoder, head = nn.Sequential(nn.Conv1d(3, 8, 5), nn.ReLU(), nn.Flatten()), nn.Linear(96, 4)
model = nn.ModuleList([encoder, head])
signals, classes = torch.randn(32, 3, 16), torch.randint(4, (32,))


def compute():
    with torch.no_grad():
        features = encoder(signals)
    return nn.functional.cross_entropy(head(features), classes)


optimizer = torch.optim.Adam(model.parameters())
for step in range(20):
    optimizer.zero_grad()
    compute().backward()
    optimizer.step()
# %% fixed
encoder, head = nn.Sequential(nn.Conv1d(3, 8, 5), nn.ReLU(), nn.Flatten()), nn.Linear(96, 4)
model = nn.ModuleList([encoder, head])
signals, classes = torch.randn(32, 3, 16), torch.randint(4, (32,))


def compute():
    features = encoder(signals)
    return nn.functional.cross_entropy(head(features), classes)


optimizer = torch.optim.Adam(model.parameters())

# %% .data in a residual block
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch, self.head = nn.Sequential(nn.Linear(6, 6), nn.Tanh()), nn.Linear(6, 1)

    def forward(self, x):
        return self.head(x + self.branch(x).data)


model, batch = Block(), torch.randn(16, 6)
compute = lambda: model(batch).square().mean()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% watched: one of two towers, joined by cat
class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.table, self.head = nn.Linear(20, 8), nn.Linear(5, 8), nn.Linear(16, 1)

    def forward(self, image, table):
        return self.head(torch.cat([self.image(image).relu().detach(), self.table(table).relu()], 1))


model = Towers()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(10):
    optimizer.zero_grad()
    model(torch.randn(8, 20), torch.randn(8, 5)).square().mean().backward()
    optimizer.step()

# %% right: actor and critic share a body, and the advantage is detached
body, actor, critic = nn.Linear(4, 16), nn.Linear(16, 2), nn.Linear(16, 1)
model = nn.ModuleList([body, actor, critic])
states, actions, returns = torch.randn(32, 4), torch.randint(2, (32,)), torch.randn(32)


def compute():
    hidden = body(states).tanh()
    advantages = returns - critic(hidden).squeeze(1)
    chosen = torch.distributions.Categorical(logits=actor(hidden)).log_prob(actions)
    return advantages.square().mean() - (chosen * advantages.detach()).mean()


optimizer = torch.optim.Adam(model.parameters())
for step in range(20):
    optimizer.zero_grad()
    compute().backward()
    optimizer.step()

# %% right: a codebook and its encoder, with a straight-through estimator
encoder, codebook, decoder = nn.Linear(8, 4), nn.Embedding(16, 4), nn.Linear(4, 8)
model, batch = nn.ModuleList([encoder, codebook, decoder]), torch.randn(32, 8)


def compute():
    encoded = encoder(batch)
    code = codebook(torch.cdist(encoded, codebook.weight).argmin(1))
    commitment = (encoded - code.detach()).square().mean() + (encoded.detach() - code).square().mean()
    return (decoder(encoded + (code - encoded).detach()) - batch).square().mean() + commitment


optimizer = torch.optim.Adam(model.parameters())
for step in range(20):
    optimizer.zero_grad()
    compute().backward()
    optimizer.step()

# %% right: a frozen encoder, which says so, and a head that is not used
encoder, head, unused = nn.Linear(8, 4).requires_grad_(False), nn.Linear(4, 2), nn.Linear(4, 3)
model, batch = nn.ModuleList([encoder, head, unused]), torch.randn(32, 8)


def compute():
    with torch.no_grad():
        features = encoder(batch)
    return head(features).square().mean() + 0 * unused(features).detach().sum()


optimizer = torch.optim.Adam(head.parameters())
for step in range(20):
    optimizer.zero_grad()
    compute().backward()
    optimizer.step()

# %% right: a generator and a critic
generator, critic = nn.Linear(4, 8), nn.Linear(8, 1)
model, noise = generator, torch.randn(16, 4)
compute = lambda: -critic(generator(noise)).mean()
optimizer = torch.optim.Adam(generator.parameters())
optimizers = [torch.optim.Adam(critic.parameters()), optimizer]
for step in range(20):
    [each.zero_grad() for each in optimizers]
    fake = generator(torch.randn(16, 4))
    (critic(fake.detach()).mean() - critic(torch.randn(16, 8)).mean()).backward()
    optimizers[0].step()
    compute().backward()
    optimizers[1].step()

# %% watched: a generator that only ever sees detached fakes
generator, critic = nn.Linear(4, 8), nn.Linear(8, 1)
optimizers = [torch.optim.Adam(part.parameters()) for part in (critic, generator)]
for step in range(20):
    fake = generator(torch.randn(16, 4)).detach()
    for optimizer, sign in zip(optimizers, (1, -1)):
        optimizer.zero_grad()
        (sign * (critic(fake).mean() - critic(torch.randn(16, 8)).mean())).backward()
        optimizer.step()

# %% right: an encoder that is frozen for the first steps
encoder, head = nn.Linear(8, 4), nn.Linear(4, 1)
model, batch = nn.ModuleList([encoder, head]), torch.randn(32, 8)
step = 0


def compute():
    with torch.set_grad_enabled(step >= 40):
        features = encoder(batch)
    return head(features).square().mean()


optimizer = torch.optim.Adam(model.parameters())
for step in range(60):
    optimizer.zero_grad()
    compute().backward()
    optimizer.step()

# %% right: a teacher in the same optimizer that follows its student
student, teacher = nn.Linear(8, 4), nn.Linear(8, 4)
model, batch = student, torch.randn(32, 8)
compute = lambda: (student(batch + 0.1) - teacher(batch).detach()).square().mean()
optimizer = torch.optim.SGD([*student.parameters(), *teacher.parameters()], lr=0.1)
for step in range(20):
    optimizer.zero_grad()
    compute().backward()
    optimizer.step()
    for kept, new in zip(teacher.parameters(), student.parameters()):
        kept.data.mul_(0.9).add_(new.data, alpha=0.1)

# %% right: a generator whose gradients are cleared before its step, which is another fault
generator, critic = nn.Linear(4, 8), nn.Linear(8, 1)
model = nn.ModuleList([generator, critic])
of_critic = torch.optim.Adam(critic.parameters())
optimizer = torch.optim.Adam(generator.parameters())
compute = lambda: -critic(generator(torch.randn(32, 4))).mean()
for step in range(20):
    of_critic.zero_grad()
    fake = generator(torch.randn(32, 4)).detach()
    (critic(fake) - critic(torch.randn(32, 8))).square().mean().backward()
    of_critic.step()
    compute().backward()
    optimizer.zero_grad()
    optimizer.step()

# %% watched: an autoencoder that draws its code with torch.normal
encoder, mean_of, scale_of, decoder = nn.Linear(8, 16), nn.Linear(16, 4), nn.Linear(16, 4), nn.Linear(4, 8)
model, batch = nn.ModuleList([encoder, mean_of, scale_of, decoder]), torch.randn(32, 8)
optimizer = torch.optim.Adam(model.parameters())
for step in range(8):
    hidden = encoder(batch).relu()
    mean, log_variance = mean_of(hidden), scale_of(hidden)
    code = torch.normal(mean, (0.5 * log_variance).exp())
    prior = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).mean()
    optimizer.zero_grad()
    (nn.functional.mse_loss(decoder(code), batch) + prior).backward()
    optimizer.step()

# %% watched: an autoencoder whose code is drawn with a fixed deviation
encoder, decoder = nn.Linear(8, 4), nn.Linear(4, 8)
model, batch = nn.ModuleList([encoder, decoder]), torch.randn(32, 8)
optimizer = torch.optim.Adam(model.parameters())
for step in range(8):
    mean = encoder(batch)
    optimizer.zero_grad()
    (nn.functional.mse_loss(decoder(torch.normal(mean, 0.1)), batch) + mean.square().mean()).backward()
    optimizer.step()

# %% watched: the values of a Q network are detached before the loss
network, target = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)) for _ in range(2))
optimizer = torch.optim.Adam(network.parameters(), lr=0.001)
for step in range(24):
    states, actions = torch.randn(32, 4), torch.randint(2, (32, 1))
    with torch.no_grad():
        wanted = torch.randn(32) + 0.9 * target(torch.randn(32, 4)).amax(1)
    values = network(states).detach().requires_grad_().gather(1, actions).squeeze(1)
    optimizer.zero_grad()
    nn.functional.mse_loss(values, wanted).backward()
    optimizer.step()

# %% right: adversarial training, whose attack needs the gradient of the input
model, batch, labels = nn.Linear(8, 2), torch.randn(32, 8), torch.randint(2, (32,))
compute = lambda: nn.functional.cross_entropy(model(batch), labels)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(24):
    attacked = batch.clone().requires_grad_()
    nn.functional.cross_entropy(model(attacked), labels).backward()
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(batch + 0.01 * attacked.grad.sign()), labels).backward()
    optimizer.step()

# %% right: a critic reads sampled actions, and a decoder samples of a forecast
body, policy, scale = nn.Linear(8, 8), nn.Linear(8, 4), nn.Linear(8, 4)
critic, decoder = nn.Linear(12, 1), nn.Linear(4, 8)
model, batch = nn.ModuleList([body, policy, scale, critic, decoder]), torch.randn(32, 8)
rewards, targets = torch.randn(32), torch.randn(32, 4)


def losses():
    hidden = body(batch).relu()
    mean, std = policy(hidden), scale(hidden).exp()
    action, density = torch.normal(mean, std), torch.distributions.Normal(mean, std)
    value = nn.functional.mse_loss(critic(torch.cat([batch, action], 1))[:, 0], rewards)
    yield value - (density.log_prob(action).sum(1) * rewards).mean()
    yield value - (density.log_prob(action.detach()).sum(1) * rewards).mean()
    yield value
    yield nn.functional.mse_loss(mean, targets) + nn.functional.mse_loss(policy(decoder(action)), targets)


compute = lambda: next(losses())
for number in range(4):
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(6):
        optimizer.zero_grad()
        list(losses())[number].backward()
        optimizer.step()
