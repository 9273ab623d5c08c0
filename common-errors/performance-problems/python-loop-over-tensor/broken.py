import time
import timeit

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
lengths = torch.randint(5, 21, (512,))  # 512 sentences of 5 to 20 words, padded to 20
words, tags = torch.randint(2000, (512, 20)), torch.randint(17, (512, 20))
model = nn.Sequential(nn.Embedding(2000, 32), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 17))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def batch_loss(size=512):
    logits, loss = model(words[:size]), 0
    for i in range(size):
        n = lengths[i]
        loss = loss + nn.functional.cross_entropy(logits[i, :n], tags[i, :n], reduction="sum")  # error
    return loss / lengths[:size].sum()


def train_step(loss_of=batch_loss):
    optimizer.zero_grad()
    loss_of().backward()
    optimizer.step()


def seconds(function):
    return min(timeit.repeat(function, timer=time.process_time, number=1, repeat=7))  # CPU time, of one thread


step, alone = seconds(train_step), seconds(lambda: train_step(lambda: model(words).mean()))
print(f"steps_per_second={1 / step:.0f} without_the_loss={1 / alone:.0f}")
print(f"times_as_long={step / alone:.1f}")
