import torch
from torch import nn
from torchvision.models import resnet18

torch.manual_seed(0)

# %% the gates of an LSTM cell
x = nn.Linear(8, 16)(torch.randn(4, 8)).chunk(4, dim=1)[0]
part = x
x += 1.0
# %% fixed
x = nn.Linear(8, 16)(torch.randn(4, 8)).chunk(4, dim=1)[0]
x = x + 1
part = x
part.sum().backward()

# %% scale and shift of a coupling layer
x, shift = nn.Linear(8, 6)(torch.randn(4, 8)).split(3, dim=1)
part = x
x.tanh_()
# %% fixed
x, shift = nn.Linear(8, 6)(torch.randn(4, 8)).split(3, dim=1)
x = x.clone()
part = x
x.tanh_()
part.sum().backward()

# %% tokens are masked one by one
hidden = nn.Linear(8, 8)(torch.randn(5, 8))
for x in hidden:
    part = x
    x[0] = 0
# %% fixed
hidden = nn.Linear(8, 8)(torch.randn(5, 8))
rows = []
for x in hidden:
    x = x.clone()
    x[0] = 0
    rows.append(x)
part = torch.stack(rows)
part.sum().backward()

# %% box deltas are scaled
dx, x = (torch.rand(2, 10, requires_grad=True) * 1).unbind(0)
part = x
x.mul_(0.1)
# %% fixed
dx, x = (torch.rand(2, 10, requires_grad=True) * 1).unbind(0)
x = x.clone()
part = x
x.mul_(0.1)
part.sum().backward()

# %% the output of a layer with a full backward hook
layer = nn.Linear(3, 3)
layer.register_full_backward_hook(lambda module, grad_input, grad_output: None)
x = layer(torch.randn(2, 3, requires_grad=True))
part = x
x += 1
# %% fixed
layer = nn.Linear(3, 3)
layer.register_full_backward_hook(lambda module, grad_input, grad_output: None)
x = layer(torch.randn(2, 3, requires_grad=True))
x = x.clone()
part = x
x += 1
part.sum().backward()


# %% message: a backward hook on a normalization of a ResNet
model = resnet18(num_classes=4).eval()
model.layer4[1].bn2.register_full_backward_hook(lambda module, grad_input, grad_output: None)
model(torch.rand(1, 3, 32, 32))
# %% fixed
model, kept = resnet18(num_classes=4).eval(), {}


def keep(module, inputs, out):
    out.register_hook(lambda gradient: kept.update(gradient=gradient))
    kept["activation"] = out.detach().clone()


model.layer4[1].bn2.register_forward_hook(keep)
part = model(torch.rand(1, 3, 32, 32))
part.max().backward()


# %% message: a custom Function that returns its input
class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -grad_output


x = Identity.apply(torch.rand(4, requires_grad=True))
x += 1


# %% fixed
class Identity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return -grad_output


x = Identity.apply(torch.rand(4, requires_grad=True))
x += 1

# %% message: a view that was created under no_grad
weight = nn.Linear(4, 4).weight * 1
with torch.no_grad():
    x = weight[0]
x.mul_(2)
# %% fixed
weight = nn.Linear(4, 4).weight * 1
x = weight[0]
x = x.clone()
x.mul_(2)

# %% right: a slice, which is a single view
hidden = nn.Linear(8, 6)(torch.randn(4, 8))
part = hidden[:, :3]
part.mul_(2)
hidden.sum().backward()

# %% right: without gradients
part = torch.rand(3, 8, 8).unbind(0)[0]
part.mul_(2)
