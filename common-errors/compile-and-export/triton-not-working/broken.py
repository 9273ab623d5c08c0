import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as on a machine without a GPU
import torch
import triton
from triton import language as tl


@triton.jit
def scale_kernel(inputs, outputs, factor, size, block: tl.constexpr):
    places = tl.program_id(0) * block + tl.arange(0, block)
    inside = places < size
    tl.store(outputs + places, factor * tl.load(inputs + places, mask=inside), mask=inside)


def scale(features, factor):
    scaled = torch.empty_like(features)
    blocks = triton.cdiv(features.numel(), 256)
    scale_kernel[(blocks,)](features, scaled, factor, features.numel(), block=256)  # error
    return scaled


features = torch.arange(6.0).reshape(2, 3)
print(scale(features, 0.5))
