# fewer: which operations are missing changes from version to version of PyTorch
import torch

# %% eigenvalues of a matrix
on_mps = lambda: torch.linalg.eigvals(torch.rand(4, 4, device="mps"))
on_mps()
# %% fixed
on_mps = lambda: torch.linalg.eigvals(torch.rand(4, 4, device="mps").cpu())
on_mps()

# %% right: an operation that the GPU has
on_mps = lambda: torch.rand(4, 4, device="mps") @ torch.rand(4, 4, device="mps")
on_mps()
