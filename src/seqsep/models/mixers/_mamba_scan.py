"""Mamba's scan, its convolution and its last state as autograd functions with gradients written by hand.

Time is the first axis of every sequence here. Autograd would keep every state, `states` numbers for each number of the input;
these functions keep every fifth and compute the others again. `u`, `delta`, `a`, `b`, `c` and `skip` are u, Delta, A, B, C and
D of `mamba`, and `dx` is the gradient of x. A state is laid out as states x inner: the long axis last, on which a CPU adds many
numbers at once. exp(Delta_t A) is at least e^-40, which is nothing beside 1 and spares a CPU numbers that it is slow at
(`_decay.remaining`).
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from seqsep.models.mixers._decay import LEAST_LOG

NUMBERS_AT_ONCE = 1 << 16
"""Numbers in the states of the examples that one step handles together: measured best, since they stay in a core's cache."""
KEPT_EVERY = 5
"""Measured best: at 16 states what is kept is 3.2 times u."""


def outside_autocast(function: type[torch.autograd.Function], *inputs: Tensor, like: Tensor) -> Tensor:
    """Apply the function in the precision of its weights: a function that works on memory in place cannot follow autocast."""
    with torch.autocast(like.device.type, enabled=False):
        result: Tensor = function.apply(*(part.to(like.dtype) for part in inputs))
    return result


def batch_slices(batch: int, numbers: int, device: torch.device) -> list[slice]:
    """Return slices of the batch with `NUMBERS_AT_ONCE` numbers each, `numbers` an example; on a GPU one slice of all."""
    size = max(1, NUMBERS_AT_ONCE // numbers) if device.type == "cpu" else max(1, batch)
    return [slice(first, min(first + size, batch)) for first in range(0, batch, size)]


class Convolution(torch.autograd.Function):
    """v_t[i] = bias[i] + sum over k of taps[i, k] u_{t - conv + 1 + k}[i].

    The sequence is an image of time x batch in channels_last, so that a depthwise convolution reads it in place. The gradient
    of the taps is summed by hand in small pieces.
    """

    @staticmethod
    def forward(
        ctx: Any, u: Float[Tensor, "time batch inner"], taps: Float[Tensor, "inner conv"], bias: Float[Tensor, "inner"]
    ) -> Float[Tensor, "time batch inner"]:
        ctx.save_for_backward(u, taps)
        return _depthwise(u, taps, bias)[: u.shape[0]]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        (dv,) = gradients
        u, taps = ctx.saved_tensors
        time, batch, inner = u.shape
        conv = taps.shape[1]
        dtaps = taps.new_zeros(conv, inner)
        for part in batch_slices(batch, 16 * inner, u.device):
            for back in range(min(conv, time)):
                dtaps[-1 - back] += (dv[back:, part] * u[: time - back, part]).sum((0, 1))
        return _depthwise(dv, taps.flip(1), None)[conv - 1 :], dtaps.T, dv.sum((0, 1))


def _depthwise(u: Tensor, taps: Tensor, bias: Tensor | None) -> Tensor:
    """Return the convolution of time + conv - 1 outputs, with zeros before the first input and after the last."""
    inner, conv = taps.shape
    image = u[None].permute(0, 3, 1, 2)
    return F.conv2d(image, taps[:, None, :, None], bias, padding=(conv - 1, 0), groups=inner).permute(0, 2, 3, 1)[0]


class SelectiveScan(torch.autograd.Function):
    """y_t = C_t . h_t + D u_t with h_t = exp(Delta_t A) h_{t-1} + Delta_t B_t u_t.

    A state is kept at every fifth token; backward computes the others from it.
    With G_t the gradient of h_t (through y_t and through h_{t+1}):
    G_t = C_t dy_t + exp(Delta_{t+1} A) G_{t+1}; and the gradient of the exponent Delta_t A is G_t * exp(Delta_t A) * h_{t-1}.
    """

    @staticmethod
    def forward(
        ctx: Any,
        u: Float[Tensor, "time batch inner"],
        delta: Float[Tensor, "time batch inner"],
        a: Float[Tensor, "inner states"],
        b: Float[Tensor, "time batch states"],
        c: Float[Tensor, "time batch states"],
        skip: Float[Tensor, "inner"],
    ) -> Float[Tensor, "time batch inner"]:
        time, batch, _ = u.shape
        rates = a.T.contiguous()
        kept = u.new_empty(-(-time // KEPT_EVERY), batch, *rates.shape)
        y = torch.empty_like(u)
        for part in batch_slices(batch, rates.numel(), u.device):
            entering = delta[:, part] * u[:, part]
            h = kept[0, part].zero_()
            not_kept = torch.empty_like(h)
            decay = torch.empty_like(h)
            b_columns = b[:, part, :, None].unbind()
            rows = (x[:, :, None].unbind() for x in (delta[:, part], entering, c[:, part], y[:, part]))
            for t, (b_column, delta_row, entering_row, c_row, y_row) in enumerate(zip(b_columns, *rows, strict=True)):
                is_kept = (t + 1) % KEPT_EVERY == 0 and t + 1 < time
                after = kept[(t + 1) // KEPT_EVERY, part] if is_kept else not_kept
                torch.mul(delta_row, rates, out=decay).clamp_(min=LEAST_LOG).exp_()
                h = torch.mul(h, decay, out=after).addcmul_(entering_row, b_column)
                torch.bmm(c_row, h, out=y_row)
            y[:, part].addcmul_(u[:, part], skip)
        needed = (u, delta, rates, b, c, skip, kept)
        ctx.save_for_backward(*needed)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        u, delta, rates, b, c, skip, kept = ctx.saved_tensors
        dy = gradients[0].contiguous()
        time = u.shape[0]
        du, ddelta, db, dc = (torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in (u, delta, b, c))
        drates = torch.zeros_like(rates)
        dskip = torch.zeros_like(skip)
        for part in batch_slices(u.shape[1], rates.numel(), u.device):
            entering = delta[:, part] * u[:, part]
            dentering = torch.empty_like(entering)
            g = torch.zeros_like(kept[0, part])
            g_turned = g.mT
            drates_part = torch.zeros_like(g)
            ones = rates.new_ones(len(g), 1, len(rates))
            h = g.new_empty(KEPT_EVERY, *g.shape)
            decays = torch.empty_like(h).unbind()
            later_states = h.unbind()
            later_turned = h.mT.unbind()
            b_columns, c_columns = (x[:, part, :, None].unbind() for x in (b, c))
            delta_rows, entering_rows, dentering_rows, ddelta_rows = _rows(delta[:, part], entering, dentering, ddelta[:, part])
            dy_rows, b_rows, db_rows, dc_rows = _rows(dy[:, part], b[:, part], db[:, part], dc[:, part])
            for first in range((time - 1) // KEPT_EVERY * KEPT_EVERY, -1, -KEPT_EVERY):
                last = min(first + KEPT_EVERY, time)
                states = (kept[first // KEPT_EVERY, part], *later_states)
                for now, t in enumerate(range(first, last)):
                    torch.mul(delta_rows[t], rates, out=decays[now]).clamp_(min=LEAST_LOG).exp_()
                    torch.mul(decays[now], states[now], out=states[now + 1]).addcmul_(entering_rows[t], b_columns[t])
                for t in range(last - 1, first - 1, -1):
                    now = t - first
                    decay = decays[now]
                    torch.bmm(dy_rows[t], later_turned[now], out=dc_rows[t])
                    g.addcmul_(dy_rows[t], c_columns[t])
                    torch.bmm(entering_rows[t], g_turned, out=db_rows[t])
                    torch.bmm(b_rows[t], g, out=dentering_rows[t])
                    g.mul_(decay)
                    dexponent = torch.mul(g, states[now], out=decay)  # the decay is not needed any more
                    drates_part.addcmul_(dexponent, delta_rows[t])
                    torch.bmm(ones, dexponent.mul_(rates), out=ddelta_rows[t])
            drates += drates_part.sum(0)
            torch.mul(dentering, delta[:, part], out=du[:, part]).addcmul_(dy[:, part], skip)
            dskip += (dy[:, part] * u[:, part]).sum((0, 1))
            ddelta[:, part].addcmul_(dentering, u[:, part])
        return du, ddelta, drates.T, db, dc, dskip


def _rows(*sequences: Float[Tensor, "time some _"]) -> list[tuple[Tensor, ...]]:
    """Return each sequence as its tokens, whose numbers are rows of a batch of matrices: views that are made once, before the
    loop.
    """
    return [sequence[:, :, None].unbind() for sequence in sequences]


class LastState(torch.autograd.Function):
    """The state after the last of `time` inputs, sum over t of exp(since_t A) * entered_t B_t; no state in between is made.

    since_t is the sum of Delta after t and entered_t = Delta_t u_t (0 after the queried position).
    """

    @staticmethod
    def forward(
        ctx: Any,
        since: Float[Tensor, "time batch inner"],
        entered: Float[Tensor, "time batch inner"],
        a: Float[Tensor, "inner states"],
        b: Float[Tensor, "time batch states"],
    ) -> Float[Tensor, "batch states inner"]:
        rates = a.T.contiguous()
        h = since.new_zeros(since.shape[1], *rates.shape)
        for part in batch_slices(len(h), rates.numel(), h.device):
            decay = torch.empty_like(h[part])
            b_columns = b[:, part, :, None].unbind()
            since_rows, entered_rows = (x[:, part, None].unbind() for x in (since, entered))
            for b_column, since_row, entered_row in zip(b_columns, since_rows, entered_rows, strict=True):
                torch.mul(since_row, rates, out=decay).clamp_(min=LEAST_LOG).exp_().mul_(entered_row)
                h[part].addcmul_(decay, b_column)
        ctx.save_for_backward(since, entered, rates, b)
        return h

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        since, entered, rates, b = ctx.saved_tensors
        gradient = gradients[0].contiguous()
        dsince, dentered, db = (torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in (since, entered, b))
        drates = torch.zeros_like(gradient)
        both = since * entered
        for part in batch_slices(len(gradient), rates.numel(), gradient.device):
            g = gradient[part]
            drates_part = drates[part]
            share = torch.empty_like(g)
            ones = rates.new_ones(len(g), 1, len(rates))
            b_columns = b[:, part, :, None].unbind()
            inputs = (x[:, part, None].unbind() for x in (since, entered, both))
            outputs = (x[:, part, None].unbind() for x in (dentered, dsince, db))
            for b_column, since_row, entered_row, both_row, dentered_row, dsince_row, db_row in zip(
                b_columns, *inputs, *outputs, strict=True
            ):
                torch.mul(since_row, rates, out=share).clamp_(min=LEAST_LOG).exp_().mul_(g)
                torch.bmm(entered_row, share.mT, out=db_row)
                share.mul_(b_column)
                torch.bmm(ones, share, out=dentered_row)
                drates_part.addcmul_(share, both_row)
                torch.bmm(ones, share.mul_(rates), out=dsince_row)
        return dsince.mul_(entered), dentered, drates.sum(0).T, db
