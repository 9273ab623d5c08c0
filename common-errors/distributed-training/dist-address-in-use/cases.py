import multiprocessing
import os
import socket

import torch
import torch.distributed as dist

os.environ |= {"MASTER_ADDR": "127.0.0.1", "RANK": "0", "WORLD_SIZE": "1"}

# %% the same MASTER_PORT as another job
port = 21441
other_job = dist.TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False)
os.environ["MASTER_PORT"] = str(port)
dist.init_process_group("gloo")

# %% a server that has nothing to do with training
port = 21442
server = socket.create_server(("127.0.0.1", port))
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)

# %% a process of an earlier run is still there
port, ready = 21443, multiprocessing.Event()


def earlier_run():
    store = dist.TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False)
    ready.set()
    multiprocessing.Event().wait(60)


multiprocessing.get_context("fork").Process(target=earlier_run, daemon=True).start()
ready.wait(30)
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)

# %% every process passes rank=0
port = 21444
first = dist.TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False)
second = dist.TCPStore("127.0.0.1", port, is_master=True, wait_for_workers=False)

# %% message: without libuv
os.environ["USE_LIBUV"] = "0"
server = socket.create_server(("", 21445))
os.environ["MASTER_PORT"] = "21445"
dist.init_process_group("gloo")

# %% right: the port of a job that has ended
job = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
port = job.port
del job
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)
dist.destroy_process_group()

# %% right: this process listens there
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
server.close()
dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)
