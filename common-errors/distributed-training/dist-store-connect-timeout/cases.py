import os
import socket
import threading
from datetime import timedelta

import torch.distributed as dist

two_seconds = timedelta(seconds=2)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# %% rank 0 was not started
host, port = "127.0.0.1", 29572
address = f"tcp://{host}:{port}"
dist.init_process_group("gloo", init_method=address, rank=1, world_size=2, timeout=two_seconds)

# %% by environment variables, and both machines are rank 1
host, port = "localhost", 29573
os.environ |= {"MASTER_ADDR": host, "MASTER_PORT": str(port), "RANK": "1", "WORLD_SIZE": "2"}
dist.init_process_group("gloo", timeout=two_seconds)

# %% a store without a server
host, port = "127.0.0.1", 29574
store = dist.TCPStore(host, port, is_master=False, timeout=two_seconds)

# %% message: a name that nothing resolves
store = dist.TCPStore("node-0.invalid", 29500, is_master=False, timeout=two_seconds)

# %% message: an address that no machine has
store = dist.TCPStore("192.0.2.1", 29500, is_master=False, timeout=two_seconds)

# %% message: only rank 0 was started
address = f"tcp://127.0.0.1:{free_port()}"
dist.init_process_group("gloo", init_method=address, rank=0, world_size=3, timeout=two_seconds)

# %% message: a key that no other rank sets
store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=two_seconds)
store.get("rank_1_address")

# %% message: the port of another program, which greets as SSH does
def greet(server):
    open_connections = []  # closed at once, one is now and then reset before the greeting is read
    while True:
        open_connections.append(server.accept()[0])
        open_connections[-1].sendall(b"SSH-2.0-OpenSSH_9.6\r\n")


server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=greet, args=(server,), daemon=True).start()
store = dist.TCPStore("127.0.0.1", server.getsockname()[1], is_master=False, timeout=two_seconds)

# %% right: rank 0 listens
server = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
host, port = "127.0.0.1", server.port
store = dist.TCPStore(host, port, is_master=False, timeout=two_seconds)
