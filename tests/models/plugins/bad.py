"""Layers that do what they must not; those with `training` do it only in training, where inputs have 6 tokens."""

import ctypes
import os
import sys
import time

import torch
from good import Recurrent, Sum


def training(x):
    return x.shape[1] == 6


class Hangs(Sum):
    def forward(self, x):
        while training(x):
            time.sleep(0.1)
        return super().forward(x)


class Exits(Sum):
    """Without an exception that could be caught."""

    def __init__(self, width):
        os._exit(7)


class Raises(Sum):
    """An exit that could be."""

    def forward(self, x):
        sys.exit("enough")


class Interrupts(Sum):
    """An exception that no handler of Exception catches, with half a letter in its text."""

    def forward(self, x):
        if training(x):
            raise KeyboardInterrupt("\ud800 end")
        return super().forward(x)


class Unsayable(Sum):
    """An exception whose text raises another one."""

    def forward(self, x):
        class Error(Exception):
            def __str__(self):
                raise GeneratorExit

        if training(x):
            raise Error
        return super().forward(x)


class Segfaults(Sum):
    def forward(self, x):
        return ctypes.string_at(0)


class NotANumber(Sum):
    def forward(self, x):
        y = super().forward(x)
        y[:, 5:, 2] = float("nan")
        return y


class WrongShape(Sum):
    def forward(self, x):
        return super().forward(x)[:, :-1]


class WrongType(Sum):
    def step(self, x, state, t):
        y, state = super().step(x, state, t)
        return y.double() if t else y, state


class Keeps(Sum):
    """The state is kept in the layer; what `start` gives is never looked at."""

    kept = 0

    def step(self, x, state, t):
        self.kept = x if t == 0 else self.kept + x
        return self.output(self.kept), state


class Grows(Sum):
    def step(self, x, state, t):
        y, total = super().step(x, state[:, : x.shape[1]], t)
        return y, torch.cat([total, state[:, x.shape[1] :], x[:, :1]], dim=1) if t > 2 else total


class LooksAhead(Sum):
    """The output at time t reads the input at time t + 2."""

    def forward(self, x):
        return super().forward(x) + 0.1 * torch.nn.functional.pad(x[:, 2:], (0, 0, 0, 2))


class Differs(Sum):
    """From time 4 on, `step` scales."""

    def step(self, x, state, t):
        y, state = super().step(x, state, t)
        return y * (1 + 1e-6 * (t >= 4)), state


class ChangesRandomState(Sum):
    def forward(self, x):
        if training(x):
            torch.rand(1)
        return super().forward(x)


class Seeds(Sum):
    def __init__(self, width):
        torch.manual_seed(1)
        super().__init__(width)


class ChangesThreads(Sum):
    def forward(self, x):
        torch.set_num_threads(2)
        return super().forward(x)


class Prints(Sum):
    """100 MB."""

    def forward(self, x):
        for _ in range(100):
            print("x" * 1_000_000)
        return super().forward(x)


class NoStep(torch.nn.Module):
    def __init__(self, width):
        super().__init__()

    def forward(self, x):
        return x


class Needs(Sum):
    def __init__(self, width, something):
        super().__init__(width)


class Looks(Sum):
    def step_output(self, x, state, t):
        return self.output(x)


class Batch(Sum):
    """As batch normalisation in training."""

    def forward(self, x):
        return super().forward(x) - x.mean(0)

    def step(self, x, state, t):
        y, state = super().step(x, state, t)
        return y - x.mean(0), state


class Writes(Sum):
    def forward(self, x):
        y = super().forward(x)
        x.mul_(0.5)
        return y


class Overwrites(Sum):
    def step(self, x, state, t):
        state += x
        return self.output(state), state


class Buffers(Sum):
    def __init__(self, width):
        super().__init__(width)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return super().forward(x)


class Stops(Sum):
    def forward(self, x):
        return super().forward(x.detach())


class Backwards(Recurrent):
    def forward(self, tokens):
        return super().forward(tokens.flip(1)).flip(1)


class OtherTypeAtOnePosition(Sum):
    def forward_at(self, x, at):
        return self.forward(x)[torch.arange(len(x)), at].double()


class OtherTypeOfQuestions(Sum):
    def step_output(self, x, state, t):
        return self.output(state[0] + x).double()


class NotANumberInState(Sum):
    def start(self, batch):
        return super().start(batch), torch.full((batch, 1), float("nan"))

    def step(self, x, state, t):
        y, total = super().step(x, state[0], t)
        return y, (total, state[1])


class GrowsByAWord(Sum):
    grows = "no"


class GrowsFaster(Sum):
    """Nothing with the first token, of which bits per token are counted, and then many."""

    grows = True

    def start(self, batch):
        return super().start(batch), torch.zeros(batch, 0)

    def step(self, x, state, t):
        y, total = super().step(x, state[0], t)
        return y, (total, torch.zeros(len(x), self.kept(t), dtype=x.dtype))

    def kept(self, t):
        return t * t


class GrowsToAWindow(GrowsFaster):
    def kept(self, t):
        return min(t + 1, 4)


class CheckedInHalf(Sum):
    checked_in = "float16"


class ExitsInInitialise(Sum):
    def initialise(self, depth, deviation):
        sys.exit(0)


class SpoilsWeights(Sum):
    def initialise(self, depth, deviation):
        torch.nn.init.constant_(self.output.weight, float("nan"))
