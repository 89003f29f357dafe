"""Kimi delta attention obeys the laws in every shape of chunk, and is transformers' layer at equal weights."""

import numpy as np
import pytest
import torch
from transformers import KimiLinearConfig
from transformers.models.kimi_linear.modeling_kimi_linear import KimiLinearDeltaAttention

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import KDA, _gated_delta_chunks, _kda_chunks, state_bits
from support.layers import (
    assert_chunks_change_nothing,
    assert_forgetting_at_once_is_finite,
    assert_memory_is_linear_and_no_step_is_recorded,
    with_spread_parameters,
)


def spread(mixer):
    with torch.no_grad():
        mixer.write.weight.mul_(3)
    return with_spread_parameters(mixer, [mixer.norm.weight])


@pytest.mark.unchecked  # test_mixers.py holds the laws with shapes checked
@pytest.mark.parametrize(
    ("width", "heads", "time", "options"), [(8, 2, 19, {"chunk": 5}), (16, 16, 7, {"chunk": 1, "conv": 1})]
)
def test_laws(width, heads, time, options):
    mixer_laws.check_mixer(lambda width: spread(KDA(width, heads, **options)), width, time)


@pytest.mark.parametrize("chunk", [4, 64])
def test_it_is_the_layer_of_transformers(chunk):
    """It divides q by sqrt(key), here 2: its norm's epsilon is ours divided by 4. Float32, to 1e-5 of the largest number."""
    config = KimiLinearConfig(
        hidden_size=16,
        linear_num_heads=4,
        linear_head_dim=4,
        linear_conv_kernel_dim=4,
        rms_norm_eps=1e-5 / 4,
        num_hidden_layers=1,
        layer_types=["linear_attention"],
        hidden_act="silu",
    )
    theirs, ours = KimiLinearDeltaAttention(config, 0), spread(KDA(16, 4, chunk=chunk))
    own = ours.state_dict()
    names = {
        "conv1d.weight": "convolution.weight",
        "forget_gate.f_a_proj.weight": "decay_in.weight",
        "forget_gate.f_b_proj.weight": "decay_out.weight",
        "forget_gate.dt_bias": "step_bias",
        "b_proj.weight": "write.weight",
        "g_a_proj.weight": "gate_in.weight",
        "g_b_proj.weight": "gate_out.weight",
        "o_norm.weight": "norm.weight",
        "o_proj.weight": "output.weight",
    }
    weights = {name: own[ours_name] for name, ours_name in names.items()}
    weights |= {f"{letter}_proj.weight": part for letter, part in zip("qkv", own["input.weight"].chunk(3), strict=True)}
    theirs.load_state_dict(weights | {"forget_gate.A_log": own["log_rate"].view(1, 1, 4, 1)})
    x = torch.randn(3, 21, 16)
    actual, expected = ours(x), theirs(x)
    assert (actual - expected).abs().max() <= 1e-5 * expected.abs().max()


def wave(*shape, by):
    return torch.sin(by * torch.arange(1, 1 + np.prod(shape), dtype=torch.float64)).reshape(shape)


@pytest.mark.parametrize("chunk", [1, 2, 16])
def test_chunks_are_the_recurrence_of_flash_linear_attention(chunk):
    """`naive_recurrent_kda` of fla 0.6.0 gave these numbers in float32."""
    q, k = (torch.nn.functional.normalize(wave(1, 5, 1, 3, by=by), dim=-1) for by in (1, 1.3))
    v, log_decay, b = wave(1, 5, 1, 2, by=0.7), -wave(1, 5, 1, 3, by=2).abs(), wave(1, 5, 1, by=0.9).abs()
    read = _kda_chunks.read(q, k, v, log_decay=log_decay, b=b, most=chunk)
    expected = [0.37063, 0.56695, -0.02799, -0.14676, 0.14557, 0.33186, 0.30464, 0.06979, -0.12325, -0.23053]
    assert torch.allclose(read.flatten(), torch.tensor(expected).double(), rtol=0, atol=1e-5)
    last = _kda_chunks.last_state(k, v, log_decay=log_decay, b=b, most=chunk)
    expected = [0.00509, -0.51319, -0.11623, -0.26593, -0.06453, 0.29097]
    assert torch.allclose(last.flatten(), torch.tensor(expected).double(), rtol=0, atol=1e-5)


def test_equal_decays_are_the_gated_delta_rule():
    q, k = (torch.nn.functional.normalize(torch.randn(2, 37, 3, 4, dtype=torch.float64), dim=-1) for _ in range(2))
    v, b = torch.randn(2, 37, 3, 5, dtype=torch.float64), torch.rand(2, 37, 3, dtype=torch.float64)
    log_decay = -torch.rand(2, 37, 3, dtype=torch.float64)
    expected = _gated_delta_chunks.read(q, k, v, log_decay=log_decay, b=b, most=10)
    by_coordinate = log_decay[..., None].expand_as(k)
    assert torch.allclose(_kda_chunks.read(q, k, v, log_decay=by_coordinate, b=b, most=8), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("time", [1, 8, 9, 40])
def test_chunks_change_nothing(time):
    assert_chunks_change_nothing(spread(KDA(8, 2)), time)


def test_one_coordinate_is_forgotten_and_the_others_stay():
    """With b = 0 a token only decays: the row of S whose coordinate forgets goes to 0, and the others keep their values."""
    ours = KDA(4, 1, conv=1).double()
    with torch.no_grad():
        ours.write.weight.fill_(-100)
        ours.decay_out.weight.zero_()
        ours.step_bias.copy_(torch.tensor([50.0, -100, -100, -100]))
    state = ours.start(1)
    before = torch.randn_like(state.associations)
    after = ours.prefill(torch.ones(1, 20, 4, dtype=torch.float64), state._replace(associations=before), 0).associations
    assert after[0, 0, 0].abs().max() < 1e-12
    assert torch.allclose(after[0, 0, 1:], before[0, 0, 1:], atol=1e-12)


@pytest.mark.parametrize(("width", "heads", "conv"), [(8, 2, 4), (6, 3, 2)])
def test_state_bits_are_the_formula(width, heads, conv):
    expected = 32 * (width**2 // heads + (conv - 1) * 3 * width)
    assert state_bits(KDA(width, heads, conv=conv).start(5)) == expected


def test_initial_rates_and_steps_are_those_of_the_code():
    ours = KDA(2000, 2000)
    rates, steps = ours.log_rate.exp(), torch.nn.functional.softplus(ours.step_bias)
    assert 1 <= rates.min() < 1.1
    assert 15.9 < rates.max() <= 16.001
    assert 0.00099 < steps.min() < 0.0011
    assert 0.09 < steps.max() < 0.1001


def test_forgetting_all_at_once_is_finite():
    assert_forgetting_at_once_is_finite(spread(KDA(8, 2, chunk=8)), 1e-4)


def test_memory_is_linear_and_no_step_is_recorded():
    assert_memory_is_linear_and_no_step_is_recorded(KDA(8, 2, chunk=8))


def test_bad_heads_are_named():
    with pytest.raises(ValueError, match=r"KDA\(width=8, heads=3\): heads must divide"):
        KDA(8, 3)
