import torch

torch.manual_seed(0)
# An adversarial image: the gradient must reach its pixels through the normalization.
image = torch.rand(3, 32, 32, requires_grad=True)
mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

normalized = image.clone()
for channel, m, s in zip(normalized, mean, std, strict=True):
    changed = channel
    changed.sub_(m).div_(s)  # error

normalized.square().mean().backward()
print(f"gradient: {tuple(image.grad.shape)}")
