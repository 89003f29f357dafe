"""The gated delta rule obeys the laws in every shape of chunk, and is the paper's recurrence at equal weights."""

import numpy as np
import pytest
import torch
from transformers import OlmoHybridConfig, Qwen3NextConfig
from transformers.models.olmo_hybrid.modeling_olmo_hybrid import OlmoHybridGatedDeltaNet
from transformers.models.qwen3_next.modeling_qwen3_next import Qwen3NextGatedDeltaNet

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import _gated_delta_chunks, state_bits
from seqsep.models.mixers.gated_delta import GatedDelta
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "heads", "time", "options"),
    [
        (8, 2, 19, {"chunk": 64}),
        (8, 1, 20, {"chunk": 4}),
        (8, 4, 19, {"chunk": 5, "expand": 1, "conv": 2}),
        (16, 16, 11, {"chunk": 1, "conv": 1}),
        (64, 4, 17, {"chunk": 16}),
        (8, 4, 9, {"chunk": 7, "steps": 3, "negative": True, "expand": 1, "conv": 2}),
    ],
)
def test_laws(width, heads, time, options):
    mixer_laws.check_mixer(lambda width: spread(GatedDelta(width, heads, **options)), width, time)


@pytest.mark.parametrize("chunk", [1, 5, 64])
def test_it_is_the_papers_recurrence(chunk):
    """Equation 10 as printed, S_t = S_{t-1} (a_t (I - b_t k_t k_t^T)) + b_t v_t k_t^T, with S value x key, and o_t = S_t q_t.

    Around it the layer of section 3.4. Float64, to 1e-12.
    """
    ours = spread(GatedDelta(6, 2, chunk=chunk)).double()
    x = torch.randn(1, 13, 6, dtype=torch.float64)
    weights = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    inputs = x[0].numpy()
    before = np.concatenate([np.zeros((3, 24)), inputs @ weights["input.weight"].T])

    def sigmoid(u):
        return 1 / (1 + np.exp(-u))

    def unit(u):
        return u / np.sqrt(u @ u + 1e-6)

    states = np.zeros((2, 6, 3))
    for t in range(13):
        convolved = sum(before[t + tap] * weights["convolution.weight"][:, 0, tap] for tap in range(4))
        convolved = convolved * sigmoid(convolved)
        gate = weights["gate.weight"] @ inputs[t]
        read = np.zeros(12)
        for head in range(2):
            q, k = unit(convolved[3 * head : 3 * head + 3]), unit(convolved[6 + 3 * head : 9 + 3 * head])
            v = convolved[12 + 6 * head : 18 + 6 * head]
            step = np.log1p(np.exp(weights["decay.weight"][head] @ inputs[t] + weights["step_bias"][head]))
            a, b = np.exp(-np.exp(weights["log_rate"][head]) * step), sigmoid(weights["write.weight"][head] @ inputs[t])
            states[head] = states[head] @ (a * (np.eye(3) - b * np.outer(k, k))) + b * np.outer(v, k)
            o = states[head] @ q
            read[6 * head : 6 * head + 6] = o / np.sqrt((o**2).mean() + 1e-5) * weights["norm.weight"]
        expected = weights["output.weight"] @ (read * gate * sigmoid(gate))
        assert np.allclose(ours(x)[0, t].detach(), expected, rtol=0, atol=1e-12)


def test_it_is_the_layer_of_qwen3_next():
    """A layer of transformers with as many heads for keys as for values; float32 there, so 1e-5 of the largest number.

    It divides q by sqrt(key), here 2: its norm's epsilon is ours divided by 4.
    """
    config = Qwen3NextConfig(
        hidden_size=16,
        linear_num_key_heads=4,
        linear_num_value_heads=4,
        linear_key_head_dim=4,
        linear_value_head_dim=8,
        linear_conv_kernel_dim=4,
        rms_norm_eps=1e-5 / 4,
        num_hidden_layers=1,
        hidden_act="silu",
    )
    theirs, ours = Qwen3NextGatedDeltaNet(config, 0), spread(GatedDelta(16, 4, chunk=8))
    with torch.no_grad():
        q, k, v = (part.unflatten(0, (4, -1)) for part in ours.input.weight.split([16, 16, 32]))
        by_head = torch.cat([q, k, v, ours.gate.weight.unflatten(0, (4, -1))], dim=1)
        theirs.in_proj_qkvz.weight.copy_(by_head.flatten(0, 1))
        theirs.in_proj_ba.weight.copy_(torch.stack([ours.write.weight, ours.decay.weight], dim=1).flatten(0, 1))
        theirs.conv1d.weight.copy_(ours.convolution.weight)
        theirs.dt_bias.copy_(ours.step_bias)
        theirs.A_log.copy_(ours.log_rate)
        theirs.norm.weight.copy_(ours.norm.weight)
        theirs.out_proj.weight.copy_(ours.output.weight)
    x = torch.randn(3, 21, 16)
    actual, expected = ours(x), theirs(x)
    assert (actual - expected).abs().max() <= 1e-5 * expected.abs().max()


def test_negative_is_the_layer_of_olmo_hybrid():
    """A layer of transformers, whose rates are twice a sigmoid too. It divides q by sqrt(key), here 2."""
    config = OlmoHybridConfig(
        hidden_size=16,
        linear_num_key_heads=4,
        linear_num_value_heads=4,
        linear_key_head_dim=4,
        linear_value_head_dim=8,
        linear_conv_kernel_dim=4,
        linear_allow_neg_eigval=True,
        num_hidden_layers=2,
        layer_types=["linear_attention", "full_attention"],
    )
    theirs, ours = OlmoHybridGatedDeltaNet(config, 0), spread(GatedDelta(16, 4, chunk=8, negative=True))
    theirs.o_norm.variance_epsilon /= 4
    names = {
        "conv1d.weight": "convolution.weight",
        "a_proj.weight": "decay.weight",
        "b_proj.weight": "write.weight",
        "dt_bias": "step_bias",
        "A_log": "log_rate",
        "g_proj.weight": "gate.weight",
        "o_norm.weight": "norm.weight",
        "o_proj.weight": "output.weight",
    }
    weights = {name: ours.state_dict()[own] for name, own in names.items()}
    parts = zip("qkv", ours.input.weight.split([16, 16, 32]), strict=True)
    theirs.load_state_dict(weights | {f"{letter}_proj.weight": part for letter, part in parts})
    x = torch.randn(3, 21, 16)
    actual, expected = ours(x), theirs(x)
    assert (actual - expected).abs().max() <= 1e-5 * expected.abs().max()


def wave(*shape, by):
    return torch.sin(by * torch.arange(1, 1 + np.prod(shape), dtype=torch.float64)).reshape(shape)


@pytest.mark.parametrize("chunk", [1, 4, 64])
def test_steps_are_the_product_of_flash_linear_attention(chunk):
    """`naive_recurrent_gated_delta_product` of fla 0.6.0 with 3 Householder factors gave these numbers in float32."""
    q, k = (torch.nn.functional.normalize(wave(1, 5, *shape, by=by), dim=-1) for shape, by in (((1, 3), 1), ((3, 1, 3), 1.3)))
    v, b, log_decay = wave(1, 5, 3, 1, 2, by=0.7), 2 * wave(1, 5, 3, 1, by=0.9).abs(), -wave(1, 5, 1, by=2).abs()
    layer = GatedDelta(3, 1, steps=3)
    k, v, log_decay, b = layer._in_line(k, v, log_decay, b)
    last = _gated_delta_chunks.last_state(k, v, log_decay=log_decay, b=b, most=chunk)
    q = torch.cat([torch.zeros(1, 5, 2, 1, 3), q[:, :, None]], dim=2).flatten(1, 2)
    read = _gated_delta_chunks.read(q.double(), k, v, log_decay=log_decay, b=b, most=chunk)[:, 2::3]
    expected = [-0.72028, -0.00725, -0.48903, 0.05002, -1.38031, -0.84466, -0.26215, 1.02996, 2.05668, 1.81396]
    assert torch.allclose(read.flatten(), torch.tensor(expected).double(), rtol=0, atol=1e-5)
    expected = [-0.06064, -0.24301, 1.92142, 1.66208, 1.0886, 1.13222]
    assert torch.allclose(last.flatten(), torch.tensor(expected).double(), rtol=0, atol=1e-5)


def test_steps_are_the_docstrings_recurrence():
    """The product of three delta rules, each in turn, with the state of every head as a matrix in NumPy. Float64, to 1e-12."""
    ours = spread(GatedDelta(6, 2, steps=3, negative=True)).double()
    x = torch.randn(1, 9, 6, dtype=torch.float64)
    weights = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}
    before = np.concatenate([np.zeros((3, 60)), x[0].numpy() @ weights["input.weight"].T])
    states = np.zeros((2, 3, 6))
    for t, token in enumerate(x[0].numpy()):
        u = sum(before[t + tap] * weights["convolution.weight"][:, 0, tap] for tap in range(4))
        u = u / (1 + np.exp(-u))
        keys, values = u[6:24].reshape(3, 2, 3), u[24:].reshape(3, 2, 6)
        rates = 2 / (1 + np.exp(-weights["write.weight"] @ token)).reshape(3, 2)
        steps = np.log1p(np.exp(weights["decay.weight"] @ token + weights["step_bias"]))
        states = states * np.exp(-np.exp(weights["log_rate"]) * steps)[:, None, None]
        for one in range(3):
            for head in range(2):
                k = keys[one, head] / np.sqrt(keys[one, head] @ keys[one, head] + 1e-6)
                removal = np.eye(3) - rates[one, head] * np.outer(k, k)
                states[head] = removal @ states[head] + rates[one, head] * np.outer(k, values[one, head])
    found = ours.prefill(x, ours.start(1), 0).associations[0].detach()
    assert np.allclose(found, states, rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"steps": 3, "negative": True}])
@pytest.mark.parametrize("time", [1, 7, 8, 9, 16, 40])
def test_chunks_change_nothing(time, options):
    assert_chunks_change_nothing(spread(GatedDelta(8, 2, **options)), time)


def test_a_rate_of_two_keeps_a_parity_for_ever():
    """A reflection at every token: the sign of the state is the parity of the tokens, after 400 of them in float32 too."""
    ours = GatedDelta(2, 1, expand=1, conv=1, negative=True)
    with torch.no_grad():
        ours.log_rate.fill_(-100)
        ours.convolution.weight.fill_(32)
        ours.write.weight.copy_(torch.tensor([[100.0, 0.0]]))
        ours.input.weight.copy_(torch.tensor([[1.0, 0], [0, 0], [1, 0], [0, 0], [0, 1], [0, 1]]))
    first = ours.step(torch.tensor([[1.0, 1.0]]), ours.start(1), 0)[1]
    x = torch.tensor([[[1.0, 0.0]]]).expand(1, 400, 2)
    for tokens in (1, 2, 399, 400):
        after = ours.prefill(x[:, :tokens], first, 1).associations
        assert torch.equal(after[0, 0, 0], (-1) ** tokens * first.associations[0, 0, 0]), tokens


def test_a_step_of_one_is_the_layer_as_it_was():
    """The weights that seeds draw, and their order, do not depend on the new settings."""
    torch.manual_seed(3)
    plain = GatedDelta(8, 2).state_dict()
    torch.manual_seed(3)
    negative = GatedDelta(8, 2, negative=True).state_dict()
    assert list(plain) == list(negative)
    assert all(torch.equal(plain[name], negative[name]) for name in plain)


def test_a_value_replaces_the_one_its_key_found():
    """With b = 1 and a = 1 a key's value is read back exactly, whatever was written to it before."""
    ours = GatedDelta(4, 1, conv=1).double()
    with torch.no_grad():
        ours.log_rate.fill_(-100)
        ours.write.weight.copy_(torch.full((1, 4), 100.0))
    x = torch.tensor([[2.0, 1.0, 3.0, 1.0], [1.0, 4.0, 1.0, 2.0]], dtype=torch.float64)[[0, 1, 0, 0, 0, 0, 0, 0, 0, 1]]
    state = ours.start(1)
    for t, one in enumerate(x):
        state = ours.step(one[None], state, t)[1]
    _, key, value = ours._split(torch.nn.functional.silu(ours.input(x[-1]) * ours.convolution.weight[:, 0, 0]))
    assert torch.allclose(key[0] @ state.associations[0, 0], value[0], atol=1e-5)


@pytest.mark.parametrize(("width", "heads", "options"), [(8, 2, {}), (64, 4, {}), (6, 3, {"expand": 3, "conv": 2, "steps": 4})])
def test_state_bits_are_the_formula(width, heads, options):
    expand, conv, steps = ({"expand": 2, "conv": 4, "steps": 1} | options).values()
    expected = 32 * (expand * width**2 // heads + (conv - 1) * (1 + steps * (1 + expand)) * width)
    assert state_bits(GatedDelta(width, heads, **options).start(5)) == expected


def test_initial_rates_and_steps_are_the_papers():
    ours = GatedDelta(2000, 2000, expand=1)
    rates, steps = ours.log_rate.exp(), torch.nn.functional.softplus(ours.step_bias)
    assert 0 < rates.min() < 0.1
    assert 15.9 < rates.max() <= 16.001
    assert abs(rates.mean() - 8) < 0.4
    assert 0.00099 < steps.min() < 0.0011
    assert 0.09 < steps.max() < 0.1001


def test_initialise_is_gpt2s():
    ours = GatedDelta(64, 4)
    ours.initialise(8, deviation=0.5)
    assert abs(ours.input.weight.std() - 0.5) < 0.02
    assert abs(ours.output.weight.std() - 0.5 / 4) < 0.01


def test_forgetting_all_at_once_is_finite():
    assert_forgetting_at_once_is_finite(spread(GatedDelta(8, 2, chunk=8)), 1e-4)


@pytest.mark.parametrize("negative", [False, True])
def test_one_key_again_and_again_stays_exact(negative):
    """The worst triangular system: every token the same, so that powers of it would grow as binomials."""
    ours = GatedDelta(8, 1, chunk=64, negative=negative)
    with torch.no_grad():
        ours.log_rate.fill_(-100)
        ours.write.weight.fill_(5)
    x = torch.ones(1, 128, 8)
    assert torch.allclose(ours(x), ours.double()(x.double()).float(), rtol=0, atol=1e-5)


@pytest.mark.parametrize("steps", [1, 2])
def test_memory_is_linear_and_no_step_is_recorded(steps):
    assert_memory_is_linear_and_no_step_is_recorded(GatedDelta(8, 2, chunk=8, steps=steps))


@pytest.mark.parametrize("heads", [0, 3])
def test_bad_heads_are_named(heads):
    with pytest.raises(ValueError, match=rf"GatedDelta\(width=8, heads={heads}\): heads must divide"):
        GatedDelta(8, heads)
