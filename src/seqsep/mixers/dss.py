"""Diagonal state space (DSS-exp): per channel a linear recurrence with a complex diagonal, run as a convolution.

    lambda = -exp(Lambda_re) + i exp(Lambda_im), Delta = exp(log_step) per channel        (n = 1 .. states)
    s_t = exp(lambda Delta) s_{t-1} + u_t                                  (complex, per channel and n)
    y_t = Re sum_n w_n (exp(lambda_n Delta) - 1) / lambda_n s_t[n] + D u_t
    out = W_O gelu(y)

Source: Gupta et al. 2022 (arXiv:2203.14343), Proposition 1(a) and section 3 (DSS-exp). DSS-softmax, the paper's other form,
is not here: its kernel depends on the length of the input, so it is not a recurrence.
We differ: both parts of Lambda are exponentials, so the real part stays negative and the imaginary part positive, and one
step size serves both; Lambda starts at S4D-Lin's values -1/2 + i pi n (Gu et al. 2022, arXiv:2206.11893), which approximate
the eigenvalues of Skew-HiPPO that the paper starts from.
State: s, `states` complex numbers per channel (two floats each).
`forward` is a Fourier convolution with the kernel.
"""

import math
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Complex, Float, Int64
from torch import Tensor, nn

from seqsep.mixers.base import Block, Mixer, State


class Memory(NamedTuple):
    state: Complex[Tensor, "batch width states"]


def single(u: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """At least 32 bits: Fourier transforms have no form in bfloat16."""
    return u.float() if u.dtype == torch.bfloat16 else u


class DSS(Mixer):
    name: ClassVar[str] = "dss"
    block: ClassVar[Block] = Block(norm="layer")

    def __init__(self, width: int, heads: int = 1, states: int = 64) -> None:
        """`heads` is taken for the sake of one signature and not used."""
        super().__init__()
        self.log_real = nn.Parameter(torch.full((states,), math.log(0.5)))
        self.log_imaginary = nn.Parameter(torch.log(math.pi * (torch.arange(states) + 1e-3)))
        self.log_step = nn.Parameter(torch.empty(width).uniform_(math.log(0.001), math.log(0.1)))
        self.weight = nn.Parameter(torch.randn(width, states, 2))
        self.skip = nn.Parameter(torch.randn(width))
        self.output = nn.Linear(width, width)

    def _modes(self) -> tuple[Complex[Tensor, "width states"], Complex[Tensor, "width states"]]:
        """lambda Delta, and the read-out w (exp(lambda Delta) - 1) / lambda."""
        diagonal = torch.complex(-self.log_real.exp(), self.log_imaginary.exp())
        rate = diagonal * self.log_step.exp()[:, None]
        return rate, torch.view_as_complex(self.weight) * (rate.exp() - 1) / diagonal

    def _kernel(self, time: int) -> Float[Tensor, "width time"]:
        """Re sum_n readout_n exp(rate_n t), in real numbers, whose exponential and cosine run several at once."""
        rate, readout = self._modes()
        t = torch.arange(time, device=rate.device)
        size, angle = (rate.real[..., None] * t).exp(), rate.imag[..., None] * t
        real = torch.einsum("wn,wnt->wt", readout.real, size * angle.cos())
        return real - torch.einsum("wn,wnt->wt", readout.imag, size * angle.sin())

    def _finish(self, y: Float[Tensor, "*shape width"], x: Float[Tensor, "*shape width"]) -> Tensor:
        return self.output(F.gelu(y + self.skip * x))

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        time = x.shape[1]
        inputs, kernel = single(x.transpose(1, 2)), single(self._kernel(time))
        transformed = torch.fft.rfft(inputs, n=2 * time) * torch.fft.rfft(kernel, n=2 * time)
        return self._finish(torch.fft.irfft(transformed, n=2 * time)[..., :time].transpose(1, 2), x)

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """One output is one sum, of the kernel at each input's age."""
        kernel = F.pad(self._kernel(x.shape[1]), (0, 1)).T
        age = at[:, None] - torch.arange(x.shape[1], device=x.device)
        y = (x * kernel[torch.where(age < 0, x.shape[1], age)]).sum(1)
        return self._finish(y, x[torch.arange(x.shape[0], device=x.device), at])

    def start(self, batch: int) -> Memory:
        shape = (batch, self.log_step.shape[0], self.log_real.shape[0])
        return Memory(torch.zeros(shape, dtype=self.weight.dtype.to_complex(), device=self.weight.device))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], Memory]:
        rate, readout = self._modes()
        after = rate.exp() * state[0] + x[..., None]
        return self._finish((readout * after).sum(-1).real, x), Memory(after)
