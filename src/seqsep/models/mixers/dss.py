"""Diagonal state space (DSS-exp): per channel a linear recurrence with a complex diagonal, run as a convolution.

    lambda = -exp(Lambda_re) + i exp(Lambda_im), Delta = exp(log_step) per channel        (n = 1 .. states)
    s_t = exp(lambda Delta) s_{t-1} + u_t                                  (complex, per channel and n)
    y_t = Re sum_n w_n (exp(lambda_n Delta) - 1) / lambda_n s_t[n] + D u_t
    out = W_O gelu(y)

State: s, which has `states` complex numbers per channel. These are 2 * width * states real numbers.
Source: Gupta et al. 2022 (arXiv:2203.14343), Proposition 1(a) and section 3 (DSS-exp). The other form in the paper,
DSS-softmax, is not included: its kernel depends on the length of the input, so it is not a recurrence.
We differ: both parts of Lambda are exponentials and share one step size. So the real part stays negative and the imaginary
part positive. Lambda starts at the values of S4D-Lin, -1/2 + i pi n (Gu et al. 2022, arXiv:2206.11893). These approximate the
eigenvalues of Skew-HiPPO, at which the paper starts.
Names: `log_real` and `log_imaginary` are Lambda_re and Lambda_im, `weight` is w, `skip` is D and `output` is W_O. The input x
is u.
`forward` is a Fourier convolution with the kernel of the recurrence.

    >>> layer = DSS(width=4, states=8)
    >>> layer.start(1).state.shape
    torch.Size([1, 4, 8])
"""

import math
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Complex, Float, Int64
from torch import Tensor, nn

from seqsep.models.mixers._linear import Linear
from seqsep.models.mixers.base import Block, Mixer, State

PREFILLED_AT_ONCE = 64


class Memory(NamedTuple):
    """The state s."""

    state: Complex[Tensor, "batch width states"]


class DSS(Mixer):
    """A diagonal state space per channel, run as a convolution; equations at the head of the file."""

    name: ClassVar[str] = "dss"
    block: ClassVar[Block] = Block(norm="layer")

    def __init__(self, width: int, heads: int = 1, states: int = 64) -> None:
        """Build the layer. `heads` is not used: every mixer takes it."""
        super().__init__()
        self.log_real = nn.Parameter(torch.full((states,), math.log(0.5)))
        self.log_imaginary = nn.Parameter(torch.log(math.pi * (torch.arange(states) + 1e-3)))
        self.log_step = nn.Parameter(torch.empty(width).uniform_(math.log(0.001), math.log(0.1)))
        self.weight = nn.Parameter(torch.randn(width, states, 2))
        self.skip = nn.Parameter(torch.randn(width))
        self.output = Linear(width, width)

    def start(self, batch: int) -> Memory:
        shape = (batch, self.log_step.shape[0], self.log_real.shape[0])
        return Memory(torch.zeros(shape, dtype=self.weight.dtype.to_complex(), device=self.weight.device))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        rate, readout = self._modes()
        after = rate.exp() * state[0] + x[..., None]
        return self._project_out((readout * after).sum(-1).real, x), Memory(after)

    def _modes(self) -> tuple[Complex[Tensor, "width states"], Complex[Tensor, "width states"]]:
        """Return lambda Delta, and the read-out w (exp(lambda Delta) - 1) / lambda."""
        diagonal = torch.complex(-self.log_real.exp(), self.log_imaginary.exp())
        rate = diagonal * self.log_step.exp()[:, None]
        return rate, torch.view_as_complex(self.weight) * (rate.exp() - 1) / diagonal

    def _project_out(
        self, read: Float[Tensor, "*shape width"], x: Float[Tensor, "*shape width"]
    ) -> Float[Tensor, "*shape width"]:
        """Return W_O gelu(y), where y is the sum of D u and the numbers read from the state."""
        return self.output(F.gelu(read + self.skip * x))

    def prefill(self, x: Float[Tensor, "batch time width"], state: State, t: int) -> Memory:
        rate, _ = self._modes()
        after = state[0]
        for part in x.split(PREFILLED_AT_ONCE, dim=1):
            age = torch.arange(part.shape[1] - 1, -1, -1, device=x.device)
            kernel = (rate[..., None] * age).exp()
            entered = torch.einsum("wnt,btw->bwn", kernel, part.to(kernel.dtype))
            after = (rate * part.shape[1]).exp() * after + entered
        return Memory(after)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        time = x.shape[1]
        inputs = at_least_float32(x.transpose(1, 2))
        kernel = at_least_float32(self._kernel(time))
        transformed = torch.fft.rfft(inputs, n=2 * time) * torch.fft.rfft(kernel, n=2 * time)
        read = torch.fft.irfft(transformed, n=2 * time)[..., :time]
        return self._project_out(read.transpose(1, 2), x)

    def _kernel(self, time: int) -> Float[Tensor, "width time"]:
        """Return Re sum_n readout_n exp(rate_n t), in real numbers: a CPU computes several of their exponentials and cosines at
        once.
        """
        rate, readout = self._modes()
        t = torch.arange(time, device=rate.device)
        size = (rate.real[..., None] * t).exp()
        angle = rate.imag[..., None] * t
        real = torch.einsum("wn,wnt->wt", readout.real, size * angle.cos())
        return real - torch.einsum("wn,wnt->wt", readout.imag, size * angle.sin())

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return one output per example: one sum, of the inputs weighted by the kernel at their age."""
        time = x.shape[1]
        kernel = F.pad(self._kernel(time), (0, 1)).T  # the last row, for inputs after the queried one, is 0
        age = at[:, None] - torch.arange(time, device=x.device)
        read = (x * kernel[torch.where(age < 0, time, age)]).sum(1)
        return self._project_out(read, x[torch.arange(x.shape[0], device=x.device), at])


def at_least_float32(u: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return u, in float32 if it is bfloat16, which Fourier transforms do not take."""
    return u.float() if u.dtype == torch.bfloat16 else u
