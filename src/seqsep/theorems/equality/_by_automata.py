"""Theorem 11 by automata, and Lemma 4: a recurrent model that is the same at all times is an automaton.

Take any DFA that agrees with equality on words of length N, whatever it does on other words. Two different prefixes a and b of
length h = N/2 must lead to different states: with the suffix a, one word has equal halves and the other does not. So the DFA
has at least S^h states, which is Theorem 11 again.

All these prefixes have one length. So the argument also holds if the transition depends on the time, and again state_bits >= h
log2 S.
"""

import numpy as np

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import DFA, Recurrence
from seqsep.maths.automata.partial_automata import distinguished, least, on_length
from seqsep.theorems.base import Claim, Outcome
from seqsep.theorems.equality._words import count_halves, has_equal_halves

STATEMENT = "A DFA that agrees with equality on words of length N has at least S^(N/2) states"
LEMMA_4 = "A recurrent model with B bits, the same at all times, recognises no language whose least DFA has over 2^B states"
MOST_DROPPED_TO = 11


def as_automaton(model: Recurrence, tokens: int) -> DFA:
    """Build Lemma 4's DFA from the states that a model reaches by its transition and read-out at time 0.

    There are at most 2^B such states. If the model recognises a language at every length, this DFA has at least as many states
    as the least DFA of the language. This fails if transition or read-out may depend on the time: a DFA that finds whether the
    length is a multiple of n has n states, and such a model needs no bit.

    >>> parity = Recurrence(1, 0, lambda t, state, token: state ^ token, lambda t, state: state)
    >>> as_automaton(parity, tokens=2).table.tolist()
    [[0, 1], [1, 0]]
    """
    number = {model.start: 0}
    reached = [model.start]
    table = []
    for state in reached:  # grows as states are reached
        after = [model.state((token,), state, 0) for token in range(tokens)]
        for one in after:
            if one not in number:
                number[one] = len(reached)
                reached.append(one)
        table.append([number[one] for one in after])
    accepting = np.array([bool(model.read(0, state)) for state in reached])
    return DFA(np.array(table, dtype=np.int64), 0, accepting)


def check_search(claim: Claim, length: int) -> Outcome:
    """Find the least DFA over two symbols by a search of every smaller size, which does not use the bound."""
    examples = on_length(has_equal_halves, length)
    search = least(examples, exhaustive=True)
    search.bound.verify(examples)
    witness = {
        "table": search.automaton.table.tolist(),
        "start": search.automaton.start,
        "accepting": np.flatnonzero(search.automaton.accepting).tolist(),
        "branches_to_refute": [search.refuted[size] for size in sorted(search.refuted)],
    }
    states = count_halves(length, 2)
    if search.states != states:
        raise claim.fails({"length": length, "states": search.states, **witness})
    return claim.lower(
        statement=STATEMENT,
        length=length,
        inputs=2**length,
        exhaustive=True,
        measured={"states": search.states},
        bound={"states": states},
        variant="least DFA for words of length N, every smaller size searched",
        witness=witness,
    )


def check_prefixes(claim: Claim, queue: DFA, length: int, alphabet: int) -> Outcome:
    """Find S^h prefixes that are distinguished pair by pair, and require that the queue, with as many states, is right."""
    examples = on_length(has_equal_halves, length, alphabet)
    apart = distinguished(examples)
    apart.verify(examples)
    errs_on = examples.disagreement(queue)
    states = count_halves(length, alphabet)
    if len(apart.prefixes) != states or errs_on is not None:
        raise claim.fails({"length": length, "prefixes": len(apart.prefixes), "queue is wrong on": errs_on})
    return claim.lower(
        statement=STATEMENT,
        length=length,
        inputs=len(apart.suffixes),
        exhaustive=True,
        measured={"states": states},
        bound={"states": len(apart.prefixes)},
        variant="prefixes, every two distinguished",
        witness={
            "prefixes": [list(prefix) for prefix in apart.prefixes[:8]],
            "suffix_of_the_first_two": list(apart.suffixes[0, 1]),
        },
    )


def drops_a_bit(states: int) -> bool:
    """Tell whether `check_lemma_4` has a model to check: one with 1 to 11 bits, one fewer than the states need."""
    return 1 <= ceil_log2(states) - 1 <= MOST_DROPPED_TO


def check_lemma_4(claim: Claim, queue: Recurrence, automaton: DFA, length: int, alphabet: int) -> Outcome:
    """Find a word on which the queue without its highest bit, as an automaton, differs from the queue's language."""
    states = count_halves(length, alphabet)
    bits = ceil_log2(states) - 1
    language = automaton.minimal()
    smaller = as_automaton(queue.cut_down(bits), alphabet)
    word = smaller.difference(language)
    if len(language.table) != states or len(smaller.table) > 1 << bits or word is None:
        raise claim.fails({"least DFA": len(language.table), "states": len(smaller.table), "differs on": word})
    return claim.lower(
        statement=LEMMA_4,
        length=length,
        inputs=len(word),
        measured={"states": len(smaller.table)},
        bound={"states": states},
        variant="queue, highest bit dropped",
        witness={"errs_on": list(word), "answer": int(smaller.accepts(word)), "expected": int(language.accepts(word))},
    )
