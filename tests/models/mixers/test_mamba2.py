"""Mamba-2 obeys the laws in every shape of chunk, and is transformers' Mamba-2 at equal weights."""

import re

import numpy as np
import pytest
import torch
from transformers import Mamba2Config
from transformers.models.mamba2.modeling_mamba2 import Mamba2Mixer

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import state_bits
from seqsep.models.mixers._chunks import into_chunks
from seqsep.models.mixers.mamba2 import Mamba2
from support.layers import (
    assert_chunks_change_nothing,
    assert_forgetting_at_once_is_finite,
    assert_memory_is_linear_and_no_step_is_recorded,
    with_spread_parameters,
)


def spread(mixer):
    return with_spread_parameters(mixer, [mixer.skip, mixer.norm.weight])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "heads", "time", "options"),
    [
        (8, 2, 19, {"chunk": 64}),
        (8, 1, 20, {"chunk": 4}),
        (8, 4, 19, {"chunk": 5, "states": 3, "conv": 2}),
        (16, 8, 11, {"chunk": 1, "expand": 1, "conv": 1}),
        (16, 32, 16, {"chunk": 16}),
        (64, 4, 17, {"chunk": 16}),
    ],
)
def test_laws(width, heads, time, options):
    mixer_laws.check_mixer(lambda width: spread(Mamba2(width, heads, **options)), width, time)


@pytest.mark.parametrize("chunk", [4, 64])
def test_it_is_the_one_of_transformers(chunk):
    """Outputs and gradients of inputs and weights; that code computes in float32, so 1e-5 of the largest number."""
    config = Mamba2Config(
        hidden_size=16,
        num_heads=4,
        head_dim=8,
        state_size=12,
        expand=2,
        n_groups=1,
        chunk_size=8,
        layer_norm_epsilon=1e-5,
        num_hidden_layers=1,
    )
    theirs, ours = Mamba2Mixer(config, 0), spread(Mamba2(16, 4, states=12, chunk=chunk))
    names = {
        "in_proj.weight": "input.weight",
        "conv1d.weight": "convolution.weight",
        "conv1d.bias": "convolution.bias",
        "dt_bias": "step_bias",
        "A_log": "log_rate",
        "D": "skip",
        "norm.weight": "norm.weight",
        "out_proj.weight": "output.weight",
    }
    theirs.load_state_dict({theirs_name: ours.state_dict()[name] for theirs_name, name in names.items()})
    assert set(names.values()) == set(ours.state_dict())
    results = []
    for mixer in (ours, theirs):
        x = torch.sin(torch.arange(3 * 21 * 16.0)).reshape(3, 21, 16).requires_grad_()
        y = mixer(x)
        (y * torch.cos(torch.arange(y.numel())).reshape(y.shape)).sum().backward()
        gradients = dict(mixer.named_parameters())
        results.append((y, x.grad, *(gradients[name].grad for name in (names.values() if mixer is ours else names))))
    for actual, expected in zip(*results, strict=True):
        assert (actual - expected).abs().max() <= 1e-5 * expected.abs().max()


def test_it_is_its_equation():
    """The docstring's recurrence as loops over numbers, in float64."""
    ours = spread(Mamba2(4, 2, states=3, chunk=4)).double()
    x = torch.randn(1, 11, 4, dtype=torch.float64)
    weights = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    projected = x[0].numpy() @ weights["input.weight"].T
    gate, mixed, size = projected[:, :8], projected[:, 8:22], projected[:, 22:]
    before = np.concatenate([np.zeros((3, 14)), mixed])

    def silu(u):
        return u / (1 + np.exp(-u))

    h = np.zeros((2, 3, 4))
    for t in range(11):
        convolved = sum(before[t + tap] * weights["convolution.weight"][:, 0, tap] for tap in range(4))
        convolved = silu(convolved + weights["convolution.bias"])
        u, b, c = convolved[:8].reshape(2, 4), convolved[8:11], convolved[11:]
        delta = np.log1p(np.exp(size[t] + weights["step_bias"]))
        y = np.zeros((2, 4))
        for head in range(2):
            h[head] = np.exp(-delta[head] * np.exp(weights["log_rate"][head])) * h[head] + np.outer(b, delta[head] * u[head])
            y[head] = c @ h[head] + weights["skip"][head] * u[head]
        y = y.reshape(8) * silu(gate[t])
        y = y / np.sqrt((y**2).mean() + 1e-5) * weights["norm.weight"]
        assert np.allclose(ours(x)[0, t].detach(), weights["output.weight"] @ y, rtol=0, atol=1e-12)


@pytest.mark.parametrize("time", [1, 7, 8, 9, 16, 40])
def test_chunks_change_nothing(time):
    assert_chunks_change_nothing(spread(Mamba2(8, 2)), time)


def test_chunks_are_even_and_no_longer_than_asked():
    chunks_and_sizes = [tuple(into_chunks(torch.ones(1, time, 2), 64).shape[1:3]) for time in (1, 63, 64, 65, 100, 128, 129)]
    assert chunks_and_sizes == [(1, 1), (1, 63), (1, 64), (2, 33), (2, 50), (2, 64), (3, 43)]


@pytest.mark.parametrize(
    ("width", "heads", "options"), [(8, 2, {}), (64, 4, {}), (6, 3, {"states": 5, "expand": 3, "conv": 2})]
)
def test_state_bits_are_the_formula(width, heads, options):
    given = {"states": 64, "expand": 2, "conv": 4} | options
    inner, states, conv = given["expand"] * width, given["states"], given["conv"]
    expected = 32 * (inner * states + (conv - 1) * (inner + 2 * states))
    assert state_bits(Mamba2(width, heads, **options).start(5)) == expected


def test_initial_rates_and_steps_are_the_papers():
    ours = Mamba2(2000, 4000, states=1)
    rates, steps = ours.log_rate.exp(), torch.nn.functional.softplus(ours.step_bias)
    assert 1 <= rates.min() < 1.1
    assert 15.9 < rates.max() <= 16.001
    assert abs(rates.mean() - 8.5) < 0.3
    assert 0.00099 < steps.min() < 0.0011
    assert 0.09 < steps.max() < 0.1001
    assert abs(steps.log10().mean() + 2) < 0.05
    assert torch.equal(ours.skip, torch.ones(4000))


def test_deeper_stacks_write_less():
    ours = Mamba2(8, 2)
    before = ours.output.weight.clone()
    ours.initialise(4)
    assert torch.allclose(ours.output.weight, before / 2)


def test_forgetting_all_at_once_is_finite():
    assert_forgetting_at_once_is_finite(spread(Mamba2(8, 2, chunk=8)), 1e-5)


def test_memory_is_linear_and_no_step_is_recorded():
    assert_memory_is_linear_and_no_step_is_recorded(Mamba2(8, 2, chunk=8))


@pytest.mark.parametrize(("heads", "expand"), [(3, 2), (0, 2), (16, 1)])
def test_bad_heads_are_named(heads, expand):
    words = f"Mamba2: heads: expected a divisor of {8 * expand} (expand {expand} x width 8), found {heads}"
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        Mamba2(8, heads, expand=expand)
