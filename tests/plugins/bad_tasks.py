"""Tasks that are none."""

import numpy as np
from good import Parity


class Late(Parity):
    """Examples that depend on where the block starts."""

    def sample(self, start, count, seed, evaluate=False):
        return super().sample(start % 3, count, seed, evaluate)


class Wrong(Parity):
    def solve(self, inputs):
        return 1 - super().solve(inputs)


class Outside(Parity):
    def sample(self, start, count, seed, evaluate=False):
        inputs, targets, lengths = super().sample(start, count, seed, evaluate)
        return np.where(np.arange(self.longest) == 2, 7, inputs), targets, lengths


class Floats(Parity):
    def sample(self, start, count, seed, evaluate=False):
        inputs, targets, lengths = super().sample(start, count, seed, evaluate)
        return inputs.astype(float), targets, lengths


class Sizeless(Parity):
    def __init__(self, length):
        super().__init__(length)
        self.vocabulary = None
