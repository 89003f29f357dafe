"""Mamba's scan and its last state for a GPU, which is slow at many small operations: CHUNK tokens at a time.

The letters and the gradients are those of `_mamba_scan`. All that does not wait for the token before is one operation for the
tokens of a chunk: decays, what enters, what is read, every gradient. The recurrences themselves, of h_t forward and of its
gradient G_t backward, take one operation a token each. A state is kept at each chunk's head; backward makes the others again.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from seqsep.models.mixers._decay import remaining

CHUNK = 32
"""Tokens whose states are in memory together: 32 x batch x states x inner numbers, a few times."""


class ChunkedScan(torch.autograd.Function):
    """`_mamba_scan.SelectiveScan`: y_t = C_t . h_t + D u_t with h_t = exp(Delta_t A) h_{t-1} + Delta_t B_t u_t."""

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
        rates = a.T.contiguous()
        parts = chunks(u.shape[0])
        kept = u.new_zeros(len(parts), u.shape[1], *rates.shape)
        y = u * skip
        for index, part in enumerate(parts):
            states, _ = _states(kept[index], delta[part], delta[part] * u[part], rates=rates, b=b[part])
            y[part] += (c[part, :, None] @ states[1:])[:, :, 0]
            if index + 1 < len(parts):
                kept[index + 1] = states[-1]
        needed = (u, delta, rates, b, c, skip, kept)
        ctx.save_for_backward(*needed)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        u, delta, rates, b, c, skip, kept = ctx.saved_tensors
        dy = gradients[0].contiguous()
        dentering, ddelta, db, dc = (torch.empty_like(x) for x in (u, delta, b, c))
        drates = torch.zeros_like(rates)
        carried = u.new_zeros(u.shape[1], *rates.shape)
        for index, part in reversed(list(enumerate(chunks(u.shape[0])))):
            entering = delta[part] * u[part]
            states, decays = _states(kept[index], delta[part], entering, rates=rates, b=b[part])
            dc[part] = (states[1:] @ dy[part, :, :, None])[..., 0]
            g = dy[part, :, None] * c[part, :, :, None]
            g[-1] += carried
            for t in range(len(g) - 2, -1, -1):
                g[t].addcmul_(g[t + 1], decays[t + 1])
            db[part] = (g @ entering[..., None])[..., 0]
            dentering[part] = (b[part, :, None] @ g)[:, :, 0]
            carried = g.mul_(decays)[0].clone()
            dexponent = g.mul_(states[:-1])
            drates += (dexponent * delta[part, :, None]).sum((0, 1))
            ddelta[part] = dexponent.mul_(rates).sum(2)
        du = (dentering * delta).addcmul_(dy, skip)
        return du, ddelta.addcmul_(dentering, u), drates.T, db, dc, (dy * u).sum((0, 1))


def _states(
    before: Float[Tensor, "batch states inner"],
    delta: Float[Tensor, "chunk batch inner"],
    entering: Float[Tensor, "chunk batch inner"],
    rates: Float[Tensor, "states inner"],
    b: Float[Tensor, "chunk batch states"],
) -> tuple[Float[Tensor, "more batch states inner"], Float[Tensor, "chunk batch states inner"]]:
    """Return the state before the chunk and after each of its tokens, and the decay at each."""
    decays = remaining(delta[:, :, None] * rates)
    states = torch.empty(len(delta) + 1, *before.shape, dtype=before.dtype, device=before.device)
    states[0] = before
    torch.mul(entering[:, :, None], b[..., None], out=states[1:])
    for t, decay in enumerate(decays):
        states[t + 1].addcmul_(states[t], decay)
    return states, decays


class ChunkedLastState(torch.autograd.Function):
    """`_mamba_scan.LastState`: the sum over t of exp(since_t A) * entered_t B_t."""

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
        for part in chunks(len(since)):
            h += remaining(since[part, :, None] * rates).mul_(entered[part, :, None]).mul_(b[part, ..., None]).sum(0)
        ctx.save_for_backward(since, entered, rates, b)
        return h

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, ...]:
        since, entered, rates, b = ctx.saved_tensors
        dsince, dentered, db = (torch.empty_like(x) for x in (since, entered, b))
        drates = torch.zeros_like(rates)
        for part in chunks(len(since)):
            share = remaining(since[part, :, None] * rates).mul_(gradients[0])
            db[part] = (share @ entered[part, ..., None])[..., 0]
            dentered[part] = share.mul_(b[part, ..., None]).sum(2)
            share.mul_(entered[part, :, None])
            drates += (share * since[part, :, None]).sum((0, 1))
            dsince[part] = share.mul_(rates).sum(2)
        return dsince, dentered, drates.T, db


def chunks(time: int) -> list[slice]:
    """Return slices of the time with CHUNK tokens each, or fewer in the last one."""
    return [slice(first, min(first + CHUNK, time)) for first in range(0, time, CHUNK)]
