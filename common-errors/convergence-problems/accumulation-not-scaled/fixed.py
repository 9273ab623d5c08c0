import torch
from torch import nn

torch.manual_seed(0)
# Ten kinds of cells, 20 measurements each.
centers = torch.randn(10, 20)
labels = torch.randint(10, (2400,))
inputs = centers[labels] + torch.randn(2400, 20)

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)  # tuned for batches of 160
MICRO_BATCHES = 8  # of 20 samples, which fit into memory


def train(samples):
    for number, batch in enumerate(samples.split(20), start=1):
        loss = nn.functional.cross_entropy(model(inputs[batch]), labels[batch])
        (loss / MICRO_BATCHES).backward()  # the mean over all, as with one batch of 160
        if number % MICRO_BATCHES == 0:
            optimizer.step()
            optimizer.zero_grad()
    return loss.item()


for epoch in range(10):
    print(f"epoch={epoch} loss={train(torch.randperm(1600)):.3f}")

with torch.no_grad():
    predicted = model(inputs[1600:]).argmax(1)
print(f"test_error={(predicted != labels[1600:]).float().mean().item():.3f}")
