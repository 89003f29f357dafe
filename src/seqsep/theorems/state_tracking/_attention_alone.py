"""Causal attention without positions on a fixed grid, read after repeats of one word: from R repeats on, no answer changes.

Let a network have Lambda layers of causal softmax attention without positions, with any feed-forward parts, on a grid of L
steps. Its softmax is rounded "stepwise". Let m be L^2 with "floor" and 2 L^2 with "nearest" (`positions.fixed_grid_attention`).

Repeats. Let R = Lambda (m + 1), and let a, u, b be words. After a u^k b the answer at the last token is the same for every
k >= R. The word b may be empty.

Proof. A *kind* is a vector before a layer. What a layer writes at a token is a function of two things: the kind of the token,
and the number of tokens of each kind up to it, in which every number above m is stored as m + 1. The proof is at the head of
`maths.networks.word_automaton`. Stored numbers only grow. We claim that the stored numbers of the first i layers are the same
after k copies of u, for every k >= i (m + 1).
    i = 1    The kind of a token before layer 1 is its embedding. Each kind of u is stored as m + 1 after m + 1 copies.
    i > 1    After n = (i - 1) (m + 1) copies, the stored numbers of the first i - 1 layers change no more. So each place of u
             has one kind before layer i in all later copies. After m + 1 of them, each of these kinds is stored as m + 1.
So after R copies all stored numbers are the same. The tokens of b read only these numbers, those of b and their own kinds. If b
is empty, the last token of u has one kind before each layer, and reads the numbers after its copy.

Alike letters. Letters with the same embedding are one letter to the network. So the copies of u may have different letters, if
these are alike. A network of width d has at most G^d embeddings, for the G = 2 L^2 + 1 numbers of the grid.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.maths.networks.word_automaton import most_counted
from seqsep.theorems.blocks.random_attention import random_attention

AttentionLayers = Annotated[int, Range(1, 3), "Lambda, the layers of the networks without a recurrence."]
AttentionNetworks = Annotated[int, Range(1, 1000), "Number of random networks without a recurrence."]


def repeats(grid: Grid, layers: int) -> int:
    """Return R = Lambda (m + 1): from R copies on, one more copy of a word changes no answer.

    >>> repeats(Grid(2), 1), repeats(Grid(2, "nearest"), 2)
    (5, 18)
    """
    return layers * (most_counted(grid) + 1)


def embeddings(grid: Grid, width: int) -> int:
    """Return G^d, the most embeddings that letters can have.

    >>> embeddings(Grid(2), 2)
    81
    """
    return (2 * grid.steps**2 + 1) ** width


def drawn_attention(
    grid: Grid, layers: int, tokens: int, *, classes: int, width: int, generator: np.random.Generator
) -> Network:
    """Return a causal network without positions, with one head a layer and weights from -2 to 2."""
    sizes = {"layers": layers, "tokens": tokens, "classes": classes, "width": width, "head_width": width}
    return random_attention("attention alone", grid, generator, **sizes)


def answers_after(network: Network, words: Sequence[Sequence[int]]) -> list[int]:
    """Return the answer at the last token of each word; of two equal logits the first counts."""
    return [int(run(network, np.array([word]), at=-1).answers[0, 0]) for word in words]


def last_change(answers: Sequence[int]) -> int:
    """Return the greatest k for which the answers k - 1 and k differ; 0 without one.

    >>> last_change([3, 3, 5, 5]), last_change([1, 1])
    (2, 0)
    """
    return max((k for k in range(1, len(answers)) if answers[k] != answers[k - 1]), default=0)
