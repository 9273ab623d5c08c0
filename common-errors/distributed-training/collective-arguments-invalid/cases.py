import multiprocessing
import tempfile

import torch
import torch.distributed as dist

x = torch.arange(6.0)


def start(rank=0, size=1):
    """A process group; of two ranks, the other one only waits."""
    if size == 1:
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        return
    folder = tempfile.TemporaryDirectory()
    join = lambda rank: dist.init_process_group(
        "gloo", init_method=f"file://{folder.name}/store", rank=rank, world_size=size
    )
    other = lambda: (join(1 - rank), multiprocessing.Event().wait(30))
    multiprocessing.get_context("fork").Process(target=other, daemon=True).start()
    join(rank)


# %% an empty list
start()
tensor, received, dst, gather = x, [], 0, True
dist.gather(tensor, received, dst=dst)
# %% fixed
start()
size = dist.get_world_size()
received = [torch.empty_like(x) for _ in range(size)]
tensor, dst, gather = x, 0, True
dist.gather(tensor, received, dst=dst)

# %% the list on all ranks
start(rank=1, size=2)
tensor, received, dst, gather = x, [torch.empty_like(x) for _ in range(2)], 0, True
dist.gather(tensor, received, dst=dst)
# %% fixed
start()
tensor, dst, gather, rank = x, 0, True, dist.get_rank()
received = [torch.empty_like(x)]
received = received if rank == dst else None
dist.gather(tensor, received, dst=dst)

# %% as many tensors as GPUs in the configuration
start()
tensor, received, dst, gather = x, [torch.empty_like(x) for _ in range(4)], 0, False
dist.all_gather(received, tensor)
# %% fixed
start()
size = dist.get_world_size()
received = [torch.empty_like(x) for _ in range(size)]
tensor, dst, gather = x, 0, False
dist.all_gather(received, tensor)

# %% too long a list for gather
start()
tensor, received, dst, gather = x, [torch.empty_like(x) for _ in range(2)], 0, True
dist.gather(tensor, received, dst=dst)
# %% fixed
start()
size = dist.get_world_size()
tensor, received, dst, gather = x, [torch.empty_like(x) for _ in range(size)], 0, True
dist.gather(tensor, received, dst=dst)

# %% room for a smaller batch
start()
tensor, received, dst, gather = torch.rand(8, 3), [torch.empty(6, 3)], 0, False
dist.all_gather(received, tensor)
# %% fixed
start()
x = torch.rand(8, 3)
tensor, received, dst, gather = x, [torch.empty_like(x)], 0, False
dist.all_gather(received, tensor)

# %% labels in a float tensor
start()
tensor, received, dst, gather = torch.arange(6), [torch.empty(6)], 0, False
dist.all_gather(received, tensor)
# %% fixed
start()
x = torch.arange(6)
tensor, received, dst, gather = x, [torch.empty_like(x)], 0, False
dist.all_gather(received, tensor)

# %% one tensor to fill
start()
tensor, received, dst, gather = x, torch.empty(6), 0, False
dist.all_gather(received, tensor)
# %% fixed
start()
size = dist.get_world_size()
received = [torch.empty_like(x) for _ in range(size)]
dist.all_gather(received, x)
tensor, dst, gather = x, 0, False

# %% a list of None
start()
tensor, received, dst, gather = x, [None], 0, False
dist.all_gather(received, tensor)
# %% fixed
start()
size = dist.get_world_size()
received = [torch.empty_like(x) for _ in range(size)]
dist.all_gather(received, x)
tensor, dst, gather = x, 0, False

# %% message: predictions gathered as objects
start()
dist.gather_object({"a": 0.5})
# %% fixed
start()
size = dist.get_world_size()
dist.gather_object({"a": 0.5}, [None] * size)

# %% message: a scatter without a list
start()
dist.scatter(torch.empty(6))
# %% fixed
start()
size, out = dist.get_world_size(), torch.empty(6)
dist.scatter(out, list(x.chunk(size)))

# %% message: a list to scatter on another rank
start(rank=1, size=2)
dist.scatter(torch.empty(3), list(x.chunk(2)))
# %% fixed
start()
rank, src, parts = dist.get_rank(), 0, [x]
dist.scatter(torch.empty(6), parts if rank == src else None)

# %% message: the mean loss as a number
start()
dist.all_reduce(0.25)
# %% fixed
start()
value, device = 0.25, "cpu"
x = torch.tensor(value, device=device)
dist.all_reduce(x)
print(x.item())

# %% message: a rank that does not exist
start()
dist.broadcast(x, src=1)
# %% fixed
start()
dist.broadcast(x, src=min(1, dist.get_world_size() - 1))

# %% message: a rank outside of the subgroup
start()
group = dist.new_group([0])
dist.broadcast(x, src=1, group=group)
# %% fixed
start()
group = dist.new_group([0])
dist.broadcast(x, src=dist.get_global_rank(group, 0), group=group)

# %% message: sent to itself
start()
dist.send(x, dst=0)

# %% right: gathered on all ranks
start()
tensor, received, dst, gather = x, [torch.empty_like(x)], 0, False
dist.all_gather(received, tensor)

# %% right: a list on the destination
start()
tensor, received, dst, gather = x, [torch.empty_like(x)], 0, True
dist.gather(tensor, received, dst=dst)
