"""The scalar memory of xLSTM obeys the laws, is the cell of its authors, and has the gradients of its steps."""

import numpy as np
import pytest
import torch

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import SLSTM, state_bits
from seqsep.models.mixers._slstm_scan import Scan
from support.layers import assert_memory_is_linear_and_no_step_is_recorded


def spread(mixer, by=0.7):
    """Gates that see h, and no parameters that are equal."""
    with torch.no_grad():
        for parameter in (mixer.recurrent, mixer.gates.bias, mixer.norm.weight, mixer.norm.bias):
            parameter.add_(by * torch.randn_like(parameter))
    return mixer


@pytest.mark.unchecked  # test_mixers.py holds the laws with shapes checked
@pytest.mark.parametrize(("heads", "time"), [(2, 19), (1, 5)])
def test_laws(heads, time):
    mixer_laws.check_mixer(lambda width: spread(SLSTM(width, heads)), 8, time)


def wave(*shape, by):
    return torch.sin(by * torch.arange(1, 1 + np.prod(shape), dtype=torch.float64)).reshape(shape)


def test_the_loop_is_the_cell_of_the_authors():
    """`slstm_forward_pointwise` of xlstm 2.0.6, their plain PyTorch, gave these numbers in float64: h at each token, then c, n
    and m after the last.
    """
    first = [torch.zeros(1, 4, dtype=torch.float64) for _ in range(4)]
    hidden, *last = Scan.apply(3 * wave(1, 6, 16, by=1.1), wave(2, 4, 2, 2, by=0.7), *first)
    expected = [
        *(-0.835979, -0.709343, -0.092368, 0.051804, -0.586765, -0.976247, -0.77499, -0.114007),
        *(-0.093104, -0.745693, 0.216962, -0.810039, -0.0564, -0.13244, 0.183045, -0.628925),
        *(-0.563494, -0.069306, 0.018188, -0.278762, -0.859474, -0.762189, 0.0009, -0.025083),
    ]
    assert torch.allclose(hidden.flatten(), torch.tensor(expected).double(), rtol=0, atol=1e-6)
    expected = [
        *(-1.022274, -1.171338, 0.020024, -0.614627, 1.120384, 1.225706, 1.811454, 1.550069),
        *(2.288805, 1.851843, -0.013816, -0.558478),
    ]
    assert torch.allclose(torch.cat(last).flatten(), torch.tensor(expected).double(), rtol=0, atol=1e-6)


def test_it_is_its_equation_without_a_scale():
    """The docstring's c and n themselves, with exponentials that are not scaled, in NumPy. Float64, to 1e-12."""
    ours = spread(SLSTM(6, 2)).double()
    x = torch.randn(1, 11, 6, dtype=torch.float64)
    weights = {name: parameter.detach().numpy() for name, parameter in ours.named_parameters()}

    def sigmoid(u):
        return 1 / (1 + np.exp(-u))

    c, n, h = np.zeros(6), np.zeros(6), np.zeros(6)
    for t, token in enumerate(x[0].numpy()):
        onto = [
            np.concatenate([weights["recurrent"][head, gate] @ h[3 * head : 3 * head + 3] for head in range(2)])
            for gate in range(4)
        ]
        i, f, z, o = (weights["gates.weight"] @ token + weights["gates.bias"] + np.concatenate(onto)).reshape(4, 6)
        c = sigmoid(f) * c + np.exp(i) * np.tanh(z)
        n = sigmoid(f) * n + np.exp(i)
        h = sigmoid(o) * c / n
        by_head = h.reshape(2, 3)
        normed = (by_head - by_head.mean(1, keepdims=True)) / np.sqrt(by_head.var(1, keepdims=True) + 1e-5)
        expected = normed.reshape(6) * weights["norm.weight"] + weights["norm.bias"]
        assert np.allclose(ours(x)[0, t].detach(), expected, rtol=0, atol=1e-12)
    state = ours.prefill(x, ours.start(1), 0)
    assert np.allclose((state.normaliser * state.scale.exp())[0].detach(), n, rtol=1e-12)


def test_gradients_are_those_of_the_steps():
    """The gradient written by hand against autograd through `step`."""
    ours, x = spread(SLSTM(8, 2)).double(), torch.randn(2, 12, 8, dtype=torch.float64, requires_grad=True)
    weigh = torch.randn_like(x)
    outputs, state = [], ours.start(2)
    for t in range(x.shape[1]):
        y, state = ours.step(x[:, t], state, t)
        outputs.append(y)
    values = [x, *ours.parameters()]
    expected = torch.autograd.grad((torch.stack(outputs, 1) * weigh).sum(), values)
    for gradient, wanted in zip(torch.autograd.grad((ours(x) * weigh).sum(), values), expected, strict=True):
        assert torch.allclose(gradient, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", [200.0, -200.0])
def test_gates_of_any_size_stay_finite(size):
    """Arguments of i beyond the range of exp in float32, from the first token on."""
    ours, x = spread(SLSTM(8, 2)), torch.randn(2, 20, 8)
    with torch.no_grad():
        ours.gates.bias[:4] = size
    y = ours(x)
    y.square().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in ours.parameters())
    assert torch.allclose(y, ours.double()(x.double()).float(), rtol=0, atol=1e-3)
    assert all(part.isfinite().all() for part in ours.step(x[:, 0].double(), ours.start(2), 0)[1])


def test_state_bits_by_hand():
    assert state_bits(SLSTM(8, 2).start(5)) == 4 * 8 * 32


def test_the_start_is_that_of_the_papers_code():
    """For one block: -(-5 + 12 r^0.3) with r from 0 to 1 in each head, and R at 0."""
    ours = SLSTM(6, 2)
    enter, forget, *others = ours.gates.bias.chunk(4)
    assert torch.allclose(forget, torch.tensor([5.0, 5 - 12 * 0.5**0.3, -7.0]).repeat(2))
    assert not any(part.any() for part in (enter, *others, ours.recurrent))


def test_memory_is_linear_and_no_step_is_recorded():
    assert_memory_is_linear_and_no_step_is_recorded(SLSTM(8, 2))


def test_bad_heads_are_named():
    with pytest.raises(ValueError, match=r"SLSTM\(width=8, heads=3\): heads must divide"):
        SLSTM(8, 3)
