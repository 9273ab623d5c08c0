import torch
from torch import nn
from torch.distributions import Bernoulli, Categorical, MultivariateNormal, Normal, Poisson, Uniform

torch.manual_seed(0)

# %% a scale without softplus
mean, raw = nn.Linear(8, 2)(torch.randn(32, 8)).chunk(2, dim=-1)
family, given = Normal, {"loc": mean, "scale": raw}
policy = Normal(mean, raw)
# %% fixed
mean, raw = nn.Linear(8, 2)(torch.randn(32, 8)).chunk(2, dim=-1)
scale = torch.nn.functional.softplus(raw) + 1e-6
family, given = Normal, {"loc": mean, "scale": scale}
policy = Normal(mean, scale)

# %% a mask that forbids all actions
logits = torch.randn(2, 3).masked_fill(torch.tensor([[True] * 3, [False] * 3]), -torch.inf)
family, given = Categorical, {"logits": logits}
policy = Categorical(logits=logits)

# %% an action with probabilities that are all 0
visits = torch.tensor([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
family, given = Categorical, {"probs": visits}
policy = Categorical(probs=visits)
# %% fixed
logits = (torch.tensor([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0]]) + 0.1).log()
family, given = Categorical, {"logits": logits}
policy = Categorical(logits=logits)

# %% NaN in an observation, in a class that acts


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.log_std = nn.Linear(3, 2), nn.Parameter(torch.zeros(2))

    def act(self, observation):
        return Normal(self.mean(observation), self.log_std.exp()).sample()


agent, observation = Agent(), torch.tensor([0.2, torch.nan, 1.0])
family, given = Normal, {"loc": agent.mean(observation), "scale": agent.log_std.exp()}
agent.act(observation)

# %% message: logits as probabilities of classes
logits = torch.tensor([[2.0, -1.0, 0.5]])
policy = Categorical(logits)
# %% fixed
logits = torch.tensor([[2.0, -1.0, 0.5]])
policy = Categorical(logits=logits)

# %% message: logits as probabilities of yes and no
logits = torch.tensor([1.7, -0.4])
policy = Bernoulli(logits)
# %% fixed
logits = torch.tensor([1.7, -0.4])
policy = Bernoulli(logits=logits)

# %% message: a covariance of fewer samples than dimensions
samples = torch.randn(3, 6)
policy = MultivariateNormal(torch.zeros(6), torch.cov(samples.T))
# %% fixed
n, covariance = 6, torch.cov(torch.randn(3, 6).T)
policy = MultivariateNormal(torch.zeros(6), covariance + 1e-6 * torch.eye(n).to(covariance))

# %% message: a rate that may be 0, but not negative
arrivals = Poisson(torch.tensor([2.0, -0.1]))
# %% fixed
raw = torch.tensor([2.0, -0.1])
arrivals = Poisson(torch.nn.functional.softplus(raw) + 1e-6)

# %% message: limits in the wrong order
noise = Uniform(torch.tensor([1.0]), torch.tensor([0.0]))

# %% message: a label that is too large
log_probability = Categorical(torch.ones(3)).log_prob(torch.tensor(3))

# %% message: a negative deviation outside of torch.distributions
noise = torch.normal(torch.zeros(3), torch.tensor([0.1, -0.2, 0.3]))

# %% right: a mask that leaves one action
logits = torch.tensor([[0.3, -torch.inf, -torch.inf]])
family, given = Categorical, {"logits": logits}
policy = Categorical(logits=logits)

# %% right: weights that do not sum to 1
family, given = Categorical, {"probs": torch.tensor([3.0, 0.0, 5.0])}
policy = Categorical(probs=torch.tensor([3.0, 0.0, 5.0]))
