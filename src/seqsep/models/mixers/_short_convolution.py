"""The causal convolution over a few tokens in front of `mamba2` and `gated_delta`: of a sequence, and one token at a time."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


def convolve(x: Float[Tensor, "batch time channels"], by: nn.Conv1d) -> Float[Tensor, "batch time channels"]:
    """Return silu of a causal convolution of each channel. The last tap meets the present token.

    Computed as a convolution of images one pixel high: their layout with channels last is ours, so nothing is transposed, and
    a CPU takes half as long as for a sum of shifted copies.
    """
    images = F.pad(x, (0, 0, by.kernel_size[0] - 1, 0)).mT[:, :, None]
    mixed = F.conv2d(images, by.weight[:, :, None], by.bias, groups=by.groups)
    return F.silu(mixed[:, :, 0].mT)


def convolve_step(
    x: Float[Tensor, "batch channels"], window: Float[Tensor, "batch before channels"], by: nn.Conv1d
) -> tuple[Float[Tensor, "batch channels"], Float[Tensor, "batch before channels"]]:
    """Return `convolve` at one token, and the window of inputs that the next token needs."""
    seen = torch.cat([window, x[:, None]], dim=1)
    mixed = (seen * by.weight[:, 0].T).sum(1)
    if by.bias is not None:
        mixed = mixed + by.bias
    return F.silu(mixed), seen[:, 1:]
