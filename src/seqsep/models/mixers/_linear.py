"""Linear layers whose large products on a CPU go to oneDNN: y = W x + b in float32, written as a convolution of width 1.

PyTorch multiplies float32 matrices on x86 with MKL, which on many processors with AVX-512 takes longer than oneDNN. A
convolution of width 1 is the same sum, runs in oneDNN forward and backward, and stays in float32 on every processor, while
`torch.set_float32_matmul_precision("medium")`, which also leads there, rounds factors to bfloat16 on one with AMX.

It is taken on a CPU with AVX-512 for products of at least LEAST_PRODUCTS multiplications whose rows can be cut into
LEAST_IMAGES examples of a convolution or more, if a trial product is as near to float64 as float32 should be (`in_use`).
benchmarks/mixers.py (sections matrices and steps) has both ways beside each other. The environment variable
SEQSEP_PRODUCTS=off keeps F.linear everywhere.
"""

import math
import os
from functools import cache

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

SWITCH = "SEQSEP_PRODUCTS"
LEAST_PRODUCTS = 50_000_000
LEAST_IMAGES = 16  # PyTorch sends convolutions of fewer examples to MKL
MOST_IMAGES = 64
LARGEST_ERROR = 1e-5


class Linear(nn.Linear):
    """y = W x + b, as `nn.Linear`, but that large products on a CPU go to oneDNN.

    >>> layer = Linear(2, 1)
    >>> _ = nn.init.ones_(layer.weight), nn.init.zeros_(layer.bias)
    >>> layer(torch.tensor([[2.0, 3.0]])).tolist()
    [[5.0]]
    """

    def forward(self, input: Float[Tensor, "*shape inputs"]) -> Float[Tensor, "*shape outputs"]:
        return linear(input, self.weight, self.bias)


def linear(
    x: Float[Tensor, "*shape inputs"],
    weight: Float[Tensor, "outputs inputs"],
    bias: Float[Tensor, "outputs"] | None = None,
) -> Float[Tensor, "*shape outputs"]:
    """Return W x + b for every vector of x, as `F.linear` does.

    >>> linear(torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 4.0]])).tolist()
    [11.0]
    """
    rows = x.numel() // max(1, x.shape[-1])
    images = math.gcd(rows, MOST_IMAGES)
    is_large = rows * weight.numel() >= LEAST_PRODUCTS and images >= LEAST_IMAGES
    if not is_large or x.dtype != torch.float32 or x.device.type != "cpu" or in_use() is None:
        return F.linear(x, weight, bias)
    return _convolved(x, weight, bias, images)


def _convolved(
    x: Float[Tensor, "*shape inputs"],
    weight: Float[Tensor, "outputs inputs"],
    bias: Float[Tensor, "outputs"] | None,
    images: int,
) -> Float[Tensor, "*shape outputs"]:
    """Return W x + b by a convolution: the vectors are the pixels of `images` images of height 1, their coordinates the
    channels, stored last.

    What is stored time by time, as an LSTM's outputs are, is taken in that order, forward and backward, and not copied.
    """
    if x.ndim == 3 and not x.is_contiguous() and x.transpose(0, 1).is_contiguous():
        return _convolved(x.transpose(0, 1), weight, bias, images).transpose(0, 1)
    pixels = x.reshape(images, 1, -1, x.shape[-1]).permute(0, 3, 1, 2)
    return F.conv2d(pixels, weight[:, :, None, None], bias).permute(0, 2, 3, 1).reshape(*x.shape[:-1], -1)


@cache
def in_use() -> str | None:
    """Return the library that multiplies large matrices of linear layers on this CPU: "oneDNN", or None for PyTorch's choice.

    Part of what results depend on. Found once a process: oneDNN is there, the processor has AVX-512, and a trial product is
    off by at most 1e-5 of its greatest value. Raises ValueError for a value of SEQSEP_PRODUCTS that is not "off" (or empty).

    >>> in_use() in ("oneDNN", None)
    True
    """
    switch = os.environ.get(SWITCH, "")
    if switch not in ("", "off"):
        raise ValueError(f"{SWITCH}={switch}: off, or not set")
    is_usable = torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() == "AVX512"
    return "oneDNN" if not switch and is_usable and _error_of_a_trial() <= LARGEST_ERROR else None


def _error_of_a_trial() -> float:
    """Return the largest error of a product of fixed numbers, forward and backward, as a share of the greatest value in
    float64.
    """
    with torch.inference_mode(False), torch.enable_grad(), torch.autocast("cpu", enabled=False):
        x = torch.arange(MOST_IMAGES * 40 * 64, dtype=torch.float64, device="cpu").sin().reshape(-1, 64)
        weight = torch.arange(64 * 64, dtype=torch.float64, device="cpu").cos().reshape(64, 64)
        pairs = zip(_product(x, weight), _product(x.float(), weight.float()), strict=True)
        return max(float((found - exact).abs().max() / exact.abs().max()) for exact, found in pairs)


def _product(x: Float[Tensor, "rows inputs"], weight: Float[Tensor, "outputs inputs"]) -> tuple[Tensor, ...]:
    """Return the product as it is computed here, and the gradients of half the sum of its squares."""
    x = x.detach().requires_grad_()
    weight = weight.detach().requires_grad_()
    product = _convolved(x, weight, None, MOST_IMAGES)
    return (product.detach(), *torch.autograd.grad(product.square().sum() / 2, (x, weight)))
