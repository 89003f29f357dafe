"""Two attention layers have no protocol as short as the one that Theorem 4 gives for one layer.

In such a protocol Alice and Bob each know half of the tokens, and they exchange bits until they know the model's output.
Theorem 4 proves lower bounds on one layer by a short protocol. The same proof cannot work for two layers: a small two-layer
model computes a function for which every protocol without coins needs N/2 bits.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Lemma 5 and Corollary 13.1, appendix F.4. N is even, and S_A and S_B are
two sets of N/2 positions each. The function f(x) is 1 if the symbols at S_A differ from the symbols at S_B, each read in
order.

We differ:
* The matrix of f is taken from the answers of the built network.
* Constants are counted.
* With the parabola code the width m is 2 at every N. So the corollary's g(N) = Omega(N / (log N)^2) becomes Omega(N / log N).

Proof. A small two-layer model computes f for every partition (`relabelled_two_layers`). It is causal and has one head in each
layer. Let m be the wider of key and value, and p the number of bits of a number. But if Alice and Bob each have one half of a
partition, every protocol for f costs at least N/2 bits (`matrix`, `measures`, `both_learn`).

*Corollary.* Let C be a constant and g a function. Assume that C m p H g(N) bits are enough to compute the output of every
two-layer model for every partition. Then C m p H g(N) >= N/2 for the model above, so g(N) >= N / (2 C m p H). For a code of k
= O(log N) coordinates, m p H is O((log N)^2). For the parabola code, m = 2 and p = O(log N).

*Two layers by Theorem 4.* The total of Theorem 4 is 3 m (p + log2 N) H for one layer. For two layers, suppose that a protocol
sends twice this total, or twice the counted bits of Theorem 4's protocol. From a length on, which the function `crossing`
computes, these are fewer than the N/2 bits that f costs. So they are not enough.

*The limit of Theorem 4's protocol.* Layer 2 at position N weighs the outputs of layer 1 at all positions. Each of these
depends on tokens of both parties. A protocol that runs for every position costs N times the bits, which is more than sending
all tokens.
"""

from collections.abc import Sequence
from itertools import combinations, product
from math import floor
from typing import Annotated, NamedTuple

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.codes.codes import BY_NAME as CODES
from seqsep.maths.codes.codes import PositionCode, has_addresses, position_code
from seqsep.maths.communication.communication import Measure, TwoParty, fooling_set, of_values, rank_bound, trivial_cost
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Choice, Claim, Outcome, Theorem
from seqsep.theorems.blocks import lookup_exponent
from seqsep.theorems.equality import relabelled_two_layers as lemma_5
from seqsep.theorems.equality import two_layers as theorem_6
from seqsep.theorems.evidence import Evidence, FoolingSetWords
from seqsep.theorems.options import Code, Length
from seqsep.theorems.protocols import one_layer_protocol

CLAIM = Claim(
    name="two-layer-no-short-protocol",
    source="Bhattamishra et al. 2024, Corollary 13.1",
    statement="For every partition into halves a two-layer model of width O(log N) computes a function that costs N/2 bits",
)
FACT = Claim(
    name=CLAIM.name,
    source="Bhattamishra et al. 2024, Fact 2",
    statement="The pairs of equal halves of h bits are a fooling set of equality: h bits, and h + 1 if both know the answer",
)
"""Fact 2 as docs/reference/theorems/index.md has it; `measures` and `both_learn` run it on the network's answers."""
LONGEST = 8
LONGEST_CROSSING = 1 << 20
MOST_SHOWN = 20


def matrix(network: Network, length: int, left: Sequence[int]) -> TwoParty:
    """Return the matrix of a network's answers on all 2^N inputs; Alice has the positions `left`, from 1.

    Rows are Alice's 2^(N/2) halves, columns Bob's: f is 0 on the diagonal and 1 elsewhere.

    >>> matrix(lemma_5.build(length=4, left=(1, 3)), length=4, left=(1, 3)).matrix.tolist()
    [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]
    """
    inputs = np.indices((2,) * length).reshape(length, -1).T
    answers = run(network, inputs, at=-1).answers
    return of_values(answers.reshape((2,) * length), [place - 1 for place in left])


def measures(f: TwoParty) -> dict[str, Measure]:
    """Bound the cost of an answer matrix from below, twice with a witness that is verified, and from above.

    The diagonal is a fooling set: a mixed input of two of its members is not on the diagonal. So each member needs a
    transcript of its own. This gives N/2 bits, even if only one party learns the answer. The rank gives the same bound, as 1 -
    identity has full rank.
    """
    taken = {
        "fooling_set": fooling_set(f, value=0),
        "rank": rank_bound(f),
        "protocol": trivial_cost(f),
    }
    for measure in taken.values():
        measure.witness.verify()
    return taken


def both_learn(f: TwoParty) -> int:
    """Count the bits after which both parties know the answer: log2 of the number of leaves of a protocol.

    Each leaf is a rectangle of inputs with one answer, and no two inputs of a fooling set share a leaf. So at least 2^(N/2)
    leaves have the answer 0, and at least one has the answer 1. That makes N/2 + 1 bits. They are enough: Alice sends her
    half, and Bob sends the answer.
    """
    leaves = sum(fooling_set(f, value=answer).value for answer in f.answers)
    return ceil_log2(leaves)


class TwoLayerSize(NamedTuple):
    """The sizes m (wider of key and value) and d (residual stream), and the grid, of a model with one head a layer."""

    width: int
    embedding: int
    grid: Grid


def two_layer_size(code: PositionCode) -> TwoLayerSize:
    """Give the size of Lemma 5's model over two symbols, with a code for its N addresses.

    >>> two_layer_size(position_code("parabola", 1024)).width, two_layer_size(position_code("binary", 1024)).width
    (2, 10)
    """
    exponent = lookup_exponent(code, code.least_scale(), theorem_6.LEAST_STEPS)
    return TwoLayerSize(
        width=max(1, code.dimension),
        embedding=2 + 2 * code.dimension,
        grid=Grid.of(code.count, exponent),
    )


class Theorem4Bits(NamedTuple):
    """Bits of Theorem 4's protocol: by the paper's total, and counted with both parties learning the class."""

    printed: float
    counted: int


def two_layers_of_theorem_4(code: PositionCode) -> Theorem4Bits:
    """Count twice the bits of Theorem 4 for m, d, p and H of the model.

    >>> two_layers_of_theorem_4(position_code("parabola", 1088)).counted < 1088 / 2 + 1
    True
    """
    length = code.count
    size = two_layer_size(code)
    steps = one_layer_protocol.message_bits(
        length=length,
        width=size.width,
        embedding=size.embedding,
        heads=1,
        grid=size.grid,
        variant="one-learns-and-sends",
        vocabulary=2,
    )
    printed = one_layer_protocol.printed(length, size.width, 1, size.grid.precision)
    return Theorem4Bits(printed=2 * printed, counted=2 * steps["total"])


def crossing(code: str = "parabola", printed: bool = False) -> int | None:
    """Find the least even N from which Theorem 4's bits for both layers are below N/2 + 1.

    They are counted for the lemma's own m, p and H. The bits T grow with N. So the last N with N <= 2 (T(N) - 1) is a fixed
    point of N -> 2 floor(T(N) - 1), reached from above. The search ends at N = 2^20. None if a code has too few addresses, or
    is too wide, to get there.

    >>> crossing("parabola"), crossing("parabola", printed=True)
    (1088, 1278)
    """

    def last_enough(length: int) -> int:
        bits = two_layers_of_theorem_4(position_code(code, length))
        return 2 * floor((bits.printed if printed else bits.counted) - 1)

    length = LONGEST_CROSSING
    while not has_addresses(code, length):
        length //= 2
    if last_enough(length) >= length:
        return None
    while (lower := last_enough(length)) < length:
        length = lower
    return length + 2


def check(length: Annotated[Length, Range(2, 8)] = 8, code: Code = "parabola") -> list[Outcome]:
    """Check for every partition of N = `length` <= 8 positions that the model computes f, which costs N/2 bits.

    Raises ValueError for another length or an unknown code; TheoremFails with the partition and an input otherwise.
    """
    if length not in range(2, LONGEST + 1, 2) or code not in CODES:
        raise ValueError(
            f"check(length={length}, code={code!r}): length is even, 2 to {LONGEST}, as 2^N inputs are put to a network for "
            f"each partition; code is one of {', '.join(CODES)}"
        )
    return [_check_partitions(position_code(code, length))]


def verify() -> list[Outcome]:
    """Check every partition of 2, 4, 6 and 8 positions, with each of three codes, and of 10 with the code binary."""
    codes = ("parabola", "binary", "kerdock")
    chosen = [(length, code) for length in (2, 4, 6, 8) for code in codes]
    return [_check_partitions(position_code(code, length)) for length, code in [*chosen, (10, "binary")]]


def _check_partitions(code: PositionCode) -> Outcome:
    """Check every partition of as many positions as the code has addresses."""
    length = code.count
    half = length // 2
    lefts = list(combinations(range(1, length + 1), half))
    for left in lefts:
        f = matrix(lemma_5.assemble(lemma_5.partition(length, left), code), length, left)
        _require_inequality(f, left)
        bits = [*(measure.bits for measure in measures(f).values()), both_learn(f)]
        if bits != [half, half, half + 1, half + 1]:
            raise CLAIM.fails({"length": length, "positions_of_left": list(left), "bits": bits, "expected": half})
    size = two_layer_size(code)
    theorem_4 = two_layers_of_theorem_4(code)
    costs = {"partitions": len(lefts), "bits": half, "bits_if_both_learn": half + 1}
    return CLAIM.lower(
        length=length,
        inputs=len(lefts) * 2**length,
        exhaustive=True,
        measured=costs,
        bound=costs,
        as_printed={"bits": half, "theorem_4_for_both_layers": round(theorem_4.printed, 1)},
        variant=f"code {code.name}",
        witness={
            "mpH": size.width * size.grid.precision,
            "theorem_4_for_both_layers": theorem_4.counted,
            "too_small_from": crossing(code.name),
            "printed_too_small_from": crossing(code.name, printed=True),
            "fooling_set": [[bits, bits] for bits in range(2**half)],
        },
    )


def _require_inequality(f: TwoParty, left: Sequence[int]) -> None:
    """Raise TheoremFails with the first input whose answer is not 1 for different halves and 0 for equal ones."""
    expected = 1 - np.eye(len(f.matrix), dtype=np.int64)
    wrong = np.argwhere(f.matrix != expected)
    if len(wrong):
        alice, bob = wrong[0].tolist()
        answer = int(f.matrix[alice, bob])
        raise CLAIM.fails({"positions_of_left": list(left), "left": alice, "right": bob, "answer": answer})


def certificate_witness(length: Annotated[Length, Range(2, 20)] = 12) -> Evidence:
    """Show that f, with the halves in their order, costs N/2 bits: all inputs with equal halves, a fooling set of 2^(N/2).

    Raises ValueError for an odd length, or one above 20.
    """
    if length % 2 or not 2 <= length <= MOST_SHOWN:
        raise ValueError(f"certify(length={length}): expected an even length from 2 to {MOST_SHOWN}")
    words = [[*half, *half] for half in product(range(2), repeat=length // 2)]
    witness = FoolingSetWords(alice=list(range(length // 2)), value=0, words=words, complete=True)
    return Evidence("inequality", {"alphabet": 2, "length": length}, witness)


TEST = "tests/theorems/equality/test_two_layer_no_short_protocol.py::"
THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="For every partition of N <= 8 positions into halves, a run shows two things. The built network computes f on all "
    "2^N inputs. The matrix of its answers needs N/2 bits, by its fooling set and by its rank. For such small N, the protocol "
    "of Theorem 4 takes hundreds of bits for a layer of this size, which is more than N/2. It takes fewer than N/2 bits only "
    "from a larger N on, which the function `crossing` computes. From there on, the statement follows from the written proof "
    "and from networks that `relabelled_two_layers` checks.",
    not_shown="This does not show that no protocol is short enough for all models. The proof shows that.",
    certificate_witness=certificate_witness,
    nothing_to_apply="a lower bound about protocols; relabelled-equality-two-layers has the two-layer model that it is about",
    verify=verify,
    choices=(
        Choice(
            where="Corollary 13.1",
            printed="g(n) = Omega(N / (log N)^2)",
            found="the construction gives more: with the parabola code m = 2 at every N, so m p H = O(log N)",
            built="g(N) >= N / (2 C m p H) = Omega(N / log N), with the numbers",
            test=TEST + "test_the_corollary_with_a_width_that_does_not_grow",
        ),
    ),
)
