import torch


# An argument without an annotation is a tensor in TorchScript; queries and keys are, dim is not.
def similarity(queries, keys, dim: int):
    return (queries * keys).sum(dim)


torch.manual_seed(0)
queries, keys = torch.randn(2, 4, 16)
print("in Python:", tuple(similarity(queries, keys, 1).shape))
scripted = torch.jit.script(similarity)
print("scripted:", tuple(scripted(queries, keys, 1).shape))
