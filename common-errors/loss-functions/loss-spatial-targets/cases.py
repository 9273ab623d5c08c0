import torch
from torch import nn

torch.manual_seed(0)

# %% color masks with three channels
logits, masks = nn.Conv2d(3, 4, 1)(torch.rand(2, 3, 16, 16)), torch.randint(4, (2, 3, 16, 16))
loss = nn.functional.cross_entropy(logits, masks)
# %% fixed
logits = nn.Conv2d(3, 4, 1)(torch.rand(2, 3, 16, 16))
masks = torch.randint(4, (2, 1, 16, 16))  # read again, with one channel
masks = masks.squeeze(1)
loss = nn.functional.cross_entropy(logits, masks)

# %% one-hot masks in NLLLoss
logits = nn.Conv2d(3, 4, 1)(torch.rand(2, 3, 16, 16))
masks = nn.functional.one_hot(torch.randint(4, (2, 16, 16)), 4).permute(0, 3, 1, 2)
loss = nn.NLLLoss()(logits.log_softmax(dim=1), masks[:, :3])
# %% fixed
logits = nn.Conv2d(3, 4, 1)(torch.rand(2, 3, 16, 16))
masks = nn.functional.one_hot(torch.randint(4, (2, 16, 16)), 4).permute(0, 3, 1, 2)
masks = masks.argmax(dim=1)
loss = nn.NLLLoss()(logits.log_softmax(dim=1), masks)

# %% one label per image, in a class that trains


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.CrossEntropyLoss()

    def training_step(self, images, labels):
        return self.criterion(self.model(images), labels)


trainer = Trainer(nn.Conv2d(3, 10, 3, stride=2))
images, masks = torch.rand(4, 3, 32, 32), torch.randint(10, (4,))
logits = trainer.model(images)
trainer.training_step(images, masks)
# %% fixed
model = nn.Conv2d(3, 10, 3, stride=2)
images, labels = torch.rand(4, 3, 32, 32), torch.randint(10, (4,))
logits, masks = model(images).mean(dim=(2, 3)), labels
loss = nn.functional.cross_entropy(logits, labels)
# the same for logits that exist: logits.mean(dim=(2, 3))

# %% logits of half the height and width
logits, masks = nn.Conv2d(3, 4, 3, stride=2, padding=1)(torch.rand(2, 3, 16, 24)), torch.randint(4, (2, 16, 24))
loss = nn.functional.cross_entropy(logits, masks)
# %% fixed
F = nn.functional
logits, masks = nn.Conv2d(3, 4, 3, stride=2, padding=1)(torch.rand(2, 3, 16, 24)), torch.randint(4, (2, 16, 24))
logits = F.interpolate(logits, size=masks.shape[-2:], mode="bilinear")
loss = F.cross_entropy(logits, masks)

# %% message: masks that were flattened
loss = nn.functional.cross_entropy(torch.randn(2, 4, 8, 8), torch.randint(4, (2, 64)))

# %% message: height and width swapped
loss = nn.functional.cross_entropy(torch.randn(2, 4, 16, 24), torch.randint(4, (2, 24, 16)))
# %% fixed
logits, masks = torch.randn(2, 4, 16, 24), torch.randint(4, (2, 24, 16))
loss = nn.functional.cross_entropy(logits, masks.transpose(1, 2))

# %% message: a channel in the last place
loss = nn.functional.cross_entropy(torch.randn(2, 4, 8, 8), torch.randint(4, (2, 8, 8, 1)))
# %% fixed
logits, masks = torch.randn(2, 4, 8, 8), torch.randint(4, (2, 8, 8, 1))
loss = nn.functional.cross_entropy(logits, masks.squeeze(-1))
# or masks.squeeze(1), for a channel in the second place

# %% right: class probabilities for each pixel
logits, masks = nn.Conv2d(3, 4, 1)(torch.rand(2, 3, 8, 8)), torch.rand(2, 4, 8, 8).softmax(dim=1)
loss = nn.functional.cross_entropy(logits, masks)

# %% right: a batch of one mask
logits, masks = nn.Conv2d(3, 4, 1)(torch.rand(1, 3, 8, 8)), torch.randint(4, (1, 8, 8))
loss = nn.functional.cross_entropy(logits, masks)
