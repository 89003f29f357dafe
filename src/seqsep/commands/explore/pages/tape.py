"""A Turing machine that a hybrid network runs: what it writes token by token, what its head reads, and the tape.

The network writes every configuration by itself, on its grid. The tape is read off what it writes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from seqsep.core.names import BadInput, choose
from seqsep.maths.networks.generation import generate
from seqsep.maths.networks.network import Network
from seqsep.report.attention_weights import attention_weights
from seqsep.theorems.turing_machine import Machine, machine_of, shipped
from seqsep.theorems.turing_machine.hybrid import build

THEOREM = "turing-machine-hybrid"
MOST_STEPS = 60
MOST_WORD = 10
WORDS: Mapping[str, str] = {"binary-increment": "1011", "palindromes": "abba"}
"""The word that the page opens with, for machines that read one."""
MOVES = {-1: "left", 0: "stay", 1: "right"}
SEEN = 0.005


@dataclass(frozen=True)
class TapeStep:
    """A token that is written: state and symbol, the rule, the cells of the tape, and what the attention head reads.

    `head` is the place of the machine's head among `cells`. `reads` are tokens with their share of the weight.
    """

    token: str
    rule: str
    cells: tuple[str, ...]
    head: int
    reads: tuple[str, ...]


@dataclass(frozen=True)
class TapeRun:
    """A machine's run on a word, as a network writes it."""

    machine: str
    rules: tuple[tuple[str, str, str], ...]
    prompt: tuple[str, ...]
    steps: tuple[TapeStep, ...]
    halted: bool
    agrees: bool
    layers: int


def machines() -> list[str]:
    """Return the names of the machines that come with seqsep."""
    return shipped()


def tape_run(name: str, word: str, most: int) -> TapeRun:
    """Return the run of a machine on a word, up to a number of steps. Raises BadInput for a word that it cannot read.

    >>> run = tape_run("binary-increment", "11", 20)
    >>> "".join(run.steps[-1].cells), run.halted, run.agrees
    ('100_', True, True)
    """
    machine = machine_of(choose("machine", name, shipped()))
    if len(word) > MOST_WORD:
        raise BadInput(f"word: expected at most {MOST_WORD} symbols, found {len(word):,}")
    machine.word({"input": word}, MOST_WORD)
    network = build(machine, len(word), most)
    configurations = [(state, symbol) for state in machine.states for symbol in machine.symbols]
    prompt = [_tokens(network) - 1, *(len(configurations) + machine.symbols.index(symbol) for symbol in word)]
    stops = {place for place, one in enumerate(configurations) if one not in machine.rules}
    written = generate(network, prompt, stops, most=most + 1)
    trace = [configurations[token] for token in written if token < len(configurations)]
    shown = ["[BOS]", *word, *(f"{state} {symbol}" for state, symbol in trace)]
    weights = attention_weights(network, np.array([*prompt, *written]))[0][0]
    read = [weights[place] for place in range(len(prompt) - 1, len(shown) - 1)]
    steps = _steps(machine, word, trace, shown=shown, weights=read)
    return TapeRun(
        machine=name,
        rules=tuple(
            (f"{state} {symbol}", f"{rule.state}", f"write {rule.write}, {MOVES[rule.move]}")
            for (state, symbol), rule in machine.rules.items()
        ),
        prompt=tuple(shown[: len(prompt)]),
        steps=tuple(steps),
        halted=trace[-1] not in machine.rules,
        agrees=trace == _followed(machine, word, len(trace)),
        layers=len(network.layers),
    )


def _tokens(network: Network) -> int:
    return 0 if network.symbols is None else len(network.symbols.integers)


def _followed(machine: Machine, word: str, count: int) -> list[tuple[str, str]]:
    """Return the first configurations of the machine itself, by its rules."""
    cells = dict(enumerate(word, start=1))
    place = 1
    found = [(machine.start, cells.get(1, machine.blank))]
    while len(found) < count and found[-1] in machine.rules:
        rule = machine.rules[found[-1]]
        cells[place] = rule.write
        place += rule.move
        found.append((rule.state, cells.get(place, machine.blank)))
    return found


def _steps(
    machine: Machine, word: str, trace: Sequence[tuple[str, str]], shown: Sequence[str], weights: Sequence[np.ndarray]
) -> list[TapeStep]:
    places = [1]
    for one in trace[:-1]:
        places.append(places[-1] + machine.rules[one].move)
    low = min(1, *places)
    high = max(len(word), 1, *places)
    cells = dict(enumerate(word, start=1))
    found = []
    for number, (one, place) in enumerate(zip(trace, places, strict=True)):
        if number:
            before = machine.rules[trace[number - 1]]
            cells[places[number - 1]] = before.write
        row = tuple(cells.get(cell, machine.blank) for cell in range(low, high + 1))
        rule = machine.rules.get(one)
        said = (
            "no rule: the machine halts" if rule is None else f"write {rule.write}, {MOVES[rule.move]}, to state {rule.state}"
        )
        reads = tuple(
            f"{shown[other]} (token {other + 1}{'' if weight > 1 - SEEN else f', {100 * weight:.0f} %'})"
            for other, weight in enumerate(weights[number].tolist())
            if weight > SEEN
        )
        found.append(TapeStep(" ".join(one), said, row, head=place - low, reads=reads))
    return found
