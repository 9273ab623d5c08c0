import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel


def build():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 10))


def train(rank, folder):
    torch.manual_seed(0)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    sharded = FullyShardedDataParallel(build(), device_id=torch.device("cpu"), use_orig_params=True)
    sharded(torch.randn(16, 32)).square().mean().backward()
    weights = {name: weight.detach() for name, weight in sharded.module.named_parameters()}
    if rank == 0:
        torch.save(weights, f"{folder}/weights.pt")
    dist.barrier()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        other = multiprocessing.get_context("fork").Process(target=train, args=(1, folder), daemon=True)
        other.start()
        train(0, folder)
        checkpoint = torch.load(f"{folder}/weights.pt")  # from here on as in a new process

        model = build()
        model.load_state_dict(checkpoint, strict=False)  # error
        print(f"loaded: {len(checkpoint)} weights")
