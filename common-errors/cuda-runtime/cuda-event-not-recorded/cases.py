import torch

# %% events that were created and forgotten
begin, finish = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start, end = begin, finish
milliseconds = begin.elapsed_time(finish)

# %% fixed
start = end = None
if torch.cuda.is_available():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.randn(64, 64, device="cuda").exp()
    end.record()
    end.synchronize()
milliseconds = start.elapsed_time(end) if end else None

# %% an event without timing
start, end = torch.cuda.Event(), torch.cuda.Event()
milliseconds = start.elapsed_time(end)

# %% fixed
start = end = None
if torch.cuda.is_available():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.randn(64, 64, device="cuda").exp()
    end.record()
    end.synchronize()
milliseconds = start.elapsed_time(end) if end else None

# %% only the end measures time
start, end = torch.cuda.Event(), torch.cuda.Event(enable_timing=True)
milliseconds = start.elapsed_time(end)

# %% fixed
start = end = None
if torch.cuda.is_available():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.randn(64, 64, device="cuda").exp()
    end.record()
    end.synchronize()
milliseconds = start.elapsed_time(end) if end else None

# %% message: an event twice
start = torch.cuda.Event(enable_timing=True)
milliseconds = start.elapsed_time(start)

# %% fixed
start = end = None
if torch.cuda.is_available():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.randn(64, 64, device="cuda").exp()
    end.record()
    end.synchronize()
milliseconds = start.elapsed_time(end) if end else None

# %% events of any accelerator
start, end = torch.Event("cuda", enable_timing=True), torch.Event("cuda", enable_timing=True)
milliseconds = start.elapsed_time(end)

# %% fixed
start = end = None
if torch.cuda.is_available():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    torch.randn(64, 64, device="cuda").exp()
    end.record()
    end.synchronize()
milliseconds = start.elapsed_time(end) if end else None

# %% right: a rank that does not measure
rank = 1
start = end = None
if rank == 0:
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
milliseconds = start.elapsed_time(end) if rank == 0 else None
