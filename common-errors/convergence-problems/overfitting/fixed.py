import torch
from torch import nn

torch.manual_seed(0)
# 100 patients to learn from and 1000 to check on: 10 lab values each, and 15 % of the diagnoses are wrong.
lab_values = torch.randn(1100, 10)
is_ill = lab_values @ torch.randn(10) > 0
diagnosis = (is_ill ^ (torch.rand(1100) < 0.15)).float()
train_inputs, train_labels = lab_values[:100], diagnosis[:100]
val_inputs, val_labels = lab_values[100:], diagnosis[100:]

model = nn.Sequential(nn.Linear(10, 256), nn.ReLU(), nn.Linear(256, 1))
# Weight decay pulls every weight towards zero: memorising single patients costs more than it gains.
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.05)
loss_fn = nn.BCEWithLogitsLoss()

train_losses, val_losses = [], []
for step in range(601):
    train_loss = loss_fn(model(train_inputs).squeeze(1), train_labels)
    optimizer.zero_grad()
    train_loss.backward()
    optimizer.step()
    if step % 20 == 0:
        with torch.no_grad():
            val_loss = loss_fn(model(val_inputs).squeeze(1), val_labels)
        train_losses.append(train_loss.item())
        val_losses.append(val_loss.item())
        print(f"step={step} train_loss={train_loss.item():.3f} val_loss={val_loss.item():.3f}")

print(f"final_val_loss={val_loss.item():.3f}")
