"""Models written by hand whose state is known bit for bit: index lookup from the first symbols, each as signs."""

import torch
from torch import nn

from seqsep.models.blocks import Residual
from seqsep.models.mixers import Linear
from seqsep.models.mixers.base import Block, Mixer
from seqsep.models.model import Model
from seqsep.tasks import IndexLookup


class SignMemory(Mixer):
    """Keeps the first `kept` symbols, `bits` signs each, and drops the others; or drops all of them."""

    name = "sign-memory"
    block = Block(norm="none", residual=False)

    def __init__(self, task, kept, dropped=False):
        super().__init__()
        self.alphabet, self.length, self.kept, self.dropped = task.alphabet, task.length, kept, dropped
        bits = (task.alphabet - 1).bit_length()
        self.signs = torch.tensor(
            [[2 * (symbol >> bit & 1) - 1 for bit in range(bits)] for symbol in range(task.alphabet)]
        ).float()

    def start(self, batch):
        return (torch.zeros(batch, self.kept, self.signs.shape[1]),)

    def step(self, x, state, t):
        token = x.argmax(-1)
        (memory,) = state
        if t < self.length:
            if t < self.kept and not self.dropped:
                memory = memory.clone()
                memory[:, t] = self.signs[token]
            return torch.zeros_like(x), (memory,)
        place = token - self.alphabet
        found = memory[torch.arange(len(x)), place.clamp(max=self.kept - 1)] * (place < self.kept)[:, None]
        scores = found @ self.signs.T
        return torch.cat([scores, x.new_zeros(len(x), x.shape[1] - self.alphabet)], dim=1), (memory,)

    def forward(self, x):
        state, outputs = self.start(len(x)), []
        for t in range(x.shape[1]):
            output, state = self.step(x[:, t], state, t)
            outputs.append(output)
        return torch.stack(outputs, dim=1)


def planted(task: IndexLookup, kept: int, dropped: bool = False) -> Model:
    """A model of the task whose state is `kept` symbols and nothing else."""
    width = task.vocabulary
    tokens, readout = nn.Embedding(width, width), Linear(width, task.classes, bias=False)
    tokens.weight = nn.Parameter(torch.eye(width), requires_grad=False)
    readout.weight = nn.Parameter(torch.eye(task.classes, width), requires_grad=False)
    mixer = SignMemory(task, kept, dropped)
    return Model(tokens, None, [Residual(mixer, mixer.block, width, None)], nn.Identity(), readout).eval()
