"""Classification of languages with monoids of 720 to 4,096 elements: python benchmarks/classify.py. CPU seconds, best of three.

* A window: the letter eleven from the end is 1. A counter modulo 3,000.
* All maps of 5 states, and all even permutations of 7 (a language: state 0 comes back to 0). All monotone maps of 7 states.
* The set of letters that occurred, of 11. Bounded brackets of two kinds, and of one kind.
* Many cycles at once, so that the sets of elements of the words of one length repeat after 9,699,690 letters.
"""

import time
from collections.abc import Sequence

import numpy as np

from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.regular import automaton
from seqsep.theorems.analysis.classify import classify

ROUNDS = 3
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)


def of_maps(maps: Sequence[Sequence[int]]) -> DFA:
    states = len(maps[0])
    return DFA(np.array(maps).T, 0, np.arange(states) == 0)


def letters_that_occurred(letters: int) -> DFA:
    sets = np.arange(1 << letters)
    return DFA(sets[:, np.newaxis] | 1 << np.arange(letters), 0, sets == sets[-1])


def brackets(depth: int) -> DFA:
    rows = [(min(level + 1, depth + 1), level - 1 if level else depth + 1) for level in range(depth + 1)]
    return DFA(np.array([*rows, (depth + 1, depth + 1)]), 0, np.arange(depth + 2) == 0)


def monotone(states: int) -> DFA:
    steps = [[place + (place == step) for place in range(states)] for step in range(states - 1)]
    return of_maps([*steps, *([place - (place == step + 1) for place in range(states)] for step in range(states - 1))])


LANGUAGES = {
    "window of 11": automaton("(0|1)*1(0|1){10}"),
    "modulo 3,000": of_maps([[(state + 1) % 3000 for state in range(3000)]]),
    "maps of 5 states": of_maps([[1, 2, 3, 4, 0], [1, 0, 2, 3, 4], [0, 0, 2, 3, 4]]),
    "even permutations of 7": of_maps([[1, 2, 0, 3, 4, 5, 6], [0, 1, 3, 4, 5, 6, 2]]),
    "permutations of 6": of_maps([[1, 2, 3, 4, 5, 0], [1, 0, 2, 3, 4, 5]]),
    "monotone maps of 7": monotone(7),
    "set of 11 letters": letters_that_occurred(11),
    "brackets to depth 18": brackets(18),
    "two brackets, depth 5": automaton(
        "(0(0(0(01|23)*1|2(01|23)*3)*1|2(0(01|23)*1|2(01|23)*3)*3)*1|2(0(01|23)*1|2(01|23)*3)*3)*"
    ),
    "eight cycles": automaton("|".join(f"({letter}{{{prime}}})*" for letter, prime in enumerate(PRIMES))),
    "cycle of 56": automaton("(0{55}1)*"),
}


def main() -> None:
    print(f"{'language':<24} {'states':>6} {'elements':>8} {'CPU s':>6}")
    for name, language in LANGUAGES.items():
        times = []
        for _ in range(ROUNDS):
            start = time.process_time()
            found = classify(language)
            times.append(time.process_time() - start)
        print(f"{name:<24} {len(found.language.automaton.table):>6} {found.monoid.size:>8,} {min(times):>6.2f}", flush=True)


if __name__ == "__main__":
    main()
