"""`advance`, which may write over the state it is given, equals `step`; and `prefill` leaves what it can go on from."""

import pytest
import torch

from seqsep.models.mixers import BY_NAME, Attention

TOKENS = 150


@pytest.mark.parametrize("read", [0, 1, 70])
@pytest.mark.parametrize("name", BY_NAME)
def test_advance_equals_step(name, read):
    """From the start and from a prefill, beyond the room that a cache of attention begins with."""
    mixer = BY_NAME[name].build(8, 2).double()
    x = torch.randn(3, TOKENS, 8, dtype=torch.float64)
    with torch.no_grad():
        kept = mixer.prefill(x[:, :read], mixer.start(3), 0)
        advanced = mixer.prefill(x[:, :read], mixer.start(3), 0)
        for t in range(read, TOKENS if name == "attention" else read + 20):
            expected, kept = mixer.step(x[:, t], kept, t)
            found, advanced = mixer.advance(x[:, t], advanced, t)
            assert torch.allclose(found, expected, atol=1e-9, rtol=0), t


@pytest.mark.parametrize("name", BY_NAME)
def test_what_advance_leaves_serves_every_method(name):
    """A cache of attention has room after its tokens, which `step`, `step_output` and `prefill` must not read."""
    mixer = BY_NAME[name].build(8, 2).double()
    x = torch.randn(1, 12, 8, dtype=torch.float64)
    with torch.no_grad():
        kept = advanced = mixer.start(1)
        for t in range(5):
            kept = mixer.step(x[:, t], kept, t)[1]
            advanced = mixer.advance(x[:, t], advanced, t)[1]
        for part in advanced:
            if name == "attention":
                part[:, :, 5:] = 1e30
        found = [mixer.step_output(x[:, 5], advanced, 5), *mixer.step(x[:, 5], advanced, 5)[1]]
        expected = [mixer.step_output(x[:, 5], kept, 5), *mixer.step(x[:, 5], kept, 5)[1]]
        found += mixer.prefill(x[:, 5:], advanced, 5)
        expected += mixer.prefill(x[:, 5:], kept, 5)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert torch.allclose(one, other, atol=1e-9, rtol=0)


def test_a_cache_is_copied_rarely():
    """150 tokens are appended to three pieces of memory: of 64, 128 and 256 tokens."""
    mixer = Attention(8, 2)
    state = mixer.start(1)
    places = []
    with torch.no_grad():
        for t in range(TOKENS):
            state = mixer.advance(torch.randn(1, 8), state, t)[1]
            places.append((state.values.data_ptr(), state.values.shape[2]))
    assert [room for _, room in dict.fromkeys(places)] == [64, 128, 256]


def test_attention_without_a_mask_does_not_advance():
    mixer = Attention(8, 2, causal=False)
    with pytest.raises(ValueError, match="not a recurrent layer"):
        mixer.advance(torch.randn(1, 8), mixer.start(1), 0)


@pytest.mark.parametrize("pieces", [[5, 1, 140], [0, 64, 3], [33, 0, 2]])
@pytest.mark.parametrize("name", BY_NAME)
def test_prefill_in_pieces_equals_step(name, pieces):
    """Each piece goes on from the state and time that the one before left; a piece may be empty."""
    mixer = BY_NAME[name].build(8, 2).double()
    x = torch.randn(2, sum(pieces), 8, dtype=torch.float64)
    with torch.no_grad():
        stepped = mixer.start(2)
        for t in range(x.shape[1]):
            stepped = mixer.step(x[:, t], stepped, t)[1]
        state = mixer.start(2)
        t = 0
        for piece in pieces:
            state = mixer.prefill(x[:, t : t + piece], state, t)
            t += piece
    for found, expected in zip(state, stepped, strict=True):
        assert torch.allclose(found, expected, atol=1e-9, rtol=0)
