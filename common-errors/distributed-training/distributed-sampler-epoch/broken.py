import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)  # of each process
bought = torch.randperm(256)  # the item that each of 256 users has bought
dataset = TensorDataset(torch.arange(256), bought)
epochs = 20


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(256, 16), nn.Embedding(256, 16)

    def forward(self, users, items):
        return self.users(users) @ self.items(items).T


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    loader = DataLoader(dataset, batch_size=16, sampler=DistributedSampler(dataset))
    model = DistributedDataParallel(TwoTowers())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for epoch in range(epochs):
        for users, items in loader:  # error
            # The other items of the batch are the wrong answers.
            loss = nn.functional.cross_entropy(model(users, items), torch.arange(len(users)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            wrong = (model.module(dataset.tensors[0], torch.arange(256)).argmax(1) != bought).float().mean().item()
        if rank == 0 and epoch % 5 == 4:
            print(f"epoch={epoch} loss={loss.item():.1f} error={wrong:.1f}")
    dist.destroy_process_group()
    return loader, wrong


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        other = multiprocessing.get_context("fork").Process(target=train, args=(1, folder))
        other.start()
        loader, wrong = train(0, folder)
        other.join()
    print(f"last_error={wrong:.2f}")
