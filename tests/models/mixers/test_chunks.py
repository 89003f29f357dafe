"""Inputs longer than a chunk: the laws hold, the numbers are those of one chunk, and memory is linear in the length."""

import math

import pytest
import torch

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import LinearAttention, Retention
from seqsep.models.mixers._decay import decay_between_tokens


def chunked(mixer: type, size: int) -> type:
    return type(mixer.__name__, (mixer,), {"chunk": size})


@pytest.mark.slow
@pytest.mark.parametrize("mixer", [LinearAttention, Retention])
@pytest.mark.parametrize(("chunk", "time"), [(4, 19), (5, 20), (1, 6), (18, 19)])
def test_laws_in_chunks(mixer, chunk, time):
    mixer_laws.check_mixer(lambda width: chunked(mixer, chunk)(width, 2), 8, time)


@pytest.mark.parametrize("mixer", [LinearAttention, Retention])
def test_chunks_change_no_number(mixer):
    """Outputs and gradients equal those of the quadratic form."""
    whole, parts = mixer(8, 2).double(), chunked(mixer, 7)(8, 2).double()
    parts.load_state_dict(whole.state_dict())
    x = torch.randn(2, 40, 8, dtype=torch.float64)
    for ours in (whole, parts):
        ours(x).square().sum().backward()
    assert torch.allclose(whole(x), parts(x), atol=1e-12)
    for expected, parameter in zip(whole.parameters(), parts.parameters(), strict=True):
        assert torch.allclose(parameter.grad, expected.grad, atol=1e-9)


@pytest.mark.parametrize("mixer", [LinearAttention, Retention])
def test_no_tensor_of_a_long_input_is_quadratic(mixer):
    """The memory that autograd keeps grows in proportion to the length."""

    def kept(time: int) -> int:
        sizes = []
        with torch.autograd.graph.saved_tensors_hooks(lambda part: sizes.append(part.numel()) or part, lambda part: part):
            mixer(16, 2)(torch.randn(1, time, 16))
        return sum(sizes)

    first = kept(1024)
    assert kept(4096) < 4.2 * first


def test_decays_never_underflow():
    """Between tokens of a chunk: exactly exp(total_i - total_j) down to e^-40, and exactly 0 for what is to come."""
    total = torch.tensor([-1.0, -3.0, -70.0, -1000.0]).cumsum(0)
    decay = decay_between_tokens(total)
    assert torch.equal(decay[:2, :2], torch.tensor([[1.0, 0.0], [math.exp(-3.0), 1.0]]))
    assert torch.equal(decay.triu(1), torch.zeros(4, 4))
    assert torch.equal(decay[3, :3], torch.full((3,), -40.0).exp())
    assert decay.tril().add(1 - torch.ones(4, 4).tril()).min() > 4e-18
