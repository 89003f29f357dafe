"""The exact automaton of a network of causal attention without positions on its fixed grid.

A *kind* is a vector of the residual stream before a layer. Kinds are finitely many, as their numbers are on the grid. The state
after a word has, for each layer, the number of tokens of each kind so far, and a number above m is stored as m + 1.

Proof that the state of a prefix decides all that follows. Softmax in a layer depends on the own kind of a token and on the
numbers of all kinds, its own included. Let n tokens of the row have an exponential above 0.
    stepwise   Such an exponential is at least 1/L and at most 1, so the sum is at least n/L. A weight above 0 needs a sum of
               at most L with "floor", and of at most 2L with "nearest". So for n > m = L^2 or 2 L^2 every weight is 0.
    once       Scores are at most 2L apart. Relative to the maximum, each exponential is at least e^(-2L) and at most 1. So for
               n > m = L e^(2L) or 2L e^(2L) every weight is 0.
If a stored m + 1 is of a kind with exponential 0, its number does not matter. If it is of another kind, every weight is 0, with
the stored number and with the true one. All other numbers are exact. So each layer writes the same with stored numbers.

Numbers only grow. So the automaton returns to a state that it has left for no word: it is partially ordered.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.automata.automata import DFA
from seqsep.maths.networks._embedding import embed
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, Network, whole

MOST_STATES = 20_000
MOST_LETTERS = 64
NUMBERS_AT_ONCE = 1 << 20
Counts = tuple[tuple[int, int], ...]
"""The stored numbers of the kinds of one layer, as pairs of a kind and its number, in ascending order."""
State = tuple[Counts, ...]


class TooManyStates(ValueError):
    """A network whose automaton has more states than are explored.

    >>> print(TooManyStates("mine", 20_000))
    mine: expected an automaton of at most 20,000 states, found more
    """

    def __init__(self, name: str, most: int) -> None:
        super().__init__(f"{name}: expected an automaton of at most {most:,} states, found more")


def most_counted(grid: Grid) -> int:
    """Return m: with more tokens of exponentials above 0, every weight is 0. For "once" it is rounded up (e^2 < 37/5).

    >>> most_counted(Grid(3)), most_counted(Grid(3, "nearest")), most_counted(Grid(2, softmax="once"))
    (9, 18, 109)
    """
    sharpest = grid.steps * (2 if grid.rounding == "nearest" else 1)
    if grid.softmax == "once":
        return sharpest * 37**grid.steps // 5**grid.steps
    return sharpest * grid.steps


def word_automaton(network: Network, most: int = MOST_STATES) -> DFA:
    """Return the automaton that accepts the words after which the network answers 1 at the end token.

    The last token of the vocabulary is the end token, and the others are the letters. Of two equal logits the first counts.

    Arguments:
        network: causal attention without positions, on tokens, with two classes.
        most: the most states.

    Raises ValueError for another network, and TooManyStates for one with more states.

    >>> from seqsep.maths.networks.network import Head, whole
    >>> head = Head(whole([[0, 0]]), whole([[0, 0]]), whole([[1, 0]]), whole([[0], [1]]))
    >>> any_one = Network("any one", Grid(2), {}, whole([[0, 0], [1, 0], [0, 0]]), ((AttentionLayer((head,)), None),),
    ...     readout=whole([[0, 0], [0, 1]]), readout_bias=whole([0, 0]))
    >>> word_automaton(any_one).minimal().accepts([1]), word_automaton(any_one).minimal().accepts([0, 0, 0, 1])
    (True, False)
    """
    _require_word_network(network)
    if network.grid.steps > most or most_counted(network.grid) > most:  # 0, 1, .., m equal letters lead to m + 1 states
        raise TooManyStates(network.name, most)
    return _Explorer(network).explore(most)


def _require_word_network(network: Network) -> None:
    """Raise ValueError for a network whose state is not a set of numbers of kinds."""
    if network.symbols is None:
        raise ValueError(f"{network.name}: expected a network that reads tokens, found one that reads vectors")
    if network.positions is not None:
        raise ValueError(
            f"{network.name}: expected a network without positions: with positions, each length has its own automaton"
        )
    layers = [mixer for mixer, _ in network.layers]
    others = [number for number, mixer in enumerate(layers) if not isinstance(mixer, AttentionLayer) or not mixer.causal]
    if others or not layers:
        found = f"layer {others[0]} is another" if others else "no layer"
        raise ValueError(f"{network.name}: expected layers of causal attention only, found {found}")
    if len(network.readout.integers) != 2:
        raise ValueError(f"{network.name}: expected 2 classes, found {len(network.readout.integers)}")
    letters = _vocabulary(network) - 1
    if not 1 <= letters <= MOST_LETTERS:
        raise ValueError(f"{network.name}: expected 1 to {MOST_LETTERS} letters and an end token, found {letters}")


def _vocabulary(network: Network) -> int:
    return sum(len(table.integers) for table in (network.symbols, network.indices) if table is not None)


class _Explorer:
    """Breadth-first search over states; every layer runs on the exact executor, as a network of one layer."""

    def __init__(self, network: Network) -> None:
        self.most_stored = most_counted(network.grid) + 1
        self.kinds: dict[tuple[int, ...], int] = {}
        self.vectors: list[Int64[np.ndarray, "width"]] = []
        identity = whole(np.eye(network.width, dtype=np.int64))
        self.reading = replace(network, symbols=None, indices=None, vectors=identity, layers=network.layers[-1:])
        passing = replace(self.reading, readout=identity, readout_bias=whole(np.zeros(network.width)))
        self.layers = [replace(passing, layers=(layer,)) for layer in network.layers[:-1]]
        self.step = network.grid.step
        self.known: list[dict[tuple[int, Counts], int]] = [{} for _ in network.layers]
        tokens = embed(network, np.arange(_vocabulary(network))[None], Tally()).dense()[0]
        self.tokens = self._numbered(tokens)

    def explore(self, most: int) -> DFA:
        """Return the automaton. Raises TooManyStates for more than `most` states."""
        *letters, end = self.tokens
        start: State = tuple(() for _ in self.known)
        numbers = {start: 0}
        frontier = [start]
        table: list[list[int]] = []
        accepting: list[bool] = []
        while frontier:
            accepting += [answer == 1 for answer in self._answers(frontier, end)]
            moved = [self._after(frontier, letter) for letter in letters]
            after = list(zip(*moved, strict=True))
            new: list[State] = []
            for targets in after:
                for state in targets:
                    if state not in numbers:
                        numbers[state] = len(numbers)
                        new.append(state)
                table.append([numbers[state] for state in targets])
            if len(numbers) > most:
                raise TooManyStates(self.reading.name, most)
            frontier = new
        return DFA(np.array(table, dtype=np.int64), 0, np.array(accepting))

    def _after(self, states: Sequence[State], token: int) -> list[State]:
        """Return the state after one more token, for each state."""
        return list(zip(*(added for _, added in self._through(states, token)), strict=True))

    def _answers(self, states: Sequence[State], token: int) -> list[int]:
        """Return the answer at one more token, for each state."""
        *_, (own, added) = self._through(states, token)
        return self._run(self.known[-1], self.reading, list(zip(own, added, strict=True)), is_answer=True)

    def _through(self, states: Sequence[State], token: int) -> list[tuple[list[int], list[Counts]]]:
        """Return, for each layer, the kinds of one more token and the numbers with it, for each state."""
        own = [token] * len(states)
        found = []
        for number in range(len(self.known)):
            added = [self._added(state[number], kind) for state, kind in zip(states, own, strict=True)]
            found.append((own, added))
            if number < len(self.layers):
                own = self._run(self.known[number], self.layers[number], list(zip(own, added, strict=True)))
        return found

    def _added(self, counts: Counts, kind: int) -> Counts:
        """Return the stored numbers with one more token of a kind."""
        more = dict(counts)
        more[kind] = min(more.get(kind, 0) + 1, self.most_stored)
        return tuple(sorted(more.items()))

    def _run(
        self,
        known: dict[tuple[int, Counts], int],
        network: Network,
        asked: Sequence[tuple[int, Counts]],
        *,
        is_answer: bool = False,
    ) -> list[int]:
        """Return the next kind, or the answer, for each pair of a token's kind and the numbers with it."""
        by_size: dict[int, list[tuple[int, Counts]]] = {}
        for pair in dict.fromkeys(asked):
            if pair not in known:
                by_size.setdefault(sum(number for _, number in pair[1]), []).append(pair)
        for size, pairs in by_size.items():
            at_once = max(1, NUMBERS_AT_ONCE // (size * network.width))
            for first in range(0, len(pairs), at_once):
                some = pairs[first : first + at_once]
                execution = run(network, np.stack([self._row(own, counts) for own, counts in some]), at=-1)
                found = execution.answers[:, 0].tolist() if is_answer else self._numbered(execution.logits[:, 0])
                known.update(zip(some, found, strict=True))
        return [known[pair] for pair in asked]

    def _row(self, own: int, counts: Counts) -> Int64[np.ndarray, "time width"]:
        """Return vectors with these numbers of kinds, in steps of the grid; the last one is a token's own."""
        order = [kind for kind, number in counts for _ in range(number - (kind == own))]
        return np.stack([self.vectors[kind] for kind in [*order, own]])

    def _numbered(self, vectors: Array) -> list[int]:
        """Return the numbers of kinds; a new kind gets the next one."""
        found = []
        for vector in vectors.of_unit(self.step).integers:
            key = tuple(vector.tolist())
            if key not in self.kinds:
                self.kinds[key] = len(self.vectors)
                self.vectors.append(vector)
            found.append(self.kinds[key])
        return found
