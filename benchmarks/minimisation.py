"""Minimisation of 4,096-state automata against automata-lib, in one run: python benchmarks/minimisation.py.

* Dyck-(2,11), all stacks of at most 11 brackets of two kinds and the dead state: 4,096 states, all of them needed.
* Dyck-(2,10) with every state twice, transitions into either: 2,048 classes. Dyck-(2,2) with every state 512 times: 8 classes.
* A counter that stops at its last state, the one that accepts: the worst case of refinement in rounds, one state split off in
  each. Dyck-(1,4094), depth up to 4,094, is one too.
* A random automaton over four tokens: hardly anything to merge.
Each pair alternates A B A B; automata-lib's object is built before. Printed: medians of CPU and wall seconds, ours over theirs.
Beside it: a shortest distinguishing suffix for the two states of the counter that need the longest one.
(A script named `automata.py` would hide the package of that name.)
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
from automata.fa import dfa

from seqsep.maths.automata.automata import DFA
from seqsep.theorems.bounded_dyck.state import build

STATES = 4096
ROUNDS = 7


def seconds(call: Callable[[], object]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return time.process_time() - cpu, time.perf_counter() - wall


def peer(automaton: DFA) -> dfa.DFA:
    states, tokens = automaton.table.shape
    return dfa.DFA(
        states=set(range(states)),
        input_symbols={str(token) for token in range(tokens)},
        transitions={
            state: {str(token): after for token, after in enumerate(row)} for state, row in enumerate(automaton.table.tolist())
        },
        initial_state=automaton.start,
        final_states=set(np.flatnonzero(automaton.accepting).tolist()),
    )


def repeated(automaton: DFA, copies: int) -> DFA:
    random, (states, tokens) = np.random.default_rng(0), automaton.table.shape
    table = np.repeat(automaton.table, copies, axis=0) * copies + random.integers(0, copies, (states * copies, tokens))
    return DFA(table, automaton.start * copies, np.repeat(automaton.accepting, copies))


def counter(states: int) -> DFA:
    table = np.stack([np.minimum(np.arange(states) + 1, states - 1), np.arange(states)], axis=1)
    return DFA(table, 0, np.arange(states) == states - 1)


def random_automaton(states: int) -> DFA:
    random = np.random.default_rng(0)
    return DFA(random.integers(0, states, (states, 4)), 0, random.random(states) < 0.5)


def compare(name: str, automaton: DFA) -> None:
    reference = peer(automaton)
    assert len(automaton.minimal().table) == len(reference.minify().states), name
    pairs = [(seconds(automaton.minimal), seconds(reference.minify)) for _ in range(ROUNDS)]
    (cpu, wall), (peer_cpu, peer_wall) = (
        tuple(statistics.median(pair[side][clock] for pair in pairs) for clock in (0, 1)) for side in (0, 1)
    )
    print(
        f"{name}: {len(automaton.table):,} states, {len(automaton.minimal().table):,} classes: CPU {1e3 * cpu:.1f} ms "
        f"(wall {1e3 * wall:.1f}), automata-lib {1e3 * peer_cpu:.1f} ms (wall {1e3 * peer_wall:.1f}), "
        f"ratio {cpu / peer_cpu:.2f} (wall {wall / peer_wall:.2f})",
        flush=True,
    )


if __name__ == "__main__":
    compare("Dyck-(2,11)", build(2, 11))
    compare("Dyck-(2,10) twice", repeated(build(2, 10), 2))
    compare("Dyck-(2,2) 512 times", repeated(build(2, 2), 512))
    compare("counter", counter(STATES))
    compare("Dyck-(1,4094)", build(1, STATES - 2))
    compare("random, four tokens", random_automaton(STATES))
    cpu, wall = seconds(lambda: counter(STATES).distinguish(0, 1))
    print(f"a suffix of 4,094 tokens: CPU {1e3 * cpu:.1f} ms (wall {1e3 * wall:.1f})")
