"""What `mamba2` and `gated_delta` share: time cut into chunks, decays inside a chunk, and the convolution over a few tokens.

Both are linear recurrences with a decay a_t <= 1 per head. Inside a chunk every pair of tokens meets in a matrix product;
between chunks only the state travels: at a fixed size of chunk, time and memory are linear in the length.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn


def cut(x: Float[Tensor, "batch time *shape"], most: int) -> Float[Tensor, "batch chunks size *shape"]:
    """Chunks of one size, at most `most` tokens; zeros fill the last one. 100 tokens are two chunks of 50 where most is 64."""
    batch, time, *shape = x.shape
    chunks = max(1, -(-time // most))
    size = -(-time // chunks)
    if chunks * size > time:
        x = torch.cat([x, x.new_zeros(batch, chunks * size - time, *shape)], dim=1)
    return x.unflatten(1, (chunks, size))


LEAST_LOG = -40.0


def left(log: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """exp(log), what decays have left of something, but never less than e^-40, 4e-18: nothing beside 1, in float64 too.

    Below e^-87 exp of float32 leaves a CPU's vectors and takes a hundred times as long, and products with what is left fall
    below 1e-38, where a CPU is slow at everything; a layer that forgets fast would take several times as long for a step.
    """
    return log.clamp(min=LEAST_LOG).exp()


def decays(total: Float[Tensor, "*shape size"]) -> Float[Tensor, "*shape size size"]:
    """exp(total_i - total_j), what is left at token i of token j, where j <= i, and 0 for a token j still to come.

    `total` sums log a up to each token of a chunk. A mask comes before exp, which would overflow for what is to come.
    """
    size = total.shape[-1]
    to_come = torch.ones(size, size, dtype=torch.bool, device=total.device).triu(1)
    return left((total[..., :, None] - total[..., None, :]).masked_fill(to_come, 0)).tril()


def since(log_decay: Float[Tensor, "batch time heads"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch time heads"]:
    """What is left of each token at token `at`, and 0 behind it; summed from `at` backwards, where the large shares are."""
    times = torch.arange(log_decay.shape[1], device=at.device)
    between = F.pad(log_decay[:, 1:], (0, 0, 0, 1)).masked_fill((times >= at[:, None])[..., None], 0)
    return left(between.flip(1).cumsum(1).flip(1)).masked_fill((times > at[:, None])[..., None], 0)


def convolve(x: Float[Tensor, "batch time channels"], by: nn.Conv1d) -> Float[Tensor, "batch time channels"]:
    """silu of a causal convolution of each channel; the last tap meets the present token.

    Done as a convolution of images one pixel high: their layout with channels last is ours, so nothing is transposed, and on a
    CPU it takes half the time of a sum of shifted copies.
    """
    images = F.pad(x, (0, 0, by.kernel_size[0] - 1, 0)).mT[:, :, None]
    return F.silu(F.conv2d(images, by.weight[:, :, None], by.bias, groups=by.groups)[:, :, 0].mT)


def convolve_step(
    x: Float[Tensor, "batch channels"], window: Float[Tensor, "batch before channels"], by: nn.Conv1d
) -> tuple[Float[Tensor, "batch channels"], Float[Tensor, "batch before channels"]]:
    """`convolve` at one token, and the window of inputs that the next one needs."""
    seen = torch.cat([window, x[:, None]], dim=1)
    mixed = (seen * by.weight[:, 0].T).sum(1)
    return F.silu(mixed if by.bias is None else mixed + by.bias), seen[:, 1:]


def initial_step_bias(heads: int) -> Float[Tensor, "heads"]:
    """The inverse of softplus at step sizes log-uniform in 0.001 .. 0.1, as Mamba draws them."""
    size = torch.exp(math.log(0.001) + torch.rand(heads) * math.log(0.1 / 0.001)).clamp(min=1e-4)
    return size + torch.log(-torch.expm1(-size))
