"""Lower bound: on a fixed grid and without positions, causal attention recognises an R-trivial language.

Source: own. Li and Cotterell 2025 (arXiv:2505.23623) have the class for fixed precision; the constants and the automaton are
ours. p-bit softmax is that of Bhattamishra et al. 2024, appendices B.2 and D.

Let a network have Lambda layers of causal softmax attention, with any feed-forward parts, on a grid of L steps. Let it have no
positions, and let it answer at an end token after the word. Let m be L^2 if numbers are rounded down, and 2 L^2 if they are
rounded to the nearest.

Proof. `maths.networks.word_automaton` shows that a state decides all that follows a prefix. The state has, for each layer, the
number of tokens of each kind, in which a number above m is stored as m + 1. These numbers only grow. So the automaton is
partially ordered: no word leads from a state to another one and back. Its least automaton is partially ordered too, and a
language with such an automaton is R-trivial (Brzozowski and Fich 1980).

One letter. Let T(i) = i m + 1 for i >= 1. After T(i) equal letters, the numbers of the first i layers stay the same. For i = 1,
the only number is m + 1 after m + 1 letters. Let i > 1. From T(i - 1) letters on, each next token has one and the same kind
before layer i. This is because the numbers of layer i - 1 and its own kind there do not change. That kind is counted at T(i -
1), T(i - 1) + 1, .., so its number is m + 1 from T(i - 1) + m = T(i) on, and no other number grows. So 1^k and 1^(k+1) get one
answer for every k > Lambda m: the parity of a number of ones is beyond such networks.

Certificate. Let T(0) = 1. Let x_i be the number of letters from the T(i - 1)-th one on, but at most m + 1. Layer i has
counted its last kind at least x_i times. So if all x_i are m + 1, no number of the network grows. The x_i are a recurrence. A
letter adds 1 to x_1. For i > 1 it adds floor((x_(i-1) + 1) / (m + 1)) to x_i. Each x_i stops at m + 1. From k = Lambda m + 1
letters on all x_i stay the same, so 1^k and 1^(k+1) reach one state. The certificate has this recurrence and these two words.

Rounding: at the places of `maths.networks.executor`. The proof uses only that softmax subtracts the maximum, and rounds each
exponential and each weight to a multiple of 1/L. For a softmax that is rounded once, m is L e^(2L) or 2 L e^(2L).
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Annotated

import numpy as np

from seqsep.core.options import Number, Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.multiplication import components
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.maths.networks.word_automaton import TooManyStates, most_counted, word_automaton
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.blocks.random_attention import random_attention
from seqsep.theorems.options import GridRounding, Seed
from seqsep.theorems.state_tracking.collision import CollisionEvidence, GridRecurrence, Map, collision_on_ones

CLAIM = Claim(
    name="fixed-grid-attention",
    source="own",
    statement="Lambda layers of causal softmax attention without positions, on a fixed grid of L steps and read at an end "
    "token, recognise an R-trivial language, and give 1^k and 1^(k+1) one answer for every k > 2 Lambda L^2",
)
Steps = Annotated[int, Range(2, 6), "L: the grid's numbers are multiples of 1/L from -L to L."]
Depth = Annotated[int, Range(1, 3), "Lambda, the number of layers."]
Networks = Annotated[int, Range(1, 1000), "Number of random networks."]
LETTERS = 2
WIDTH = 3
HEAD_WIDTH = 2
MOST_STATES = 3000
LONGEST = 8
"""Letters of the longest words on which a network and its automaton are compared."""


def horizon(steps: int, layers: int, rounding: str = "floor") -> int:
    """Return the number of equal letters after which one more of them changes no answer: Lambda m + 1.

    >>> horizon(3, 2), horizon(3, 2, "nearest")
    (19, 37)
    """
    return layers * most_counted(_grid(steps, rounding)) + 1


def _grid(steps: int, rounding: str) -> Grid:
    return Grid(steps, "nearest" if rounding == "nearest" else "floor")


def random_network(grid: Grid, layers: int, generator: np.random.Generator) -> Network:
    """Return a network over two letters and an end token, with one head a layer and weights from -2 to 2."""
    sizes = {"tokens": LETTERS + 1, "classes": 2, "width": WIDTH, "head_width": HEAD_WIDTH}
    return random_attention("random", grid, generator, layers=layers, **sizes)


def check(
    steps: Steps = 2,
    layers: Depth = 2,
    rounding: GridRounding = "floor",
    networks: Networks = 10,
    seed: Seed = 0,
) -> list[Outcome]:
    """Explore random networks to their exact automata: each is partially ordered, and agrees with its network.

    A network is run on all words to length 8, and on words of one letter beyond the bound. If the automaton of a network has
    more than 3,000 states, only the words of one letter are run. Raises TheoremFails with the network's number and the word.
    """
    most = horizon(steps, layers, rounding)
    generator = np.random.Generator(np.random.Philox(seed))
    last = explored = states = least = inputs = 0
    for number in range(networks):
        network = random_network(_grid(steps, rounding), layers, generator)
        for letter in range(LETTERS):
            changed = last_change(network, letter, most + LONGEST)
            if changed > most:
                raise CLAIM.fails({"network": number, "seed": seed, "letter": letter, "letters": changed})
            last = max(last, changed)
            inputs += most + LONGEST + 1
        try:
            automaton = word_automaton(network, MOST_STATES)
        except TooManyStates:
            continue
        smallest = _require_ordered(automaton, number)
        inputs += _require_agreement(network, automaton, number)
        explored += 1
        states = max(states, len(automaton.table))
        least = max(least, len(smallest.table))
    return [
        CLAIM.lower(
            length=most,
            inputs=inputs,
            measured={"letters": last},
            bound=sizes(steps, layers, rounding),
            variant=f"L = {steps}, {layers} layers, {rounding}",
            witness={"networks": networks, "explored": explored, "most states": states, "most states of a least one": least},
        )
    ]


def last_change(network: Network, letter: int, longest: int) -> int:
    """Return the greatest k up to `longest` for which k - 1 and k times a letter have two answers; 0 without one."""
    answers = [_answers(network, [[letter] * count])[0] for count in range(longest + 1)]
    changes = [count for count in range(1, longest + 1) if answers[count] != answers[count - 1]]
    return max(changes, default=0)


def _answers(network: Network, words: list[list[int]]) -> list[int]:
    """Return the answers at the end token after words of one length."""
    found: list[int] = run(network, np.array([[*word, LETTERS] for word in words]), at=-1).answers[:, 0].tolist()
    return found


def _require_ordered(automaton: DFA, number: int) -> DFA:
    """Return the least automaton. Raises TheoremFails if two states are left and entered again."""
    smallest = automaton.minimal()
    for one in (automaton, smallest):
        if len(set(components(one.table.tolist()).tolist())) < len(one.table):
            raise CLAIM.fails({"network": number, "states": len(one.table), "ordered": False})
    return smallest


def _require_agreement(network: Network, automaton: DFA, number: int) -> int:
    """Count the words to length 8. Raises TheoremFails if the network and its automaton differ on one."""
    count = 0
    for words in _words():
        for word, answer in zip(words, _answers(network, words), strict=True):
            if automaton.accepts(word) != (answer == 1):
                raise CLAIM.fails({"network": number, "word": word, "answer": answer})
        count += len(words)
    return count


def _words() -> Iterator[list[list[int]]]:
    """Yield all words of each length."""
    for length in range(LONGEST + 1):
        yield [list(word) for word in product(range(LETTERS), repeat=length)]


def sizes(steps: Steps, layers: Depth, rounding: GridRounding = "floor") -> dict[str, Number]:
    """The number of equal letters after which one more of them changes no answer."""
    return {"letters": horizon(steps, layers, rounding)}


def saturating_counts(steps: Steps, layers: Depth, rounding: GridRounding = "floor") -> GridRecurrence:
    """Return the recurrence of x_1 .. x_Lambda, on a grid with one step a unit more, so that m + 1 is one of its numbers.

    The greatest number of that grid stands for m + 1, as numbers are cut off there. A letter 0 changes nothing.

    >>> saturating_counts(2, 2).after((4, 4), letter=1)
    (5, 4)
    """
    stored = most_counted(_grid(steps, rounding)) + 1
    end = steps + 1
    zero = end * end - stored
    unchanged = [[int(place == other) for other in range(layers)] for place in range(layers)]
    letter: Map = [
        [
            *(Fraction(1, stored) if other == place - 1 else entry for other, entry in enumerate(row)),
            _added(place, zero, stored),
        ]
        for place, row in enumerate(unchanged)
    ]
    return GridRecurrence(end, "floor", [[[*row, 0] for row in unchanged], letter], start=(zero,) * layers)


def _added(place: int, zero: int, stored: int) -> Fraction:
    """Return what a letter adds to a number, beyond its share of the number of the layer below."""
    return Fraction(1) if place == 0 else Fraction(1 - zero, stored)


def certificate_witness(steps: Steps = 2, layers: Depth = 2, rounding: GridRounding = "floor") -> CollisionEvidence:
    """Return the recurrence of the saturating numbers with the words 1^k and 1^(k + 1), for k = Lambda m + 1.

    >>> certificate_witness(3, 2).witness.words
    ([(1, 19)], [(1, 20)])
    """
    return collision_on_ones(saturating_counts(steps, layers, rounding), gap=1)


def verify(seed: int = 0) -> list[Outcome]:
    """Run 12 networks of each kind: L = 2 and 3, one and two layers, both roundings; and 10 of three layers."""
    found = [
        outcome
        for steps in (2, 3)
        for layers in (1, 2)
        for rounding in ("floor", "nearest")
        for outcome in check(steps, layers, rounding, networks=12, seed=seed)
    ]
    return found + check(2, 3, "floor", networks=10, seed=seed)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="Random networks are explored to their exact automata. Each automaton is partially ordered and agrees with its "
    "network on all words to length 8. Words of one letter are run beyond the bound, and the last change of an answer is "
    "measured. The certificate has two words of ones, of different parity, that leave all stored numbers the same.",
    not_shown="This does not show the class for all networks; the written proof does. This does not show it for an answer that "
    "is read at the last letter, nor for floating-point numbers.",
    bound=sizes,
    verify=verify,
    nothing_to_apply="it is a lower bound: nothing is built",
    certificate_witness=certificate_witness,
)
