import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 16)
        self.kind = nn.Linear(16, 4)
        self.length = nn.Linear(16, 1)

    def forward(self, scans, with_length):
        hidden = torch.relu(self.body(scans))
        return self.kind(hidden), self.length(hidden) if with_length else None


def train(rank, world_size, rendezvous):
    dist.init_process_group(
        "gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=world_size, timeout=timedelta(seconds=30)
    )
    torch.manual_seed(rank)
    model = DistributedDataParallel(TwoHeads())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scans, kinds, lengths = torch.randn(16, 8), torch.randint(4, (16,)), torch.randn(16, 1)
    measured = rank == 0  # the second half of the data has no lengths
    for step in range(3):
        scores, predicted = model(scans, with_length=measured)
        loss = nn.functional.cross_entropy(scores, kinds)
        if measured:
            loss = loss + nn.functional.mse_loss(predicted, lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"rank {rank} step {step} loss {loss.item():.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(2, f"{folder}/rendezvous"), nprocs=2)
