import torch
from torch.nn.functional import cross_entropy, dropout

torch.manual_seed(0)
parameters = {"first": torch.randn(10, 64) / 10**0.5, "second": torch.randn(64, 3) / 8}
samples, labels = torch.randn(32, 10), torch.randint(3, (32,))


def loss(parameters, sample, label):
    hidden = dropout(torch.relu(sample @ parameters["first"]), 0.5)  # error
    return cross_entropy(hidden @ parameters["second"], label)


per_sample = torch.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
gradients = per_sample(parameters, samples, labels)
print(f"gradients={tuple(gradients['first'].shape)}")
