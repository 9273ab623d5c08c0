import torch
from torch import nn
from torch.utils.data import WeightedRandomSampler

torch.manual_seed(0)

# %% a mask that forbids every token
logits = nn.Linear(16, 5)(torch.randn(2, 16)).masked_fill(torch.tensor([[True] * 5, [False] * 5]), -torch.inf)
probabilities = torch.softmax(logits, dim=-1)
tokens = torch.multinomial(probabilities, num_samples=1)

# %% logits instead of probabilities
probabilities = nn.Linear(16, 50)(torch.randn(1, 16))
tokens = torch.multinomial(probabilities, num_samples=1)

# %% float16 that overflows, in a class that generates


class Sampler:
    def __init__(self, head):
        self.head = head

    def probabilities(self, hidden):
        return torch.softmax(self.head(hidden), dim=-1)

    def next_token(self, hidden):
        return torch.multinomial(self.probabilities(hidden), num_samples=1)


sampler = Sampler(nn.Linear(16, 8).half())
nn.init.constant_(sampler.head.weight, 100)
hidden = torch.full((1, 16), 300.0).half()
probabilities = sampler.probabilities(hidden)
sampler.next_token(hidden)

# %% probabilities masked after the softmax
probabilities = torch.softmax(torch.randn(2, 4), dim=-1) * torch.tensor([[1.0] * 4, [0.0] * 4])
tokens = torch.multinomial(probabilities, num_samples=1)

# %% message: a row of zeros, drawn from several times
draws = torch.multinomial(torch.zeros(3), num_samples=2, replacement=True)

# %% message: rates of a reaction that has ended
rates = torch.tensor([0.4, 0.3]) * torch.zeros(2)
reaction = torch.multinomial(rates, num_samples=1)
# %% fixed
weights = torch.tensor([0.4, 0.3]) * torch.zeros(2)
if weights.sum() == 0:
    reaction = None

# %% message: several draws from differences
draws = torch.multinomial(torch.tensor([0.5, -0.25, 0.75]), num_samples=2, replacement=True)

# %% message: rates of reactions, one of them negative
rates = torch.tensor([0.4, 0.3, 0.2]) * torch.tensor([5.0, 2.0, -1e-7])
reaction = torch.multinomial(rates, num_samples=1)
# %% fixed
weights = torch.tensor([0.4, 0.3, 0.2]) * torch.tensor([5.0, 2.0, -1e-7])
print(weights.min())
reaction = torch.multinomial(weights.clamp(min=0), num_samples=1)

# %% message: several draws from negative weights
weights = torch.tensor([0.5, 0.25, -1e-7])
draws = torch.multinomial(weights, num_samples=2, replacement=True)
# %% fixed
weights = torch.tensor([0.5, 0.25, -1e-7])
draws = torch.multinomial(weights.clamp(min=0), num_samples=2, replacement=True)

# %% message: weights of classes, one of which has no samples
counts = torch.tensor([90.0, 0.0])
order = list(WeightedRandomSampler(1 / counts, num_samples=4))
# %% fixed
counts, labels = torch.tensor([90.0, 0.0]), torch.zeros(90, dtype=torch.long)
order = list(WeightedRandomSampler((1 / counts)[labels], num_samples=4))

# %% message: the logits of all positions
logits = nn.Linear(8, 20)(torch.randn(2, 5, 8))
tokens = torch.multinomial(logits.softmax(dim=-1), num_samples=1)
# %% fixed
logits = nn.Linear(8, 20)(torch.randn(2, 5, 8))
logits = logits[:, -1]
probabilities = logits.softmax(dim=-1)
tokens = torch.multinomial(probabilities, num_samples=1)

# %% right: weights that do not sum to 1, some of them 0
probabilities = torch.tensor([[3.0, 0.0, 5.0], [0.0, 0.1, 0.0]])
tokens = torch.multinomial(probabilities, num_samples=1)

# %% right: a very low temperature
probabilities = torch.softmax(torch.tensor([[2.0, 1.0, -1.0]]) / 1e-6, dim=-1)
tokens = torch.multinomial(probabilities, num_samples=1)
