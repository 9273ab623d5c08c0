from collections import OrderedDict

import torch
import torchvision
from torch import nn

torch.manual_seed(0)
labels = torch.tensor([0, 3, 1, 4])

# %% the outputs and the hidden state of a GRU
model, batch = nn.GRU(8, 5), torch.randn(4, 8)
outputs = model(batch)
loss = nn.functional.cross_entropy(outputs, labels)
# %% fixed
lstm, inputs = nn.GRU(8, 5), torch.randn(4, 8)
outputs, hidden = lstm(inputs)
loss = nn.functional.cross_entropy(outputs, labels)

# %% a dictionary of outputs, in a class that trains


class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.CrossEntropyLoss()

    def training_step(self, images, masks):
        return self.criterion(self.model(images), masks)


model, images = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights_backbone=None, num_classes=3), torch.rand(1, 3, 32, 32)
trainer = Trainer(model.eval())
outputs = model(images)
trainer.training_step(images, torch.zeros(1, 32, 32, dtype=torch.long))

# %% forward() without return
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        x = self.head(x)


outputs = Classifier()(torch.randn(4, 8))
loss = nn.functional.cross_entropy(outputs, labels)

# %% message: an object of a library
class ClassifierOutput:
    logits = torch.randn(4, 5)


outputs = ClassifierOutput()
loss = nn.functional.cross_entropy(outputs, labels)

# %% labels as a list
outputs, labels = torch.randn(4, 5), [0, 3, 1, 4]
loss = nn.functional.cross_entropy(outputs, labels)
# %% fixed
outputs, labels = torch.randn(4, 5), [0, 3, 1, 4]
labels = torch.as_tensor(labels)
loss = nn.functional.cross_entropy(outputs, labels)

# %% message: a dictionary in a binary loss
outputs = OrderedDict(out=torch.randn(4))
loss = nn.functional.binary_cross_entropy_with_logits(outputs, torch.ones(4))
# %% fixed
outputs = OrderedDict(out=torch.randn(4))
loss = nn.functional.binary_cross_entropy_with_logits(outputs["out"], torch.ones(4))

# %% message: two heads in a regression loss
head = nn.Linear(8, 1)
loss = nn.functional.mse_loss((head(torch.randn(4, 8)), head(torch.randn(4, 8))), torch.randn(4, 1))

# %% message: logits of two heads in a list, for a binary loss
loss = nn.functional.binary_cross_entropy_with_logits([torch.randn(4)], torch.ones(4))

# %% right: one of several heads
heads = nn.Linear(8, 5), nn.Linear(8, 2)
batch = torch.randn(4, 8)
outputs = [head(batch) for head in heads][0]
loss = nn.functional.cross_entropy(outputs, labels)

# %% right: an image of a tensor subclass
outputs = torchvision.tv_tensors.Image(torch.rand(1, 3, 8, 8))
loss = nn.functional.mse_loss(outputs, torch.rand(1, 3, 8, 8))
