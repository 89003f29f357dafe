"""Mamba's selective state space (S6) with its convolution and gate.

    u, g = W_in x_t                                                  (inner = expand * width coordinates each)
    u = silu(causal depthwise convolution of u over `conv` tokens)
    B_t, C_t, Delta_t = from u: W_B u, W_C u, softplus(W_Delta W_low u + b)
    h_t = exp(Delta_t A) h_{t-1} + Delta_t B_t u_t                   (per inner channel, `states` numbers)
    y_t = W_out ((C_t . h_t + D u_t) * silu(g))

State: h and the last conv - 1 inputs of the convolution. These are expand * width * (states + conv - 1) numbers.
Source: Gu and Dao 2023 (arXiv:2312.00752), algorithm 2 and section 3.4.
Names: `input` is W_in, `select` is (W_low, W_B, W_C), `step_size` is W_Delta with b, A is -exp(`log_decay`), `skip` is D and
`output` is W_out.
`forward` scans inside one autograd function that keeps the state at every fifth token (`_mamba_scan.py`). On a GPU it keeps
the state at every 32nd token and processes more tokens in one operation (`_mamba_scan_gpu.py`).

    >>> layer = Mamba(width=4)
    >>> y, state = layer.step(torch.zeros(1, 4), layer.start(1), t=0)
    >>> state.state.shape, state.window.shape
    (torch.Size([1, 8, 16]), torch.Size([1, 8, 3]))
"""

from typing import ClassVar, NamedTuple, cast

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.models.mixers._decay import initial_step_bias
from seqsep.models.mixers._linear import Linear, linear
from seqsep.models.mixers._mamba_scan import Convolution, LastState, SelectiveScan, outside_autocast
from seqsep.models.mixers._mamba_scan_gpu import ChunkedLastState, ChunkedScan
from seqsep.models.mixers.base import GPT2_DEVIATION, Block, Mixer, State


class Memory(NamedTuple):
    """The state: h, and the last conv - 1 inputs of the convolution."""

    state: Float[Tensor, "batch inner states"]
    window: Float[Tensor, "batch inner before"]


class Mamba(Mixer):
    """A selective state space with a decay per channel and state; equations at the head of the file."""

    name: ClassVar[str] = "mamba"
    block: ClassVar[Block] = Block(norm="rms")
    revision: ClassVar[int] = 3

    def __init__(self, width: int, heads: int = 1, states: int = 16, expand: int = 2, conv: int = 4) -> None:
        """Build the layer. `heads` is not used: every mixer takes it."""
        super().__init__()
        inner = expand * width
        rank = -(-width // 16)
        self.states = states
        self.conv = conv
        self.rank = rank
        self.input = Linear(width, 2 * inner, bias=False)
        self.convolution = nn.Conv1d(inner, inner, conv, groups=inner, padding=conv - 1)
        self.select = Linear(inner, rank + 2 * states, bias=False)
        self.step_size = Linear(rank, inner)
        self.log_decay = nn.Parameter(torch.log(torch.arange(1, states + 1, dtype=torch.float32)).repeat(inner, 1))
        self.skip = nn.Parameter(torch.ones(inner))
        self.output = Linear(inner, width, bias=False)
        nn.init.uniform_(self.step_size.weight, -(rank**-0.5), rank**-0.5)
        with torch.no_grad():
            self.step_size.bias.copy_(initial_step_bias(inner))

    def start(self, batch: int) -> Memory:
        inner = self.skip.shape[0]
        zeros = self.skip.new_zeros
        return Memory(zeros(batch, inner, self.states), zeros(batch, inner, self.conv - 1))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        u, gate = self.input(x).chunk(2, dim=-1)
        seen = torch.cat([state[1], u[..., None]], dim=-1)
        u = F.silu((seen * self.convolution.weight[:, 0]).sum(-1) + cast(Tensor, self.convolution.bias))
        delta, a, b, c = self._select(u)
        h = (delta[..., None] * a).exp() * state[0] + (delta * u)[..., None] * b[..., None, :]
        y = (h * c[..., None, :]).sum(-1) + self.skip * u
        return self.output(y * F.silu(gate)), Memory(h, seen[..., 1:])

    def _select(self, u: Float[Tensor, "*shape inner"]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return Delta, A, B and C from the convolved input."""
        low, b, c = self.select(u).split([self.rank, self.states, self.states], dim=-1)
        return F.softplus(self.step_size(low)), -self.log_decay.exp(), b, c

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        """Return the last state as a decayed sum of what entered: no state in between is made."""
        time = x.shape[1]
        if not time:
            return Memory(*state)
        u = linear(x, self.input.weight.chunk(2)[0])
        seen = torch.cat([state[1], u.mT], dim=2)
        convolution = self.convolution
        u = F.silu(F.conv1d(seen, convolution.weight, convolution.bias, groups=convolution.groups)).permute(2, 0, 1)
        delta, a, b, _ = self._select(u)
        later = F.pad(delta[1:], (0, 0, 0, 0, 0, 1)).flip(0).cumsum(0).flip(0)  # sums from the end: differences lose digits
        h = outside_autocast(_last_state(x), later, delta * u, *(a, b), like=a)
        return Memory(((later[0] + delta[0])[..., None] * a).exp() * state[0] + h.mT, seen[..., time:])

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        batch, time, _ = x.shape
        rows = x.transpose(0, 1).flatten(0, 1)
        u, into_gate = self._convolved(rows, time, batch)
        y = outside_autocast(_scan(x), u, *self._select(u), self.skip, like=self.skip)
        gate = linear(rows, into_gate).unflatten(0, (time, batch))
        return self.output(y * F.silu(gate)).transpose(0, 1)

    def _convolved(
        self, rows: Float[Tensor, "rows width"], time: int, batch: int
    ) -> tuple[Float[Tensor, "time batch inner"], Float[Tensor, "inner width"]]:
        """Return u after convolution and silu, and the weights that make the gate."""
        into_state, into_gate = self.input.weight.chunk(2)
        u = linear(rows, into_state).unflatten(0, (time, batch))
        taps = self.convolution.weight[:, 0]
        bias = cast(Tensor, self.convolution.bias)
        return F.silu(outside_autocast(Convolution, u, taps, bias, like=taps)), into_gate

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example. The state at one position is a weighted sum of its inputs: no scan."""
        batch, time, _ = x.shape
        examples = torch.arange(batch, device=x.device)
        u, into_gate = self._convolved(x.transpose(0, 1).flatten(0, 1), time, batch)
        delta, a, b, c = self._select(u)
        total = delta.cumsum(0)
        since = (total[at, examples] - total).clamp(min=0)
        is_past = (torch.arange(time, device=x.device)[:, None] <= at)[..., None]
        entered = delta * u * is_past.to(u.dtype)
        state = outside_autocast(_last_state(x), *(since, entered, a, b), like=a)
        y = torch.einsum("bsi,bs->bi", state, c[at, examples]) + self.skip * u[at, examples]
        return self.output(y * F.silu(F.linear(x[examples, at], into_gate)))

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        with torch.no_grad():
            self.output.weight.div_(depth**0.5)


def _scan(x: Tensor) -> type[torch.autograd.Function]:
    """Return the scan for the device of x."""
    return SelectiveScan if x.device.type == "cpu" else ChunkedScan


def _last_state(x: Tensor) -> type[torch.autograd.Function]:
    """Return the sum over all tokens for the device of x."""
    return LastState if x.device.type == "cpu" else ChunkedLastState
