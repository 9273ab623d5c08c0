import torch
from torch import nn

torch.manual_seed(0)
samples = torch.rand(6, 8)

# %% noise for each sample
def noisy(x):
    return x + 0.1 * torch.randn_like(x)


call = lambda: torch.vmap(noisy)(samples)
call()
# %% fixed
def noisy(x):
    return x + 0.1 * torch.randn_like(x)


call = lambda: torch.vmap(noisy, randomness="different")(samples)
call()

# %% the prediction of a model in train mode
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
call = lambda: torch.vmap(model)(samples)
call()
# %% fixed
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
model.eval()
call = lambda: torch.vmap(model)(samples)
call()

# %% an ensemble with dropout
models = [nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.Linear(16, 1)) for _ in range(3)]
parameters, buffers = torch.func.stack_module_state(models)


def predict(parameters, buffers, x):
    return torch.func.functional_call(models[0], (parameters, buffers), (x,))


call = lambda: torch.vmap(predict, in_dims=(0, 0, None))(parameters, buffers, samples)
call()

# %% an action from probabilities
def act(probabilities):
    return probabilities.multinomial(1)


call = lambda: torch.vmap(act)(samples)
call()

# %% a mask with one value for all samples
def masked(x):
    return x * torch.zeros_like(x).bernoulli_(0.5)


call = lambda: torch.vmap(masked)(samples)
call()
# %% fixed
def masked(x, mask):
    return x * mask


mask = torch.zeros_like(samples).bernoulli_(0.5)
call = lambda: torch.vmap(masked)(samples, mask)
call()

# %% the Jacobian in forward mode
model = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Dropout(0.5))
call = lambda: torch.func.jacfwd(model)(samples[0])
call()
# %% fixed
f = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Dropout(0.5))
call = lambda: torch.func.jacfwd(f, randomness="same")(samples[0])
call()

# %% the Hessian of a model with dropout
model = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Dropout(0.5))
call = lambda: torch.func.hessian(lambda x: model(x).square().sum())(samples[0])
call()
# %% fixed
model = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Dropout(0.5))
f = lambda x: model(x).square().sum()
jacfwd, jacrev = torch.func.jacfwd, torch.func.jacrev
call = lambda: jacfwd(jacrev(f), randomness="same")(samples[0])
call()

# %% the inner of two calls has the flag
shifted = torch.vmap(lambda x: x + torch.rand(()), randomness="different")
call = lambda: torch.vmap(shifted)(samples)
call()
# %% fixed
shifted = torch.vmap(lambda x: x + torch.rand(()), randomness="different")
call = lambda: torch.vmap(shifted, randomness="different")(samples)
call()

# %% in place, in a tensor made in the function
def jittered(x):
    return x + torch.empty(8).uniform_(-0.1, 0.1)


call = lambda: torch.vmap(jittered, randomness="different")(samples)
call()
# %% fixed
def jittered(x):
    return x + 0.2 * torch.rand(8) - 0.1


call = lambda: torch.vmap(jittered, randomness="different")(samples)
call()

# %% one draw for samples that differ
call = lambda: torch.vmap(torch.bernoulli, randomness="same")(samples)
call()
# %% fixed
uniform = torch.rand(8)
call = lambda: torch.vmap(lambda x: (uniform < x).float())(samples)
call()

# %% message: the attention of an encoder layer
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
torch.vmap(layer)(torch.rand(4, 2, 5, 8))

# %% message: a sample of a distribution
torch.vmap(lambda x: torch.distributions.Normal(x, 1.0).rsample(), randomness="different")(samples)
# %% fixed
torch.vmap(lambda mean, std: mean + std * torch.randn_like(mean), randomness="different")(samples, samples)

# %% message: a permutation of the features
torch.vmap(lambda x: x[torch.randperm(8)])(samples)

# %% message: random numbers with out=
torch.vmap(lambda x: x + torch.rand(8, out=torch.empty(8)), randomness="different")(samples)
# %% fixed
def shifted(x):
    noise = torch.rand(8)
    return x + noise


torch.vmap(shifted, randomness="different")(samples)

# %% message: the older Jacobian
model = nn.Sequential(nn.Linear(8, 4), nn.Dropout(0.5))
torch.autograd.functional.jacobian(model, samples[0], vectorize=True, strategy="forward-mode")
# %% fixed
f = nn.Sequential(nn.Linear(8, 4), nn.Dropout(0.5))
torch.func.jacfwd(f, randomness="same")(samples[0])

# %% right: each sample draws its own
call = lambda: torch.vmap(lambda x: x[torch.randperm(8)[:4]], randomness="different")(samples)
call()

# %% right: dropout that is off
call = lambda: torch.vmap(lambda x: nn.functional.dropout(x, 0.5, training=False))(samples)
call()

# %% right: the Jacobian in reverse mode
call = lambda: torch.func.jacrev(lambda x: nn.functional.dropout(x.tanh(), 0.5))(samples[0])
call()
