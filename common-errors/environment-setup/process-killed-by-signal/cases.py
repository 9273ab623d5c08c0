import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torch.multiprocessing as mp


def run(train):
    return mp.start_processes(train, nprocs=1, join=False, start_method="fork")


# %% memory runs out
def train(rank):
    os.kill(os.getpid(), signal.SIGKILL)  # as the out-of-memory killer of Linux does


job = run(train)
job.join()


# %% a library reads a wrong address
def train(rank):
    ctypes.string_at(0)


job = run(train)
job.join()


# %% a library gives up
def train(rank):
    ctypes.CDLL(None).abort()


job = run(train)
job.join()


# %% a file of samples becomes shorter while it is mapped
def train(rank):
    with tempfile.TemporaryFile() as file:
        file.truncate(1_000_000)
        samples = np.memmap(file, dtype=np.uint8, mode="r")
        file.truncate(0)
        print(samples.sum())


job = run(train)
job.join()


# %% a job scheduler ends the job
def train(rank):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)


job = run(train)
job.join()


# %% a limit of processor time
def train(rank):
    os.kill(os.getpid(), signal.SIGXCPU)
    time.sleep(5)


job = run(train)
job.join()

# %% a program that another one starts, out of memory
command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
code = subprocess.run(command).returncode
subprocess.run(command, check=True)

# %% a program that another one starts, crashed
command = [sys.executable, "-c", "import ctypes; ctypes.string_at(0)"]
code = subprocess.run(command).returncode
subprocess.run(command, check=True)

# %% message: a program that another one starts, aborted
subprocess.run([sys.executable, "-c", "import os; os.abort()"], check=True)

# %% message: a program that another one starts, ended by a scheduler
subprocess.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 15)"], check=True)

# %% message: in a shell, memory runs out
subprocess.run(["bash", "-c", f"{sys.executable} -c 'import os; os.kill(os.getpid(), 9)'; exit $?"], check=True)

# %% message: in a shell, a library reads a wrong address
subprocess.run(["bash", "-c", f"{sys.executable} -c 'import ctypes; ctypes.string_at(0)'; exit $?"], check=True)

# %% message: in a shell, a library gives up
subprocess.run(["bash", "-c", f"{sys.executable} -c 'import os; os.abort()'; exit $?"], check=True)

# %% message: in a shell, a scheduler ends the job
subprocess.run(["bash", "-c", f"{sys.executable} -c 'import os; os.kill(os.getpid(), 15)'; exit $?"], check=True)

# %% message: a program that another one starts, whole numbers
subprocess.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 8)"], check=True)

# %% message: a program that another one starts, a mapped file becomes shorter
subprocess.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 7)"], check=True)

# %% message: in a shell, a mapped file becomes shorter
subprocess.run(["bash", "-c", f"{sys.executable} -c 'import os; os.kill(os.getpid(), 7)'; exit $?"], check=True)

# %% message: in a shell, a build for another processor
subprocess.run(["bash", "-c", f"{sys.executable} -c 'import os; os.kill(os.getpid(), 4)'; exit $?"], check=True)

# %% message: in a pool of processes
from concurrent.futures import ProcessPoolExecutor

with ProcessPoolExecutor(1) as pool:
    pool.submit(os.kill, 0, 0).result()
    pool.submit(os._exit, 1).result()

# %% message: with the fault handler of Python
subprocess.run([sys.executable, "-X", "faulthandler", "-c", "import ctypes; ctypes.string_at(0)"], check=True)


# %% right: a process that ends by itself
def train(rank):
    torch.ones(8).sum()


job = run(train)
job.join()
