"""Mamba's selective state space (S6) with its convolution and gate.

    u, g = W_in x_t                                                  (inner = expand * width coordinates each)
    u = silu(causal depthwise convolution of u over `conv` tokens)
    B_t, C_t, Delta_t = from u: W_B u, W_C u, softplus(W_Delta W_low u + b)
    h_t = exp(Delta_t A) h_{t-1} + Delta_t B_t u_t                   (per inner channel, `states` numbers)
    y_t = W_out ((C_t . h_t + D u_t) * silu(g))

Source: Gu and Dao 2023 (arXiv:2312.00752), algorithm 2 and section 3.4; names of weights as in the paper.
State: h, inner x states numbers, and the last conv - 1 inputs of the convolution.
`forward` scans inside one autograd function that keeps a state at every fifth token; there exp(Delta_t A) is at least e^-40,
which is nothing beside 1 and spares the processor numbers that it is slow at (`_chunks.left`).
"""

import math
from typing import Any, ClassVar, NamedTuple, cast

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.mixers._chunks import LEAST_LOG
from seqsep.mixers.base import GPT2_DEVIATION, Block, Mixer, State


class Memory(NamedTuple):
    state: Float[Tensor, "batch inner states"]
    window: Float[Tensor, "batch inner before"]


def outside_autocast(function: type[torch.autograd.Function], *inputs: Tensor, like: Tensor) -> Tensor:
    """Call it in the precision of its weights: what works on memory in place cannot follow autocast."""
    with torch.autocast(like.device.type, enabled=False):
        found: Tensor = function.apply(*(part.to(like.dtype) for part in inputs))
    return found


class Convolution(torch.autograd.Function):
    """v_t[i] = bias[i] + sum over k of taps[i, k] u_{t - conv + 1 + k}[i], with time as the first axis.

    The sequence is an image of time x batch in channels_last, so that a depthwise convolution reads it in place. The gradient
    of the taps is summed by hand in small pieces.
    """

    @staticmethod
    def forward(ctx: Any, u: Tensor, taps: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(u, taps)
        return _depthwise(u, taps, bias)[: u.shape[0]]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        (dv,) = gradients
        u, taps = ctx.saved_tensors
        (time, batch, inner), conv = u.shape, taps.shape[1]
        dtaps = taps.new_zeros(conv, inner)
        for part in _parts(batch, 16 * inner, u.device):
            for back in range(min(conv, time)):
                dtaps[-1 - back] += (dv[back:, part] * u[: time - back, part]).sum((0, 1))
        return _depthwise(dv, taps.flip(1), None)[conv - 1 :], dtaps.T, dv.sum((0, 1))


def _depthwise(u: Tensor, taps: Tensor, bias: Tensor | None) -> Tensor:
    """The convolution of time + conv - 1 outputs: zeros stand before the first input and behind the last."""
    inner, conv = taps.shape
    image = u[None].permute(0, 3, 1, 2)
    return F.conv2d(image, taps[:, None, :, None], bias, padding=(conv - 1, 0), groups=inner).permute(0, 2, 3, 1)[0]


NUMBERS_AT_ONCE, KEPT_EVERY = 1 << 16, 5
"""Measured best: what a step of the scan touches stays in a core's cache. At 16 states what is kept is 3.2 times u."""


def _parts(batch: int, state: int, device: torch.device) -> list[slice]:
    """A few examples at a time, by the numbers in one example's state; on a GPU all at once."""
    size = max(1, NUMBERS_AT_ONCE // state) if device.type == "cpu" else max(1, batch)
    return [slice(first, min(first + size, batch)) for first in range(0, batch, size)]


class SelectiveScan(torch.autograd.Function):
    """y_t = C_t . h_t + D u_t with h_t = exp(Delta_t A) h_{t-1} + Delta_t B_t u_t; time is the first axis.

    A state is kept at every fifth token; backward recomputes the others from it.
    With G_t the gradient of h_t (through y_t and through h_{t+1}):
    G_t = C_t dy_t + exp(Delta_{t+1} A) G_{t+1}; and the gradient of the exponent Delta_t A is G_t * exp(Delta_t A) * h_{t-1}.
    States are laid out as states x inner: the long axis last, on which the processor adds many numbers at once.
    """

    @staticmethod
    def forward(ctx: Any, u: Tensor, delta: Tensor, a: Tensor, b: Tensor, c: Tensor, skip: Tensor) -> Tensor:
        time, batch, _ = u.shape
        rates, every = a.T.contiguous(), KEPT_EVERY
        kept = u.new_empty(-(-time // every), batch, *rates.shape)
        y = torch.empty_like(u)
        for part in _parts(batch, rates.numel(), u.device):
            weighted = delta[:, part] * u[:, part]
            h, after = kept[0, part].zero_(), torch.empty_like(kept[0, part])
            decay = torch.empty_like(h)
            columns = b[:, part, :, None].unbind()
            rows = (x[:, :, None].unbind() for x in (delta[:, part], weighted, c[:, part], y[:, part]))
            for t, (column, size, enters, leaves, out) in enumerate(zip(columns, *rows, strict=True)):
                into = kept[(t + 1) // every, part] if (t + 1) % every == 0 and t + 1 < time else after
                torch.mul(size, rates, out=decay).clamp_(min=LEAST_LOG).exp_()
                h = torch.mul(h, decay, out=into).addcmul_(enters, column)
                torch.bmm(leaves, h, out=out)
            y[:, part].addcmul_(u[:, part], skip)
        ctx.save_for_backward(u, delta, rates, b, c, skip, kept)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        u, delta, rates, b, c, skip, kept = ctx.saved_tensors
        dy, time, every = gradients[0].contiguous(), u.shape[0], KEPT_EVERY
        du, ddelta, db, dc = (torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in (u, delta, b, c))
        da, dskip = torch.zeros_like(rates), torch.zeros_like(skip)
        for part in _parts(u.shape[1], rates.numel(), u.device):
            weighted = delta[:, part] * u[:, part]
            dweighted = torch.empty_like(weighted)
            g = torch.zeros_like(kept[0, part])
            g_turned, share, ones = g.mT, torch.zeros_like(g), rates.new_ones(len(g), 1, len(rates))
            h = g.new_empty(every, *g.shape)
            decays, later_states, later_turned = torch.empty_like(h).unbind(), h.unbind(), h.mT.unbind()
            b_columns, c_columns = (x[:, part, :, None].unbind() for x in (b, c))
            whole = (delta[:, part], weighted, dweighted, ddelta[:, part], dy[:, part], b[:, part], db[:, part], dc[:, part])
            sizes, enters, denters, dsizes, dys, b_rows, dbs, dcs = (x[:, :, None].unbind() for x in whole)
            for first in range((time - 1) // every * every, -1, -every):
                last = min(first + every, time)
                states = (kept[first // every, part], *later_states)
                for now, t in enumerate(range(first, last)):
                    torch.mul(sizes[t], rates, out=decays[now]).clamp_(min=LEAST_LOG).exp_()
                    torch.mul(decays[now], states[now], out=states[now + 1]).addcmul_(enters[t], b_columns[t])
                for t in range(last - 1, first - 1, -1):
                    now = t - first
                    exponent = decays[now]
                    torch.bmm(dys[t], later_turned[now], out=dcs[t])
                    g.addcmul_(dys[t], c_columns[t])
                    torch.bmm(enters[t], g_turned, out=dbs[t])
                    torch.bmm(b_rows[t], g, out=denters[t])
                    g.mul_(exponent)
                    torch.mul(g, states[now], out=exponent)
                    share.addcmul_(exponent, sizes[t])
                    torch.bmm(ones, exponent.mul_(rates), out=dsizes[t])
            da += share.sum(0)
            torch.mul(dweighted, delta[:, part], out=du[:, part]).addcmul_(dy[:, part], skip)
            dskip += (dy[:, part] * u[:, part]).sum((0, 1))
            ddelta[:, part].addcmul_(dweighted, u[:, part])
        return du, ddelta, da.T, db, dc, dskip


class LastState(torch.autograd.Function):
    """The state after the last of `time` inputs, sum over t of exp(since_t A) * entered_t B_t; no state in between is made.

    since_t is the sum of Delta after t and entered_t = Delta_t u_t (0 behind the asked position); time is the first axis.
    """

    @staticmethod
    def forward(ctx: Any, since: Tensor, entered: Tensor, a: Tensor, b: Tensor) -> Tensor:
        rates = a.T.contiguous()
        h = since.new_zeros(since.shape[1], *rates.shape)
        for part in _parts(len(h), rates.numel(), h.device):
            decay = torch.empty_like(h[part])
            columns = b[:, part, :, None].unbind()
            rows = (x[:, part, None].unbind() for x in (since, entered))
            for column, size, enters in zip(columns, *rows, strict=True):
                torch.mul(size, rates, out=decay).clamp_(min=LEAST_LOG).exp_().mul_(enters)
                h[part].addcmul_(decay, column)
        ctx.save_for_backward(since, entered, rates, b)
        return h

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        since, entered, rates, b = ctx.saved_tensors
        gradient = gradients[0].contiguous()
        dsince, dentered, db = (torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in (since, entered, b))
        da = torch.zeros_like(gradient)
        for part in _parts(len(gradient), rates.numel(), gradient.device):
            g, total = gradient[part], da[part]
            share, ones = torch.empty_like(g), rates.new_ones(len(g), 1, len(rates))
            columns = b[:, part, :, None].unbind()
            whole = (since, entered, since * entered, dentered, dsince, db)
            rows = ((x[:, part, None] if x.shape else x).unbind() for x in whole)
            for column, size, enters, weight, denters, dsize, db_row in zip(columns, *rows, strict=True):
                torch.mul(size, rates, out=share).clamp_(min=LEAST_LOG).exp_().mul_(g)
                torch.bmm(enters, share.mT, out=db_row)
                share.mul_(column)
                torch.bmm(ones, share, out=denters)
                total.addcmul_(share, weight)
                torch.bmm(ones, share.mul_(rates), out=dsize)
        return dsince.mul_(entered), dentered, da.sum(0).T, db


class Mamba(Mixer):
    name: ClassVar[str] = "mamba"
    block: ClassVar[Block] = Block(norm="rms")
    revision: ClassVar[int] = 3

    def __init__(self, width: int, heads: int = 1, states: int = 16, expand: int = 2, conv: int = 4) -> None:
        """`heads` is taken for the sake of one signature and not used."""
        super().__init__()
        inner, rank = expand * width, -(-width // 16)
        self.states, self.conv, self.rank = states, conv, rank
        self.input = nn.Linear(width, 2 * inner, bias=False)
        self.convolution = nn.Conv1d(inner, inner, conv, groups=inner, padding=conv - 1)
        self.select = nn.Linear(inner, rank + 2 * states, bias=False)
        self.step_size = nn.Linear(rank, inner)
        self.log_decay = nn.Parameter(torch.log(torch.arange(1, states + 1, dtype=torch.float32)).repeat(inner, 1))
        self.skip = nn.Parameter(torch.ones(inner))
        self.output = nn.Linear(inner, width, bias=False)
        nn.init.uniform_(self.step_size.weight, -(rank**-0.5), rank**-0.5)
        size = torch.exp(torch.rand(inner) * (math.log(0.1) - math.log(0.001)) + math.log(0.001)).clamp(min=1e-4)
        with torch.no_grad():
            self.step_size.bias.copy_(size + torch.log(-torch.expm1(-size)))

    def initialise(self, depth: int, deviation: float = GPT2_DEVIATION) -> None:
        with torch.no_grad():
            self.output.weight.div_(depth**0.5)

    def _select(self, u: Float[Tensor, "*shape inner"]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Delta, A, B, C from the convolved input."""
        low, b, c = self.select(u).split([self.rank, self.states, self.states], dim=-1)
        return F.softplus(self.step_size(low)), -self.log_decay.exp(), b, c

    def _convolved(
        self, rows: Float[Tensor, "rows width"], shape: tuple[int, int]
    ) -> tuple[Tensor, Float[Tensor, "inner width"]]:
        """u behind convolution and silu, time by batch by inner, and the weights that make the gate."""
        into_state, into_gate = self.input.weight.chunk(2)
        u = F.linear(rows, into_state).unflatten(0, shape)
        taps, bias = self.convolution.weight[:, 0], cast(Tensor, self.convolution.bias)
        return F.silu(outside_autocast(Convolution, u, taps, bias, like=taps)), into_gate

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        shape, rows = (x.shape[1], x.shape[0]), x.transpose(0, 1).flatten(0, 1)
        u, into_gate = self._convolved(rows, shape)
        y = outside_autocast(SelectiveScan, u, *self._select(u), self.skip, like=self.skip)
        return self.output(y * F.silu(F.linear(rows, into_gate).unflatten(0, shape))).transpose(0, 1)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """The state at one position is a weighted sum of its inputs: no scan."""
        (batch, time), examples = x.shape[:2], torch.arange(x.shape[0], device=x.device)
        u, into_gate = self._convolved(x.transpose(0, 1).flatten(0, 1), (time, batch))
        delta, a, b, c = self._select(u)
        total = delta.cumsum(0)
        since = (total[at, examples] - total).clamp(min=0)
        past = (torch.arange(time, device=x.device)[:, None] <= at)[..., None]
        kept = outside_autocast(LastState, since, delta * u * past.to(u.dtype), a, b, like=a)
        y = torch.einsum("bsi,bs->bi", kept, c[at, examples]) + self.skip * u[at, examples]
        return self.output(y * F.silu(F.linear(x[examples, at], into_gate)))

    def start(self, batch: int) -> Memory:
        zeros, inner = self.skip.new_zeros, self.skip.shape[0]
        return Memory(zeros(batch, inner, self.states), zeros(batch, inner, self.conv - 1))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        u, gate = self.input(x).chunk(2, dim=-1)
        seen = torch.cat([state[1], u[..., None]], dim=-1)
        u = F.silu((seen * self.convolution.weight[:, 0]).sum(-1) + cast(Tensor, self.convolution.bias))
        delta, a, b, c = self._select(u)
        h = (delta[..., None] * a).exp() * state[0] + (delta * u)[..., None] * b[..., None, :]
        y = (h * c[..., None, :]).sum(-1)
        return self.output((y + self.skip * u) * F.silu(gate)), Memory(h, seen[..., 1:])
