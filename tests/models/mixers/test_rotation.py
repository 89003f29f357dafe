"""The rotating state space obeys the laws in every shape of chunk, is its equation in complex numbers, and counts modulo m."""

import math

import numpy as np
import pytest
import torch

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import Rotation, rotation, state_bits
from support.layers import assert_chunks_change_nothing, assert_memory_is_linear_and_no_step_is_recorded


def spread(mixer):
    """Steps and angles that are large enough to matter, and no parameters that are equal."""
    with torch.no_grad():
        for parameter in (mixer.skip, mixer.norm.weight):
            parameter.add_(0.5 * torch.randn_like(parameter))
        mixer.step_bias.copy_(torch.randn_like(mixer.step_bias))
        mixer.input.weight[-mixer.heads * mixer.states // 2 :].mul_(4)
    return mixer


@pytest.mark.unchecked  # test_mixers.py holds the laws with shapes checked
@pytest.mark.parametrize(
    ("width", "heads", "time", "options"),
    [(8, 2, 19, {"chunk": 5, "states": 6}), (8, 4, 11, {"chunk": 1, "states": 2, "expand": 1, "conv": 1})],
)
def test_laws(width, heads, time, options):
    mixer_laws.check_mixer(lambda width: spread(Rotation(width, heads, **options)), width, time)


@pytest.mark.parametrize("chunk", [1, 4, 64])
def test_it_is_its_equation_in_complex_numbers(chunk):
    """A pair of states is one complex number, which is multiplied by a e^(i theta). Loops over numbers, float64, to 1e-12."""
    ours = spread(Rotation(4, 2, states=6, chunk=chunk)).double()
    x = torch.randn(1, 11, 4, dtype=torch.float64)
    weights = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    projected = x[0].numpy() @ weights["input.weight"].T
    gate, mixed, size, rate, turn = np.split(projected, [8, 28, 30, 32], axis=1)
    before = np.concatenate([np.zeros((3, 20)), mixed])

    def silu(u):
        return u / (1 + np.exp(-u))

    def softplus(u):
        return np.log1p(np.exp(u))

    h = np.zeros((2, 3, 4), dtype=complex)
    for t in range(11):
        convolved = sum(before[t + tap] * weights["convolution.weight"][:, 0, tap] for tap in range(4))
        convolved = silu(convolved + weights["convolution.bias"])
        u, b, c = convolved[:8].reshape(2, 4), convolved[8:14], convolved[14:]
        b, c = b[0::2] + 1j * b[1::2], c[0::2] + 1j * c[1::2]
        y = np.zeros((2, 4))
        for head in range(2):
            delta = softplus(size[t, head] + weights["step_bias"][head])
            theta = math.pi * delta * np.tanh(turn[t, 3 * head : 3 * head + 3])
            factor = np.exp(-delta * softplus(rate[t, head]) + 1j * theta)
            h[head] = factor[:, None] * h[head] + np.outer(b, delta * u[head])
            y[head] = (c.conj() @ h[head]).real + weights["skip"][head] * u[head]
        y = y.reshape(8) * silu(gate[t])
        y = y / np.sqrt((y**2).mean() + 1e-5) * weights["norm.weight"]
        assert np.allclose(ours(x)[0, t].detach(), weights["output.weight"] @ y, rtol=0, atol=1e-12)


@pytest.mark.parametrize("time", [1, 8, 9, 40])
def test_chunks_change_nothing(time):
    assert_chunks_change_nothing(spread(Rotation(8, 2, states=4)), time)


@pytest.mark.parametrize("modulus", [2, 3, 5])
def test_a_pair_counts_modulo_m(modulus):
    """The first token writes (1, 0); each of the others turns it by an m-th of a turn. After 3,000 the angle is still exact."""
    ours = Rotation(2, 1, states=2, expand=1, conv=1)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.zero_()
        ours.step_bias.fill_(math.log(math.e - 1))  # a step size of 1
        ours.convolution.weight.fill_(1)
        _, u, b, _, _, rate, turn = ours.input.weight.split([2, 2, 2, 2, 1, 1, 1])
        u[0, 1] = b[0, 1] = 10
        rate.fill_(-100)
        turn[0, 0] = math.atanh(2 / modulus) if modulus > 2 else 100
    first = ours.step(torch.tensor([[0.0, 1.0]]), ours.start(1), 0)[1]
    one = first.state[0, 0, 0, 0]
    for tokens in (1, 2, 7, 3001):
        x = torch.tensor([1.0, 0.0]).expand(1, tokens, 2)
        pair = ours.prefill(x, first, 1).state[0, 0, :, 0] / one
        angle = 2 * math.pi * (tokens % modulus) / modulus
        assert torch.allclose(pair, torch.tensor([math.cos(angle), math.sin(angle)]), atol=2e-3), tokens


def test_phases_stay_exact_for_200_000_tokens():
    """In float32 a plain sum of so many angles of about 3 is off by more than 0.01."""
    angle = 3 + 0.1 * torch.randn(1, 200_000, 1, 1)
    phase, exact = rotation._phases(angle), angle.double().cumsum(1)
    assert phase.abs().max() < 3.15
    assert (phase.double().cos() - exact.cos()).abs().max() < 1e-6
    assert (angle.cumsum(1).double().cos() - exact.cos()).abs().max() > 1e-2


@pytest.mark.parametrize(("width", "heads", "options"), [(8, 2, {}), (6, 3, {"states": 4, "expand": 3, "conv": 2})])
def test_state_bits_are_the_formula(width, heads, options):
    given = {"states": 64, "expand": 2, "conv": 4} | options
    inner, states, conv = given["expand"] * width, given["states"], given["conv"]
    expected = 32 * (inner * states + (conv - 1) * (inner + 2 * states))
    assert state_bits(Rotation(width, heads, **options).start(5)) == expected


def test_memory_is_linear_and_no_step_is_recorded():
    assert_memory_is_linear_and_no_step_is_recorded(Rotation(8, 2, states=4, chunk=8))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"heads": 3}, r"heads: expected a divisor of 16 \(expand 2 x width 8\), found 3"),
        ({"heads": 2, "states": 5}, "states: expected an even number, found 5"),
    ],
)
def test_bad_sizes_are_named(options, words):
    with pytest.raises(ValueError, match=f"^Rotation: {words}$"):
        Rotation(8, **options)
