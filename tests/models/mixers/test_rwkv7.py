"""RWKV-7: the laws around its chunks, the paper's recurrence written out in float64, and chunks that stay exact in float32."""

import math

import numpy as np
import pytest
import torch

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import rwkv7, state_bits
from seqsep.models.mixers._rwkv7_chunks import CHUNK
from seqsep.models.mixers.rwkv7 import RWKV7


def moved(width, heads, by=0.3):
    """No parameter at a value, such as 0 or 1, that would hide its part."""
    mixer = RWKV7(width, heads)
    with torch.no_grad():
        for parameter in mixer.parameters():
            parameter.add_(by * torch.randn_like(parameter))
    return mixer


@pytest.mark.slow
@pytest.mark.parametrize(("width", "heads", "time"), [(8, 1, 7), (8, 4, CHUNK), (16, 2, CHUNK + 1), (64, 4, 2 * CHUNK + 5)])
def test_laws(width, heads, time):
    mixer_laws.check_mixer(lambda width: moved(width, heads), width, time)


def recurrence(ours, x):
    """Equations of section 4.1 for one sequence, in NumPy, a loop over tokens and heads."""
    weights = {name: part.detach().numpy() for name, part in ours.named_parameters()}
    heads, width = ours.heads, x.shape[1]
    part = width // heads

    def linear(name, u):
        return u @ weights[f"{name}.weight"].T + weights.get(f"{name}.bias", 0.0)

    def sigmoid(u):
        return 1 / (1 + np.exp(-u))

    state, before, outputs = np.zeros((heads, part, part)), np.zeros(width), []
    for now in x:
        x_r, x_w, x_k, x_v, x_a, x_g = (now + (before - now) * mix for mix in weights["shift"])
        r, k, v = linear("query", x_r), linear("key", x_k), linear("value", x_v)
        w = np.exp(-math.exp(-0.5) * sigmoid(linear("decay_out", np.tanh(linear("decay_in", x_w)))))
        a = sigmoid(linear("rate_out", linear("rate_in", x_a)))
        g = linear("gate_out", sigmoid(linear("gate_in", x_g)))
        replacement = k * ((1 - weights["rate_share"]) + weights["rate_share"] * a)  # lerp(1, a, alpha)
        p = np.zeros(width)
        for head in range(heads):
            own = slice(head * part, (head + 1) * part)
            kappa = (k * weights["removal_scale"])[own]
            kappa = kappa / np.linalg.norm(kappa)
            transition = np.diag(w[own]) - np.outer(kappa, a[own] * kappa)
            state[head] = state[head] @ transition + np.outer(v[own], replacement[own])
            read = state[head] @ r[own]
            normed = (read - read.mean()) / np.sqrt(read.var() + 1e-5 * part)
            normed = normed * weights["group_norm.weight"][own] + weights["group_norm.bias"][own]
            p[own] = normed + (r[own] * weights["bonus"][own] * replacement[own]).sum() * v[own]
        outputs.append(linear("output", g * p))
        before = now
    return np.stack(outputs), state, before


@pytest.mark.parametrize(("width", "heads", "time"), [(8, 2, 1), (8, 1, 23), (12, 3, CHUNK), (16, 2, 3 * CHUNK + 2)])
def test_it_is_the_papers_recurrence(width, heads, time):
    ours, x = moved(width, heads).double(), torch.randn(2, time, width, dtype=torch.float64)
    with torch.no_grad():
        outputs, state = ours(x), ours.prefill(x, ours.start(2), 0)
    for example in range(2):
        expected, matrix, last = recurrence(ours, x[example].numpy())
        assert np.abs(outputs[example].numpy() - expected).max() < 1e-10
        assert np.abs(state.outer_products[example].mT.numpy() - matrix).max() < 1e-10
        assert np.array_equal(state.last[example].numpy(), last)


@pytest.mark.parametrize("bias", [-20.0, 0.0, 20.0])
@pytest.mark.parametrize("time", [CHUNK, 300])
def test_float32_stays_exact_at_every_decay(bias, time):
    """With w_0 = 20 every decay is the fastest there is: within a chunk exp(-c) reaches 2.7e8, and nothing may cancel."""
    ours = moved(16, 2)
    with torch.no_grad():
        ours.decay_out.bias.fill_(bias)
        x = torch.randn(2, time, 16)
        expected = ours.double()(x.double())
        actual = ours.float()(x).double()
    assert float((actual - expected).abs().max()) < 2e-4 * float(expected.abs().max())


def test_gradients_are_those_of_the_steps():
    """Over several chunks, against autograd through `step`."""
    ours, x = moved(8, 2).double(), torch.randn(2, 2 * CHUNK + 3, 8, dtype=torch.float64, requires_grad=True)
    weigh = torch.randn_like(x)
    outputs, state = [], ours.start(2)
    for t in range(x.shape[1]):
        y, state = ours.step(x[:, t], state, t)
        outputs.append(y)
    values = [x, *ours.parameters()]
    expected = torch.autograd.grad((torch.stack(outputs, 1) * weigh).sum(), values)
    for gradient, wanted in zip(torch.autograd.grad((ours(x) * weigh).sum(), values), expected, strict=True):
        assert torch.allclose(gradient, wanted, rtol=1e-9, atol=1e-9)


def test_the_graph_is_no_longer_for_longer_inputs():
    """Neither steps nor chunks are recorded one by one."""

    def nodes(time):
        seen, stack = set(), [RWKV7(8, 2)(torch.randn(2, time, 8)).sum().grad_fn]
        while stack:
            node = stack.pop()
            if node is not None and node not in seen:
                seen.add(node)
                stack += [parent for parent, _ in node.next_functions]
        return len(seen)

    assert nodes(CHUNK) == nodes(4 * CHUNK) == nodes(20 * CHUNK)


def test_state_bits_by_hand():
    assert state_bits(RWKV7(8, 2).start(5)) == (2 * 4 * 4 + 8) * 32


def test_an_empty_input_leaves_the_state():
    ours = RWKV7(8, 2)
    state = ours.prefill(torch.randn(1, 3, 8), ours.start(1), 0)
    for after, expected in zip(ours.prefill(torch.zeros(1, 0, 8), state, 3), state, strict=True):
        assert torch.equal(after, expected)


def test_decay_at_the_start_spreads_from_slow_to_fast():
    slow, fast = rwkv7.RWKV7(64, 4).decay_out.bias.sigmoid()[[0, -1]].tolist()
    assert 0.001 < slow < 0.002
    assert 0.1 < fast < 0.3


def test_bad_heads_are_named():
    with pytest.raises(ValueError, match="heads must divide width"):
        RWKV7(8, 3)
