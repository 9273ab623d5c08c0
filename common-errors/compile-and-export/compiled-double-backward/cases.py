import torch
from torch import nn

torch.manual_seed(0)
options = {"backend": "aot_eager"}

# %% forces of an energy
energy = torch.compile(nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1)), **options)
positions = torch.randn(5, 3, requires_grad=True)
(gradients,) = torch.autograd.grad(energy(positions).sum(), positions, create_graph=True)
loss = (-gradients - torch.zeros(5, 3)).square().mean()
loss.backward()

# %% an equation with a second derivative
field = torch.compile(nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)), **options)
t = torch.linspace(0, 1, 10).unsqueeze(1).requires_grad_()
(gradients,) = torch.autograd.grad(field(t).sum(), t, create_graph=True)
torch.autograd.grad(gradients.sum(), t)

# %% learning to learn
model = nn.Linear(4, 1)
forward = torch.compile(lambda weight, x: (x @ weight.T).square().mean(), **options)
(gradients,) = torch.autograd.grad(forward(model.weight, torch.randn(8, 4)), model.weight, create_graph=True)
adapted = model.weight - 0.1 * gradients
forward(adapted, torch.randn(8, 4)).backward()

# %% the norm of the gradients as a regularizer
model = torch.compile(nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2)), **options)
loss = nn.functional.cross_entropy(model(torch.randn(6, 4)), torch.tensor([0, 1, 0, 1, 0, 1]))
gradients = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)[0]
(loss + gradients.square().sum()).backward()

# %% a critic that was compiled in place
critic = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 1))
critic.compile(**options)
images = torch.randn(6, 4, requires_grad=True)
(gradients,) = torch.autograd.grad(critic(images).sum(), images, create_graph=True)
gradients.square().sum().backward()

# %% message: a product with the Hessian
loss = torch.compile(lambda x: (x**3).sum(), **options)
torch.autograd.functional.hvp(loss, torch.randn(4), torch.ones(4))

# %% message: through backward with create_graph
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(6, 4, requires_grad=True)
torch.compile(model, **options)(x).sum().backward(create_graph=True)
x.grad.square().sum().backward()

# %% message: the loss that contains the gradient is compiled as a whole
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))


@torch.compile(**options)
def penalty(x):
    (gradients,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    return gradients.square().sum()


penalty(torch.randn(4, 3, requires_grad=True)).backward()

# %% right: the same critic, run without its compiled code
critic = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Linear(8, 1))
critic.compile(**options)
images = torch.randn(6, 4, requires_grad=True)
with torch.compiler.set_stance("force_eager"):
    (gradients,) = torch.autograd.grad(critic(images).sum(), images, create_graph=True)
gradients.square().sum().backward()

# %% right: the derivative is compiled, and nothing differentiates it
model = torch.compile(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)), **options)
x = torch.randn(6, 4, requires_grad=True)
(gradients,) = torch.autograd.grad(model(x).sum(), x)
print(gradients.norm())

# %% right: both derivatives outside of the compiled part
features = torch.compile(nn.Sequential(nn.Linear(4, 8), nn.Tanh()), **options)
head = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
h = features(torch.randn(6, 4)).detach().requires_grad_()
(gradients,) = torch.autograd.grad(head(h).sum(), h, create_graph=True)
gradients.square().sum().backward()
