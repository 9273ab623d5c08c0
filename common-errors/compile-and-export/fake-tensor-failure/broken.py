import numpy as np
import torch


@torch.library.custom_op("audio::loudness", mutates_args=())
def loudness(waves: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.sqrt(np.square(waves.numpy()).mean(-1, keepdims=True)))


def normalize(waves):
    return waves / loudness(waves)


torch.manual_seed(0)
waves = torch.randn(4, 1600)
print("uncompiled:", tuple(normalize(waves).shape))
# The backend "eager" needs no C++ compiler; the error comes before any backend.
model = torch.compile(normalize, fullgraph=True, backend="eager")
print("compiled:", tuple(model(waves).shape))  # error
