import os
import subprocess
import sys
import tempfile
import time

import torch


def train():
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    parts = torch.arange(1000).split(1000 // ranks)  # the traceback of rank 1 names this: a part for each rank
    samples = parts[rank]
    time.sleep(2)  # the training
    if rank == 0:
        print(f"rank 0 has {len(samples)} samples")


if __name__ == "__main__":
    if "RANK" in os.environ:
        train()
    else:  # starts this file twice, as on the command line: torchrun --standalone --nproc-per-node=2 train.py
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
        with tempfile.TemporaryDirectory() as logs:
            subprocess.run([*torchrun, f"--log-dir={logs}", __file__], check=True)
