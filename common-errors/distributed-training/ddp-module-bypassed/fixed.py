import multiprocessing
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.manual_seed(0)
torch.set_num_threads(1)  # of each process
centers = torch.randn(8, 16)
labels, val_labels = torch.arange(800) // 100, torch.randint(8, (400,))
inputs = centers[labels] + 0.4 * torch.randn(800, 16)
val_inputs = centers[val_labels] + 0.4 * torch.randn(400, 16)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 8))

    def forward(self, inputs):
        return self.layers(inputs)

    def loss(self, inputs, labels):
        return nn.functional.cross_entropy(self(inputs), labels)


def train(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    model = DistributedDataParallel(Classifier())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(6):
        for batch in (400 * rank + torch.randperm(400)).split(40):  # each rank reads a file with four of the classes
            loss = nn.functional.cross_entropy(model(inputs[batch]), labels[batch])  # through DDP
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        wrong = (model.module(val_inputs).argmax(1) != val_labels).float().mean().item()
        if rank == 0:
            print(f"epoch={epoch} val_error={wrong:.1f}")
    sums = [0.0, 0.0]
    dist.all_gather_object(sums, nn.utils.parameters_to_vector(model.parameters()).double().abs().sum().item())
    dist.destroy_process_group()
    return sums, wrong


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        other = multiprocessing.get_context("fork").Process(target=train, args=(1, folder))
        other.start()
        sums, wrong = train(0, folder)
        other.join()
    print(f"last_val_error={wrong:.2f}")
