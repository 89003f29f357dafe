"""The machine-checked proofs beside the package: constants of both, and extracted programs next to the executor.

A constant is a function of proofs/Constants.v. `PYTHON` has the function of the package that says the same number, and
`ARGUMENTS` where both are compared.
"""

import itertools
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from seqsep.core.names import narrowed
from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.arithmetic.softmax import exponentials
from seqsep.maths.communication.channel import Channel
from seqsep.maths.communication.one_layer_message import cells, induction_bits
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, Network
from seqsep.tasks.ceilings import counting_ceiling
from seqsep.tasks.trees.peeling import Pointed, peel
from seqsep.theorems import BY_NAME
from seqsep.theorems.blocks import hard_scale
from seqsep.theorems.bounded_dyck import one_layer as dyck
from seqsep.theorems.is_tree import peeling
from seqsep.theorems.is_tree._beginnings import InputPlace
from seqsep.theorems.protocols import _one_layer_parties as parties
from seqsep.theorems.protocols import one_layer_trials as trials
from seqsep.theorems.protocols.one_layer_ledger import message_bits
from seqsep.theorems.retrieval import associative_recall_state, linear_attention_state, recall_state

ROUNDINGS = ("floor", "nearest")
NO_CHANNEL = Channel(None, None)  # type: ignore[arg-type]
LAYERS = 10_000
INPUTS_OF_A_NETWORK = 50
MOST_STEPS = (2, 3, 4, 5)
PEELING_INPUTS = {2: 2_000, 3: 3_000, 7: 5_000}
"""Vertices of a network that peels leaves -> the inputs on which it is compared. Its grids have 343, 1,728 and 1,024 steps."""


def state_bits(theorem: str, **sizes: int) -> int:
    """The state bits that `seqsep bound` prints for a theorem."""
    constants = BY_NAME[theorem].constants
    assert constants is not None
    return int(constants(**sizes)["state_bits"])


def message_bits_of_token(rounding: int, length: int, heads: int, width: int, vocabulary: int, steps: int) -> int:
    """The total of the variant one-learns, if the question is a token."""
    return message_bits(
        length=length,
        width=width,
        embedding=1,
        heads=heads,
        grid=Grid(steps, ROUNDINGS[rounding]),  # type: ignore[arg-type]
        variant="one-learns",
        vocabulary=vocabulary,
    )["total"]


PYTHON: dict[str, Callable[..., int]] = {
    "index_lookup_bits": lambda length, alphabet: state_bits("index-lookup-state", length=length, alphabet=alphabet),
    "equality_bits": lambda length, alphabet: state_bits("equality-state", length=length, alphabet=alphabet),
    "associative_recall_bits": lambda length, alphabet: associative_recall_state.least_bits(length, alphabet, True),
    "counting_bits": lambda length: state_bits("counting-state", length=length),
    "nearest_neighbor_bits": lambda points: points // 2,
    "gram_bits": recall_state.least_bits,
    "dyck_word_bits": lambda kinds, length: ceil_log2(len(dyck.words(length, kinds))),
    "linear_attention_bits": lambda layers, heads, keys, values, precision: linear_attention_state.state_bits(
        heads, keys, values, precision, layers
    ),
    "message_bits_of_token": message_bits_of_token,
    "is_tree_bits": lambda vertices, blocks: ceil_log2(InputPlace(vertices, vertices - blocks, half_read=True).classes),
    "simple_graph_bits": lambda vertices, blocks: ceil_log2(InputPlace(vertices, vertices - blocks, half_read=False).classes),
    "cells_of_means": cells,
    "induction_bits": induction_bits,
    "lists_answered": lambda lists, state: round(lists * counting_ceiling(lists, state)),
    "ones_before_a_stop": lambda values: state_ones("nonnegative-diagonal-parity", values),
    "ones_before_a_period": lambda values: state_ones("diagonal-periods", values),
}


def state_ones(theorem: str, values: int) -> int:
    """The number of ones of a theorem on monotone channels, for the grid with this number of values, 2 E^2 + 1."""
    constants = BY_NAME[theorem].constants
    assert constants is not None
    return int(constants(end=round(((values - 1) / 2) ** 0.5))["ones"])


SIZES = tuple(itertools.product((1, 2, 3, 7, 20, 100), (2, 3, 5, 64)))
ARGUMENTS: dict[str, list[tuple[int, ...]]] = {
    "index_lookup_bits": list(SIZES),
    "equality_bits": [(2 * length, alphabet) for length, alphabet in SIZES],
    "associative_recall_bits": [one for one in SIZES if one[1] >= 2],
    "counting_bits": [(length,) for length in (2, 3, 4, 5, 8, 13, 21, 40, 64, 100)],
    "nearest_neighbor_bits": [(points,) for points in (2, 3, 10, 101)],
    "gram_bits": [(length, gram) for length in (3, 4, 5, 8, 20, 50) for gram in (3, 4, 5) if gram <= length],
    "dyck_word_bits": [(kinds, length) for kinds in (1, 2, 3) for length in (2, 4, 6, 8)],
    "linear_attention_bits": [(1, 2, 4, 4, 64), (3, 4, 16, 8, 32), (12, 12, 64, 64, 16), (1, 1, 1, 1, 1)],
    "message_bits_of_token": [
        (rounding, length, heads, width, vocabulary, steps)
        for rounding in (0, 1)
        for length, steps in ((1, 2), (6, 4), (9, 81), (64, 4096), (1000, 10**9))
        for heads, width in ((1, 1), (2, 5), (12, 64))
        for vocabulary in (2, 5, 129)
    ],
    "is_tree_bits": [(length, blocks) for length in (3, 4, 6, 16, 40) for blocks in range(2, length, max(1, length // 8))],
    "simple_graph_bits": [(length, blocks) for length in (6, 8, 30) for blocks in range(3, length - 2, max(1, length // 8))],
    "cells_of_means": [(width, thresholds) for width in (1, 2, 3, 8) for thresholds in (1, 2, 15, 60)],
    "induction_bits": [(length, symbols) for length in (2, 10, 64) for symbols in (2, 3, 4, 100)],
    "lists_answered": [(lists, state) for lists in (1, 7, 64, 10**6) for state in (0, 3, 6, 19, 20)],
    "ones_before_a_stop": [(2 * end * end + 1,) for end in (2, 3, 4, 9)],
    "ones_before_a_period": [(2 * end * end + 1,) for end in (2, 3, 4, 9)],
}


class Case(NamedTuple):
    """A network, an input, and the tables of its layer that the extracted program reads."""

    network: Network
    tokens: np.ndarray
    last: Array
    numbers: list[int]


@dataclass(frozen=True)
class LayerTables:
    """The scores, values and exponentials of the last position of a one-layer network, as whole numbers of steps."""

    network: Network
    tokens: np.ndarray

    def case(self) -> Case:
        """Compute them by the parts of the protocol of one party that has all positions."""
        network, tokens = self.network, self.tokens
        length = len(tokens)
        heads = narrowed(network.layers[0][0], AttentionLayer).heads
        rows = parties.embedded(network, list(tokens), list(range(length)))
        party = _alone(network, tokens)
        grid = network.grid
        scores = [[int(score) for score in row] for row in party.scores(rows[-1:])]
        values = []
        for head in heads:
            value = grid.product(rows, Array(head.value.integers.T, head.value.unit), Tally(), "")
            values += value.of_unit(grid.step).integers.T.reshape(-1).tolist()
        least = -2 * grid.steps**2
        table = exponentials(grid, Array(np.arange(least, 1), grid.step)).tolist()
        sizes = [int(grid.rounding == "nearest"), length, len(heads), len(heads[0].value.integers), grid.steps]
        numbers = [*sizes, *itertools.chain.from_iterable(scores), *values, *table]
        return Case(network, tokens, rows[-1:], [int(number) for number in numbers])


def _alone(network: Network, tokens: np.ndarray) -> parties.OneLayerParty:
    """The party of the protocol that has every position."""
    line = parties.Line(NO_CHANNEL)
    own = dict(enumerate(tokens.tolist()))
    return parties.OneLayerParty(network, own, len(tokens), line, variant="one-learns", question="token")


def cases(count: int, seed: int = 0) -> Iterator[Case]:
    """Draw networks of one layer on grids of 2 to 5 steps with both roundings, and inputs of up to 6 tokens."""
    random = np.random.default_rng(seed)
    drawn = 0
    while drawn < count:
        sizes = trials.LayerSizes(*(int(random.integers(1, most + 1)) for most in (6, 3, 4, 2)))
        grid = Grid(int(random.choice(MOST_STEPS)), ROUNDINGS[int(random.integers(2))])  # type: ignore[arg-type]
        network = trials.random_network(random, sizes, grid)
        for _ in range(min(INPUTS_OF_A_NETWORK, count - drawn)):
            yield LayerTables(network, trials.random_input(random, network, sizes.length)).case()
            drawn += 1


def unequal(program: Path, found: list[Case]) -> int:
    """Run the program on the cases, and count those whose logits are not the executor's."""
    text = f"{len(found)}\n" + "\n".join(" ".join(map(str, case.numbers)) for case in found) + "\n0\n"
    lines = printed(program, text)
    assert len(lines) == len(found)
    wrong = 0
    for case, line in zip(found, lines, strict=True):
        sums = np.array([int(number) for number in line.split()], dtype=np.object_)
        logits = parties._logits(case.network, case.last, sums, Tally())
        expected = run(case.network, case.tokens[None], at=-1).logits.of_unit(case.network.grid.step)
        wrong += list(logits) != expected.integers.reshape(-1).tolist()
    return wrong


def printed(program: Path, text: str) -> list[str]:
    """Return the lines that the program prints for an input."""
    return subprocess.run([program], input=text, capture_output=True, text=True, check=True, timeout=600).stdout.splitlines()


def peeling_cases(vertices: int, count: int, seed: int = 0) -> list[tuple[list[int], int]]:
    """Draw beginnings of runs, each with its next token: a prompt, and a part of its thought."""
    random = np.random.default_rng([seed, vertices])
    tokens = Pointed(vertices)
    found = []
    for _ in range(count):
        size = int(random.integers(2, vertices + 1))
        edges = random.integers(1, size + 1, size=(size - 1, 2)).tolist()
        if random.random() < 0.5:
            edges = [[child, int(random.integers(1, child))] for child in range(2, size + 1)]
        prompt = [tokens.begin, *(token for u, v in edges for token in (u, tokens.between, v))]
        thought = peel(tokens, size, edges)
        written = int(random.integers(len(thought)))
        found.append(([*prompt, *thought[:written]], thought[written]))
    return found


def unequal_peeling(program: Path, vertices: int, found: list[tuple[list[int], int]]) -> int:
    """Run the program's network on the inputs, and count those whose logits or next token are not those of the executor.

    The executor cuts off logits at the end of the grid, and the program does not.
    """
    network = peeling.build(vertices)
    grid = network.grid
    eta = hard_scale(grid.steps)
    end = grid.steps**2
    table = exponentials(grid, Array(np.arange(-grid.steps * eta, 1), grid.step)).tolist()
    inputs = [" ".join(map(str, [len(tokens), *tokens])) for tokens, _ in found]
    text = "\n".join(["0", "1", f"{vertices} {grid.steps} {eta}", " ".join(map(str, table)), str(len(found)), *inputs])
    lines = printed(program, text + "\n")
    assert len(lines) == len(found)
    answers: dict[int, list[tuple[list[int], int, list[int]]]] = {}
    for (tokens, following), line in zip(found, lines, strict=True):
        answers.setdefault(len(tokens), []).append((tokens, following, [int(number) for number in line.split()]))
    wrong = 0
    for batch in answers.values():
        logits = run(network, np.array([tokens for tokens, _, _ in batch]), at=-1).logits.of_unit(grid.step).integers
        expected = logits.reshape(len(batch), -1).tolist()
        for (_, following, (*given, chosen)), row in zip(batch, expected, strict=True):
            wrong += [max(-end, min(end, logit)) for logit in given] != row or chosen != following
    return wrong
