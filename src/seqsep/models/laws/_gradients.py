"""The law of gradients: they agree with finite differences, and every parameter that is trained has one."""

from collections.abc import Mapping

import torch
from torch import Tensor

from seqsep.models.laws._comparison import MANY_TOKENS, many_tokens, require
from seqsep.models.mixers import Mixer

TOO_COARSE = "finite differences were not taken: numbers of less than 64 bits are too coarse for them"
"""Said of the gradients of a layer that is checked in float32."""


def gradients_are_right(mixer: Mixer, x: Tensor) -> str | None:
    """Gradients of `forward` and `forward_at` agree with finite differences (gradcheck), for inputs and parameters. On
    MANY_TOKENS tokens, every trained parameter has a gradient.
    """
    small = x[:2, :6].clone().requires_grad_()
    last = small.shape[1] - 1
    at = torch.tensor([5, 2])[: len(small)].clamp(max=last)
    trained = {name: parameter for name, parameter in mixer.named_parameters() if parameter.requires_grad}
    at_one_position = _ForwardAt(mixer)

    def outputs(inputs: Tensor, *values: Tensor) -> tuple[Tensor, Tensor]:
        parameters = dict(zip(trained, values, strict=True))
        nested = {f"mixer.{name}": value for name, value in parameters.items()}
        everywhere = torch.func.functional_call(mixer, parameters, (inputs,))
        return everywhere, torch.func.functional_call(at_one_position, nested, (inputs, at))

    unused = ", ".join(_without_gradient(mixer, x, trained))
    words = f"which forward of {MANY_TOKENS} tokens does not use or cuts off from its output: it is never trained"
    require(not unused, mixer, f"no gradient reaches {unused}, {words}")
    if x.dtype != torch.float64:
        return TOO_COARSE
    right = torch.autograd.gradcheck(outputs, (small, *trained.values()), fast_mode=True, raise_exception=False)
    require(right, mixer, "a gradient of forward or forward_at differs from finite differences")
    return None


def _without_gradient(mixer: Mixer, x: Tensor, trained: Mapping[str, Tensor]) -> list[str]:
    """Return the names of the parameters that the outputs do not depend on, as far as autograd sees."""
    total = mixer(many_tokens(x)).sum()
    if not total.requires_grad:
        return list(trained)
    gradients = torch.autograd.grad(total, list(trained.values()), allow_unused=True) if trained else ()
    return [name for name, gradient in zip(trained, gradients, strict=True) if gradient is None]


class _ForwardAt(torch.nn.Module):
    """`forward_at` as a module's forward, so that parameters can be put in from outside."""

    def __init__(self, mixer: Mixer) -> None:
        super().__init__()
        self.mixer = mixer

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        return self.mixer.forward_at(x, at)
