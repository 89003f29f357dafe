"""One attention layer composes two functions over [n] only if at least n log2 n bits pass through it.

A model reads the values of f, then those of g, then x. It answers f(g(x)). Here [n] is the set of the numbers 0 .. n - 1. The
layer has H heads of m coordinates, and numbers of p bits. In the proof one party sends a message, and all bits about f must
pass through it. The statement has two parts. In the first, sums of weights are rounded to p bits. In the second, only each mean
is rounded, to p bits. There cells(m, T) is the greatest number of parts into which m T hyperplanes divide a space of m + 1
dimensions.

Source: the idea is that of Peng, Narayanan, Papadimitriou 2024 (arXiv:2402.08164): a party that knows one of the two functions
can send too little about it through one layer.

We differ: the statement, its constants and the proof are our own, for the two arithmetics below. The paper's text was not at
hand, so nothing here is compared with it.

The task. The tokens are f(0) .. f(n-1), g(0) .. g(n-1), x: 2n + 1 numbers of [n]. The answer is f(g(x)).

The layer. It has H heads with values of m coordinates. In each head a position has a score and a value. They are any functions
of its token, its place and the last token. The output of the head is the mean of the values weighted by e^score. The answer is
any function of the outputs of the H heads and of the last token. A residual stream, a feed-forward part and a read-out
together are such a function. There are two arithmetics:
* `sums`. The layer reads the positions in order. For each head it keeps a maximum, a sum of weights and m sums of weighted
  values. These are numbers of p bits, with any rounding at any step (`_running_sums`). GPU kernels that read the keys block by
  block also work in this way, if a block ends where f ends. In such a kernel p is the number of bits of its sums, often 32,
  and not that of the weights.
* `exact`. Weights and sums are exact. Each coordinate of a mean is rounded once, to one of 2^p numbers, and the rounding is
  monotone: a larger mean never becomes a smaller number. Every rounding to p bits, fixed or floating, does that.

Proof. Fix x. Alice has the positions of f, and Bob has the others. Only the value y = g(x) of g matters, and Bob may choose
any of n values for it. Both know x, the last token. So Alice's message about f is the same for each y:
* `sums`: the message is the state after the n tokens of f. It has H (m + 2) p bits. It depends on f and x only, and Bob
  continues from it.
* `exact`: Alice's sums are a point in a space of m + 1 dimensions. The hyperplanes of `retrieval-one-layer` divide this space
  into parts. For each coordinate of a mean there are (2^p - 1) n hyperplanes: one for each threshold of the rounding and each
  of Bob's n inputs. The message gives the part of her point for each head, in at most log2 cells(m, (2^p - 1) n) bits a head.

For the n values of y, the right answers are f(0) .. f(n-1). So the message must distinguish the n^n functions. If it has fewer
than n log2 n bits, two functions have the same message. For some y the layer then gives the same answer for both, which is
wrong for one of them.

Variants. If f has S values in place of n, the bound is n log2 S. For random f and y, the message is the state of a model for
index lookup over n symbols. So the accuracy is at most `tasks.ceilings.index_lookup_ceiling(n, S, bits)`. A number may also be
written as several tokens, if those of f come first.

Scope. The proof is for one layer and for f before g. The value and the score at a position of f may depend only on f, on the
place and on x. The form of the scores and the width of the residual stream do not matter.
"""

from itertools import product
from typing import Annotated

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.communication.one_layer_message import (
    composition_bites_from,
    composition_bits,
    exact_bits,
    least_width,
    sums_bits,
)
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.evidence import DistinguishingTable, Evidence, tabulated
from seqsep.theorems.options import Heads, Length, LengthFrom2, Precision, Seed
from seqsep.theorems.retrieval._one_layer_trials import conversations
from seqsep.theorems.retrieval._running_sums import TYPES, RunningLayer, heard, random_layer, written
from seqsep.theorems.retrieval.one_layer import Shared

CLAIM = Claim(
    name="composition-one-layer",
    source="Peng, Narayanan, Papadimitriou 2024 (arXiv:2402.08164), function composition by one layer",
    statement=(
        "One attention layer composes functions over [n] only if H (m + 2) p >= n log2 n (sums of p bits), or "
        "H log2 cells(m, 2^p n) >= n log2 n (exact weights, means of p bits)"
    ),
)
SMALL = 3
LAYERS = 3
FUNCTIONS = 200
LONG_FUNCTIONS = 4_000
LONG_LAYERS = 40
MOST_SHOWN = 3


def answer(tokens: tuple[int, ...]) -> int:
    """f(g(x)), from the tokens f(0) .. f(n-1), g(0) .. g(n-1), x.

    >>> answer((2, 0, 1, 1, 1, 0, 2))  # g(2) = 0, f(0) = 2
    2
    """
    values = len(tokens) // 2
    return tokens[tokens[values + tokens[-1]]]


def share(values: int, last: int = 0) -> Shared:
    """The two parties' inputs of composition for x = `last`: Alice has f, and Bob has g, which is y at x and 0 elsewhere.

    Raises ValueError for fewer than 2 values, or a `last` that is none of them.

    >>> shared = share(3, last=2)
    >>> shared.whole({0: 2, 1: 0, 2: 1}, question=1), shared.answers(shared.whole({0: 2, 1: 0, 2: 1}, question=1))
    ((2, 0, 1, 0, 0, 1, 2), 0)
    """
    if not 0 <= last < values or values < 2:
        raise ValueError(f"share(values={values}, last={last}): at least 2 values, and last is one of 0 to values - 1")
    bobs = tuple({values + place: y if place == last else 0 for place in range(values)} for y in range(values))
    return Shared(
        length=2 * values,
        bobs=bobs,
        last=(2 * values, last),
        alices=lambda: [dict(enumerate(f)) for f in product(range(values), repeat=values)],
        answers=answer,
    )


def reduce(layer: RunningLayer, tokens: np.ndarray) -> int:
    """Run the protocol on a layer and inputs f, g, x, a row each; return the bits of Alice's message for one input.

    Alice reads f, and sends her sums as bytes; Bob reads on from these. The inputs have one x, as the layer is for one last
    token. Raises TheoremFails if a logit of Bob's is not the whole layer's, bit for bit, or if there are more bits.

    >>> layer = random_layer(np.random.default_rng(0), places=5, tokens=2, heads=2, width=4, precision=16)
    >>> reduce(layer, np.array([[0, 1, 1, 0, 0], [1, 1, 0, 0, 0]]))
    192
    """
    batch, length = tokens.shape
    half = length // 2
    message = written(layer.read(layer.nothing(batch), tokens[:, :half], first=0))
    bob = layer.logits(layer.read(heard(layer, message, batch), tokens[:, half:], first=half))
    whole = layer.logits(layer.read(layer.nothing(batch), tokens, first=0))
    wrong = np.flatnonzero((bob != whole).any(axis=1))
    if len(wrong):
        raise CLAIM.fails({"tokens": tokens[wrong[0]].tolist(), "bob": bob[wrong[0]], "layer": whole[wrong[0]]})
    _, _, heads, width = layer.values.shape
    bits = 8 * len(message) // batch
    if bits != sums_bits(heads, width, layer.precision):
        raise CLAIM.fails({"message_bits": bits, "expected": sums_bits(heads, width, layer.precision)})
    return bits


def bound(length: LengthFrom2, heads: Heads = 1, precision: Precision = 16) -> dict[str, Number]:
    """Find the least m for composition over [n], n = `length`, in both arithmetics, and the bits that are needed.

    >>> bound(length=1024, heads=8, precision=16)
    {'message_bits': 10240, 'least_width_sums': 78, 'least_width_exact': 46}
    """
    needed = composition_bits(length)
    return {
        "message_bits": needed,
        "least_width_sums": least_width(needed, lambda width: sums_bits(heads, width, precision)),
        "least_width_exact": least_width(needed, lambda width: exact_bits(heads, width, precision, length)),
    }


def first_impossible(width: int, heads: int = 1, precision: int = 16) -> dict[str, int]:
    """The least n from which no layer of these sizes composes functions over [n], in both arithmetics.

    >>> first_impossible(width=128, heads=32, precision=16)
    {'sums': 5372, 'exact': 9559}
    """
    sums = sums_bits(heads, width, precision)
    return {
        "sums": composition_bites_from(lambda values: sums),
        "exact": composition_bites_from(lambda values: exact_bits(heads, width, precision, values)),
    }


def check(length: LengthFrom2 = 1024, heads: Heads = 1, precision: Precision = 16, seed: Seed = 0) -> list[Outcome]:
    """Run both protocols on random layers at small sizes, then give the least m for n = `length`, H = `heads` and p bits.

    Raises ValueError for numbers below 2, 1 and 1; TheoremFails with an input on which Bob's answer is not the layer's.
    """
    if length < 2 or min(heads, precision) < 1:
        raise ValueError(
            f"check(length={length}, heads={heads}, precision={precision}): length is at least 2, the others at least 1"
        )
    random = np.random.default_rng(seed)
    return [
        *(_check_sums(random, bits, FUNCTIONS) for bits in TYPES),
        _check_exact(random, LAYERS),
        *_check_sizes(length, heads, precision),
    ]


def verify(functions: int = LONG_FUNCTIONS, layers: int = LONG_LAYERS, seed: int = 0) -> list[Outcome]:
    """Run both on more layers: `functions` inputs on each of 30 in floats, all inputs on `layers` with exact weights."""
    random = np.random.default_rng(seed)
    outcomes = [_check_sums(random, bits, functions) for bits in TYPES for _ in range(10)]
    return [*outcomes, _check_exact(random, layers)]


def _check_sums(random: np.random.Generator, precision: int, functions: int) -> Outcome:
    """Draw a layer and inputs with one x, and run the protocol on them."""
    values = int(random.integers(2, 33))
    heads = int(random.integers(1, 5))
    width = int(random.integers(1, 17))
    layer = random_layer(random, places=2 * values + 1, tokens=values, heads=heads, width=width, precision=precision)
    tokens = random.integers(0, values, (functions, 2 * values + 1))
    tokens[:, -1] = tokens[0, -1]
    return CLAIM.lower(
        length=2 * values + 1,
        inputs=functions,
        measured={"message_bits": reduce(layer, tokens)},
        bound={"message_bits": sums_bits(heads, width, precision)},
        variant=f"sums of {precision} bits, n = {values}, H = {heads}, m = {width}",
    )


def _check_exact(random: np.random.Generator, layers: int) -> Outcome:
    """Run the protocol on layers of exact weights, for each x in turn."""
    shares = [share(SMALL, last=number % SMALL) for number in range(layers)]
    return conversations(CLAIM, random, shares, variant=f"exact weights, n = {SMALL}")


def _check_sizes(length: int, heads: int, precision: int) -> list[Outcome]:
    """The widest layers that the bound excludes: their message, beside the bits that are needed."""
    sizes = bound(length, heads, precision)
    excluded = {name: int(sizes[f"least_width_{name}"]) - 1 for name in ("sums", "exact")}
    messages = {
        "sums": sums_bits(heads, excluded["sums"], precision),
        "exact": exact_bits(heads, excluded["exact"], precision, length),
    }
    return [
        CLAIM.lower(
            length=length,
            inputs=1,
            computed=True,
            measured={"message_bits": messages[name], f"least_width_{name}": width + 1},
            bound={"message_bits": sizes["message_bits"], f"least_width_{name}": width + 1},
            variant=f"{name}, H = {heads}, p = {precision}: message of the widest layer excluded, m = {width}",
        )
        for name, width in excluded.items()
    ]


def certificate_witness(length: Annotated[Length, Range(2, 3)] = MOST_SHOWN) -> Evidence:
    """Show, for n = `length` up to 3, that Bob's questions tell every two functions apart: n^n rows, for x = 0.

    The task is the table of all answers. Raises ValueError for another length.
    """
    if not 2 <= length <= MOST_SHOWN:
        raise ValueError(f"certify(length={length}): 2 or 3 values, as the table has n^(2n + 1) entries")
    inputs = np.array(list(product(range(length), repeat=2 * length + 1)))
    shared = share(length)
    whole = [shared.whole({}, question) for question in range(length)]
    witness = DistinguishingTable(
        alice=list(range(length)),
        rows=[list(f) for f in product(range(length), repeat=length)],
        columns=[list(tokens) for tokens in whole],
    )
    return Evidence("table", tabulated(inputs, [answer(tuple(row)) for row in inputs.tolist()]), witness)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="In the proof Alice has the values of f, and Bob has g and x. On random layers in floats of 16, 32 and 64 bits, a "
    "run gives Bob only the bytes of Alice's sums. He computes the logits of the complete layer from them, bit for bit. On "
    "random layers with exact weights, a run shows for every input that Alice's message is enough for Bob's answer. The "
    "message has no more bits than the bound. If two functions have the same message, the run shows an input that the layer "
    "answers wrongly.",
    not_shown="This does not show the bound for every layer, nor for sizes larger than those run. The proof shows that.",
    bound=bound,
    verify=verify,
    certificate_witness=certificate_witness,
    nothing_to_apply="a lower bound; index-lookup-one-layer answers f(y) where y is the last token",
)
