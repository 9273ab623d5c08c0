import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)

for episode, steps in enumerate([12, 1, 3]):  # the second episode ends after one step
    states = torch.randn(steps, 4)
    distribution = Categorical(logits=policy(states), validate_args=False)
    actions = distribution.sample()  # error
    returns = torch.arange(steps, 0, -1.0)  # one point for every step that follows
    advantages = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = -(distribution.log_prob(actions) * advantages).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"episode={episode} loss={loss.item():.3f}")
