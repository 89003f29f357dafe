"""One attention layer answers recall or counting over n tokens only if m H (p + log n) grows at least as fast as n.

Here H is the number of heads, and m the number of coordinates of a head's values. The output of a head is called a mean: the
mean of its values, weighted by attention. Each coordinate of a mean has p bits. Two layers of constant width are enough: see
`recall-attention` and `counting-attention`.

Source: neither paper has this statement. Theorem 4.6 of Wen, Dang, Lyu 2025 (arXiv:2402.18510) uses two layers, and we ask
whether one layer is enough. The proof is about two parties, who share the positions of the input. For recall they share them
as in Sanford, Hsu, Telgarsky 2024 (arXiv:2408.14332).

We differ:
* The constants are explicit, and the attention weights are exact.
* The means must have p bits. Without rounding, one head with m = 1 distinguishes all lists of n symbols, by a mean with one
  digit for each symbol.
* *With rounded weights the statement is false.* There one layer with two heads of one coordinate answers counting
  (`counting-one-layer`). The reason is that a rounded weight depends on all other positions.

The layer. There are H heads with values of m coordinates in [-L, L]. In each head a position has a score, a weight and a
value. The score and the value are any functions of its token, its place and the last token. The weight is any positive
function of the score (softmax: e^s). The mean y is the sum of weight times value, divided by the sum of weights. Each
coordinate of y is rounded to a multiple of 1/L, down or to the nearest. This is a number of p bits. The answer is any function
of these m H numbers and of the last token.

Proof, one head. The last token is fixed. Alice has some positions. Bob has the others, and he has B possible inputs. Let Z be
the sum of Alice's weights, and S_c the sum of her weighted values in coordinate c. Bob's sums are Z' and S'_c. The rounded
mean is at least k/L exactly if (S_c + S'_c) / (Z + Z') >= theta_k. Here theta_k is k/L, or (k - 1/2)/L if rounding is to the
nearest. The inequality is the same as S_c - theta_k Z >= theta_k Z' - S'_c. So Alice's point (Z, S_1 .. S_m) is on a certain
side of a hyperplane. The hyperplane depends on k, c and Bob's input.

Proof, the messages. Each coordinate of a mean has one of 2 L^2 + 1 values, so there are m T hyperplanes with T = 2 L^2 B. They
divide space into at most cells(m, T) parts, which is the sum of C(m T, i) over i <= m + 1. (Points on a hyperplane count as on
the side of >=. Alice has finitely many points. So each hyperplane can be moved a little, and then no point is on it.)

If two inputs of Alice have points in the same part, each input of Bob gets the same mean from both. So Alice only sends the
number of her part for each head. This is a one-way message that does not depend on Bob's tokens. Suppose that Bob's inputs
distinguish A of her inputs. Then cells(m, T)^H >= A. This gives about m H >= log2 A / log2(2 L^2 B e).

Two tasks have the following A and B:
* Recall, c-grams over S symbols, n tokens. The question is c - 1 times a symbol q, and there are blocks of c tokens. Alice has
  the last token of each block, which is one of the S - 1 symbols other than q. Bob has the rest: c - 1 times q in one block of
  his choice, and another symbol elsewhere. The answer is Alice's symbol in that block. So A = (S-1)^floor(n/c) and B =
  floor(n/c).
* Counting, threshold 0. Alice has the data. For each nonempty set of the n numbers she has one input: its members, some of
  them repeated, so that there are n tokens. Bob has q. So A = 2^n - 1 and B = n.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Annotated, Literal, get_args

import numpy as np

from seqsep.core.names import InternalError, ensure, required
from seqsep.core.options import OneOf, Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.communication.one_layer_message import cells
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.options import AlphabetFrom3, Exponent, Gram, Heads, Length, LengthFrom2, Seed
from seqsep.theorems.protocols.one_layer_trials import LayerSizes, random_network
from seqsep.theorems.retrieval import _exact_attention as attention

Asked = Literal["recall", "counting"]
Tokens = tuple[int, ...]

AskedTask = Annotated[Asked, "recall or counting."]
AskedWord = Annotated[str, OneOf(*get_args(Asked)), "recall or counting; by default both."]

CLAIM = Claim(
    name="retrieval-one-layer",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6",
    statement=(
        "One attention layer with exact attention weights and p-bit head outputs answers recall over n numbers only if "
        "m H (p + log n) = Omega(n log n), and counting only if m H (p + log n) = Omega(n)"
    ),
)
RANDOM_TOKENS = 5
LAYERS_TRIED = 4
WIDEST = 1 << 40
MOST_SHOWN = 4_096


@dataclass(frozen=True)
class Shared:
    """A task shared by two parties: Alice's inputs and Bob's as tokens by position, and the tokens of the question.

    >>> halves = share("recall", length=4, alphabet=3)
    >>> halves.whole({1: 0, 3: 1}, question=0), halves.answers(halves.whole({1: 0, 3: 1}, question=0))
    ((2, 0, 0, 1, 2), 0)
    """

    length: int
    bobs: tuple[dict[int, int], ...]
    last: tuple[int, int]
    alices: Callable[[], list[dict[int, int]]]
    answers: Callable[[Tokens], int]

    def whole(self, alice: dict[int, int], question: int) -> Tokens:
        """The input that both make up."""
        places = {**alice, **self.bobs[question], self.last[0]: self.last[1]}
        return tuple(places[place] for place in sorted(places))


def share(task: Asked, length: int, alphabet: int, gram: int = 2) -> Shared:
    """The shares of the proof; q is the last symbol, and Bob's other one 0. Raises ValueError for too few tokens or symbols."""
    if task == "counting":
        if not 1 <= length <= alphabet:
            raise ValueError(f"share(counting, length={length}, alphabet={alphabet}): 1 to alphabet tokens")
        bobs = tuple({length: query} for query in range(length))
        return Shared(
            length,
            bobs,
            last=(length + 1, 0),
            alices=lambda: _sets(length),
            answers=lambda tokens: int(tokens[-2] in tokens[:length]),
        )
    _require_recall(length, alphabet, gram)
    query = alphabet - 1
    blocks = length // gram
    bobs = tuple(
        {
            place: query if place // gram == block or place >= length else 0
            for place in range(length + gram - 2)
            if place % gram != gram - 1 or place >= blocks * gram
        }
        for block in range(blocks)
    )

    def alices() -> list[dict[int, int]]:
        places = range(gram - 1, blocks * gram, gram)
        return [dict(zip(places, symbols, strict=True)) for symbols in product(range(query), repeat=blocks)]

    def answers(tokens: Tokens) -> int:
        asked = tokens[length:]
        first = next(place for place in range(length) if tokens[place : place + gram - 1] == asked)
        return tokens[first + gram - 1]

    return Shared(length, bobs, last=(length + gram - 2, query), alices=alices, answers=answers)


def _require_recall(length: int, alphabet: int, gram: int) -> None:
    if not (2 <= gram <= length and alphabet >= 3):
        raise ValueError(f"share(recall, length={length}, alphabet={alphabet}, gram={gram}): 2 <= gram <= length, 3 symbols")


def _sets(length: int) -> list[dict[int, int]]:
    """The nonempty sets of numbers, each written out with its first member repeated."""
    sets = [chosen for size in range(1, length + 1) for chosen in combinations(range(length), size)]
    return [dict(enumerate(chosen + chosen[:1] * (length - len(chosen)))) for chosen in sets]


def distinguished_inputs(task: Asked, length: int, alphabet: int | None = None, gram: int = 2) -> tuple[int, int]:
    """Return A and B: the number of Alice's inputs, every two of which some input of Bob's distinguishes, and of Bob's. S = n
    by default.

    >>> distinguished_inputs("recall", length=6), distinguished_inputs("counting", length=6)
    ((125, 3), (63, 6))
    """
    if task == "counting":
        return 2**length - 1, length
    symbols = length if alphabet is None else alphabet
    _require_recall(length, symbols, gram)
    return (symbols - 1) ** (length // gram), length // gram


def steps_of(length: int, exponent: int) -> int:
    """L = n0^Kc for n0 = n + 2, the tokens of the task."""
    return (length + 2) ** exponent


@cache
def least_width(task: Asked, length: int, heads: int = 1, exponent: int = 2, alphabet: int | None = None, gram: int = 2) -> int:
    """The least m with cells^H >= A: no layer of fewer coordinates a head answers the task at this n, with L = (n + 2)^Kc.

    >>> [least_width("recall", length) for length in (64, 1024)], [least_width("counting", length) for length in (64, 1024)]
    ([6, 99], [2, 19])
    """
    apart, questions = distinguished_inputs(task, length, alphabet, gram)
    thresholds = 2 * steps_of(length, exponent) ** 2 * questions

    def is_enough(width: int) -> bool:
        parts = cells(width, thresholds)
        if (parts.bit_length() - 1) * heads >= apart.bit_length():
            return True
        return parts.bit_length() * heads >= apart.bit_length() and parts**heads >= apart

    return _first(is_enough)


def first_impossible(task: Asked, width: int, heads: int = 1, exponent: int = 2, gram: int = 2) -> int:
    """The least n, over n symbols, at which no layer with m = `width` and H = `heads` answers the task.

    >>> first_impossible("recall", width=64), first_impossible("counting", width=3)
    (670, 151)
    """
    least = max(gram, 3)

    def is_excluded(beyond: int) -> bool:
        return least_width(task, least - 1 + beyond, heads, exponent, gram=gram) > width

    return least - 1 + _first(is_excluded)


def _first(holds: Callable[[int], bool]) -> int:
    """The least number from 1 for which it holds, found by doubling and halving: it is taken to hold from there on."""
    high = 1
    while not holds(high):
        high *= 2
        ensure(high < WIDEST, "no number is large enough below", WIDEST)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def bob_sums(network: Network, shared: Shared) -> list[tuple[attention.HeadSums, ...]]:
    """The sums that each of Bob's inputs adds; the last token is one of his."""
    asker = {shared.last[0]: shared.last[1]}
    return [attention.sums(network, {**bob, **asker}, shared.last) for bob in shared.bobs]


def responses(
    network: Network, message: tuple[attention.HeadSums, ...], bobs: list[tuple[attention.HeadSums, ...]]
) -> tuple[attention.Means, ...]:
    """The rounded means for each of Bob's inputs, from Alice's sums and his."""
    return tuple(
        attention.means(network, tuple(one.plus(other) for one, other in zip(message, theirs, strict=True))) for theirs in bobs
    )


def check(
    length: Annotated[Length, Range(3, 1 << 16)] = 1024,
    heads: Heads = 1,
    exponent: Exponent = 2,
    task: AskedWord | None = None,
    gram: Gram = 2,
    seed: Seed = 0,
) -> list[Outcome]:
    """Run the protocol on random layers at small sizes, then give the least m of the bound for n = `length` over n symbols.

    `task` is recall or counting (by default both), `gram` the c of recall, and L = (n + 2)^`exponent`. Raises ValueError for
    other names or numbers; TheoremFails with a layer and an input on which Bob's answer is not the whole layer's.
    """
    if task not in (None, *get_args(Asked)) or min(heads, exponent) < 1 or length < 3:
        raise ValueError(
            f"check(length={length}, heads={heads}, exponent={exponent}, task={task!r}): task is one of "
            f"{', '.join(get_args(Asked))}, length at least 3, the others at least 1"
        )
    outcomes = []
    for one in get_args(Asked):
        if task in (None, one):
            outcomes += [_check_run(one, gram, seed), _bound(one, length, heads, exponent, gram=gram)]
    return outcomes


def _bound(task: Asked, length: int, heads: int, exponent: int, *, gram: int) -> Outcome:
    """The widest layer that the bound excludes: its message, beside the bits that are needed."""
    width = least_width(task, length, heads, exponent, gram=gram)
    apart, questions = distinguished_inputs(task, length, gram=gram)
    parts = cells(width - 1, 2 * steps_of(length, exponent) ** 2 * questions)
    return CLAIM.lower(
        length=length,
        inputs=1,
        measured={"least_width": width, "message_bits": ceil_log2(parts**heads)},
        bound={"least_width": width, "message_bits": ceil_log2(apart)},
        variant=f"{task}, H = {heads}, Kc = {exponent}: message of the widest layer excluded, m = {width - 1}",
    )


def _check_run(task: Asked, gram: int, seed: int) -> Outcome:
    """Run the protocol on random layers of small sizes, on every input of both."""
    shared = share(task, 4 if task == "counting" else 3 * gram, 4, gram)
    random = np.random.default_rng(seed)
    most = 0
    inputs = 0
    allowed = None
    erred = None
    for _ in range(LAYERS_TRIED):
        sizes = LayerSizes(shared.last[0] + 1, int(random.integers(1, 3)), 3, int(random.integers(1, 3)))
        network = random_network(random, sizes, Grid(int(random.integers(2, 9))), harsh=False)
        first_with: dict[tuple[attention.Means, ...], dict[int, int]] = {}
        bobs = bob_sums(network, shared)
        for alice in shared.alices():
            behaviour = responses(network, attention.sums(network, alice, shared.last), bobs)
            for question, means in enumerate(behaviour):
                tokens = shared.whole(alice, question)
                heard = attention.answer(network, means, shared.last)
                inputs += 1
                if heard != attention.forward(network, np.array(tokens)):
                    raise CLAIM.fails({"network": network.name, "tokens": tokens, "bob": heard})
            other = first_with.setdefault(behaviour, alice)
            if other is not alice:
                erred = erred or _error(network, shared, (other, alice), behaviour)
        parts = cells(sizes.width, 2 * network.grid.steps**2 * len(shared.bobs)) ** sizes.heads
        if len(first_with) > parts:
            raise CLAIM.fails({"behaviours": len(first_with), "parts": parts})
        if len(first_with) > most:
            most = len(first_with)
            allowed = parts
    return CLAIM.lower(
        length=shared.length,
        inputs=inputs,
        measured={"behaviours": most},
        bound={"behaviours": min(required(allowed, "the number of parts"), len(shared.alices()))},
        variant=f"{task}, random layers",
        witness=erred,
    )


def _error(
    network: Network, shared: Shared, alices: tuple[dict[int, int], dict[int, int]], behaviour: tuple[attention.Means, ...]
) -> dict[str, object]:
    """An input that a layer answers wrongly, because it behaves alike on two of Alice's inputs."""
    for question in range(len(shared.bobs)):
        pair = [shared.whole(alice, question) for alice in alices]
        expected = [shared.answers(tokens) for tokens in pair]
        if expected[0] != expected[1]:
            heard = attention.answer(network, behaviour[question], shared.last)
            wrong = int(heard == expected[0])
            return {"prefixes": pair, "errs_on": list(pair[wrong]), "answer": heard, "expected": expected[wrong]}
    raise InternalError("some input of Bob's tells any two of Alice's apart")


def verify(seed: int = 0) -> list[Outcome]:
    """Run the protocol on 114 times four random layers of each task, c = 2 and 3, and give the least m up to n = 65,536."""
    runs = [(task, gram) for task in get_args(Asked) for gram in ((2, 3) if task == "recall" else (2,))]
    outcomes = [_check_run(task, gram, seed + turn) for task, gram in runs for turn in range(114)]
    for length in (64, 1024, 65_536):
        for task, gram in runs:
            outcomes += [_bound(task, length, heads, 2, gram=gram) for heads in (1, 8)]
    return outcomes


def constants(
    length: Annotated[Length, Range(3, 1 << 16)],
    heads: Heads = 1,
    exponent: Exponent = 2,
    task: AskedTask = "recall",
    gram: Gram = 2,
) -> dict[str, Number]:
    """The least m that the bound leaves open at one length, over n symbols; nothing is built. `task` is recall or counting.

    >>> constants(1024), constants(1024, task="counting")
    ({'least_width': 99}, {'least_width': 19})
    """
    return {"least_width": least_width(task, length, heads, exponent, gram=gram)}


def certificate_witness(
    length: LengthFrom2 = 4, alphabet: AlphabetFrom3 = 4, gram: Gram = 2, task: AskedTask = "recall"
) -> Evidence:
    """Show Alice's inputs, every two of which some input of Bob's distinguishes: A rows; that A <= cells^H is the proof.

    Tokens are those of docs/reference/certificates.md, one more than here, after a first 0 of Bob's. `task` is recall or
    counting.
    Raises ValueError as `share` does, and for more than 4,096 of Alice's inputs.
    """
    shared = share(task, length, alphabet, gram)
    apart, _ = distinguished_inputs(task, length, alphabet, gram)
    if apart > MOST_SHOWN:
        raise ValueError(f"certify(length={length}, alphabet={alphabet}): {apart:,} inputs of Alice's, at most {MOST_SHOWN:,}")
    alices = shared.alices()
    columns = []
    for bob in shared.bobs:
        places = {**bob, shared.last[0]: shared.last[1]}
        columns.append([0, *(places[place] + 1 for place in sorted(places))])
    rows = [[alice[place] + 1 for place in sorted(alice)] for alice in alices]
    witness = DistinguishingTable(alice=[place + 1 for place in sorted(alices[0])], rows=rows, columns=columns)
    counted = {"length": length, "alphabet": alphabet}
    if task == "counting":
        return Evidence(task, counted, witness)
    return Evidence("ngram", counted | {"gram": gram}, witness)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="A run uses random layers, and two parties who share the tokens. Alice sends sums over her tokens, which do not "
    "depend on Bob's. The run shows that Bob computes the answers of the complete layer from them. It also counts how many "
    "different lists of answers to all his queries occur. If these are too few, it shows an input that the layer answers "
    "wrongly. It also gives the least m of the bound.",
    not_shown="This does not show that every such layer obeys the bound. The proof shows that.",
    bound=constants,
    verify=verify,
    certificate_witness=certificate_witness,
    nothing_to_apply="a lower bound; recall-attention and counting-attention answer with two layers, counting-one-layer by "
    "rounding",
)
