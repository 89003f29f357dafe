"""A recurrent model of a constant size recognises bracket words of bounded depth at every length.

Its state is the stack of open brackets. The stack has at most k brackets of n kinds, so its size does not depend on the length
of the word.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix E (after Theorem 10). Hewitt et al. 2020 (arXiv:2010.07515)
generate the language with O(m log k) units, where m is the depth and k the number of kinds.

We differ: the paper counts 7 states for Dyck-(2,2). These are the states from which a word can still be completed (live
states). An automaton with a transition for every token also has a dead one.

There are three models, and each is right after every prefix:
* `automaton` is a table.
* `relu` is one layer h' = relu(W h + U x + b) of whole numbers, run exactly.
* `sigmoid` has the same units with a sigmoid, in float64.

Sizes. The table has ceil(log2(1 + n + .. + n^k + 1)) bits of state (`build`). The recurrent layers keep the stack in their
units, one bit each. They have (2k + 2) c + 1 units, where c = bit_length(n). This is O(k log n). Hewitt et al. have the same
order, with other letters (`_recurrent`).

Margin. It is the distance of the recurrent layers' read-out from 0 (`_recurrent.proved`).
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from jaxtyping import Float64, Int64

from seqsep.core.options import OneOf
from seqsep.maths.automata.automata import DFA
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.tasks import BoundedDyck
from seqsep.theorems.base import Choice, Claim, Erratum, Margin, Number, Outcome, Theorem
from seqsep.theorems.bounded_dyck._prefixes import Strings, prefixes
from seqsep.theorems.bounded_dyck._recurrent import Activation, bound_elman, build_elman, proved
from seqsep.theorems.bounded_dyck._strings import parsed, written
from seqsep.theorems.bounded_dyck._words import every, hard
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Depth, Kinds, Length, LengthFrom2, Seed
from seqsep.theorems.trial import Trial

ACTIVATIONS: tuple[Activation, ...] = ("relu", "sigmoid")
VARIANTS = ("automaton", *ACTIVATIONS)
Variant = Annotated[str, OneOf(*VARIANTS), "The model: relu runs on the grid; by default check runs each."]

CLAIM = Claim(
    name="bounded-dyck-state",
    source="Bhattamishra et al. 2024, appendix E",
    statement="A recurrent model of constant size recognises Dyck-(n,k) at every length",
)
MARGIN = "the read-out from 0"
MOST_STATES = 1 << 14
EXHAUSTIVE_WORDS = 70_000
LONGEST_CHANGED_EVERYWHERE = 128
DRAWN_WORDS = 1000


def build(kinds: int = 2, depth: int = 2) -> DFA:
    """Build the automaton of all stacks of at most k open brackets, shortest first, and the dead state last.

    A prefix is in the stack of its open brackets, or dead once a close does not match or the depth exceeds k; a word is in the
    language exactly when it ends in the empty stack. No automaton is smaller (`DFA.minimal`): a stack and another are
    distinguished by the closing brackets of the first. Raises ValueError beyond 16,384 states.

    >>> automaton = build(kinds=2, depth=2)
    >>> len(automaton.table), automaton.accepts([0, 2, 3, 1]), automaton.accepts([0, 2, 1, 3])
    (8, True, False)
    """
    states = sum(kinds**size for size in range(depth + 1)) + 1
    if states > MOST_STATES:
        raise ValueError(f"build(kinds={kinds}, depth={depth}): {states} states, at most {MOST_STATES}")
    stacks = [stack for size in range(depth + 1) for stack in itertools.product(range(kinds), repeat=size)]
    number = {stack: index for index, stack in enumerate(stacks)}
    dead = len(stacks)
    table = np.full((dead + 1, 2 * kinds), dead, dtype=np.int64)
    for stack, index in number.items():
        for kind in range(kinds):
            if len(stack) < depth:
                table[index, 2 * kind] = number[(*stack, kind)]
            if stack and stack[-1] == kind:
                table[index, 2 * kind + 1] = number[stack[:-1]]
    accepting = np.zeros(dead + 1, dtype=bool)
    accepting[0] = True
    return DFA(table, 0, accepting)


def build_network(automaton: DFA) -> Network:
    """Build the automaton as a network for `Model.load`; class 1 is "accepted"."""
    return Network.of_table(CLAIM.name, automaton.table, automaton.accepting.astype(np.int64), start=automaton.start)


def bound(kinds: Kinds, depth: Depth) -> dict[str, Number]:
    """Count states, live states, their bits, and the bits of the least tensor that holds a state (whole bytes).

    >>> bound(kinds=2, depth=2)
    {'states': 8, 'live_states': 7, 'state_bits': 3, 'tensor_bits': 8}
    """
    live = sum(kinds**size for size in range(depth + 1))
    return {
        "states": live + 1,
        "live_states": live,
        "state_bits": live.bit_length(),
        "tensor_bits": 8 if live < 256 else 64,
    }


def check(
    length: LengthFrom2 = 30, kinds: Kinds = 2, depth: Depth = 2, variant: Variant | None = None, seed: Seed = 0
) -> list[Outcome]:
    """Check each model (or one) on all strings of every length that has at most 70,000, and on longer ones.

    `variant` is automaton, relu or sigmoid; by default each of them.
    The longer ones have `length` brackets: drawn ones for the automaton; for `relu` and `sigmoid` words, these with one bracket
    changed at every place (at 16 beyond length 128), and random strings, all read after every prefix.
    Raises ValueError for an odd length; TheoremFails with a word on which model and definition differ.
    """
    task = BoundedDyck(length, kinds, depth)
    if variant is not None and variant not in VARIANTS:
        raise ValueError(f"check(variant={variant!r}): variant is one of {', '.join(VARIANTS)}")
    outcomes = [_check_automaton(task, seed)] if variant in (None, "automaton") else []
    return outcomes + [_check_elman(task, one, seed) for one in ACTIVATIONS if variant in (None, one)]


def _longest_tried_whole(task: BoundedDyck) -> int:
    """Find the greatest length, up to the task's, with at most 70,000 words."""
    longest = 1
    while longest < task.length and task.vocabulary ** (longest + 1) <= EXHAUSTIVE_WORDS:
        longest += 1
    return longest


def _check_automaton(task: BoundedDyck, seed: int) -> Outcome:
    """Check the table on words, and that no automaton is smaller."""
    automaton = build(task.kinds, task.depth)
    trial = Trial(CLAIM.name, build_network(automaton))
    longest = _longest_tried_whole(task)
    inputs = 0
    for words in _words_for_automaton(task, longest, seed):
        _require_agreement(trial, task, words)
        inputs += len(words)
    minimal = automaton.minimal()
    bounds = bound(task.kinds, task.depth)
    measured: dict[str, Number] = {
        "states": len(minimal.table),
        "live_states": int(minimal.live().sum()),
        "state_bits": minimal.recurrence().state_bits,
        "tensor_bits": _tensor_bits(trial),
    }
    return CLAIM.upper(
        length=task.length,
        inputs=inputs,
        exhaustive=longest == task.length,
        measured=CLAIM.within(measured, bounds),
        bound=bounds,
        as_printed={"states": 7} if (task.kinds, task.depth) == (2, 2) else None,
        variant="automaton",
    )


def _words_for_automaton(task: BoundedDyck, longest: int, seed: int) -> Iterator[Strings]:
    """Yield all words up to a length, and drawn ones if the task's are longer."""
    for length in range(1, longest + 1):
        yield np.array(list(itertools.product(range(task.vocabulary), repeat=length)), dtype=np.int64)
    if longest < task.length:
        yield task.sample(0, DRAWN_WORDS, seed, evaluate=True).inputs


def _require_agreement(trial: Trial, task: BoundedDyck, words: Strings) -> None:
    """Require the model's answer to each word to be that of the definition."""
    answers = trial.last_logits(words).argmax(-1).tolist()
    for word, answer in zip(words.tolist(), answers, strict=True):
        if task.solve(tuple(word)) != answer:
            raise CLAIM.fails(task.readable(tuple(word), answer))


def _tensor_bits(trial: Trial) -> int:
    """Count the bits of the tensors that hold a state."""
    counted: int = trial.model.state_bits()[0]
    return counted


def _check_elman(task: BoundedDyck, activation: Activation, seed: int) -> Outcome:
    """Check a recurrent layer after every prefix: ReLU on the grid, with all units 0 or 1; the sigmoid in float64.

    No climb is needed: the margin depends only on the state, and strings of length 8 reach every state up to depth 4.
    """
    network = build_elman(task.kinds, task.depth, activation)
    trial = Trial(CLAIM.name, network)
    longest = _longest_tried_whole(task)
    inputs = sum(task.vocabulary**size for size in range(1, longest + 1))
    tried = list(every(longest, task.kinds))
    if longest < task.length:
        changed = None if task.length <= LONGEST_CHANGED_EVERYWHERE else 16
        more = list(hard(task.length, task.kinds, task.depth, np.random.default_rng(seed), changed=changed))
        inputs += sum(words.size for words in more)
        tried += more
    put = _on_the_grid if activation == "relu" else _in_floats
    least = min(float(put(trial, task, words).min()) for words in tried)
    bounds = bound_elman(task.kinds, task.depth, activation)
    tensor_bits = _tensor_bits(trial)
    measured: dict[str, Number] = {
        "width": network.width,
        "state_bits": network.width if activation == "relu" else tensor_bits,
        "tensor_bits": tensor_bits,
        "precision": network.precision,
        "program_bits": network.ledger().program,
    }
    return CLAIM.upper(
        length=task.length,
        inputs=inputs,
        exhaustive=longest == task.length,
        measured=CLAIM.within(measured, bounds),
        bound=bounds,
        as_printed={"state_bits": f"O(m log k), here k log2 n = {task.depth * math.log2(task.kinds):.4g}"},
        variant=activation,
        margin=Margin(least, proved(task.kinds, activation), MARGIN),
        saturated=trial.saturated if activation == "relu" else None,
    )


def _is_word(task: BoundedDyck, words: Strings) -> Int64[np.ndarray, "batch length"]:
    """Tell after every bracket whether a word ends there."""
    return prefixes(words, task.kinds, task.depth).allowed[:, 1:, -1].astype(np.int64)


def _on_the_grid(trial: Trial, task: BoundedDyck, words: Strings) -> Int64[np.ndarray, "batch length"]:
    """Require the right answers after every bracket, and units of 0 or 1; return the distances of the read-out from 0."""

    def readable(row: int) -> Mapping[str, str]:
        return {"string": written(words[row], task.kinds)}

    at = np.tile(np.arange(words.shape[1]), (len(words), 1))
    execution = trial.require(words, _is_word(task, words), readable, at)
    units = execution.attended[0].of_unit(Fraction(1)).integers
    if not np.isin(units, (0, 1)).all():
        raise CLAIM.fails({"unit": int(units.max()), "expected": "0 or 1"})
    logits = execution.logits.of_unit(Fraction(1)).integers
    return np.abs(logits[..., 1] - logits[..., 0])


def _in_floats(trial: Trial, task: BoundedDyck, words: Strings) -> Float64[np.ndarray, "batch length"]:
    """Require the right answers after every bracket in float64; return the distances of the read-out from 0."""
    logits = trial.logits(words)
    wrong = np.argwhere((logits[..., 1] > logits[..., 0]) != _is_word(task, words))
    if len(wrong):
        row, place = wrong[0].tolist()
        raise CLAIM.fails({"string": written(words[row, : place + 1], task.kinds), "run": "in float64"})
    return np.abs(logits[..., 1] - logits[..., 0])


def predictor(
    length: Length, kinds: Kinds = 2, depth: Depth = 2, variant: Variant = "relu"
) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"string": "([])"}, at most `length` brackets: 1 if it is a word of Dyck-(n,k).

    `variant` is automaton, relu or sigmoid; relu runs on the grid. Raises ValueError for an unknown variant or numbers below 1;
    the answer does so for any other string.

    >>> predictor(length=8)({"string": "([])"})
    1
    """
    if variant not in VARIANTS or min(length, kinds, depth) < 1:
        raise ValueError(
            f"predictor(length={length}, kinds={kinds}, depth={depth}, variant={variant!r}): numbers are at least 1; "
            f"variant is one of {', '.join(VARIANTS)}"
        )
    activation = next((one for one in ACTIVATIONS if one == variant), None)
    network = build_network(build(kinds, depth)) if activation is None else build_elman(kinds, depth, activation)
    trial = Trial(CLAIM.name, network)

    def answer(given: Mapping[str, Any]) -> int:
        words = parsed(given, kinds, length)
        if words.size == 0:  # the start state is the empty stack
            return 1
        if variant == "relu":
            return int(run(network, words, at=-1).answers[0, 0])
        return int(trial.last_logits(words)[0].argmax())

    return answer


def certificate_witness(kinds: Kinds = 2, depth: Depth = 2) -> Evidence:
    """Show the automaton's table: it is right at every length, and no automaton is smaller."""
    automaton = build(kinds, depth)
    return Evidence(BoundedDyck.name, {"kinds": kinds, "depth": depth}, automaton)


def verify(seed: int = 0) -> list[Outcome]:
    """Check all words up to length 8 of two kinds, depths 1 to 4; then hard words of up to 4,096 brackets."""
    outcomes = [outcome for depth in (1, 2, 3, 4) for outcome in check(8, 2, depth, seed=seed)]
    for length, kinds, depth in ((16, 3, 5), (32, 1, 3), (64, 4, 8), (64, 2, 2), (256, 7, 20), (1024, 2, 2), (4096, 3, 6)):
        for activation in ACTIVATIONS:
            outcomes += check(length, kinds, depth, activation, seed=seed)
    return outcomes


TEST = "tests/theorems/bounded_dyck/test_state.py::"
THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the three models for the given number of kinds and the given depth.",
    not_shown="This does not show that the models are right for other kinds and depths. Induction covers the lengths beyond "
    "those tested.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    errata=(
        Erratum(
            where="Appendix E, after Theorem 10",
            printed='"Any bounded dyck language Dyck-(n,k) can be represented by a DFA with O(2^k) states"',
            found="true only for n <= 2. Every stack of at most k open brackets needs its own state, 1 + n + ... + n^k of "
            "them, so O(n^k). For n = 3 there are 13, 40, 121 and 364 at k = 2 to 5: about three times as many each time, but "
            "2^k only doubles",
            built="the automaton with 1 + n + ... + n^k live states and a dead one",
            test=TEST + "test_the_stacks_of_three_brackets_outgrow_two_to_the_depth",
        ),
    ),
    choices=(
        Choice(
            where="Appendix E, after Theorem 10",
            printed='"Dyck-(2,2) considered here can be represented by a DFA with just 7 states"',
            found="7 states are live, one for each stack. A DFA whose transitions are total has a dead state too, so it has 8 "
            "states",
            built="the automaton with 8 states, 3 bits",
            test=TEST + "test_bounded_dyck_22_has_seven_live_states_and_a_dead_one",
        ),
    ),
)
