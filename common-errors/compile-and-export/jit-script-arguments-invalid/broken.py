import torch


def similarity(queries, keys, dim):
    return (queries * keys).sum(dim)


torch.manual_seed(0)
queries, keys = torch.randn(2, 4, 16)
print("in Python:", tuple(similarity(queries, keys, 1).shape))
scripted = torch.jit.script(similarity)  # error
print("scripted:", tuple(scripted(queries, keys, 1).shape))
