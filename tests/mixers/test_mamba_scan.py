"""Mamba's scan: parts of a batch, and inputs shorter than its convolution."""

import torch

from seqsep.laws import mixer as mixer_laws
from seqsep.mixers import Mamba, _mamba_scan


def test_in_parts_of_the_batch(monkeypatch):
    """The scan takes a few examples at a time; a batch that they do not divide gives what each example gives alone."""
    monkeypatch.setattr(_mamba_scan, "NUMBERS_AT_ONCE", 8 * 16 * 16)
    torch.manual_seed(0)
    mamba = Mamba(8).double()
    x = torch.randn(19, 11, 8, dtype=torch.float64)
    y = mamba(x)
    y.square().sum().backward()
    gradients = [parameter.grad.clone() for parameter in mamba.parameters()]
    mamba.zero_grad()
    for example, expected in zip(x, y, strict=True):
        alone = mamba(example[None])
        assert torch.allclose(alone[0], expected, atol=1e-12)
        alone.square().sum().backward()
    for gradient, parameter in zip(gradients, mamba.parameters(), strict=True):
        assert torch.allclose(gradient, parameter.grad, atol=1e-9)


def test_fewer_tokens_than_the_convolution():
    mixer_laws.check_mixer(lambda width: Mamba(width, conv=8), 4, 6)


def test_a_layer_that_forgets_at_once_keeps_the_laws():
    """Rates e^4 as high: exponents below -40 stand at -40 in `forward` and not in `step`."""
    torch.manual_seed(0)

    def fast(width: int) -> Mamba:
        mamba = Mamba(width)
        with torch.no_grad():
            mamba.log_decay += 4
            mamba.step_size.bias += 3
        return mamba

    mamba = fast(8).requires_grad_(False)
    sizes = torch.nn.functional.softplus(mamba.step_size.bias)[:, None]
    assert float((-mamba.log_decay.exp() * sizes).min()) < -200
    mixer_laws.check_mixer(fast, 8, 9)
