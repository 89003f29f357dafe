"""Attacks: the choice of inputs to ask, so that wrong answers are found in few questions.

    closest   pairs of prefixes whose states are closest, and inputs that distinguish them; the prefixes are drawn, and
              some are changed at their first place only, since old tokens are forgotten first
    swaps     a prefix, and the same with two unequal neighbours exchanged
    edits-1   a prefix, and the same with one value changed
    edits-2   a prefix, and the same with two values changed
    climb     from the lowest margins of drawn inputs, changing what lowers the margin most
    drawn     inputs as the task draws them, for comparison

An attack is a generator of inputs; `climb` is sent the margin of each batch that it asks. In `swaps`, `edits` and `drawn` each
input comes from a prefix of its own, drawn independently, so that its share wrong has an interval; the others choose.
"""

from collections.abc import Generator, Iterator, Sequence
from itertools import count, islice
from typing import TypeAlias

import numpy as np
import torch

from seqsep.lab.audit.questions import TaskQueries, Tokens
from seqsep.lab.audit.reader import StateReader

BATCH = 128
PREFIXES = 256
CHANGED_EARLY = 32
MOVES_AT_ONCE = 32
INPUTS_OF_A_PAIR = 4
MOST_BLOCKS = 1 << 14
BLOCKS_WITHOUT_ONE = 8
"""Blocks of prefixes after which an attack ends if it found no change of any of them."""
Attack: TypeAlias = Generator[list[Tokens], Sequence[float], None]
INDEPENDENT = ("drawn", "swaps", "edits-1", "edits-2")
"""Attacks whose inputs are drawn independently."""


def prefixes(asking: TaskQueries, count: int, seed: int) -> list[Tokens]:
    """Return prefixes from the distribution of the task."""
    return list(map(tuple, asking.drawn(count, seed).prefixes.tolist()))


def closest_pairs(reader: StateReader, asking: TaskQueries, seed: int) -> list[tuple[float, Tokens, Tokens]]:
    """Return pairs of different prefixes, by the distance of their states."""
    drawn = prefixes(asking, PREFIXES, seed)
    early = [next(asking.edits(prefix, 1), prefix) for prefix in drawn[:CHANGED_EARLY]]
    known = list(dict.fromkeys([*drawn, *early]))
    rows = reader.states(np.array(known)).double()
    distances = torch.cdist(rows, rows, compute_mode="donot_use_mm_for_euclid_dist")
    firsts, seconds = torch.triu_indices(len(known), len(known), offset=1)
    sizes = distances[firsts, seconds]
    order = sizes.argsort(stable=True)
    pairs = zip(sizes[order].tolist(), firsts[order].tolist(), seconds[order].tolist(), strict=True)
    return [(size, known[first], known[second]) for size, first, second in pairs]


def closest(pairs: Sequence[tuple[float, Tokens, Tokens]], asking: TaskQueries) -> Attack:
    """Return the questions that distinguish each pair, pair by pair: the two inputs of at most two places."""
    inputs = (one for _, first, second in pairs for one in islice(asking.inputs_apart(first, second), INPUTS_OF_A_PAIR))
    yield from _in_batches(inputs)


def changed(asking: TaskQueries, how: str, seed: int) -> Attack:
    """Yield an input for each drawn prefix: it or a change of it, with a continuation that distinguishes the two."""
    random = np.random.default_rng(seed)

    def inputs() -> Iterator[Tokens]:
        found = False
        for block in range(MOST_BLOCKS):
            if block == BLOCKS_WITHOUT_ONE and not found:
                return
            for prefix in prefixes(asking, BATCH, seed + block):
                swapped = asking.swaps(prefix) if how == "swaps" else []
                other = asking.edited(prefix, int(how[-1]), random) if how != "swaps" else None
                if swapped:
                    other = swapped[random.integers(len(swapped))]
                apart = [] if other is None else list(asking.inputs_apart(prefix, other))
                if apart:
                    found = True
                    yield apart[random.integers(len(apart))]

    yield from _in_batches(inputs())


def drawn(asking: TaskQueries, seed: int) -> Attack:
    """Yield one input for each prefix, with a question from the distribution of the task."""
    random = np.random.default_rng(seed)

    def inputs() -> Iterator[Tokens]:
        for block in count():
            questions = asking.drawn(BATCH, seed + block)
            for prefix, continuations in zip(questions.prefixes.tolist(), questions.continuations, strict=True):
                yield (*prefix, *continuations[random.integers(len(continuations))].tolist())

    yield from _in_batches(inputs())


def climb(asking: TaskQueries, seed: int) -> Attack:
    """Yield inputs of a greedy descent of the margin, from one drawn input at a time, beginning with the lowest margins of a
    batch.
    """
    random = np.random.default_rng(seed)
    for start in count():
        source = drawn(asking, seed + start)
        starts = next(source)
        margins = yield starts
        for margin, given in sorted(zip(margins, starts, strict=True)):
            while True:
                moves = dict.fromkeys(asking.moved(given, random) for _ in range(MOVES_AT_ONCE))
                some = [move for move in moves if move != given]
                if not some:
                    break
                found = yield some
                lowest, best = min(zip(found, some, strict=True))
                if lowest >= margin:
                    break
                margin = lowest
                given = best
                if margin < 0:
                    break


def _in_batches(inputs: Iterator[Tokens]) -> Attack:
    """Yield inputs in batches, the first ones small: the first wrong answer should be found early."""
    size = 8
    batch: list[Tokens] = []
    for given in inputs:
        batch.append(given)
        if len(batch) == size:
            yield batch
            batch = []
            size = min(2 * size, BATCH)
    if batch:
        yield batch
