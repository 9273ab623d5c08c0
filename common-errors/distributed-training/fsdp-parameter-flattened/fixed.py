import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 16)
        self.head = nn.Linear(16, 100)

    def forward(self, tokens):
        return self.head(self.embedding(tokens))


def prepare(rank, folder):
    torch.manual_seed(0)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    model = LanguageModel()
    return model, FullyShardedDataParallel(model, device_id=torch.device("cpu"), use_orig_params=True)


def other_rank(folder):
    _, sharded = prepare(1, folder)
    sharded(torch.randint(100, (4, 12)))
    dist.barrier()  # stays until rank 0 has finished


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.get_context("fork").Process(target=other_rank, args=(folder,), daemon=True).start()
        model, sharded = prepare(0, folder)
        tokens = torch.randint(100, (4, 12))
        evaluated = sharded  # FSDP gathers the parameters when its own module is called
        scores = evaluated(tokens)
        print(f"scores: {tuple(scores.shape)}")
