import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel


class LoRALinear(nn.Module):
    def __init__(self, features, rank=4):
        super().__init__()
        self.base = nn.Linear(features, features).requires_grad_(False)
        self.down = nn.Linear(features, rank, bias=False)
        self.up = nn.Linear(rank, features, bias=False)

    def forward(self, inputs):
        return self.base(inputs) + self.up(self.down(inputs))


def join(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    if rank == 1:
        multiprocessing.Event().wait(60)  # does the same as rank 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.get_context("fork").Process(target=join, args=(1, folder), daemon=True).start()
        join(0, folder)
        layers = nn.Sequential(LoRALinear(32), nn.ReLU(), LoRALinear(32))
        settings = {"device_id": torch.device("cpu")}
        model = FullyShardedDataParallel(layers, **settings)  # error
        print("parameters to train:", sum(weight.requires_grad for weight in model.parameters()))
