import torch
from torch import nn
from torchvision.models import googlenet

torch.manual_seed(0)
model = googlenet(weights=None, num_classes=5, init_weights=False)
images, labels = torch.rand(4, 3, 96, 96), torch.tensor([0, 3, 1, 4])

outputs, aux2, aux1 = model(images)  # in training mode: logits and those of two auxiliary classifiers
loss, loss1, loss2 = (nn.functional.cross_entropy(logits, labels) for logits in (outputs, aux1, aux2))
loss = loss + 0.3 * (loss1 + loss2)
print(f"loss is finite: {loss.isfinite().item()}")
