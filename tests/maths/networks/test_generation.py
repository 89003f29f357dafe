"""One pass over a whole sequence proves its greedy decoding: it agrees with decoding token by token."""

import dataclasses

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.generation import GenerationDiffers, asked_places, follow, generate
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network, whole

TOKENS = 5
LONGEST = 10


def random_network(seed: int) -> Network:
    """A causal network of two layers with random entries; it generates what nobody would guess."""
    random = np.random.default_rng(seed)
    grid = Grid(10_000)

    def some(*shape: int) -> Array:
        return Array(random.integers(-10_000, 10_001, shape), grid.step)

    heads = [tuple(Head(some(2, 4), some(2, 4), some(3, 4), some(4, 3)) for _ in range(2)) for _ in range(2)]
    feed_forward = FeedForward(some(6, 4), some(6), some(4, 6), some(4))
    return Network(
        name="random",
        grid=grid,
        spaces={},
        symbols=some(TOKENS, 4),
        layers=((AttentionLayer(heads[0]), feed_forward), (AttentionLayer(heads[1]), None)),
        readout=some(TOKENS, 4),
        readout_bias=some(TOKENS),
        positions=some(LONGEST, 4),
    )


def repeater(offset: int, tokens: int = 4, longest: int = 12) -> Network:
    """A causal network whose next token is the one `offset` places back: position j is sought by -eta (j - i + offset)^2."""
    j = np.arange(longest)
    symbol = np.arange(tokens)
    zero = np.zeros(longest, dtype=np.int64)
    eta = 20
    # the residual stream: token v, position j, j^2, 1, what was found, 1 again from the symbols
    head = Head(
        query=whole([[0, 2 * eta, 0, -2 * eta * offset, 0], [0, 0, 0, -eta, 0]]),
        key=whole([[0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]),
        value=whole([[1, 0, 0, 0, 0]]),
        output=whole([[0], [0], [0], [0], [1]]),
    )
    return Network(
        name=f"repeat {offset} back",
        grid=Grid(4000),
        spaces={},
        symbols=whole(np.stack([symbol, 0 * symbol, 0 * symbol, 0 * symbol + 1, 0 * symbol], axis=1)),
        layers=((AttentionLayer((head,)), None),),
        readout=whole(np.stack([0 * symbol, 0 * symbol, 0 * symbol, -(symbol**2), 2 * symbol], axis=1)),
        readout_bias=whole(0 * symbol),
        positions=whole(np.stack([zero, j, j**2, zero, zero], axis=1), by_index=True),
    )


def bouncing(tokens):
    """A retriever: after token 3 it inserts the token before it, twice."""
    return [tokens[-2], tokens[-2]] if tokens[-1] == 3 else None


def marks_of(sequence, start):
    """The tokens that `bouncing` has inserted after the start."""
    marks = [False] * len(sequence)
    place = start
    while place < len(sequence):
        if sequence[place] == 3:
            for after in range(place + 1, min(place + 3, len(sequence))):
                marks[after] = True
            place += 2
        place += 1
    return marks


def test_repeaters_generate_what_was_offset_places_back():
    """In places from 0, the query for the token 3 back sits at the last token and seeks the one 2 before it."""
    network = repeater(2)
    assert generate(network, [0, 3, 1], stops=(), most=6) == [0, 3, 1, 0, 3, 1]
    assert generate(network, [0, 3, 1], stops={3}, most=6) == [0, 3]
    assert generate(network, [0, 3, 1], stops={0}, most=6) == [0]
    assert generate(network, [0, 3, 1], stops=(), most=0) == []


@pytest.mark.unchecked
@pytest.mark.parametrize("retriever", [None, bouncing])
@pytest.mark.parametrize("seed", range(8))
def test_following_agrees_with_generating(seed, retriever):
    """Prompts of every length; each generated sequence is followed, and each changed generated token is refused."""
    random = np.random.default_rng(seed)
    network = random_network(seed)
    sequences, starts = [], []
    for start in range(1, LONGEST):
        prompt = random.integers(TOKENS, size=start).tolist()
        stops = {int(random.integers(TOKENS))} if start % 2 else ()
        most = int(random.integers(1, LONGEST - start + 2))
        generated = generate(network, prompt, stops, most, retriever)
        assert 1 <= len(generated) <= most
        sequences.append(prompt + generated)
        starts.append(start)
    assert len({len(sequence) for sequence in sequences}) > 1
    inserted = None
    if retriever is not None:
        inserted = [marks_of(sequence, start) for sequence, start in zip(sequences, starts, strict=True)]
    execution = follow(network, sequences, starts, inserted)
    asked = asked_places(sequences, starts, inserted)
    for example, places in enumerate(asked):
        row = execution.answers[example, : len(places)].tolist()
        assert row == [sequences[example][place] for place in places]
    for example, places in enumerate(asked):
        place = places[int(random.integers(len(places)))]
        wrong = [list(sequence) for sequence in sequences]
        wrong[example][place] = (wrong[example][place] + 1 + int(random.integers(TOKENS - 1))) % TOKENS
        with pytest.raises(GenerationDiffers) as differs:
            follow(network, wrong, starts, inserted)
        assert (differs.value.example, differs.value.place) == (example, place)
        assert (differs.value.wanted, differs.value.found) == (wrong[example][place], sequences[example][place])


@pytest.mark.unchecked
def test_some_inserted_tokens_are_not_what_the_network_would_say():
    """Without the marks the same sequences are refused: the network itself would have gone on otherwise."""
    refused = 0
    for seed in range(8):
        network = random_network(seed)
        for first in range(TOKENS):
            sequence = [first, *generate(network, [first], stops=(), most=LONGEST, retriever=bouncing)]
            marks = marks_of(sequence, 1)
            follow(network, [sequence], [1], [marks])
            own = run(network, np.array([sequence[:-1]])).answers[0].tolist()
            others = [place for place in range(1, len(sequence)) if own[place - 1] != sequence[place]]
            assert all(marks[place] for place in others)
            if others:
                refused += 1
                with pytest.raises(GenerationDiffers) as differs:
                    follow(network, [sequence], [1])
                assert differs.value.place == others[0]
    assert refused > 0


def test_the_execution_is_that_of_each_sequence_alone():
    """Logits, inner layers and the tally of a ragged batch are those of its sequences, whatever stands beside them."""
    network = random_network(3)
    sequences = [[first, *generate(network, [first], stops=(), most=2 + 2 * first)] for first in range(4)]
    together = follow(network, sequences, [1] * 4)
    rounded = sum(together.tally.rounded.values())
    alone = [run(network, np.array([sequence[:-1]])) for sequence in sequences]
    for example, one in enumerate(alone):
        for part, whole_part in zip([one.logits, *one.attended], [together.logits, *together.attended], strict=True):
            time = part.integers.shape[1]
            found = whole_part[example, :time]
            wanted = part[0]
            assert (found.floats() == wanted.floats()).all()
            assert (whole_part.integers[example, time:] == whole_part.integers[example, time - 1]).all()
    apart = sum(sum(follow(network, [sequence], [1]).tally.rounded.values()) for sequence in sequences)
    assert 0 < rounded <= apart  # tokens that are equal at equal times are embedded, and counted, once a batch


def test_a_tie_is_no_answer():
    tied = dataclasses.replace(repeater(0), readout=whole(np.zeros((4, 5), dtype=np.int64)))
    with pytest.raises(GenerationDiffers, match="found a tie"):
        follow(tied, [[0, 0]], [1])
    with pytest.raises(ValueError, match="a tie is not an answer"):
        generate(tied, [0], stops=(), most=3)


def test_a_spoiled_weight_is_met():
    network = repeater(2)
    sequence = [0, 3, 1, 0, 3, 1, 0]
    follow(network, [sequence], [3])
    (layer, _) = network.layers[0]
    head = dataclasses.replace(layer.heads[0], query=whole([[0, 40, 0, -40, 0], [0, 0, 0, -20, 0]]))
    spoiled = dataclasses.replace(network, layers=((AttentionLayer((head,)), None),))
    with pytest.raises(GenerationDiffers):
        follow(spoiled, [sequence], [3])


def test_what_cannot_be_followed_is_refused():
    network = repeater(0)
    backward = dataclasses.replace(network, layers=((AttentionLayer(network.layers[0][0].heads, causal=False), None),))
    for call in (lambda: follow(backward, [[0, 0]], [1]), lambda: generate(backward, [0], (), 1)):
        with pytest.raises(ValueError, match="causal"):
            call()
    for sequences, starts, inserted, why in [
        ([], [], None, "at least 1 sequence"),
        ([[0, 1]], [2], None, "token to generate"),
        ([[0, 1]], [0], None, "before the start"),
        ([[0, 1]], [1], [[False, True]], "token to generate"),
        ([[0, 1]], [1], [[False]], "marks"),
        ([[0, 1]], [1, 1], None, "for each of 1 sequences"),
        ([[0, 9, 1]], [1], None, "tokens are 0 to 3"),
    ]:
        with pytest.raises(ValueError, match=why):
            follow(network, sequences, starts, inserted)
    with pytest.raises(ValueError, match="prompt of at least 1"):
        generate(network, [], (), 1)


def test_a_sequence_may_be_one_longer_than_the_position_table():
    """The last token is never read."""
    network = repeater(0, longest=3)
    follow(network, [[1, 1, 1, 1]], [1])
    with pytest.raises(ValueError, match="positions for 3"):
        follow(network, [[1, 1, 1, 1, 1]], [1])
