import torch

# %% a generator for the noise of a sampler
device = "cuda"
generator = torch.Generator(device)

# %% a stream for copies
device = "cuda"
copies = torch.cuda.Stream()

# %% an event for another process
device = "cuda"
done = torch.cuda.Event(interprocess=True).ipc_handle()

# %% a stream of any accelerator
device = "cuda:0"
copies = torch.Stream(device)

# %% a generator of a data loader
device = torch.device("cuda", 0)
loader = torch.utils.data.DataLoader(range(8), shuffle=True, generator=torch.Generator(device=device))

# %% right: a generator of the CPU
device = "cpu"
noise = torch.randn(2, 3, generator=torch.Generator(device).manual_seed(0))
