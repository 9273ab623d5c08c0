import torch

x = torch.rand(3, 8)


@torch.library.custom_op("studio::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


# %% the package of a model was not imported
namespace, name = "rotary", "apply"
torch.ops.rotary.apply(x, 10000.0)
# %% another name than the one that was registered
namespace, name = "studio", "twice"
torch.ops.studio.twice(x)

# %% an operator that this version of PyTorch does not have
namespace, name = "aten", "rms_norm_fused"
torch.ops.aten.rms_norm_fused(x, [8])

# %% the compiled part of a package
namespace, name = "_C", "silu_and_mul"
torch.ops._C.silu_and_mul(x, x)

# %% registered below the line that uses it
namespace, name = "late", "shift"
torch.ops.late.shift(x)
torch.library.custom_op("late::shift", lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor")

# %% message: a fake implementation without the operator
namespace, name = "attention", "flash"
torch.library.register_fake("attention::flash", lambda q, k, v: torch.empty_like(q))

# %% message: an overload that does not exist
torch.ops.aten.add.Vector(x, x)

# %% right: registered, then called
namespace, name = "studio", "double"
torch.ops.studio.double(x)

# %% right: an operator of PyTorch
namespace, name = "aten", "relu"
torch.ops.aten.relu(x)
