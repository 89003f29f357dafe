"""To decide whether two sets meet, one attention layer needs a size m H of order N / (p + log N), and a recurrent model needs
N/2 bits.

Two sets meet if they have a common member. Each set is a string of N/2 bits. Here m is the width of a head, H the number of
heads, and p the number of bits of a number. A layer whose values have N/2 + 1 coordinates decides the question.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 4.2, Facts 1 and 4, Definition 1. Alice has x. Bob has y and the
last position. Both x and y have h = N/2 bits. DISJ(x, y) is 1 if x_i = y_i = 1 for some i, which means that the sets meet.

We differ:
* The bound has explicit constants. They come from a protocol whose bits are counted.
* We build a layer of value width h + 1 that decides DISJ. So m H of order N is enough.
* Fact 1 is exact: h + 1 bits if both parties know the answer.

Proof. *Fooling set.* S has the 2^h pairs (A, complement of A), whose two sets do not meet. Two different sets differ at some i.
Call them A and B such that i is in A and not in B. Then A meets the complement of B. So one of the two mixed inputs has another
answer, as Definition 1 requires.

*Fact 4, as it is used here.* The transcript is all bits that the parties exchange. Suppose that two pairs of S have the same
transcript. Then the two mixed inputs, each with one set of each pair, have it too. Bob answers from the transcript and his y.
Let y be the complement of B, as above. Bob gives (A, y) and (B, y) the same answer, but A meets y and B does not. So the 2^h
pairs have 2^h different transcripts. All transcripts have one length, `cost`, so h <= `cost`.

*Fact 1.* If both parties know the answer, sets that meet need one more transcript. So there are more than 2^h transcripts,
which takes h + 1 bits. They are enough: one party sends its set, and the other sends the answer.

*One layer.* By Theorem 4 (`one_layer_protocol`) a layer gives such a protocol. So h <= `cost`, and `cost` is at most 3 m (p +
log2 N) H for m >= 2 (`needed`). The first token is [BOS], which both parties know. Without it the protocol takes no more bits.

*A recurrent model.* If two sets x differ at i, the set {i} meets only one of them. So all 2^h states after x differ, which
needs h bits (Theorem 2).

*Enough.* The values of the layer have a coordinate for each of the h places, called a bucket, and one more for u below
(`_buckets.bucket_model`). [BOS] and the ones all have the greatest score. Zeros score eta = hard_scale(L) less, so their weight
rounds to 0. With K ones, each of them and [BOS] has the weight u = floor(L / (K + 1)) / L. This is at least 1/L, as L >= N + 1.

Coordinate i then holds u (x_i + y_i), and `unit` holds u. `excess` is the sum of relu(u (x_i + y_i) - u), which is u times the
number of common members. The logit of "disjoint" is u. The logit of "they meet" is twice `excess`, which is 0 if the sets do
not meet and at least 2 u if they do. In float64 the zeros have small weights. They change each coordinate by less than u N / (2
L^2), and `excess` by at most h times this, which is below u / 4.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.communication.communication import TwoParty, distinct_rows, protocol_cost
from seqsep.maths.communication.witnesses import FoolingSet
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.blocks import least_grid
from seqsep.theorems.evidence import Evidence, FoolingSetWords, tabulated
from seqsep.theorems.options import Exponent, Heads, Length, LengthFrom2, Seed, Width
from seqsep.theorems.protocols import one_layer_protocol
from seqsep.theorems.protocols import one_layer_trials as protocol_trials
from seqsep.theorems.protocols.one_layer_collision import equal_transcripts
from seqsep.theorems.protocols.one_layer_ledger import first_excluded
from seqsep.theorems.sparse_threshold import _trials as trials
from seqsep.theorems.sparse_threshold._buckets import TOKENS, bucket_model
from seqsep.theorems.trial import Trial

CLAIM = Claim(
    name="disjointness-one-layer",
    source="Bhattamishra et al. 2024, section 4.2",
    statement="One layer with stepwise softmax that decides disjointness of N/2 places has m H of order at least N / (p + log "
    "N)",
)
FACTS = Claim(
    name=CLAIM.name,
    source="Bhattamishra et al. 2024, Definition 1, Facts 1 and 4",
    statement="The pairs of a set and its complement are a fooling set of disjointness: N/2 + 1 bits if both know the answer",
)
STATE = "A recurrent model that decides disjointness has N/2 state bits"
ENOUGH = "One causal attention layer of value width N/2 + 1 decides disjointness"
RUN = "The protocol runs on the layer that decides disjointness"
ERRS = "A one-layer model has the logits of a disjoint pair on sets that meet"
LENGTHS = (400, 1024, 8192, 10**6)
LONGEST = 16
LARGEST_TREE = 3
RUNS = 16
DRAWN = 400

Pairs = Int64[np.ndarray, "pairs tokens"]


def build(length: LengthFrom2, width: Annotated[Width, Range(2, 1 << 12)] | None = None) -> Network:
    """Build the layer of value width m = `width`, by default N/2 + 1, which decides it; narrower ones count in m - 1 buckets.

    Raises ValueError for an odd length, one below 2, or a width that is not 2 to N/2 + 1.

    >>> network = build(length=4)
    >>> run(network, np.array([[2, 1, 0, 1, 1], [2, 1, 0, 0, 1]]), at=-1).answers[:, 0]  # {1} and {1, 2}; {1} and {2}
    array([1, 0])
    """
    half = _half("build", length)
    width = half + 1 if width is None else width
    if not 2 <= width <= half + 1:
        raise ValueError(f"build(length={length}, width={width}): width is 2 to N/2 + 1 = {half + 1}")
    return bucket_model(CLAIM.name, half, buckets=width - 1)


def cost(length: int, width: int, heads: int, grid: Grid) -> int:
    """Count the bits with which Bob learns the answer of a layer of m = `width` and H = `heads`; the last token is sent.

    >>> cost(length=400, width=2, heads=1, grid=Grid.of(401, 2))
    232
    """
    steps = one_layer_protocol.message_bits(
        length=length + 1, width=width, embedding=1, heads=heads, grid=grid, variant="one-learns", vocabulary=TOKENS
    )
    return steps["total"]


def needed(length: int, grid: Grid) -> dict[str, Number]:
    """Find the least m H for N, by the constant in the paper and counted: for any m and H, and with one head.

    >>> needed(length=8192, grid=Grid.of(8193, 2))["one head"]
    49
    """
    half = length // 2
    product = one_layer_protocol.least_width_heads(half, grid.precision, length + 1, vocabulary=TOKENS, grid=grid)
    one_head = one_layer_protocol.least_width(half, length + 1, grid, heads=1, variant="one-learns", vocabulary=TOKENS)
    return {"precision": grid.precision, "printed": product.printed, "any heads": product.counted, "one head": one_head}


def fails_from(width: int, heads: int, grid_of: Callable[[int], Grid]) -> int:
    """Find the least even N from which no layer of these sizes decides DISJ: its protocol takes fewer than N/2 bits.

    `grid_of(N)` is its grid, never coarser for a greater N.

    >>> fails_from(width=64, heads=1, grid_of=lambda length: Grid.of(length + 1, 2))
    10886
    """
    return first_excluded(lambda length: 2 * cost(length, width, heads, grid_of(length)))


def pairs(sets: Int64[np.ndarray, "sets half"]) -> Pairs:
    """Return the tokens of each set and its complement, after [BOS].

    >>> pairs(np.array([[1, 0]])).tolist()
    [[2, 1, 0, 0, 1]]
    """
    return trials.tokens(np.concatenate([sets, 1 - sets], axis=1), slots=0)


def meet(tokens: Pairs) -> Int64[np.ndarray, "pairs"]:
    """DISJ of each row of tokens: 1 if the sets meet."""
    half = tokens.shape[1] // 2
    return (tokens[:, 1 : half + 1] & tokens[:, half + 1 :]).any(axis=1).astype(np.int64)


def matrix(half: int) -> TwoParty:
    """DISJ as a matrix: all sets of h places, against all.

    >>> matrix(1).matrix.tolist()
    [[0, 0], [0, 1]]
    """
    numbers = np.arange(1 << half)
    return TwoParty((numbers[:, None] & numbers != 0).astype(np.int64))


def check(
    length: Annotated[Length, Range(2, 16)] = 10, width: Width = 2, heads: Heads = 1, exponent: Exponent = 2, seed: Seed = 0
) -> list[Outcome]:
    """Check Fact 1 and the layer that is enough at `length`, up to 16, and from which N layers of given sizes fail.

    The sizes are m = `width` and H = `heads`, the grids have L = (N + 1)^`exponent`. Raises ValueError for an odd length, one
    below 2 or above 16, or numbers below 1; TheoremFails if a run contradicts the proof.
    """
    half = _half("check", length)
    if length > LONGEST or min(width, heads, exponent) < 1:
        raise ValueError(
            f"check(length={length}, width={width}, heads={heads}, exponent={exponent}): length is at most {LONGEST}, as all "
            "2^N inputs are put to the layer; the others are at least 1"
        )
    return [
        _check_fooling_set(half),
        _check_trees(min(half, LARGEST_TREE)),
        _check_state(half),
        _check_enough(length),
        _check_protocol(length, seed),
        *(_check_errs(buckets, seed) for buckets in (1, 2)),
        _check_sizes(width, heads, exponent),
    ]


def _half(call: str, length: int) -> int:
    if length < 2 or length % 2:
        raise ValueError(f"{call}(length={length}): an even length of at least 2, the bits of both sets")
    return length // 2


def _check_fooling_set(half: int) -> Outcome:
    """Check Definition 1 pair by pair; leaves are one for each pair and one at least for sets that meet."""
    sets = np.arange(1 << half)
    FoolingSet(matrix(half).matrix, 0, sets, sets[::-1].copy()).verify()
    counted = {"pairs": len(sets), "bits": ceil_log2(len(sets)), "bits_if_both_learn": ceil_log2(len(sets) + 1)}
    return FACTS.lower(
        length=2 * half,
        inputs=len(sets),
        exhaustive=True,
        measured=counted,
        bound={"pairs": 2**half, "bits": half, "bits_if_both_learn": half + 1},
        as_printed={"bits": half},
        variant="fooling set",
        witness={"pairs": [row[1:] for row in pairs(_bits(sets[:4], half)).tolist()], "of": len(sets)},
    )


def _check_trees(half: int) -> Outcome:
    """Search the least protocol tree: it has h + 1 levels, one more than Fact 4's bound, as both parties know the answer."""
    searched = protocol_cost(matrix(half))
    if searched.bits != half + 1:
        raise CLAIM.fails({"half": half, "least protocol tree": searched.bits, "expected": half + 1})
    return FACTS.lower(
        length=2 * half,
        inputs=4**half,
        exhaustive=True,
        measured={"bits_if_both_learn": searched.bits},
        bound={"bits_if_both_learn": half + 1},
        variant="least protocol tree",
    )


def _check_state(half: int) -> Outcome:
    """Count the sets that some other set distinguishes: a state after x must distinguish as many."""
    distinguishing_suffix = distinct_rows(matrix(half))
    distinguishing_suffix.witness.verify()
    if distinguishing_suffix.bits != half:
        raise CLAIM.fails({"half": half, "state bits": distinguishing_suffix.bits, "expected": half})
    return CLAIM.lower(
        statement=STATE,
        length=2 * half,
        inputs=4**half,
        exhaustive=True,
        measured={"state_bits": distinguishing_suffix.bits},
        bound={"state_bits": half},
        variant="recurrent model",
    )


def bound(length: int) -> dict[str, Number]:
    """Every size of the layer that decides it, from N alone: width d = N + 5, m = N/2 + 1, p = bit_length(2 max(4, N + 1)^2).

    core = 3 m d p; program = p (3 d + 2 d + 2 m d + h (2 d + 1) + d + 2 d + 2): symbols, query and key, value and output, the
    FFN with biases, the read-out; tables = program + p (N + 1) d.

    >>> bound(length=8)["width"]
    13
    """
    half = length // 2
    d = length + 5
    m = half + 1
    p = least_grid(length + 1, lambda eta: eta).precision
    entries = d * (8 + 2 * m) + half * (2 * d + 1) + 2
    return {
        "width": d,
        "heads": 1,
        "layers": 1,
        "precision": p,
        "core_bits": 3 * m * d * p,
        "program_bits": p * entries,
        "tables_bits": p * (entries + (length + 1) * d),
    }


def _check_enough(length: int) -> Outcome:
    """Run the layer with a bucket for each place on all inputs."""
    trial = Trial(CLAIM.name, build(length))
    tokens = trials.tokens(trials.every_assignment(length), slots=0)
    trial.require(tokens, meet(tokens), lambda row: {"bits": tokens[row, 1:].tolist()})
    return trial.outcome(CLAIM, bound(length), statement=ENOUGH, length=length, exhaustive=True)


def _check_protocol(length: int, seed: int) -> Outcome:
    """Run the protocol on that layer: Bob learns the answer, from `cost` bits, which are no fewer than h."""
    network = build(length)
    random = np.random.default_rng(seed)
    alice = range(length // 2 + 1)
    tokens = trials.tokens(random.integers(2, size=(RUNS, length)), slots=0)
    bits = cost(length, length // 2 + 1, 1, network.grid)
    for row, expected in zip(tokens, meet(tokens).tolist(), strict=True):
        _, bob, sent = one_layer_protocol.talk(network, row, alice, "one-learns", question="token")
        if (bob.answer, sent) != (expected, bits) or bits < length // 2:
            raise CLAIM.fails({"tokens": row.tolist(), "bob": bob.answer, "expected": expected, "bits": sent, "cost": bits})
    return CLAIM.lower(
        statement=RUN,
        length=length,
        inputs=RUNS,
        measured={"bits": bits},
        bound={"bits": length // 2},
        variant=f"m = {length // 2 + 1}, H = 1",
    )


def _check_errs(buckets: int, seed: int) -> Outcome:
    """Find an input that the layer of these buckets answers wrongly, at the least N from which its protocol is too short."""
    length = fails_from(buckets + 1, 1, lambda length: least_grid(length + 1, lambda eta: eta))
    network = build(length, buckets + 1)
    sets = np.random.default_rng(seed).integers(2, size=(DRAWN, length // 2))
    pair = equal_transcripts(network, pairs(sets), range(length // 2 + 1))
    if pair is None:
        raise CLAIM.fails({"length": length, "pairs": DRAWN, "found": "no two with one transcript"})
    mixed = np.array([pair.mixed(0, 1), pair.mixed(1, 0)])
    meets = int(meet(mixed).argmax())
    logits = protocol_trials.last_logits(network, mixed[meets])
    if not meet(mixed).any() or logits != pair.logits[1 - meets]:
        raise CLAIM.fails({"pair": pair.inputs, "logits": logits, "of the pair": pair.logits[1 - meets]})
    answer = logits.index(max(logits))
    errs_on = mixed[meets] if answer == 0 else np.array(pair.inputs[1 - meets])
    return CLAIM.lower(
        statement=ERRS,
        length=length,
        inputs=pair.tried,
        measured={"bits": cost(length, buckets + 1, 1, network.grid)},
        bound={"bits": length // 2},
        variant=f"layer of {buckets} bucket{'s' * (buckets > 1)}, too small for this length",
        witness={"errs_on": _written(errs_on), "answer": answer, "expected": 1 - answer},
    )


def _check_sizes(width: int, heads: int, exponent: int) -> Outcome:
    """Find from which N a layer of these sizes is too small, and the m H needed at four lengths."""

    def grid_of(length: int) -> Grid:
        return Grid.of(length + 1, exponent)

    least = fails_from(width, heads, grid_of)
    needed_at = {length: needed(length, grid_of(length)) for length in LENGTHS}
    return CLAIM.lower(
        length=least,
        inputs=len(LENGTHS),
        computed=True,
        measured={"bits": cost(least, width, heads, grid_of(least))},
        bound={"bits": least // 2},
        as_printed={f"mH at N = {length}": f"{row['printed']:.4g}" for length, row in needed_at.items()},
        variant=f"m = {width}, H = {heads}, L = (N + 1)^{exponent}",
        witness={str(length): {**row, "enough": length // 2 + 1} for length, row in needed_at.items()},
    )


def _written(tokens: Int64[np.ndarray, "tokens"]) -> str:
    """Both sets as strings of bits."""
    half = len(tokens) // 2
    return " ".join("".join(map(str, part.tolist())) for part in (tokens[1 : half + 1], tokens[half + 1 :]))


def _bits(numbers: Int64[np.ndarray, "sets"], half: int) -> Int64[np.ndarray, "sets half"]:
    """Sets as bits, the highest first."""
    return (numbers[:, None] >> np.arange(half - 1, -1, -1)) & 1


def predictor(length: LengthFrom2) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"left": [..], "right": [..]}, N/2 bits each, by one layer: 1 if the sets meet.

    >>> predictor(length=4)({"left": [0, 1], "right": [1, 1]})
    1
    """
    network = build(length)
    return lambda given: int(run(network, trials.tokens(trials.read(given, length, True), 0), at=-1).answers[0, 0])


def certificate_witness(length: LengthFrom2 = 10) -> Evidence:
    """Show the fooling set, for `length` up to 14: each set beside its complement; the task is the table of all answers."""
    half = _half("certify", length)
    inputs = trials.every_assignment(length)
    shown = pairs(_bits(np.arange(1 << half), half))[:, 1:]
    witness = FoolingSetWords(alice=list(range(half)), value=0, words=shown.tolist())
    return Evidence("table", tabulated(inputs, meet(trials.tokens(inputs, slots=0)).tolist()), witness)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="Here h = N/2, and S is the fooling set of the proof. For h <= 8 a run shows, pair by pair, that S is a fooling set "
    "by Definition 1. For h <= 3 a search through all protocols finds the shortest one by which both parties learn the answer: "
    "it has h + 1 bits. The built layer is right on all inputs, and the run counts the bits of its protocol. Two smaller "
    "layers, of 1 and 2 buckets, have a protocol of fewer than h bits. For each of them the run finds two sets that meet, "
    "although the layer gives them the logits of disjoint sets.",
    not_shown="This does not show that every smaller layer and every smaller state fails. The proof shows that.",
    build=build,
    predictor=predictor,
    certificate_witness=certificate_witness,
)
