import timeit

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
reviews = torch.randint(5000, (1000, 20))  # a thousand reviews of 20 token ids each
model = nn.Sequential(nn.EmbeddingBag(5000, 64), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)).eval()


def predict():
    with torch.inference_mode():
        return torch.cat([model(part).argmax(1) for part in reviews.split(256)])  # 256 reviews in each call


def seconds(function):
    return min(timeit.repeat(function, number=1, repeat=20))


def at_once():
    with torch.inference_mode():
        return model(reviews).argmax(1)


print(f"reviews_per_second={1000 / seconds(predict):.0f} possible={1000 / seconds(at_once):.0f}")
print(f"times_as_long={seconds(predict) / seconds(at_once):.1f}")
