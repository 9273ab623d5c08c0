import torch
from torch import nn

torch.manual_seed(0)

# %% sigmoids in a deep network
layers = [layer for _ in range(12) for layer in (nn.Linear(16, 16), nn.Sigmoid())]
model = nn.Sequential(*layers, nn.Linear(16, 2))
loss = nn.functional.cross_entropy(model(torch.randn(32, 16)), torch.randint(2, (32,)))
loss.backward()
weights = [layer.weight for layer in model if isinstance(layer, nn.Linear)]

# %% an LSTM that reads 200 steps
model = nn.LSTM(4, 16, batch_first=True)
sequences = torch.randn(8, 200, 4).requires_grad_()
model(sequences)[0][:, -1].square().mean().backward()
weights = list(model.parameters())
# %% fixed
model = nn.LSTM(4, 16, batch_first=True)
nn.init.constant_(model.bias_ih_l0[16:32], 5.3)
sequences = torch.randn(8, 200, 4).requires_grad_()
model(sequences)[0][:, -1].square().mean().backward()
weights = list(model.parameters())

# %% every ReLU is dead
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
nn.init.constant_(model[0].bias, -100.0)
nn.functional.cross_entropy(model(torch.randn(4, 8)), torch.randint(2, (4,))).backward()
weights = [model[0].weight, model[2].weight]

# %% right: forty layers with residual connections
first, norm = nn.Linear(8, 16), nn.LayerNorm(16)
layers, last = nn.ModuleList(nn.Linear(16, 16) for _ in range(40)), nn.Linear(16, 2)
hidden = first(torch.randn(32, 8))
for layer in layers:
    hidden = hidden + layer(norm(hidden)).relu()
nn.functional.cross_entropy(last(hidden), torch.randint(2, (32,))).backward()

# %% right: a frozen first layer
model = nn.Sequential(nn.Linear(8, 16).requires_grad_(False), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
nn.functional.cross_entropy(model(torch.randn(32, 8)), torch.randint(2, (32,))).backward()
weights = [layer.weight for layer in model if isinstance(layer, nn.Linear)]

# %% right: a query and a key with small weights, as in BERT, hardly change the attention at first
query, key, value, head = nn.Linear(32, 32), nn.Linear(32, 32), nn.Linear(32, 32), nn.Linear(32, 2)
for layer in (query, key, value, head):
    nn.init.normal_(layer.weight, std=0.02)
optimizer = torch.optim.AdamW([p for layer in (query, key, value, head) for p in layer.parameters()])
words, labels = 0.02 * torch.randn(64, 12, 32), torch.randint(2, (64,))
for step in range(4):
    attended = nn.functional.scaled_dot_product_attention(query(words), key(words), value(words))
    loss = nn.functional.cross_entropy(head((words + attended).mean(1)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
weights = [value.weight, head.weight]  # the path that does not lead through the weights of attention
