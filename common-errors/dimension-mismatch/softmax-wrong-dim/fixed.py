import torch
from torch import nn

torch.manual_seed(0)
centers = torch.randn(10, 20)
labels = torch.randint(10, (2000,))
inputs = centers[labels] + torch.randn(2000, 20)

model = nn.Sequential(
    nn.Linear(20, 64),
    nn.ReLU(),
    nn.Linear(64, 10),
    nn.LogSoftmax(dim=1),  # over the classes, so that each row sums to 1
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loss_fn = nn.NLLLoss()

for epoch in range(5):
    for start in range(0, 1600, 64):
        log_probs = model(inputs[start : start + 64])
        loss = loss_fn(log_probs, labels[start : start + 64])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

model.eval()
with torch.no_grad():
    by_fifty = torch.cat([model(batch) for batch in inputs[1600:].split(50)])
    log_probs = torch.cat([model(sample) for sample in inputs[1600:].split(1)])
print(f"probabilities of one sample sum to {log_probs[0].exp().sum().item():.2f}")
print(f"in batches of 50: {(by_fifty.argmax(1) == labels[1600:]).float().mean().item():.1f}")
print(f"accuracy={(log_probs.argmax(1) == labels[1600:]).float().mean().item():.4f}")
