import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


def private_mib():
    """Memory of this process that it shares with no other one."""
    with open("/proc/self/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private")) / 1024


class Captions(Dataset):
    def __init__(self, count):
        numbers = torch.randint(10**7, (count,)).tolist()
        captions = [f"a photo of object {number:07d}, " * 25 for number in numbers]
        self.captions = np.array(captions, dtype="S")  # one block of memory, which reading does not change

    def __len__(self):
        return len(self.captions)

    def __getitem__(self, index):
        return {"letters": len(self.captions[index]), "worker_mib": private_mib() if index % 10_000 == 9_999 else 0.0}


loader = DataLoader(Captions(200_000), batch_size=10_000, num_workers=1, multiprocessing_context="fork")
memory = []
for step, batch in enumerate(loader):
    memory.append(batch["worker_mib"][-1].item())
    print(f"step={step + 1} worker_mib={memory[-1]:.0f}")
print(f"growth_mib={memory[-1] - memory[0]:.0f}")
