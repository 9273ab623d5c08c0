import time

import torch
from torch import nn

torch.manual_seed(0)
features, labels = torch.randn(1024, 64, device="cuda"), torch.randint(10, (1024,), device="cuda")
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def count_correct(scores):
    return (scores.argmax(1) == labels).sum()  # stays on the GPU; read it once, at the end of the epoch


def train_step(metric=count_correct):
    scores = model(features)
    loss = nn.functional.cross_entropy(scores, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return metric(scores)


def seconds(function):
    runs = []
    for _ in range(7):
        torch.cuda.synchronize()  # the GPU is idle when the clock starts, and has finished when it stops
        begin = time.perf_counter()
        function()
        torch.cuda.synchronize()
        runs.append(time.perf_counter() - begin)
    return min(runs)


step, alone = seconds(train_step), seconds(lambda: train_step(lambda scores: None))
print(f"steps_per_second={1 / step:.0f} without_the_metric={1 / alone:.0f}")
print(f"times_as_long={step / alone:.1f}")
