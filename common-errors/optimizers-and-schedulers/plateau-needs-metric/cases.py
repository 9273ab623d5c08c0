import torch
from torch import nn
from torch.optim.lr_scheduler import LinearLR, ReduceLROnPlateau, SequentialLR, StepLR

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


def update():
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


# %% accuracy, which should rise
scheduler = ReduceLROnPlateau(optimizer, mode="max")
update()
scheduler.step()

# %% a training loop for any scheduler
schedulers = {"step": StepLR(optimizer, 10), "plateau": ReduceLROnPlateau(optimizer)}
for scheduler in schedulers.values():
    update()
    scheduler.step()

# %% step() once for each batch
scheduler = ReduceLROnPlateau(optimizer, patience=10)
for _ in range(3):
    update()
    scheduler.step()

# %% the metric under another name
scheduler = ReduceLROnPlateau(optimizer)
update()
scheduler.step(epoch=0)

# %% message: no loss in this epoch
scheduler = ReduceLROnPlateau(optimizer)
update()
history = {}
scheduler.step(history.get("val_loss"))

# %% fixed
scheduler = ReduceLROnPlateau(optimizer)
update()
history = {"val_loss": 0.25}
validation_loss = history["val_loss"]
scheduler.step(validation_loss)

# %% message: after a warm-up, in one scheduler
SequentialLR(optimizer, [LinearLR(optimizer), ReduceLROnPlateau(optimizer)], milestones=[5])

# %% right: the loss of the validation
scheduler = ReduceLROnPlateau(optimizer)
update()
scheduler.step(torch.tensor(0.25))

# %% right: a scheduler that needs no metric
scheduler = StepLR(optimizer, 10)
update()
scheduler.step()
