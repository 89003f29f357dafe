"""The runs of a machine's network, as evidence for a certificate: what greedy decoding writes after every word.

The task is the machine's rules, and the checker runs the machine itself. It compares the configurations of this run with those
that the weights write, without those that a retriever found.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from seqsep.maths.networks.generation import follow
from seqsep.maths.networks.network import Network
from seqsep.theorems.evidence import Evidence, GeneratedRun
from seqsep.theorems.turing_machine._machine import Configuration, Machine
from seqsep.theorems.turing_machine._trials import every_word

MOST_WORDS = 4096
MOST_STEPS = 4096


def words_of(machine: Machine, length: int) -> list[str]:
    """Return every word of this number of the machine's symbols, blanks among them.

    Raises ValueError for a length below 1, more than 4,096 words, or a machine of one symbol, which has only one run.
    """
    words = len(machine.symbols) ** min(max(length, 0), MOST_WORDS.bit_length())
    if length < 1 or not 1 < words <= MOST_WORDS:
        raise ValueError(
            f"certify(length={length}): expected 2 to {MOST_WORDS:,} words of at least 1 symbol, found {words:,} or more"
        )
    return [word for word in every_word(machine, length) if len(word) == length]


def table_of(machine: Machine) -> list[list[int]]:
    """Return the rule for symbol c in state q at S q + c: state, symbol to write, and move; [] if there is none.

    >>> from seqsep.theorems.turing_machine._machine_file import machine_of
    >>> table_of(machine_of("busy-beaver-3"))  # A, B, C and H
    [[1, 1, 1], [3, 1, 1], [2, 0, 1], [1, 1, 1], [2, 1, -1], [0, 1, -1], [], []]
    """
    states = machine.states
    symbols = machine.symbols
    rules = [machine.rules.get(Configuration(*one)) for one in product(states, symbols)]
    return [[] if rule is None else [states.index(rule.state), symbols.index(rule.write), rule.move] for rule in rules]


def shown(
    task: str,
    machine: Machine,
    network: Network,
    runs: Sequence[tuple[Sequence[int], Sequence[int]]],
    *,
    steps: int,
    head: int = 0,
    inserted: Sequence[Sequence[bool]] | None = None,
) -> Evidence:
    """Return the runs, each a prompt and what the network is found to write after it.

    `head` is the cell where the head starts; `inserted` marks the tokens that a retriever found. Raises ValueError unless 1 <=
    steps <= 4,096.
    """
    if not 1 <= steps <= MOST_STEPS:
        raise ValueError(f"certify(steps={steps}): expected 1 to {MOST_STEPS:,} steps")
    prompts = np.array([prompt for prompt, _ in runs])
    fields = {
        "alphabet": len(machine.symbols),
        "head": head,
        "length": prompts.shape[1] - 1,
        "rules": table_of(machine),
        "steps": steps,
    }
    starts = [prompts.shape[1]] * len(runs)
    follow(network, [[*prompt, *written] for prompt, written in runs], starts, inserted)
    return Evidence(task, fields, GeneratedRun(network, prompts, [list(written) for _, written in runs]))
