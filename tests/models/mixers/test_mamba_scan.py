"""Mamba's scan: parts of a batch, inputs shorter than its convolution, and the same in the order of a GPU."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import Mamba, _mamba_scan, _mamba_scan_gpu
from seqsep.models.mixers import mamba as file_of_mamba


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


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """The functions for a GPU, on the processor, and chunks that tests of a few tokens have several of."""
    monkeypatch.setattr(_mamba_scan_gpu, "CHUNK", 4)
    monkeypatch.setattr(file_of_mamba, "_scan", lambda x: _mamba_scan_gpu.ChunkedScan)
    monkeypatch.setattr(file_of_mamba, "_last_state", lambda x: _mamba_scan_gpu.ChunkedLastState)


def inputs(time, *, last=False, width=3, states=5, batch=2):
    """u, Delta, A, B, C and D; or since, what entered, A and B."""
    made = torch.Generator().manual_seed(time)

    def drawn(*shape):
        return torch.randn(*shape, dtype=torch.float64, generator=made)

    first, second = drawn(time, batch, width), drawn(time, batch, width).abs()
    a, b, c = -drawn(width, states).abs(), drawn(time, batch, states), drawn(time, batch, states)
    parts = [second, first, a, b] if last else [first, second, a, b, c, drawn(width)]
    return [part.requires_grad_() for part in parts]


@pytest.mark.parametrize("time", [1, 3, 4, 5, 11])
@pytest.mark.parametrize("name", ["Scan", "LastState"])
def test_a_gpu_scans_in_chunks_what_the_processor_scans(name, time, as_on_a_gpu):
    ours = getattr(_mamba_scan_gpu, f"Chunked{name}")
    other = _mamba_scan.SelectiveScan if name == "Scan" else _mamba_scan.LastState
    parts = inputs(time, last=name == "LastState")
    found, expected = ours.apply(*parts), other.apply(*parts)
    assert torch.allclose(found, expected, atol=1e-12)
    weights = torch.randn(found.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    pairs = zip(torch.autograd.grad(found, parts, weights), torch.autograd.grad(expected, parts, weights), strict=True)
    for gradient, correct in pairs:
        assert torch.allclose(gradient, correct, atol=1e-12)
    assert torch.autograd.gradcheck(ours.apply, parts)


def test_chunks_are_as_long_as_said():
    assert [(part.start, part.stop) for part in _mamba_scan_gpu.chunks(70)] == [(0, 32), (32, 64), (64, 70)]


def test_in_chunks_mamba_keeps_the_laws(as_on_a_gpu):
    mixer_laws.check_mixer(Mamba, 8, 11)


class Operations(TorchDispatchMode):
    """Counts operations that are no views."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += not function.is_view
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize(("scan", "a_token"), [(_mamba_scan.SelectiveScan, 20), (_mamba_scan_gpu.ChunkedScan, 4)])
def test_operations_of_a_token(scan, a_token):
    """Forward and backward, of 64 further tokens: on a GPU these are what launching takes time for."""
    counts = []
    for time in (64, 128):
        parts = inputs(time)
        with Operations() as operations:
            scan.apply(*parts).sum().backward()
        counts.append(operations.count)
    assert (counts[1] - counts[0]) / 64 == pytest.approx(a_token, abs=0.25)
