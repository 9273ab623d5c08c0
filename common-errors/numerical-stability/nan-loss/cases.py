import torch
from torch import nn

torch.manual_seed(0)

# %% a column that is constant, standardized
inputs = torch.randn(64, 3)
inputs[:, 1] = 7.0
inputs = (inputs - inputs.mean(dim=0)) / inputs.std(dim=0)
targets, model = torch.randn(64, 1), nn.Linear(3, 1)
loss = nn.functional.mse_loss(model(inputs), targets)

# %% the logarithm of counts, one of which is 0
counts = torch.tensor([3.0, 0.0, 12.0, 5.0])
inputs, targets, model = torch.randn(4, 3), counts.log().unsqueeze(1), nn.Linear(3, 1)
loss = nn.functional.l1_loss(model(inputs), targets)

# %% an Inf in one pixel
inputs, targets = torch.rand(8, 3, 16, 16), torch.randint(5, (8,))
inputs[5, 0, 2, 2] = torch.inf
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(784, 5))
loss = nn.functional.cross_entropy(model(inputs), targets)

# %% right: another cause, a learning rate that is far too large
inputs, targets, model = torch.randn(64, 3), torch.randn(64, 1), nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e6)
for step in range(20):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
print(loss.item())

# %% right: padding that attention must not see
inputs, targets = torch.randn(2, 5, 8), torch.tensor([[0, 1, 2, -100, -100], [3, 3, 1, 0, -100]])
model = nn.TransformerEncoderLayer(8, 2, batch_first=True)
loss = nn.functional.cross_entropy(model(inputs, src_key_padding_mask=targets == -100).transpose(1, 2), targets)

# %% watched: NaN in the data, in half precision
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.full((8, 4), torch.nan)
for step in range(2):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        loss = nn.functional.cross_entropy(model(inputs), torch.zeros(8).long())
    loss.backward()
    optimizer.step()

# %% watched: NaN in sample weights, and logarithms of 0 that no label picks
weights = torch.ones(8)
weights[1] = torch.nan
probabilities = nn.Linear(4, 3)(1000 * torch.randn(8, 4)).softmax(1)
chosen = probabilities.argmax(1, keepdim=True)
(-probabilities.log().gather(1, chosen)[:, 0] * weights).mean().backward()

# %% watched: NaN in a target, and rows masked as a whole whose NaN is replaced
hidden, targets = torch.zeros(8, 6).bool(), torch.randn(8, 6)
hidden[3], targets[0, 0] = True, torch.nan
weights = nn.Linear(4, 6)(torch.randn(8, 4)).masked_fill(hidden, -torch.inf).softmax(1).nan_to_num()
nn.functional.mse_loss(weights, targets).backward()

# %% watched: NaN in an image, and an empty one whose deviation is only printed
images, model = torch.rand(8, 1, 4, 4), nn.Linear(16, 2)
images[2], images[5] = 0.0, torch.nan
print([image.std().item() for image in images], [parameter.std().item() for parameter in model.parameters()])
model(images.flatten(1)).square().mean().backward()

# %% watched: NaN in a second training, whose loss is larger than the first's
for offset, rate in ((0.0, 0.05), (100.0, 0.001)):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for step in range(100):
        target = torch.nan if offset and step == 50 else offset
        optimizer.zero_grad()
        (model(torch.randn(16, 4)) - target).square().mean().backward()
        optimizer.step()
