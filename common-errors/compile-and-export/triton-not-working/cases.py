import os
import tempfile

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
import torch
import triton
from torch import nn
from triton import language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

features = torch.ones(4, 8)


@triton.jit
def scale_kernel(inputs, outputs, factor, size, block: tl.constexpr):
    places = tl.program_id(0) * block + tl.arange(0, block)
    inside = places < size
    tl.store(outputs + places, factor * tl.load(inputs + places, mask=inside), mask=inside)


def on_gpu(features, factor):
    scaled = torch.empty_like(features)
    scale_kernel[(1,)](features, scaled, factor, features.numel(), block=32)
    return scaled


configs = [triton.Config({"block": 32}), triton.Config({"block": 64})]
tuned = triton.autotune(configs=configs, key=["size"])(scale_kernel)


# %% in the forward pass of a module
class Scale(nn.Module):
    def forward(self, features, factor):
        return on_gpu(features, factor)


scale = Scale()
scale(features, 0.5)

# %% fixed
class Scale(nn.Module):
    def forward(self, features, factor):
        return on_gpu(features, factor) if features.is_cuda else factor * features


scale = Scale()
scale(features, 0.5)

# %% a kernel that tunes itself
def scale(features, factor):
    scaled = torch.empty_like(features)
    tuned[(1,)](features, scaled, factor, features.numel())
    return scaled


scale(features, 0.5)

# %% fixed
def scale(features, factor):
    if not features.is_cuda:
        return factor * features
    scaled = torch.empty_like(features)
    tuned[(1,)](features, scaled, factor, features.numel())
    return scaled


scale(features, 0.5)

# %% only the kind of GPU is asked for
def scale(features, factor):
    arch = triton.runtime.driver.active.get_current_target().arch
    return factor * features.to(torch.bfloat16 if arch >= 80 else torch.float16)


scale(features, 0.5)

# %% fixed
def scale(features, factor):
    if not features.is_cuda:
        return factor * features.bfloat16()
    arch = triton.runtime.driver.active.get_current_target().arch
    return factor * features.to(torch.bfloat16 if arch >= 80 else torch.float16)


scale(features, 0.5)

# %% message: compiled, with the kernel inside
torch.compile(on_gpu, backend="aot_eager")(features, 0.5)

# %% fixed
def scale(features, factor):
    return on_gpu(features, factor) if features.is_cuda else factor * features


torch.compile(scale, backend="aot_eager")(features, 0.5)

# %% message: a benchmark of Triton
triton.testing.do_bench(lambda: features + 1)

# %% fixed
if features.is_cuda:
    triton.testing.do_bench(lambda: features + 1)

# %% a backend is selected in the environment
os.environ["TRITON_DEFAULT_BACKEND"] = "nvidia"
scale = on_gpu
scale(features, 0.5)

# %% fixed
os.environ["TRITON_DEFAULT_BACKEND"] = "nvidia"


def scale(features, factor):
    return on_gpu(features, factor) if features.is_cuda else factor * features


scale(features, 0.5)

# %% message: compiled ahead of time, with an option that ptxas does not know
types = {"inputs": "*fp32", "outputs": "*fp32", "factor": "fp32", "size": "i32", "block": "constexpr"}
with tempfile.TemporaryDirectory() as folder:
    tempfile.tempdir = os.environ["TRITON_CACHE_DIR"] = folder
    source = ASTSource(scale_kernel, types, {"block": 32})
    triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"ptx_options": "--max-registers=64"})

# %% fixed
types = {"inputs": "*fp32", "outputs": "*fp32", "factor": "fp32", "size": "i32", "block": "constexpr"}
with tempfile.TemporaryDirectory() as folder:
    tempfile.tempdir = os.environ["TRITON_CACHE_DIR"] = folder
    source = ASTSource(scale_kernel, types, {"block": 32})
    triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"ptx_options": "--maxrregcount=64"})

# %% right: compiled by torch, and a kernel that is only defined
scale = torch.compile(lambda features, factor: factor * features, backend="aot_eager")
scale(features, 0.5)

# %% right: another error
def scale(features, factor):
    return features.reshape(3) * factor
