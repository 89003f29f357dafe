"""Decays of linear recurrences, in logarithms: what they leave of a token, and the step sizes that they start from.

A recurrence S_t = a_t S_{t-1} + .. with a_t <= 1 leaves exp(sum of log a) of a token after some time.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

LEAST_LOG = -40.0


def remaining(log_decay: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return exp(log_decay), but at least e^-40 = 4e-18, which is negligible next to 1 in float64 too.

    Below e^-87 a CPU takes a hundred times as long for exp in float32, and it is slow at every product below 1e-38: a layer
    that forgets fast would take several times as long for a step.
    """
    return log_decay.clamp(min=LEAST_LOG).exp()


def decay_between_tokens(total: Float[Tensor, "*shape size"]) -> Float[Tensor, "*shape size size"]:
    """Return exp(total_i - total_j), the share of token j <= i that is left at token i, and 0 for a later token j.

    `total` sums log a up to each token of a chunk. The mask comes before exp, which would overflow for later tokens.
    """
    size = total.shape[-1]
    is_later = torch.ones(size, size, dtype=torch.bool, device=total.device).triu(1)
    return remaining((total[..., :, None] - total[..., None, :]).masked_fill(is_later, 0)).tril()


def decay_until(log_decay: Float[Tensor, "batch time heads"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch time heads"]:
    """Return the share that `at` has of each token, 0 for later ones; summed backwards from `at`, where shares are large."""
    times = torch.arange(log_decay.shape[1], device=at.device)
    log_decay_after = F.pad(log_decay[:, 1:], (0, 0, 0, 1))
    until_asked = log_decay_after.masked_fill((times >= at[:, None])[..., None], 0)
    return remaining(until_asked.flip(1).cumsum(1).flip(1)).masked_fill((times > at[:, None])[..., None], 0)


def initial_step_bias(count: int) -> Float[Tensor, "count"]:
    """Return the inverse of softplus at step sizes that are log-uniform in 0.001 .. 0.1, as Mamba draws them."""
    size = torch.exp(math.log(0.001) + torch.rand(count) * math.log(0.1 / 0.001)).clamp(min=1e-4)
    return size + torch.log(-torch.expm1(-size))
