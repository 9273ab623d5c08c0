import multiprocessing
import socket
from datetime import timedelta

import torch
import torch.distributed as dist


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


rank_0_port = free_port()
rank_1_port = 29571  # MASTER_PORT as it was typed on the second machine


def join(rank, port, seconds):
    address, timeout = f"tcp://127.0.0.1:{port}", timedelta(seconds=seconds)
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=2, timeout=timeout)  # error
    total = torch.ones(1)
    dist.all_reduce(total)
    if rank == 0:
        multiprocessing.Event().wait(60)  # trains on
    print(f"rank {rank} of {total.item():.0f}")


if __name__ == "__main__":
    other = multiprocessing.get_context("fork").Process(target=join, args=(0, rank_0_port, 60), daemon=True)
    other.start()
    join(1, rank_1_port, seconds=2)
