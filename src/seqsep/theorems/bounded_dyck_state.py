"""Upper bound: bounded Dyck is recognised at every length by a recurrent model of constant size.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), appendix E (after Theorem 10).
We differ: the paper counts 7 states for Dyck-(2,2); these are the live ones, a total automaton has a dead one as well. The
automaton is a table in the mixer `automaton`; a sigmoid or ReLU network with explicit weights is not built here.

Proof, as code. A state is a stack of at most k open brackets, 1 + n + .. + n^k of them, or dead. A prefix is in the stack of
its open brackets, or dead once a close does not match or the depth exceeds k; a word is in the language exactly when it ends
in the empty stack. So ceil(log2(1 + n + .. + n^k + 1)) bits suffice for every length; minimisation finds no smaller automaton
(`DFA.minimal`: a stack and another are told apart by the closing brackets of the first).
"""

import itertools

import numpy as np
import torch

from seqsep.exact.automata import DFA
from seqsep.exact.grid import Grid
from seqsep.exact.network import Array, AutomatonLayer, Network
from seqsep.mixers import state_bits
from seqsep.model import Model
from seqsep.tasks import BoundedDyck
from seqsep.theorems.base import Number, Outcome, Theorem, TheoremFails, require_within

NAME = "bounded-dyck-state"
SOURCE = "Bhattamishra et al. 2024, appendix E"
STATEMENT = "A recurrent model of constant size recognises Dyck-(n,k) at every length"
MOST_STATES = 1 << 14
EXHAUSTIVE_WORDS = 70_000


def build(kinds: int = 2, depth: int = 2) -> DFA:
    """The automaton of all stacks, shortest first, and the dead state last. Raises ValueError beyond 16,384 states."""
    count = sum(kinds**size for size in range(depth + 1)) + 1
    if count > MOST_STATES:
        raise ValueError(f"build(kinds={kinds}, depth={depth}): {count} states, at most {MOST_STATES}")
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
    """The automaton as a network for `Model.load`: one-hot tokens, one-hot states, class 1 in accepting states."""
    states, tokens = automaton.table.shape
    width = tokens + states
    readout = np.zeros((2, width), dtype=np.int64)
    readout[1, tokens:] = automaton.accepting
    readout[0, tokens:] = ~automaton.accepting
    return Network(
        name=NAME,
        grid=Grid(4),
        spaces={"token": slice(0, tokens), "state": slice(tokens, width)},
        symbols=Array(np.eye(tokens, width, dtype=np.int64)),
        layers=((AutomatonLayer(Array(automaton.table[None]), automaton.start), None),),
        readout=Array(readout),
        readout_bias=Array(np.zeros(2, dtype=np.int64)),
    )


def bound(kinds: int, depth: int) -> dict[str, Number]:
    """States, live states, their bits, and the bits of the least tensor that holds a state (whole bytes)."""
    live = sum(kinds**size for size in range(depth + 1))
    return {
        "states": live + 1,
        "live_states": live,
        "state_bits": live.bit_length(),
        "tensor_bits": 8 if live < 256 else 64,
    }


def check(length: int = 30, kinds: int = 2, depth: int = 2, seed: int = 0) -> list[Outcome]:
    """The loaded model on every word of every length with at most 70,000 words, even or odd, and on drawn words of `length`.

    Raises ValueError for an odd length; TheoremFails with a word on which model and definition differ.
    """
    task = BoundedDyck(length, kinds, depth)
    automaton = build(kinds, depth)
    model = Model.load(build_network(automaton))
    inputs, shorter = 0, 1
    while shorter <= length and task.vocabulary**shorter <= EXHAUSTIVE_WORDS:
        words = np.array(list(itertools.product(range(task.vocabulary), repeat=shorter)), dtype=np.int64)
        _require_agreement(model, task, words)
        inputs, shorter = inputs + len(words), shorter + 1
    exhaustive = shorter > length
    if not exhaustive:
        words = task.sample(0, 1000, seed, evaluate=True).inputs
        _require_agreement(model, task, words)
        inputs += len(words)
    measured: dict[str, Number] = {
        "states": len(automaton.minimal().table),
        "live_states": int(automaton.minimal().live().sum()),
        "state_bits": automaton.minimal().recurrence().state_bits,
        "tensor_bits": sum(state_bits(part) for part in model.start(1)),
    }
    bounds = bound(kinds, depth)
    require_within(NAME, measured, bounds)
    printed: dict[str, Number | str] | None = {"states": 7} if (kinds, depth) == (2, 2) else None
    return [Outcome(NAME, SOURCE, "upper", STATEMENT, length, exhaustive, inputs, measured, bounds, printed)]


@torch.no_grad()
def _require_agreement(model: Model, task: BoundedDyck, words: np.ndarray) -> None:
    found = model(torch.from_numpy(words), torch.full((len(words),), words.shape[1] - 1)).argmax(-1).numpy()
    for word, answer in zip(words.tolist(), found.tolist(), strict=True):
        if task.solve(tuple(word)) != answer:
            raise TheoremFails(NAME, task.readable(tuple(word), answer))


THEOREM = Theorem(NAME, SOURCE, STATEMENT, check, ("length", "kinds", "depth", "seed"))
