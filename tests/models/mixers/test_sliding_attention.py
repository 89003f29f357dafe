"""Sliding attention: the laws around its window, a masked softmax written out, and a state that stays a ring."""

import math

import pytest
import torch

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import state_bits
from seqsep.models.mixers.sliding_attention import SlidingAttention


def sliding(width, heads, window, rope=False):
    mixer = SlidingAttention(width, heads, window)
    mixer.rope = rope
    return mixer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "heads", "window", "time"),
    [(8, 1, 1, 7), (8, 2, 6, 6), (8, 2, 6, 7), (8, 4, 5, 19), (16, 2, 16, 16), (16, 4, 16, 33), (64, 4, 7, 22)],
)
@pytest.mark.parametrize("rope", [False, True])
def test_laws(width, heads, window, time, rope):
    mixer_laws.check_mixer(lambda width: sliding(width, heads, window, rope), width, time)


@pytest.mark.parametrize("rope", [False, True])
@pytest.mark.parametrize(("window", "time"), [(1, 4), (4, 3), (4, 4), (4, 5), (4, 13), (16, 50)])
def test_it_is_a_masked_softmax(window, time, rope):
    """The whole time x time table of scores, position by position; rope as a turn of complex numbers."""
    ours = sliding(12, 2, window, rope).double()
    x = torch.randn(2, time, 12, dtype=torch.float64)
    query, key, value = (part(x).unflatten(-1, (2, 6)) for part in (ours.query, ours.key, ours.value))
    if rope:
        turn = torch.exp(1j * torch.arange(time)[:, None] * 10000.0 ** (-torch.arange(3, dtype=torch.float64) / 3))

        def turned(u):
            pairs = torch.complex(u[..., 0::2], u[..., 1::2]) * turn[:, None]
            return torch.stack([pairs.real, pairs.imag], -1).flatten(-2)

        query, key = turned(query), turned(key)
    for t in range(time):
        first = max(0, t - window + 1)
        scores = torch.einsum("bhd,bjhd->bhj", query[:, t], key[:, first : t + 1]) / math.sqrt(6)
        mixed = torch.einsum("bhj,bjhd->bhd", scores.softmax(-1), value[:, first : t + 1]).flatten(1)
        assert torch.allclose(ours(x)[:, t], ours.output(mixed), atol=1e-12)


def test_what_left_the_window_is_forgotten():
    ours = SlidingAttention(8, 2, 4).double()
    x = torch.randn(1, 12, 8, dtype=torch.float64)
    changed = x.clone()
    changed[:, 3] += 1
    same = (ours(changed) == ours(x)).all(-1)[0]
    assert same.tolist() == [True] * 3 + [False] * 4 + [True] * 5


def test_the_state_is_a_ring_of_the_window():
    ours = SlidingAttention(8, 2, 4)
    state = ours.start(3)
    assert state_bits(state) == 2 * 4 * 8 * 32
    assert state_bits(SlidingAttention(64, 4).start(1)) == 32 * 64 * 32
    with torch.no_grad():
        for t in range(11):
            before = state
            state = ours.step(torch.randn(3, 8), state, t)[1]
            changed = (state.keys != before.keys).any(dim=(0, 1, 3))
            assert changed.nonzero().flatten().tolist() == [t % 4]
    assert state_bits(state) == state_bits(ours.start(1))


def test_memory_is_linear_in_length():
    """No tensor that autograd keeps has time x time numbers."""

    def kept(time):
        largest = 0

        def pack(tensor):
            nonlocal largest
            largest = max(largest, tensor.numel())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            SlidingAttention(8, 2, 4)(torch.randn(1, time, 8, requires_grad=True)).sum().backward()
        return largest

    assert kept(400) <= 2.1 * kept(200) <= 2.1 * 200 * 2 * 2 * 4 * 2


@pytest.mark.parametrize(("call", "message"), [((8, 2, 0), "window is at least 1"), ((8, 3, 4), "heads must divide width")])
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        SlidingAttention(*call)
