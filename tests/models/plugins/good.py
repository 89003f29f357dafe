"""Plug-ins that obey every law: a layer, a growing layer, a whole model, and a task."""

import numpy as np
import torch
from torch import nn


class Sum(nn.Module):
    """y_t = W (sum of the inputs up to t); the state is one tensor. `heads` is passed, since it is named."""

    block = {"mlp": True, "norm": "rms"}  # noqa: RUF012 - as a user writes it

    def __init__(self, width, heads=0, another="default"):
        super().__init__()
        self.heads, self.another = heads, another
        print("Sum is built")
        self.output = nn.Linear(width, width)

    def forward(self, x):
        return self.output(x.cumsum(1))

    def start(self, batch):
        return torch.zeros(batch, self.output.in_features)

    def step(self, x, state, t):
        state = state + x
        return self.output(state), state


class Mean(nn.Module):
    """The mean of all inputs up to t, from a cache of them."""

    grows = True

    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, x):
        return x.cumsum(1) / torch.arange(1, x.shape[1] + 1, dtype=x.dtype)[:, None]

    def start(self, batch):
        return (torch.zeros(batch, 0, self.width),)

    def step(self, x, state, t):
        cache = torch.cat([state[0], x[:, None]], dim=1)
        return cache.mean(1), (cache,)


class Recurrent(nn.Module):
    """From tokens to logits by torch's LSTM."""

    def __init__(self, vocabulary, classes, longest, width):
        super().__init__()
        self.tokens, self.cells, self.output = nn.Embedding(vocabulary, width), nn.LSTM(width, width), nn.Linear(width, classes)

    def forward(self, tokens):
        return self.output(self.cells(self.tokens(tokens).transpose(0, 1))[0].transpose(0, 1))


class Stepping(Recurrent):
    """The same, with its state."""

    def start(self, batch):
        zeros = self.output.weight.new_zeros(batch, self.cells.hidden_size)
        return zeros, zeros

    def step(self, tokens, state, t):
        y, (hidden, cell) = self.cells(self.tokens(tokens)[None], tuple(part[None] for part in state))
        return self.output(y[0]), (hidden[0], cell[0])


class Parity:
    """Bits; at the last of them, whether the number of ones is odd."""

    def __init__(self, length, alphabet=2):
        self.vocabulary = self.classes = alphabet
        self.longest = length

    def sample(self, start, count, seed, evaluate=False):
        key = [seed, int(evaluate)]
        rows = [np.random.Generator(np.random.Philox(key=key, counter=[0, 0, start + i, 0])) for i in range(count)]
        bits = np.stack([row.integers(self.classes, size=self.longest) for row in rows])
        targets = np.full_like(bits, -100)
        targets[:, -1] = bits.sum(1) % self.classes
        return bits, targets, np.full(count, self.longest)

    def solve(self, inputs):
        return sum(inputs) % self.classes


class SingleSum(Sum):
    """The sum for those who can compute it in float32 only."""

    checked_in = "float32"


class Seen(nn.Module):
    """W x_t from the first input above 1 on, coordinate by coordinate; the state is a truth value for each."""

    kept = torch.bool

    def __init__(self, width):
        super().__init__()
        self.output = nn.Linear(width, width)

    def forward(self, x):
        return self.output(x) * ((x > 1).int().cumsum(1) > 0).to(x.dtype)

    def start(self, batch):
        return torch.zeros(batch, self.output.in_features, dtype=self.kept)

    def step(self, x, state, t):
        state = torch.maximum(state.float(), (x > 1).float()).to(self.kept)
        return self.output(x) * state.to(x.dtype), state


class SeenInHalf(Seen):
    """The same with a state of 16 bits a coordinate, of a type that numpy has not."""

    kept = torch.bfloat16
