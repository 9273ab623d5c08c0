import multiprocessing
import os
from time import perf_counter

import torch
from torch import nn

processes = 4
threads = max(1, os.cpu_count() // processes)


def train(rate, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    inputs, labels = torch.randn(64, 128), torch.randint(10, (64,))
    steps, start = 0, perf_counter()
    while perf_counter() - start < 1:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
        steps += 1
    return steps / (perf_counter() - start)


def search(rates, threads):
    with multiprocessing.get_context("fork").Pool(len(rates)) as pool:
        return sum(pool.starmap(train, [(rate, threads) for rate in rates], chunksize=1))


if __name__ == "__main__":
    alone = search([0.1], 1)
    together = search([0.1, 0.03, 0.01, 0.003], threads)
    print(f"steps_per_second_of_one={alone:.0f}")
    print(f"steps_per_second_of_all_four={together:.0f}")
    print(f"times_one={together / alone:.2f}")
