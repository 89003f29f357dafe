"""Every mixer obeys the laws; golden references at equal weights; a broken mixer is caught."""

import hashlib
import inspect
import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import (
    DSS,
    LSTM,
    MIXERS,
    THEOREM_MIXERS,
    Attention,
    Automaton,
    LinearAttention,
    Mamba,
    Retention,
    SlidingAttention,
    state_bits,
    state_from_bytes,
    state_to_bytes,
)
from support.bfloat16 import require_bfloat16


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
@pytest.mark.parametrize(("width", "time"), [(8, 19), (16, 7)])
def test_laws(mixer, width, time):
    mixer_laws.check_mixer(lambda width: mixer(width, 2), width, time)


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_forward_is_no_recorded_loop_over_time(mixer):
    """The graph that autograd records has the same number of nodes at every length."""

    def nodes(time: int) -> int:
        y = mixer(8, 2)(torch.randn(2, time, 8)).sum()
        seen, stack = set(), [y.grad_fn]
        while stack:
            node = stack.pop()
            if node is not None and node not in seen:
                seen.add(node)
                stack += [parent for parent, _ in node.next_functions]
        return len(seen)

    assert nodes(71) == nodes(211)  # beyond every window and chunk; zeros fill the last chunk, as both are primes


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_bfloat16_sends_gradients_back_through_every_chunk(mixer):
    require_bfloat16(mixer.name)
    ours, x = mixer(8, 2), torch.randn(2, 130, 8)
    gradients = []
    for enabled in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            y = ours(x)
        gradients.append(torch.autograd.grad(y.float().square().sum(), next(ours.parameters()))[0])
    assert (gradients[1] - gradients[0]).abs().max() < 0.1 * gradients[0].abs().max()


class Plain(LSTM):
    """An outside author's mixer may keep its state in a plain tuple."""

    def start(self, batch):
        return tuple(super().start(batch))

    def step(self, x, state, t):
        y, after = super().step(x, state, t)
        return y, tuple(after)


def test_a_plain_tuple_is_a_state():
    mixer_laws.check_mixer(lambda width: Plain(width, 2))


class Leaky(LinearAttention):
    """Sees the future."""

    def forward(self, x):
        return super().forward(x) + x.mean(1, keepdim=True)


class Forgetful(LSTM):
    """Steps with a slightly different state."""

    def step(self, x, state, t):
        return super().step(x, type(state)(*(part * (1 + 1e-8) for part in state)), t)


class WrongAt(Retention):
    """Answers for the position before the one asked."""

    def forward_at(self, x, at):
        return super().forward_at(x, (at - 1).clamp(min=0))


class HiddenState(DSS):
    """Keeps something outside its state."""

    def step(self, x, state, t):
        self.seen = getattr(self, "seen", 0) + 1
        y, after = super().step(x, state, t)
        return y + 1e-6 * self.seen, after


class WrongGradient(LSTM):
    """Detaches a path."""

    def forward_at(self, x, at):
        return super().forward_at(x.detach(), at)


@pytest.mark.parametrize("broken", [Leaky, Forgetful, WrongAt, HiddenState, WrongGradient])
def test_a_broken_mixer_is_caught(broken):
    with pytest.raises(AssertionError, match=broken.__name__):
        mixer_laws.check_mixer(lambda width: broken(width, 2), width=4)


def test_lstm_is_torchs():
    reference = nn.LSTM(8, 8, batch_first=True).double()
    ours = LSTM(8).double()
    ours.cells.load_state_dict(reference.state_dict())
    x = torch.randn(3, 11, 8, dtype=torch.float64)
    assert torch.equal(ours(x), reference(x)[0])
    stepped, state = mixer_laws.step_through(ours, x)
    assert torch.allclose(stepped, reference(x)[0], atol=1e-12)
    assert torch.allclose(state.cell, reference(x)[1][1][0], atol=1e-12)


def test_linear_attention_is_its_equation():
    """Katharopoulos et al. 2020, equation 9 with the causal mask, as loops over numbers."""
    ours = LinearAttention(4, 1).double()
    x = torch.randn(1, 6, 4, dtype=torch.float64)
    query, key, value = (part(x)[0].detach().numpy() for part in (ours.query, ours.key, ours.value))

    def phi(u):
        return np.where(u > 0, u + 1, np.exp(u))

    for t in range(6):
        weights = [phi(query[t]) @ phi(key[j]) for j in range(t + 1)]
        mixed = sum(w * value[j] for j, w in enumerate(weights)) / sum(weights)
        expected = ours.output(torch.from_numpy(mixed))
        assert torch.allclose(ours(x)[0, t], expected, atol=1e-5)


def test_retention_is_its_equation():
    """Sun et al. 2023, equation 1 in complex numbers: Q_n gamma^n e^{i n theta} against K_m gamma^-m e^{-i m theta}."""
    ours = Retention(8, 2).double()
    x = torch.randn(1, 5, 8, dtype=torch.float64)
    query, key, value = (part(x)[0].detach().numpy().reshape(5, 2, 4) for part in (ours.query, ours.key, ours.value))
    theta = 10000.0 ** (-np.arange(2) / 2)
    heads = []
    for head, gamma in enumerate((1 - 2**-5, 1 - 2**-6)):
        q, k = (part[:, head, 0::2] + 1j * part[:, head, 1::2] for part in (query, key))
        n = np.arange(5)
        q, k = q * np.exp(1j * n[:, None] * theta), k * np.exp(1j * n[:, None] * theta)
        scores = (q @ k.conj().T).real / 2 * np.where(n[:, None] >= n, gamma ** np.maximum(n[:, None] - n, 0.0), 0)
        mixed = scores @ value[:, head]
        heads.append((mixed - mixed.mean(1, keepdims=True)) / np.sqrt(mixed.var(1, keepdims=True) + 1e-6))
    normed = torch.from_numpy(np.concatenate(heads, axis=1))
    expected = ours.output(nn.functional.silu(ours.gate(x[0])) * normed)
    assert torch.allclose(ours(x)[0], expected, atol=1e-10)


def test_dss_starts_at_the_values_of_s4d_lin():
    """lambda_n = -1/2 + i pi n for n = 0, 1, ..; the first is moved by pi / 1000, since exp(Lambda_im) is above 0."""
    ours = DSS(4, states=5)
    started = torch.complex(-ours.log_real.exp(), ours.log_imaginary.exp())
    expected = torch.complex(torch.full((5,), -0.5), math.pi * (torch.arange(5) + 0.001))
    assert torch.allclose(started, expected, atol=1e-5)


def test_dss_is_the_zero_order_hold():
    """One channel and state: x' = lambda x + u with u constant over a step, integrated in fine steps (Gupta et al., eq. 3)."""
    ours = DSS(1, states=1).double()
    ours.output = nn.Identity()
    u = torch.randn(6, dtype=torch.float64)
    rate = complex(-ours.log_real.exp().item(), ours.log_imaginary.exp().item())
    size, weight, x, fine = ours.log_step.exp().item(), complex(*ours.weight[0, 0].tolist()), 0j, 2000
    for t in range(6):
        for _ in range(fine):
            middle = x + (rate * x + float(u[t])) * size / fine / 2
            x += (rate * middle + float(u[t])) * size / fine
        expected = nn.functional.gelu(torch.tensor((weight * x).real, dtype=torch.float64) + ours.skip * u[t])
        assert torch.allclose(ours(u[None, :, None])[0, t], expected, atol=1e-6)


def test_mamba_is_algorithm_2():
    """Gu and Dao 2023, algorithm 2 and equation 2a, with the convolution of torch, as loops."""
    ours = Mamba(4, states=3).double()
    x = torch.randn(1, 9, 4, dtype=torch.float64)
    u, gate = ours.input(x).chunk(2, -1)
    convolved = ours.convolution(u.transpose(1, 2))[..., :9].transpose(1, 2)
    u = nn.functional.silu(convolved)[0]
    low, b, c = ours.select(u).split([ours.rank, 3, 3], -1)
    delta = nn.functional.softplus(ours.step_size(low))
    h = torch.zeros(8, 3, dtype=torch.float64)
    for t in range(9):
        for i in range(8):
            for n in range(3):
                decay = torch.exp(-delta[t, i] * torch.exp(ours.log_decay[i, n]))
                h[i, n] = decay * h[i, n] + delta[t, i] * b[t, n] * u[t, i]
        y = (h @ c[t] + ours.skip * u[t]) * nn.functional.silu(gate[0, t])
        assert torch.allclose(ours(x)[0, t], ours.output(y), atol=1e-10)
        h = h.detach()


def test_attention_matches_torchs_multi_head_attention():
    ours = Attention(8, 2).double()
    reference = nn.MultiheadAttention(8, 2, batch_first=True).double()
    with torch.no_grad():
        reference.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key.weight, ours.value.weight]))
        reference.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
        reference.out_proj.weight.copy_(ours.output.weight)
        reference.out_proj.bias.copy_(ours.output.bias)
    x = torch.randn(2, 7, 8, dtype=torch.float64)
    mask = torch.ones(7, 7, dtype=torch.bool).triu(1)
    assert torch.allclose(ours(x), reference(x, x, x, attn_mask=mask)[0], atol=1e-12)


def test_attention_without_a_mask_has_no_step():
    ours = Attention(8, 2, causal=False)
    x = torch.randn(1, 5, 8)
    changed = x.clone()
    changed[:, -1] += 1
    assert not torch.allclose(ours(x)[:, 0], ours(changed)[:, 0])
    assert torch.allclose(ours.forward_at(x, torch.tensor([1])), ours(x)[:, 1], atol=1e-6)
    with pytest.raises(ValueError, match="causal=False"):
        ours.step(x[:, 0], ours.start(1), 0)


@pytest.mark.parametrize(
    ("mixer", "bits"),
    [
        (LSTM(8), 2 * 8 * 32),
        (LinearAttention(8, 2), (2 * 16 + 8) * 32),
        (Retention(8, 2), 2 * 16 * 32),
        (DSS(8), 8 * 64 * 64),
        (Mamba(8), (16 * 16 + 16 * 3) * 32),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_state_bits_by_hand(mixer, bits):
    assert state_bits(mixer.start(5)) == bits


def test_state_of_the_wrong_size_is_refused():
    state = LSTM(4).start(1)
    data = b"".join(state_to_bytes((part,), 0) for part in state)
    with pytest.raises(ValueError, match="32 bytes, found 31"):
        state_from_bytes(state, data[:-1])


def test_automaton_reads_a_table_that_differs_by_time():
    table = torch.tensor([[[0, 1], [1, 0]], [[1, 1], [0, 0]]])
    ours = Automaton(table, 0)
    x = torch.eye(2, 4)[torch.tensor([[1, 0], [0, 1]])]
    assert ours(x)[..., -2:].argmax(-1).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("make", [lambda: Attention(10, 4), lambda: Retention(6, 2), lambda: LinearAttention(8, 0)])
def test_bad_heads_are_named(make):
    with pytest.raises(ValueError, match=r"heads"):
        make()


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_golden_digest(mixer):
    """Rounded outputs and gradients at fixed weights: a change here changes results; raise the mixer's `revision` with it."""
    ours = mixer(8, 2).double()
    ours.initialise(1)
    with torch.no_grad():
        for parameter in ours.parameters():
            fixed = torch.arange(parameter.numel(), dtype=torch.float64).reshape(parameter.shape)
            parameter.copy_(0.3 * torch.sin(1.7 * fixed + 0.3))
    tokens = 40 if mixer is SlidingAttention else 9  # more than a window of 16, which is part of what is fixed here
    x = torch.sin(torch.arange(2 * tokens * 8, dtype=torch.float64)).reshape(2, tokens, 8)
    y = ours(x)
    y.square().sum().backward()
    gradient = torch.stack([p.grad.abs().sum() for p in ours.parameters() if p.grad is not None])
    text = ",".join(f"{value:.6f}" for value in (*y.flatten().tolist(), *gradient.tolist())).replace("-0.000000", "0.000000")
    assert (mixer.revision, hashlib.sha256(text.encode()).hexdigest()[:16]) == GOLDEN[mixer.name]


@pytest.mark.parametrize("mixer", [*MIXERS, *THEOREM_MIXERS], ids=lambda mixer: mixer.name)
def test_help_of_a_class_has_its_equations_and_its_source(mixer):
    said = inspect.getdoc(mixer)
    assert all(part in said for part in (" = ", "\nState: ", "\nSource: ", "\nNames: "))


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_golden_start(mixer):
    """Mean, deviation, least and greatest of each first weight: a change here changes results; raise `revision` with it."""
    assert starts(mixer) == {name: pytest.approx(numbers, abs=1e-3) for name, numbers in STARTS[mixer.name].items()}


def starts(mixer):
    torch.manual_seed(0)
    ours = mixer(16, 2)
    ours.initialise(2)
    found = {}
    for name, parameter in ours.named_parameters():
        numbers = parameter.detach().double()
        found[name] = [numbers.mean(), numbers.std(correction=0), numbers.min(), numbers.max()]
    return {name: [round(float(number), 4) for number in numbers] for name, numbers in found.items()}


def test_dss_takes_inputs_in_bfloat16():
    """The mixers that autocast changes on a GPU, where it leaves Fourier transforms alone; there is none for 16 bits."""
    torch.manual_seed(0)
    layer, x = DSS(8), torch.randn(2, 20, 8).bfloat16()
    assert torch.allclose(layer(x), layer(x.float()), atol=1e-5)


STARTS = json.loads(Path(__file__).with_name("starts.json").read_text())
GOLDEN: dict[str, tuple[int, str]] = {
    "attention": (2, "f47f52a95b51dc39"),
    "lstm": (1, "a4898e8319dd36ed"),
    "linear-attention": (1, "0638c2efe57c1ba0"),
    "retention": (1, "0262d1651ceec720"),
    "dss": (1, "388f0f6d854eb494"),
    "mamba": (3, "4192292678be0291"),
    "mamba2": (1, "d97d354ac3829d13"),
    "gated-delta": (1, "5832f5bd043c98c3"),
    "rwkv7": (1, "d89859be8ddfbe49"),
    "sliding-attention": (1, "f34c98acb6d02996"),
    "rotation": (1, "d39ba074e7ce44e9"),
    "mlstm": (1, "9b850a4510102086"),
    "slstm": (1, "21ea4e8ca1256684"),
    "kda": (1, "3dd7827ce9f76878"),
}
