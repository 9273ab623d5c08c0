from datetime import timedelta

import torch.distributed as dist

store = dist.TCPStore("127.0.0.1", 29500, world_size=1, is_master=True, timeout=timedelta(seconds=10))  # error
store.set("epoch", "3")
print(f"epoch: {store.get('epoch').decode()}")
