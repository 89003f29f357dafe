"""A selective state space whose states turn: for each pair of states, the token chooses an angle, and a decay for its head.

    z, (u, B, C), s, r, w = W_in x_t        (inner = expand * width; inner + 2 states; heads; heads; heads * states / 2 numbers)
    u, B, C = silu(causal depthwise convolution of (u, B, C) over `conv` tokens)
    Delta_t = softplus(s_t + bias)      a_t = exp(-Delta_t softplus(r_t))                          (a number per head each)
    theta_t = pi Delta_t tanh(w_t)                                                                 (a number per head and pair)
    h_t = a_t R(theta_t) h_{t-1} + B_t (Delta_t u_t)^T      (per head, states x inner / heads; B and C serve all heads)
    y_t = W_out RMSNorm((h_t^T C_t + D u_t) * silu(z_t))                                           (D a number per head)

R(theta) turns states 2j and 2j + 1 by the angle theta_j. With a_t near 1 and angles of half a turn, a pair counts modulo 2;
with angles of an m-th of a turn it counts modulo m.

State: h and the last conv - 1 inputs of the convolution. For any number of heads these are inner * states + (conv - 1) *
(inner + 2 * states) numbers.
Source: Lahoti et al. 2026 (arXiv:2603.15569), Mamba-3: its complex state space, which the paper also writes as rotations of
pairs of real states, with a decay and angles that depend on the token.
We differ: the rest of the layer is that of `mamba2`, with its short convolution and its Euler step. The paper has a trapezoidal
rule, norms and biases of B and C, and an option with several inputs and outputs. Angles are bounded by half a turn for a step
size of 1, and each head has its own. The initialisation is that of `mamba2`.
Names: `input` is W_in, `step_bias` the bias of Delta, `skip` is D, `gate` is z, `turn` is theta and `output` is W_out.
`forward` is the chunked form of `mamba2`. Rotations commute, so they are moved to B and C: with the phase p_t, which is the sum
of the angles up to t, the states g_t = R(-p_t) h_t only decay, and

    g_t = a_t g_{t-1} + R(-p_t) B_t (Delta_t u_t)^T        h_t^T C_t = g_t^T R(-p_t) C_t

Phases are summed in float64, and whole turns are taken out.

    >>> layer = Rotation(width=8, heads=2, states=4)
    >>> layer.start(1).state.shape
    torch.Size([1, 2, 4, 8])
"""

import math
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.models.mixers._chunks import StatesBefore, into_chunks
from seqsep.models.mixers._decay import decay_between_tokens, decay_until, initial_step_bias, remaining
from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers._short_convolution import convolve, convolve_step
from seqsep.models.mixers.base import GPT2_DEVIATION, Block, Mixer, State, by_head

TURN = 2 * math.pi


class Memory(NamedTuple):
    """The state: h, and the last conv - 1 inputs of the convolution."""

    state: Float[Tensor, "batch heads states part"]
    window: Float[Tensor, "batch before channels"]


class TurningToken(NamedTuple):
    """The part of a token in the recurrence and around it."""

    gate: Float[Tensor, "*shape inner"]
    delta: Float[Tensor, "*shape heads"]
    log_decay: Float[Tensor, "*shape heads"]
    angle: Float[Tensor, "*shape heads pairs"]


class Rotation(Mixer):
    """A selective state space with rotations that the token chooses; equations at the head of the file."""

    name: ClassVar[str] = "rotation"
    block: ClassVar[Block] = Block(norm="rms")

    def __init__(self, width: int, heads: int, states: int = 64, expand: int = 2, conv: int = 4, chunk: int = 64) -> None:
        """Build the layer. `chunk`: most tokens of a chunk; outputs depend on it by rounding only.

        Raises ValueError for heads that do not divide expand * width, or an odd number of states.
        """
        super().__init__()
        inner = expand * width
        if heads < 1 or inner % heads:
            raise ValueError(f"Rotation: heads: expected a divisor of {inner} (expand {expand} x width {width}), found {heads}")
        if states % 2:
            raise ValueError(f"Rotation: states: expected an even number, found {states}")
        self.heads = heads
        self.inner = inner
        self.states = states
        self.conv = conv
        self.chunk = chunk
        channels = inner + 2 * states
        self.input = Linear(width, inner + channels + 2 * heads + heads * states // 2, bias=False)
        self.convolution = nn.Conv1d(channels, channels, conv, groups=channels)
        self.step_bias = nn.Parameter(initial_step_bias(heads))
        self.skip = nn.Parameter(torch.ones(heads))
        self.norm = nn.RMSNorm(inner, eps=1e-5)
        self.output = Linear(inner, width, bias=False)

    def start(self, batch: int) -> Memory:
        zeros = self.skip.new_zeros
        return Memory(
            zeros(batch, self.heads, self.states, self.inner // self.heads),
            zeros(batch, self.conv - 1, self.inner + 2 * self.states),
        )

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        token, channels = self._project(x)
        mixed, window = convolve_step(channels, state[1], self.convolution)
        u, b, c = self._split(mixed)
        turned = _turned(state[0].mT, token.angle[..., None, :]).mT
        entered = token.delta[..., None] * u
        h = token.log_decay.exp()[..., None, None] * turned + b[:, None, :, None] * entered[:, :, None]
        return self._project_out(torch.einsum("bhnp,bn->bhp", h, c), u, token.gate), Memory(h, window)

    def _project(self, x: Float[Tensor, "*shape width"]) -> tuple[TurningToken, Float[Tensor, "*shape channels"]]:
        """Return the gate z, Delta, log a and theta, and the channels that the convolution takes."""
        sizes = [self.inner, self.inner + 2 * self.states, self.heads, self.heads, self.heads * self.states // 2]
        gate, channels, size, rate, turn = self.input(x).split(sizes, dim=-1)
        delta = F.softplus(size + self.step_bias)
        angle = math.pi * delta[..., None] * torch.tanh(by_head(turn, self.heads))
        return TurningToken(gate, delta, log_decay=-delta * F.softplus(rate), angle=angle), channels

    def _split(self, mixed: Float[Tensor, "*shape channels"]) -> tuple[Tensor, Tensor, Tensor]:
        """Return u by head, B and C from the convolved channels."""
        u, b, c = mixed.split([self.inner, self.states, self.states], dim=-1)
        return by_head(u, self.heads), b, c

    def _project_out(
        self,
        read: Float[Tensor, "*shape heads part"],
        u: Float[Tensor, "*shape heads part"],
        gate: Float[Tensor, "*shape inner"],
    ) -> Float[Tensor, "*shape width"]:
        """Return y_t from `read`, which is h_t^T C_t."""
        return self.output(self.norm((read + self.skip[:, None] * u).flatten(-2) * F.silu(gate)))

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        """Return the last state as a decayed and turned sum of what entered: no state in between is made."""
        time = x.shape[1]
        if not time:
            return Memory(*state)
        token, channels = self._project(x)
        seen = torch.cat([state[1], channels], dim=1)
        u, b, _ = self._split(convolve(seen, self.convolution)[:, -time:])
        phase = _phases(token.angle)
        last = phase[:, -1:]
        total = token.log_decay.cumsum(1)
        whole = total[:, -1:]
        entered = u * (token.delta * remaining(whole - total))[..., None]
        arrived = torch.einsum("bthn,bthp->bhnp", _turned(b[:, :, None], last - phase), entered)
        kept = _turned(state[0].mT, last[:, 0, :, None]).mT
        return Memory(remaining(whole)[:, 0, :, None, None] * kept + arrived, seen[:, time:])

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        token, channels = self._project(x)
        u, b, c = self._split(convolve(channels, self.convolution))
        phase = _phases(token.angle)
        b, c = (_turned(part[:, :, None], -phase) for part in (b, c))
        read = _read_in_chunks(u * token.delta[..., None], token.log_decay, b, c, most=self.chunk)
        return self._project_out(read, u, token.gate)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example: a weighted sum of the inputs u, without any state."""
        rows = torch.arange(x.shape[0], device=x.device)
        token, channels = self._project(x)
        u, b, c = self._split(convolve(channels, self.convolution))
        phase = _phases(token.angle)
        decay = decay_until(token.log_decay, at)
        turned = _turned(b[:, :, None], phase[rows, at][:, None] - phase)
        weights = torch.einsum("bthn,bn->bth", turned, c[rows, at]) * decay * token.delta
        return self._project_out(torch.einsum("bth,bthp->bhp", weights, u), u[rows, at], token.gate[rows, at])

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        with torch.no_grad():
            self.output.weight.div_(depth**0.5)


def _turned(u: Float[Tensor, "*shape states"], angle: Float[Tensor, "*other pairs"]) -> Float[Tensor, "*broadcast states"]:
    """Return u with each pair of neighbours turned by its angle."""
    first = u[..., 0::2]
    second = u[..., 1::2]
    cosine = angle.cos()
    sine = angle.sin()
    return torch.stack([cosine * first - sine * second, sine * first + cosine * second], dim=-1).flatten(-2)


def _phases(angle: Float[Tensor, "batch time heads pairs"]) -> Float[Tensor, "batch time heads pairs"]:
    """Return the sum of the angles up to each token, without whole turns. It is summed in float64, as it may grow with time."""
    total = angle.double().cumsum(1)
    return (total - TURN * (total / TURN).round().detach()).to(angle.dtype)


def _read_in_chunks(
    entered: Float[Tensor, "batch time heads part"],
    log_decay: Float[Tensor, "batch time heads"],
    b: Float[Tensor, "batch time heads states"],
    c: Float[Tensor, "batch time heads states"],
    *,
    most: int,
) -> Float[Tensor, "batch time heads part"]:
    """Return g_t^T c_t at every token, with Delta_t u_t as `entered`, in chunks of at most `most` tokens."""
    time = entered.shape[1]
    entered, log_decay, b, c = (into_chunks(part, most).transpose(2, 3) for part in (entered, log_decay, b, c))
    total = log_decay.cumsum(-1)
    read = (c @ b.mT * decay_between_tokens(total)) @ entered
    if entered.shape[1] > 1:
        whole = total[..., -1:, None]
        arrived = b.mT @ (entered * remaining(whole - total[..., None]))
        before = StatesBefore.apply(arrived.new_zeros(()), remaining(whole), arrived, False)
        read = read + (c @ before) * remaining(total)[..., None]
    return read.transpose(2, 3).flatten(1, 2)[:, :time]
