"""Models for the tests, each with something that can break a snippet that inspects models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


@dataclass
class Output:
    logits: torch.Tensor
    hidden: tuple[torch.Tensor, torch.Tensor]


class Wired(nn.Module):
    """A model of named layers, with the function that calls them: `call(model, *inputs)`."""

    def __init__(self, call: Any, **layers: Any):
        super().__init__()
        self.call = call
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, *args, **kwargs):
        return self.call(self, *args, **kwargs)


def recurrent() -> Wired:
    """Integers as input, a tuple inside, a data class as output, and a layer that is called twice."""

    def forward(model: Any, ids: torch.Tensor) -> Output:
        features, hidden = model.lstm(model.embed(ids))
        last = model.shared(model.shared(features[:, -1]).relu())
        return Output(model.head(last), hidden)

    layers = {"embed": nn.Embedding(20, 8, sparse=True), "lstm": nn.LSTM(8, 8, batch_first=True)}
    return Wired(forward, **layers, shared=nn.Linear(8, 8), head=nn.Linear(8, 5))


class Stateful(nn.Module):
    """A model whose random numbers and buffers change with every call, in place and by assignment."""

    average: torch.Tensor

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.norm = nn.BatchNorm1d(6)
        self.drop = nn.Dropout(0.5)
        self.register_buffer("average", torch.zeros(6))

    def forward(self, x):
        x = self.drop(self.norm(self.fc(x))) + 0.01 * torch.rand_like(x)
        self.average = 0.9 * self.average + 0.1 * x.detach().mean(0)
        return x


def cut() -> Wired:
    """A model whose encoder is cut off from the loss by a detach."""
    layers = {"encoder": nn.Linear(6, 8), "head": nn.Linear(8, 3)}
    return Wired(lambda model, x: model.head(model.encoder(x).relu().detach()), **layers)


def mlp(inputs: int = 6, outputs: int = 3) -> nn.Sequential:
    """A healthy model."""
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, outputs))


def poison(parameter: torch.Tensor, *index: int, value: float = float("nan")) -> None:
    with torch.no_grad():
        parameter[index] = value


def sgd(model: nn.Module, lr: float = 0.1) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), lr=lr)


def weights(model: nn.Module) -> torch.Tensor:
    """A copy of all weights."""
    return nn.utils.parameters_to_vector(model.parameters()).clone()


def trained(model: nn.Module, batches: Any, loss_fn: Any, optimizer: torch.optim.Optimizer) -> list[float]:
    """The losses of a usual training loop."""
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
