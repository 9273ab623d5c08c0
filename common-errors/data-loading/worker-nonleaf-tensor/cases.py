import torch
import torch.multiprocessing as mp
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

torch.manual_seed(0)
scale = torch.ones(3, requires_grad=True)

# %% the loss of an actor
queue = mp.SimpleQueue()
message = nn.functional.mse_loss(nn.Linear(4, 1)(torch.rand(8, 4)), torch.rand(8, 1))
queue.put(message)

# %% the reward of a step, in a dictionary
queue = mp.SimpleQueue()
message = (scale * torch.rand(3)).sum()
queue.put({"step": 1, "reward": message})
# %% fixed
queue = mp.SimpleQueue()
message = (scale * torch.rand(3)).sum().detach()
queue.put({"step": 1, "reward": message})

# %% an argument of a new process
message = scale * 2
process = mp.get_context("spawn").Process(target=print, args=(message,))
process.start()
# %% fixed
message = (scale * 2).detach()
process = mp.get_context("spawn").Process(target=len, args=(message,))
process.start()
process.join()

# %% message: the result of a pool
def predict(sample):
    return scale * sample


with mp.get_context("fork").Pool(1) as pool:
    results = pool.map(predict, [torch.rand(3)])
# %% fixed
def predict(sample):
    result = scale * sample
    return result.detach()


with mp.get_context("fork").Pool(1) as pool:
    results = pool.map(predict, [torch.rand(3)])

# %% message: a dataset that is sent to a spawned worker
loader = DataLoader(TensorDataset(torch.rand(8, 3) * scale), num_workers=1, multiprocessing_context="spawn")
for (features,) in loader:
    pass
# %% fixed
loader = DataLoader(TensorDataset((torch.rand(8, 3) * scale).detach()), batch_size=4)
for (features,) in loader:
    pass


# %% message: a dataset that runs a model
class Encoded(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return scale * torch.rand(3)


for batch in DataLoader(Encoded(), batch_size=4, num_workers=1):
    pass
# %% fixed
class Encoded(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        sample = scale * torch.rand(3)
        return sample.detach()


for batch in DataLoader(Encoded(), batch_size=4, num_workers=1):
    pass

# %% right: a tensor without gradients
queue = mp.SimpleQueue()
message = torch.rand(4)
queue.put(message)

# %% right: parameters are leaves
queue = mp.SimpleQueue()
message = scale
queue.put(message)
