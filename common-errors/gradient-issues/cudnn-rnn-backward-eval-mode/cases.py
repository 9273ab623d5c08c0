import torch
from torch import nn

torch.manual_seed(0)
sequences = torch.randn(8, 12, 16, device="cuda")


# %% the gradient with respect to the input, as for a saliency map
model = nn.LSTM(16, 32, batch_first=True).cuda().eval()
inputs = sequences.clone().requires_grad_()
model(inputs)[0][:, -1].sum().backward()

# %% fixed
model = nn.LSTM(16, 32, batch_first=True).cuda().eval()
inputs = sequences.clone().requires_grad_()
model.train()
model(inputs)[0][:, -1].sum().backward()

# %% a frozen encoder that was set to eval mode, and a layer before it that is trained
model = nn.Sequential(nn.Linear(16, 16), nn.GRU(16, 32, batch_first=True)).cuda()
model[1].requires_grad_(False).eval()
model(sequences)[0].mean().backward()

# %% a plain RNN with several layers
model = nn.RNN(16, 32, num_layers=2, nonlinearity="relu", batch_first=True).cuda().eval()
model(sequences)[0].square().mean().backward()

# %% a generator through a critic in eval mode
generator = nn.Linear(4, 16).cuda()
model = nn.GRU(16, 1, batch_first=True, bidirectional=True).cuda().eval()
model(generator(torch.randn(8, 12, 4, device="cuda")))[0].mean().backward()

# %% torch.autograd.grad
model = nn.LSTM(16, 32, batch_first=True).cuda().eval()
loss = model(sequences)[0].mean()
torch.autograd.grad(loss, list(model.parameters()))

# %% right: eval mode without cuDNN
model = nn.LSTM(16, 32, batch_first=True).cuda().eval()
with torch.backends.cudnn.flags(enabled=False):
    model(sequences)[0].mean().backward()
model.train()

# %% right: a recurrent layer in training mode, while dropout and batch normalization are not
model = nn.Sequential(nn.BatchNorm1d(12), nn.LSTM(16, 32, batch_first=True)).cuda().eval()
model[1].train()
model(sequences)[0].mean().backward()
