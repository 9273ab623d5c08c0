from datetime import timedelta

import torch.distributed as dist

# The server without libuv, which all builds have.
store = dist.TCPStore("127.0.0.1", 29500, 1, True, timedelta(seconds=10), use_libuv=False)
store.set("epoch", "3")
print(f"epoch: {store.get('epoch').decode()}")
