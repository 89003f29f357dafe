"""The blocks of a model: a mixer with its norm, residual connection and MLP."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from seqsep.models.design import Design
from seqsep.models.mixers import Block, Linear, Mixer, State


class MLP(nn.Module):
    """W_2 activation(W_1 x), with biases or without: GPT-2's, in the tanh form of GELU, or ReLU for hand-built networks."""

    def __init__(self, width: int, hidden: int, relu: bool = False, biases: bool = True) -> None:
        super().__init__()
        self.inner = Linear(width, hidden, bias=biases)
        self.outer = Linear(hidden, width, bias=biases)
        self.relu = relu

    def forward(self, x: Float[Tensor, "*shape width"]) -> Float[Tensor, "*shape width"]:
        inner = self.inner(x)
        return self.outer(F.relu(inner) if self.relu else F.gelu(inner, approximate="tanh"))


class GatedMLP(nn.Module):
    """W_2 (activation(W_g x) * (W_1 x)), with biases or without: with ReLU for hand-built networks, or SwiGLU with SiLU.

    Source of SwiGLU: Shazeer 2020 (arXiv:2002.05202), equation 6.

    >>> GatedMLP(width=4, hidden=3)(torch.zeros(2, 4)).shape
    torch.Size([2, 4])
    """

    def __init__(self, width: int, hidden: int, silu: bool = False, biases: bool = True) -> None:
        super().__init__()
        self.gate = Linear(width, hidden, bias=biases)
        self.inner = Linear(width, hidden, bias=biases)
        self.outer = Linear(hidden, width, bias=biases)
        self.silu = silu

    def forward(self, x: Float[Tensor, "*shape width"]) -> Float[Tensor, "*shape width"]:
        gate = self.gate(x)
        return self.outer((F.silu(gate) if self.silu else F.relu(gate)) * self.inner(x))


class Residual(nn.Module):
    """x + mixer(norm(x)), then x + mlp(norm(x)); what there is of residual, norm and MLP, every method treats alike."""

    def __init__(self, mixer: Mixer, block: Block, width: int, mlp: MLP | GatedMLP | None) -> None:
        super().__init__()
        self.mixer = mixer
        self.residual = block.residual
        self.mlp = mlp
        self.norm = normalisation(block.norm, width)
        self.mlp_norm = normalisation(block.norm if mlp is not None else "none", width)

    def forward(self, x: Float[Tensor, "batch time width"]) -> Float[Tensor, "batch time width"]:
        return self._finish(x, self.mixer(self.norm(x)))

    def forward_at(self, x: Float[Tensor, "batch time width"], at: Int64[Tensor, "batch"]) -> Float[Tensor, "batch width"]:
        """Return `forward` at one position per example."""
        rows = torch.arange(x.shape[0], device=x.device)
        return self._finish(x[rows, at], self.mixer.forward_at(self.norm(x), at))

    def step(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], State]:
        """Return the output at time t and the mixer's state after it."""
        mixed, state = self.mixer.step(self.norm(x), state, t)
        return self._finish(x, mixed), state

    def advance(self, x: Float[Tensor, "batch width"], state: State, t: int) -> tuple[Float[Tensor, "batch width"], State]:
        """Return what `step` returns, for a caller that drops `state`."""
        mixed, state = self.mixer.advance(self.norm(x), state, t)
        return self._finish(x, mixed), state

    def step_output(self, x: Float[Tensor, "batch width"], state: State, t: int) -> Float[Tensor, "batch width"]:
        """Return the outputs of `step` for many inputs, each from the same state (of batch 1). No state is returned."""
        return self._finish(x, self.mixer.step_output(self.norm(x), state, t))

    def _finish(self, x: Float[Tensor, "*shape width"], mixed: Float[Tensor, "*shape width"]) -> Float[Tensor, "*shape width"]:
        x = x + mixed if self.residual else mixed
        return x if self.mlp is None else x + self.mlp(self.mlp_norm(x))


def feed_forward(design: Design, width: int) -> MLP | GatedMLP:
    """Return the MLP of a trained block. The caller, who knows the number of blocks, draws its weights.

    >>> feed_forward(Design(), 4).inner.out_features
    16
    """
    hidden = design.hidden or 4 * width
    if design.feed_forward == "swiglu":
        return GatedMLP(width, hidden, silu=True, biases=design.biases)
    return MLP(width, hidden, biases=design.biases)


def normalisation(norm: str, width: int) -> nn.Module:
    """Return LayerNorm as in GPT-2, RMSNorm as in Mamba, or the identity."""
    makers = {"layer": lambda: nn.LayerNorm(width), "rms": lambda: nn.RMSNorm(width, eps=1e-5), "none": nn.Identity}
    return makers[norm]()
