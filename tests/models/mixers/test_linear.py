"""Linear layers: both ways of a large product give the same numbers, as near to float64 as float32 is."""

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F

from seqsep.models.mixers import _linear as linear_file
from seqsep.models.mixers._linear import LARGEST_ERROR, LEAST_PRODUCTS, Linear, in_use, linear

LARGE = ((64, 100, 96), 90), ((6400, 96), 90), ((2, 16, 200, 96), 90)


def taken(x: torch.Tensor, weight: torch.Tensor, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return True if the product goes to oneDNN on a processor that has it."""
    calls = []
    convolved = linear_file._convolved
    monkeypatch.setattr(linear_file, "in_use", lambda: "oneDNN")
    monkeypatch.setattr(linear_file, "_convolved", lambda *arguments: calls.append(1) or convolved(*arguments))
    found = linear(x, weight)
    monkeypatch.undo()
    assert torch.allclose(found, F.linear(x, weight), atol=1e-4)
    return bool(calls)


@pytest.mark.parametrize(("shape", "outputs"), LARGE)
@pytest.mark.parametrize("has_bias", [True, False])
def test_large_products_are_those_of_float64(
    shape: tuple[int, ...], outputs: int, has_bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outputs and every gradient, of the convolution on any processor."""
    monkeypatch.setattr(linear_file, "in_use", lambda: "oneDNN")
    assert torch.Size(shape).numel() * outputs >= LEAST_PRODUCTS
    torch.manual_seed(0)
    layer = Linear(shape[-1], outputs, bias=has_bias)
    x = torch.randn(shape, requires_grad=True)
    ahead = torch.randn(*shape[:-1], outputs)
    found = layer(x)
    gradients = torch.autograd.grad((found * ahead).sum(), [x, *layer.parameters()])
    exact_layer = torch.nn.Linear(shape[-1], outputs, bias=has_bias, dtype=torch.float64)
    exact_layer.load_state_dict(layer.state_dict())
    exact_x = x.detach().double().requires_grad_()
    exact = exact_layer(exact_x)
    exact_gradients = torch.autograd.grad((exact * ahead.double()).sum(), [exact_x, *exact_layer.parameters()])
    assert found.shape == exact.shape
    for ours, theirs in zip((found, *gradients), (exact, *exact_gradients), strict=True):
        assert float((ours - theirs).detach().abs().max() / theirs.detach().abs().max()) < 1e-5


def test_vectors_stored_time_by_time_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """As an LSTM's outputs are: the same product, output and gradient are stored as the vectors are."""
    monkeypatch.setattr(linear_file, "in_use", lambda: "oneDNN")
    torch.manual_seed(0)
    by_time = torch.randn(100, 64, 96, requires_grad=True)
    weight = torch.randn(90, 96)
    found = linear(by_time.transpose(0, 1), weight)
    assert found.transpose(0, 1).is_contiguous()
    assert torch.allclose(found, F.linear(by_time.transpose(0, 1), weight), atol=1e-4)
    (gradient,) = torch.autograd.grad(found.square().sum(), by_time)
    assert gradient.is_contiguous()
    assert torch.allclose(gradient, torch.autograd.grad(F.linear(by_time, weight).square().sum(), by_time)[0], atol=1e-2)
    assert linear(by_time[:, :1].transpose(0, 1).expand(64, -1, -1), weight).shape == (64, 100, 90)


def test_only_large_float32_products_on_a_cpu_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.randn(64, 100, 96)
    weight = torch.randn(90, 96)
    assert taken(x, weight, monkeypatch)
    assert not taken(x[:, :50], weight, monkeypatch)
    assert not taken(x.double(), weight.double(), monkeypatch)
    assert not taken(x.flatten(0, 1)[:6399], weight, monkeypatch)  # an odd number of rows makes no images
    assert linear(torch.zeros(64, 0, 96), weight).shape == (64, 0, 90)
    assert linear(torch.zeros(64, 100, 96, device="meta"), weight.to("meta")).shape == (64, 100, 90)


def test_products_of_shorter_factors_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trial product sees factors that were rounded to bfloat16, as a processor with AMX may round them."""
    assert linear_file._error_of_a_trial() <= LARGEST_ERROR
    convolution = F.conv2d
    monkeypatch.setattr(F, "conv2d", lambda x, *rest: convolution(x.bfloat16().to(x.dtype), *rest))
    assert linear_file._error_of_a_trial() > LARGEST_ERROR


@pytest.mark.parametrize("context", [torch.inference_mode, torch.no_grad, lambda: torch.autocast("cpu", torch.bfloat16)])
def test_the_trial_does_not_depend_on_who_asks_first(context) -> None:
    with context():
        assert linear_file._error_of_a_trial() <= LARGEST_ERROR


@pytest.mark.slow
@pytest.mark.parametrize(("switch", "status", "said"), [("off", 0, "None"), ("on", 1, "SEQSEP_PRODUCTS=on: off, or not set")])
def test_the_switch(switch: str, status: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEQSEP_PRODUCTS", switch)
    command = [sys.executable, "-c", "from seqsep.models.mixers import products_in_use; print(products_in_use())"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert said in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("capability", "error", "expected"),
    [("AVX512", LARGEST_ERROR, "oneDNN"), ("AVX512", 1.01 * LARGEST_ERROR, None), ("AVX2", 0.0, None), ("DEFAULT", 0.0, None)],
)
def test_in_use_follows_the_processor_and_the_trial(
    capability: str, error: float, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SEQSEP_PRODUCTS", raising=False)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    monkeypatch.setattr(linear_file, "_error_of_a_trial", lambda: error)
    assert in_use.__wrapped__() == expected
    monkeypatch.setenv("SEQSEP_PRODUCTS", "off")
    assert in_use.__wrapped__() is None


def test_the_trial_here_is_float32s() -> None:
    """On any processor that oneDNN runs on; one that rounds to bfloat16 would be off by more than 1e-3."""
    assert 0 < linear_file._error_of_a_trial() <= LARGEST_ERROR
