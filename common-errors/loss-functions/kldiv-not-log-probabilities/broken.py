import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
# Ten people have rated each text in one of five categories: the model is to predict the shares.
inputs = torch.randn(1200, 16)
shares = torch.softmax(inputs @ torch.randn(16, 5) * 0.4, dim=1)
votes = torch.distributions.Multinomial(10, shares).sample() / 10
train_inputs, train_votes, val_inputs, val_shares = inputs[:900], votes[:900], inputs[900:], shares[900:]

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)


def predict(batch):
    return F.softmax(model(batch), dim=1)  # error


for epoch in range(10):
    for chosen in torch.randperm(900).split(50):
        loss = F.kl_div(predict(train_inputs[chosen]), train_votes[chosen], reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 3 == 0:
        print(f"epoch={epoch} loss={loss.item():.1f}")

with torch.no_grad():
    wrong = (model(val_inputs).softmax(dim=1) - val_shares).abs().sum(dim=1).mean().item() / 2
print(f"wrong_share={wrong:.2f}")
