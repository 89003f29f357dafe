"""The matrix memory of xLSTM obeys the laws, is transformers' layer at equal weights, and never overflows."""

import numpy as np
import pytest
import torch
from transformers import xLSTMConfig
from transformers.models.xlstm.modeling_xlstm import xLSTMLayer

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import MLSTM, state_bits
from support.layers import assert_chunks_change_nothing, assert_memory_is_linear_and_no_step_is_recorded


def spread(mixer):
    """Gates that differ from token to token, and norms with weights of their own."""
    with torch.no_grad():
        for gate in (mixer.input_gate, mixer.forget_gate):
            gate.weight.mul_(6)
            gate.bias.copy_(torch.randn_like(gate.bias))
        for parameter in (mixer.norm.weight, mixer.norm.bias):
            parameter.add_(0.5 * torch.randn_like(parameter))
    return mixer


@pytest.mark.unchecked  # test_mixers.py holds the laws with shapes checked
@pytest.mark.parametrize(("heads", "time", "chunk"), [(2, 19, 5), (4, 7, 1)])
def test_laws(heads, time, chunk):
    mixer_laws.check_mixer(lambda width: spread(MLSTM(width, heads, chunk=chunk)), 8, time)


@pytest.mark.parametrize("chunk", [4, 64])
def test_it_is_the_layer_of_transformers(chunk):
    """That of xLSTM 7B, with as many keys as values and no small number in the denominator. Float32, to 1e-5 of the largest."""
    config = xLSTMConfig(
        hidden_size=16,
        num_heads=4,
        qk_dim_factor=1.0,
        v_dim_factor=1.0,
        num_blocks=1,
        num_hidden_layers=1,
        eps=0.0,
        norm_eps=1e-6,
        chunk_size=8,
        vocab_size=5,
        use_bias=False,
    )
    theirs, ours = xLSTMLayer(config), spread(MLSTM(16, 4, chunk=chunk))
    names = {"q": "query", "k": "key", "v": "value", "ogate_preact": "gate", "out_proj": "output"}
    names |= {"igate_preact": "input_gate", "fgate_preact": "forget_gate", "multihead_norm": "norm"}
    own = ours.state_dict()
    torch.nn.init.zeros_(own["norm.bias"])
    theirs.load_state_dict({name: own[f"{names[name.split('.')[0]]}.{name.split('.')[1]}"] for name in theirs.state_dict()})
    x = torch.randn(3, 24, 16)
    actual, expected = ours(x), theirs(x)[0]
    assert (actual - expected).abs().max() <= 1e-5 * expected.abs().max()


def test_it_is_its_equation_without_a_scale():
    """The docstring's C and n themselves, with exponentials that are not scaled, as loops over heads. Float64, to 1e-12."""
    ours = spread(MLSTM(6, 2, chunk=4)).double()
    x = torch.randn(1, 11, 6, dtype=torch.float64)
    weights = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    memory, sums = np.zeros((2, 3, 3)), np.zeros((2, 3))
    for t, token in enumerate(x[0].numpy()):
        q, k, v = ((weights[f"{name}.weight"] @ token).reshape(2, 3) for name in ("query", "key", "value"))
        i, f = (weights[f"{name}.weight"] @ token + weights[f"{name}.bias"] for name in ("input_gate", "forget_gate"))
        i, f = np.exp(15 * np.tanh(i / 15)), 1 / (1 + np.exp(-15 * np.tanh(f / 15)))
        normed = np.zeros((2, 3))
        for head in range(2):
            key = k[head] / np.sqrt(3)
            memory[head] = f[head] * memory[head] + i[head] * np.outer(key, v[head])
            sums[head] = f[head] * sums[head] + i[head] * key
            h = memory[head].T @ q[head] / max(abs(sums[head] @ q[head]), 1)
            normed[head] = (h - h.mean()) / np.sqrt(h.var() + 1e-6)
        y = normed.reshape(6) * weights["norm.weight"] + weights["norm.bias"]
        expected = weights["output.weight"] @ (y / (1 + np.exp(-weights["gate.weight"] @ token)))
        assert np.allclose(ours(x)[0, t].detach(), expected, rtol=0, atol=1e-12)
    state = ours.prefill(x, ours.start(1), 0)
    found = (state.memory * state.scale.exp()[..., None, None])[0].detach().numpy()
    assert np.allclose(found, np.concatenate([memory, sums[..., None]], axis=-1), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("time", [1, 8, 9, 40])
def test_chunks_change_nothing(time):
    assert_chunks_change_nothing(spread(MLSTM(8, 2)), time)


@pytest.mark.parametrize(("enter", "forget"), [(1e3, 1e3), (-1e3, 1e3), (1e3, -1e3), (-1e3, -1e3)])
def test_the_fastest_and_the_slowest_gates_stay_finite(enter, forget):
    """Gates at their caps: float32 is as float64, outputs and gradients."""
    ours, x = spread(MLSTM(8, 2, chunk=8)), torch.randn(2, 60, 8)
    with torch.no_grad():
        ours.input_gate.bias[0] = enter
        ours.forget_gate.bias[0] = forget
    y = ours(x)
    y.square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in ours.parameters())
    assert torch.allclose(y, ours.double()(x.double()).float(), rtol=0, atol=2e-4)


@pytest.mark.parametrize(("width", "heads"), [(8, 2), (12, 1)])
def test_state_bits_are_the_formula(width, heads):
    assert state_bits(MLSTM(width, heads).start(5)) == 32 * (width**2 // heads + width + heads)


def test_biases_of_the_gates_start_as_in_the_papers_code():
    ours = MLSTM(400, 400)
    ours.initialise(2)
    assert torch.equal(ours.forget_gate.bias, torch.linspace(3, 6, 400))
    assert 0.08 < ours.input_gate.bias.std() < 0.12


def test_memory_is_linear_and_no_step_is_recorded():
    assert_memory_is_linear_and_no_step_is_recorded(MLSTM(8, 2, chunk=8))


def test_bad_heads_are_named():
    with pytest.raises(ValueError, match=r"MLSTM\(width=8, heads=3\): heads must divide"):
        MLSTM(8, 3)
