import torch
from torch import nn

torch.manual_seed(0)
options = {"fullgraph": True, "backend": "eager"}

# %% sizes that may not become dynamic
def mean(x):
    return x.mean(0)


dynamic = False
calls = [(torch.randn(size, 4),) for size in range(2, 14)]
model = torch.compile(mean, dynamic=dynamic, **options)
for call in calls:
    model(*call)

# %% a text as an argument
def head(x, name):
    return x * len(name)


calls = [(torch.randn(4), "task" * number) for number in range(1, 14)]
model = torch.compile(head, **options)
for call in calls:
    model(*call)

# %% a different function each time
def apply(x, function):
    return function(x)


functions = [torch.sin, torch.cos, torch.exp, torch.tanh, torch.relu, torch.sigmoid, torch.abs, torch.neg, torch.floor]
calls = [(torch.randn(4), function) for function in [*functions, torch.ceil, torch.square]]
model = torch.compile(apply, **options)
for call in calls:
    model(*call)

# %% an attribute that counts
class Metric(nn.Module):
    def __init__(self):
        super().__init__()
        self.updates = 0
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x):
        self.updates += 1
        self.total += x.mean()
        return self.total / self.updates


calls = [(torch.randn(4),) for _ in range(14)]
model = torch.compile(Metric(), **options)
for call in calls:
    model(*call)

# %% a list that grows
def total(values):
    return torch.stack(values).sum()


calls = [([torch.randn(4)] * length,) for length in range(1, 14)]
model = torch.compile(total, **options)
for call in calls:
    model(*call)

# %% message: a recompilation that is not allowed
torch._dynamo.config.error_on_recompile = True
halve = torch.compile(lambda x: x / 2, backend="eager", dynamic=False)
halve(torch.randn(2))
halve(torch.randn(3))

# %% message: without fullgraph, stopped at the limit on purpose
torch._dynamo.config.fail_on_recompile_limit_hit = True


@torch.compile(backend="eager", dynamic=False)
def double(x):
    return x * 2


for size in range(2, 14):
    double(torch.randn(size))

# %% right: the same sizes, left dynamic
def mean(x):
    return x.mean(0)


calls = [(torch.randn(size, 4),) for size in range(2, 14)]
model = torch.compile(mean, dynamic=None, **options)
for call in calls:
    model(*call)

# %% right: the same attribute, left dynamic
class Metric(nn.Module):
    def __init__(self):
        super().__init__()
        self.updates = 0
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x):
        self.updates += 1
        self.total += x.mean()
        return self.total / self.updates


torch._dynamo.config.allow_unspec_int_on_nn_module = True
calls = [(torch.randn(4),) for _ in range(14)]
model = torch.compile(Metric(), **options)
for call in calls:
    model(*call)

# %% right: sizes become dynamic by themselves
def mean(x):
    return x.mean(0)


calls = [(torch.randn(size, 4),) for size in range(2, 14)]
model = torch.compile(mean, **options)
for call in calls:
    model(*call)

# %% right: two modes
def noisy(x, training):
    return x + torch.randn_like(x) if training else x


calls = [(torch.randn(4), number % 2 == 0) for number in range(12)]
model = torch.compile(noisy, **options)
for call in calls:
    model(*call)
