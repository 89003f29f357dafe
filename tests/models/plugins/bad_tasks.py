"""Tasks that are none."""

import numpy as np
from good import Parity

from seqsep.tasks import Batch


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


class BatchOfFloats(Parity):
    def sample(self, start, count, seed, evaluate=False):
        batch = Batch(*super().sample(start, count, seed, evaluate))
        object.__setattr__(batch, "inputs", batch.inputs + 0.5)  # tests check the types of what a Batch is made of
        return batch


class Few(Parity):
    """Never more than 20 examples."""

    def sample(self, start, count, seed, evaluate=False):
        return super().sample(start, min(count, 20), seed, evaluate)


class Without(Parity):
    """No examples."""

    def sample(self, start, count, seed, evaluate=False):
        return np.zeros((0, 6), dtype=int), np.zeros((0, 6), dtype=int), np.zeros(0, dtype=int)


class Tokenless(Parity):
    """Examples of no tokens."""

    def __init__(self, length):
        super().__init__(length)
        self.longest = 0

    def sample(self, start, count, seed, evaluate=False):
        return np.zeros((count, 0), dtype=int), np.zeros((count, 0), dtype=int), np.zeros(count, dtype=int)


class ScoresAnything(Parity):
    def score(self, predictions, targets):
        return np.ones(len(targets), dtype=bool)


class ScoresNothing(Parity):
    def score(self, predictions, targets):
        return np.zeros(len(targets), dtype=bool)


class ScoresOnce(Parity):
    """True for all examples, or for none."""

    def score(self, predictions, targets):
        return np.full(len(targets), (predictions == targets).all())


class ScoresTrue(Parity):
    def score(self, predictions, targets):
        return True


class ScoresTokens(Parity):
    def score(self, predictions, targets):
        return predictions == targets


class ScoresNumbers(Parity):
    def score(self, predictions, targets):
        return (predictions == targets).all(1).astype(float)


class SolvesAbove(Parity):
    def solve(self, inputs):
        return super().solve(inputs) + 0.9


class SolvesTexts(Parity):
    def solve(self, inputs):
        return str(super().solve(inputs))


class SolvesTruth(Parity):
    def solve(self, inputs):
        return super().solve(inputs) == 1


class IgnoresSeeds(Parity):
    def sample(self, start, count, seed, evaluate=False):
        return super().sample(start, count, 0, evaluate)


class NegativeBits(Parity):
    bits = -5

    def answer_bits(self):
        return self.bits


class NoNumberOfBits(NegativeBits):
    bits = float("nan")


class ManyBits(NegativeBits):
    bits = 10**9


class OtherAlphabets(Parity):
    def alphabets(self, length):
        return (range(1),) * length


class LongAlphabets(Parity):
    def alphabets(self, length):
        return (range(2),) * (length + 7)


class NumberOfAlphabets(Parity):
    def alphabets(self, length):
        return 2


class ExitsInReadable(Parity):
    def readable(self, inputs, answer):
        raise SystemExit(0)


class ReadsAsText(Parity):
    def readable(self, inputs, answer):
        return str(inputs)


class ReadsAsArray(Parity):
    def readable(self, inputs, answer):
        return {"inputs": np.array(inputs)}


class LossFunction(Parity):
    def loss(self, logits, targets):
        return float("nan")


class LossOfAnotherName(Parity):
    loss = "mse"
