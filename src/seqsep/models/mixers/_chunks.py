"""Time cut into chunks, and the states between the chunks, for mixers whose recurrence is linear.

Inside a chunk every pair of tokens meets in a matrix product; between chunks only the state travels. At a fixed size of chunk,
time and memory are linear in the length.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor


def into_chunks(x: Float[Tensor, "batch *shape"], most: int, axis: int = 1) -> Float[Tensor, "batch *chunked"]:
    """Return x with axis `axis`, time, cut into (chunks, size): chunks of one size, of at most `most` tokens. Zeros fill the
    last one.

    100 tokens are two chunks of 50 if `most` is 64.
    """
    time = x.shape[axis]
    chunks = max(1, -(-time // most))
    size = -(-time // chunks)
    missing = chunks * size - time
    if missing:
        x = torch.cat([x, x.new_zeros(*x.shape[:axis], missing, *x.shape[axis + 1 :])], dim=axis)
    return x.unflatten(axis, (chunks, size))


class StatesBefore(torch.autograd.Function):
    """The state before each chunk, S_{c+1} = decay_c S_c + arrived_c from S_0 = `first`: a loop that autograd never records.

    `decay` holds a matrix for every chunk and head, or (`is_matrix` False) a number that broadcasts against the state.
    With G_c the gradient of S_c, through what reads it and through S_{c+1}: G_c = dS_c + decay_c^T G_{c+1}.
    """

    @staticmethod
    def forward(
        ctx: Any,
        first: Float[Tensor, "*first"],
        decay: Float[Tensor, "some_batch chunks *decay"],
        arrived: Float[Tensor, "batch chunks *state"],
        is_matrix: bool,
    ) -> Float[Tensor, "batch chunks *state"]:
        before = torch.empty_like(arrived)
        before[:, 0] = first
        for chunk in range(arrived.shape[1] - 1):
            _decay_and_add(decay[:, chunk], before[:, chunk], arrived[:, chunk], out=before[:, chunk + 1], is_matrix=is_matrix)
        ctx.save_for_backward(decay, before if ctx.needs_input_grad[1] else None)
        ctx.is_matrix = is_matrix
        return before

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor | None, Tensor | None, Tensor, None]:
        (of_before,) = gradients
        decay, before = ctx.saved_tensors
        turned = decay.mT if ctx.is_matrix else decay
        of_arrived = torch.empty_like(of_before)  # the gradient of the state after each chunk
        of_arrived[:, -1] = 0
        for chunk in range(of_before.shape[1] - 1, 0, -1):
            out = of_arrived[:, chunk - 1]
            _decay_and_add(turned[:, chunk], of_arrived[:, chunk], of_before[:, chunk], out=out, is_matrix=ctx.is_matrix)
        of_first = None
        if ctx.needs_input_grad[0]:
            of_first = torch.empty_like(of_before[:, 0])
            _decay_and_add(turned[:, 0], of_arrived[:, 0], of_before[:, 0], out=of_first, is_matrix=ctx.is_matrix)
        of_decay = None
        if ctx.needs_input_grad[1]:
            of_decay = of_arrived @ before.mT if ctx.is_matrix else (of_arrived * before).sum_to_size(decay.shape)
        return of_first, of_decay, of_arrived, None


def _decay_and_add(decay: Tensor, state: Tensor, added: Tensor, *, out: Tensor, is_matrix: bool) -> None:
    """Write decay state + added."""
    if is_matrix:
        out.copy_(added + decay @ state)
    else:
        torch.addcmul(added, decay, state, out=out)
