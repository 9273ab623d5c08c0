import argparse
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time

import torch
from torch.distributed.elastic.multiprocessing.errors import record


def launch(main):
    """Does the same as: torchrun --standalone --nproc-per-node=2 train.py"""
    if "RANK" in os.environ:
        return main()
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    with tempfile.TemporaryDirectory() as logs:
        subprocess.run([*torchrun, f"--log-dir={logs}", __file__], check=True)


# %% a class that only the second part of the data has
classes = {"cat": 0, "dog": 1}
parts = [["cat", "dog"], ["dog", "zebra"]]


def train():
    labels = [classes[name] for name in parts[int(os.environ["RANK"])]]
    time.sleep(3)
    return labels


launch(train)

# %% a mean over no batches
losses = [[0.7, 0.6], []]


def train():
    own = losses[int(os.environ["RANK"])]
    mean = sum(own) / len(own)
    time.sleep(3)
    return mean


launch(train)

# %% a setting that is no number
steps = ["100", "all"]


def train():
    count = int(steps[int(os.environ["RANK"])])
    time.sleep(3)
    return count


launch(train)

# %% message: the report has the traceback, with `record`
@record
def train():
    time.sleep(3 * int(os.environ["RANK"]))
    return int("all")


launch(train)

# %% message: an argument that the script does not know
def train():
    if os.environ["RANK"] == "1":
        argparse.ArgumentParser().parse_args(["--local-rank=1"])
    time.sleep(5)


launch(train)

# %% message: a script that is not there
command = ["torch.distributed.run", "--standalone", "--nproc-per-node=1", "trian.py"]
subprocess.run([sys.executable, "-m", *command], check=True)

# %% message: a check of the script ends it
def train():
    if os.environ["RANK"] == "1":
        os._exit(3)
    time.sleep(5)


launch(train)

# %% message: memory ran out on rank 1
def train():
    if os.environ["RANK"] == "1":
        os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does
    time.sleep(5)


launch(train)

# %% message: compiled code reads a wrong address
def train():
    if os.environ["RANK"] == "1":
        ctypes.string_at(0)
    time.sleep(5)


launch(train)

# %% message: compiled code gives up
def train():
    if os.environ["RANK"] == "1":
        os.abort()
    time.sleep(5)


launch(train)

# %% message: somebody ends one process
def train():
    if os.environ["RANK"] == "1":
        os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)


launch(train)

# %% message: the terminal is closed
def train():
    if os.environ["RANK"] == "0":
        time.sleep(1)
        os.kill(os.getppid(), signal.SIGHUP)
    time.sleep(10)


launch(train)

# %% message: the scheduler ends the job
def train():
    if os.environ["RANK"] == "0":
        time.sleep(1)
        os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(10)


launch(train)

# %% right: every rank has a part
parts = torch.arange(1000).split(500)


def train():
    return parts[int(os.environ["RANK"])].sum().item()


launch(train)
