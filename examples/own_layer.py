"""A layer of your own: a gated moving average, h_t = a_t h_{t-1} + (1 - a_t) v_t with a_t = sigmoid(W_a x_t).

    seqsep check --mixer examples/own_layer.py:MovingAverage
    seqsep run index-lookup-architectures --mixer examples/own_layer.py:MovingAverage

State: `width` numbers. `forward` is the same recurrence for all times at once: with A_t the product of a_1 .. a_t, taken in
logarithms, h_t is the sum over j <= t of A_t / A_j (1 - a_j) v_j.

Around it stand a norm before it and a residual; `block = {"mlp": True, "positions": "learned"}` in the class adds an MLP behind
it and learned positions.
"""

import torch
from torch import nn
from torch.nn.functional import logsigmoid


class MovingAverage(nn.Module):
    """Built with the width alone; everything that it remembers is in its state."""

    def __init__(self, width):
        super().__init__()
        self.gate, self.value, self.output = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x):  # batch, time, width
        total = logsigmoid(self.gate(x)).cumsum(1)
        age = total[:, :, None] - total[:, None]  # log A_t / A_j
        later = torch.ones(x.shape[1], x.shape[1], device=x.device).triu(1).bool()
        weights = age.masked_fill(later[..., None], float("-inf")).exp()
        return self.output(torch.einsum("btjw,bjw->btw", weights, torch.sigmoid(-self.gate(x)) * self.value(x)))

    def start(self, batch):
        return self.gate.weight.new_zeros(batch, self.gate.out_features)

    def step(self, x, state, t):  # batch, width
        keep = torch.sigmoid(self.gate(x))
        state = keep * state + (1 - keep) * self.value(x)
        return self.output(state), state
