import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model, batch = nn.Linear(8, 3), torch.randn(16, 8)

# %% the mean of a list of losses
values = [model(batch).square().mean() for _ in range(3)]
mean = np.mean(values)

# %% predictions after eval()
values = model.eval()(batch)
labels = np.array(values).argmax(axis=1)

# %% a weight that is plotted
values = model.weight
points = np.asarray(values)

# %% message: a histogram of scores
counts, edges = np.histogram(model(batch).softmax(dim=1).numpy())

# %% message: a conjugate spectrum
values = torch.fft.fft(torch.randn(8)).conj()
values.numpy()
# %% fixed
values = torch.fft.fft(torch.randn(8)).conj()
array = values.resolve_conj().numpy()
values = values.resolve_conj()

# %% message: an imaginary part with the negative bit
values = torch.fft.fft(torch.randn(8)).conj().imag
values.numpy()
# %% fixed
values = torch.fft.fft(torch.randn(8)).conj().imag.resolve_neg()
array = values.numpy()

# %% right: predictions in inference mode
with torch.inference_mode():
    values = model(batch)
array = values.numpy()

# %% right: losses as numbers
values = [model(batch).square().mean().item() for _ in range(3)]
mean = np.mean(values)
