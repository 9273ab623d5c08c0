import torch
from torch import nn


class PriceModel(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        # nn.ModuleList registers its layers with the model; a Python list does not.
        self.layers = nn.ModuleList([nn.Linear(size, next_size) for size, next_size in zip(sizes, sizes[1:])])

    def forward(self, features):
        for layer in self.layers[:-1]:
            features = torch.relu(layer(features))
        return self.layers[-1](features)


torch.manual_seed(0)
model = PriceModel(sizes=[8, 32, 32, 1])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

features, prices = torch.randn(256, 8), torch.randn(256, 1)
loss = nn.functional.mse_loss(model(features), prices)
loss.backward()
optimizer.step()
print(f"parameters in the optimizer: {sum(len(group['params']) for group in optimizer.param_groups)}")
