import torch
from torch import nn

torch.manual_seed(0)
pictures = torch.randn(1200, 64)
views = pictures + 0.3 * torch.randn(1200, 64)  # of each picture a second view, as in contrastive learning


def compute_loss(model, rows, temperature=0.01):
    first, second = nn.functional.normalize(model(pictures[rows])), nn.functional.normalize(model(views[rows]))
    scores = first @ second.T / temperature
    # log_softmax subtracts the largest score before exp: no exponent is above 0
    return -scores.log_softmax(dim=1).diagonal().mean()


def train():
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step, rows in enumerate(torch.arange(1000).repeat(3).split(100)):
        loss = compute_loss(model, rows)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step={step} loss={loss.item():.1f}")
    return model, loss


model, loss = train()
with torch.no_grad():
    first, second = (nn.functional.normalize(model(given[1000:])) for given in (pictures, views))
print(f"retrieval_error={((first @ second.T).argmax(dim=1) != torch.arange(200)).float().mean().item():.3f}")
