"""A one-layer model that counts brackets, and the search for an input that a one-layer model answers wrongly."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, Network, whole
from seqsep.tasks import BoundedDyck
from seqsep.theorems.base import TheoremFails
from seqsep.theorems.protocols import one_layer_trials as trials
from seqsep.theorems.protocols.one_layer_collision import equal_transcripts

SIGNED_BY_KIND = ((1, 1), (-1, -1), (1, -1), (-1, 1))


def counting_model(length: int) -> Network:
    """Build a one-layer model that counts brackets: class 1 if every kind has as many opens as closes.

    It has m = 2, H = 1, L = N^2. Uniform attention gives two numbers exactly: (opens - closes) / N over all kinds, and the
    same for kind 0 less that for kind 1. The logit of the first class is the sum of their magnitudes, and that of the second
    is 1 / (2 N).

    >>> from seqsep.maths.networks.executor import run
    >>> run(counting_model(4), np.array([[0, 2, 1, 3], [0, 2, 3, 3]]), at=-1).answers[:, 0]  # ( [ ) ] and ( [ ] ]
    array([1, 0])
    """
    grid = Grid.of(length, 2)
    rows = np.eye(5, dtype=np.int64)
    signed = rows[:2]
    counts = rows[2:4]
    magnitude = rows[4:]
    nothing = whole(np.zeros((1, 5)))
    magnitudes = FeedForward(
        inner=whole(np.concatenate([counts, -counts])),
        inner_bias=whole(np.zeros(4)),
        outer=whole(np.repeat(magnitude.T, 4, axis=1)),
        outer_bias=whole(np.zeros(5)),
    )
    average = Head(nothing, nothing, value=whole(signed), output=whole(counts.T))
    return Network(
        name="counting",
        grid=grid,
        spaces={"direction": slice(0, 1), "signed": slice(1, 2), "counts": slice(2, 4), "magnitude": slice(4, 5)},
        symbols=whole(np.array(SIGNED_BY_KIND) @ signed),
        layers=((AttentionLayer((average,)), magnitudes),),
        readout=whole(np.concatenate([magnitude, np.zeros_like(magnitude)])),
        readout_bias=Array(np.array([0, grid.steps // (2 * length)]), Fraction(1, grid.steps)),
    )


@dataclass(frozen=True)
class ErringInput:
    """Two words with one transcript, and the input that the model answers wrongly: the second word, or their mixed input."""

    words: tuple[tuple[int, ...], tuple[int, ...]]
    errs_on: tuple[int, ...]
    answer: int
    expected: int
    words_tried: int


def erring_input(network: Network, given: Int64[np.ndarray, "words length"], kinds: int = 2) -> ErringInput | None:
    """Search the words of Dyck-(n,2) for two whose transcripts are equal; None if there are none.

    Their mixed input has Bob's logits on the second word (`one_layer_collision`). Raises ValueError as `one_layer_protocol`;
    TheoremFails if the forward pass says otherwise, or if the mixed input is a word.
    """
    length = given.shape[1]
    pair = equal_transcripts(network, given, range(0, length, 2))
    if pair is None:
        return None
    mixed = np.array(pair.mixed(0, 1))
    logits = trials.last_logits(network, mixed)
    is_word = bool(BoundedDyck(length, kinds, 2).accepts(mixed[None])[0])
    if logits != pair.logits[1] or is_word:
        raise TheoremFails(
            "bounded-dyck-one-layer",
            {"words": pair.inputs, "mixed": mixed, "logits": logits, "of the second": pair.logits[1]},
        )
    answer = logits.index(max(logits))
    return ErringInput(
        words=pair.inputs,
        errs_on=tuple(mixed.tolist()) if answer == 1 else pair.inputs[1],
        answer=answer,
        expected=int(answer != 1),
        words_tried=pair.tried,
    )
