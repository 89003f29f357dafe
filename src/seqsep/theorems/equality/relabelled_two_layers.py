"""Two attention layers decide whether two halves of the positions differ in a symbol, for every split into halves.

`equality-two-layers` compares the first half of a sequence with the second. Here the positions are split into two halves in
any way. Corollary 13.1 needs this: it rules out short protocols for two layers (`two_layer_no_short_protocol`).

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Lemma 5 and Corollary 13.1. S_A has the positions a_1 < a_2 < .. and S_B
has b_1 < b_2 < .., N/2 each. The function f(x) is 1 if x_(a_i) differs from x_(b_i) for some i.

We differ: the alphabet is any finite one, and both layers are causal. The paper uses the network of Theorem 6 and gives its
position vectors to the positions in another order. Then a position may attend to a later one, which needs attention without a
mask. Here the later member of each pair a_i, b_i attends to the earlier one.

Margins. They are those of `equality-two-layers`, which proves them. The sizes are also the same, except that the stored
position table counts too (`bound`).

Corollary 13.1. A deterministic protocol for f exchanges at least N/2 bits. The reason is the matrix of f, with a row and a
column for each of the 2^(N/2) halves. It is 0 on the diagonal and 1 elsewhere, so its rank is 2^(N/2). Suppose that, for every
two-layer Transformer, C m p H g(N) bits are enough to compute its output. Then g(N) >= N / (2 C m p H).

A run records N/2, m p H and their ratio as its witness. Here m is the wider of key and value, p is the number of bits of a
number, and H = 1 is the number of heads. Since m p H is O((log N)^2), the ratio is Omega(N / (log N)^2). A run on every input
computes each entry of the matrix of f by the network.

The proof continues at `partners`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, cycle, product
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import digits_of
from seqsep.maths.codes.codes import PositionCode, position_code
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Choice, Claim, Margin, Number, Outcome, Theorem
from seqsep.theorems.checking import tighten, until_tried
from seqsep.theorems.equality import _trials as trials
from seqsep.theorems.equality import two_layers as theorem_6
from seqsep.theorems.equality._trials import ComparedHalves
from seqsep.theorems.evidence import Evidence, NetworkRun, tabulated
from seqsep.theorems.options import Alphabet, Code, Eta, GridSteps, LengthFrom2, Seed, Tightness
from seqsep.theorems.trial import Trial, query_scale

LEFT = "Positions of the first half, from 1, with commas between them; by default the odd positions."
Left = Annotated[str, LEFT]

CLAIM = Claim(
    name="relabelled-equality-two-layers",
    source="Bhattamishra et al. 2024, Lemma 5",
    statement=(
        "For every partition of N positions into halves, two causal one-head layers of width O(log N) decide if the two halves "
        "differ"
    ),
)
ALL_PARTITIONS_UP_TO = 8
SOME_PARTITIONS = 12
ONE_PARTITION_FROM = 1024


def build(
    length: LengthFrom2,
    left: Annotated[Sequence[int], LEFT],
    alphabet: Alphabet = 2,
    code: Code = "parabola",
    steps: GridSteps | None = None,
    eta: Eta | None = None,
) -> Network:
    """Build the network for the partition whose first half is the positions `left`, from 1.

    Class 1 is "the halves differ".
    `steps` replaces L, where the grid's numbers are multiples of 1/L. `eta` replaces the scale of the scores.
    Raises ValueError as `two_layers.build`, or for a first half that is not N/2 different positions.

    >>> network = build(length=4, left=(1, 4))  # compares x_1 with x_2, and x_4 with x_3
    >>> run(network, np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), at=-1).answers[:, 0]
    array([0, 1])
    """
    halves = partition(length, left, alphabet)
    trials.require("build", length, alphabet, code)
    return assemble(halves, position_code(code, length), steps=steps, eta=eta)


def assemble(halves: ComparedHalves, code: PositionCode, steps: int | None = None, eta: int | None = None) -> Network:
    """Build the network with a code for its N addresses; `steps` and `eta` are those of `build`."""
    name = f"{CLAIM.name}-{code.name}"
    earlier = partners(halves.order)
    return theorem_6.compare(name, earlier, halves.alphabet, code, unequal=True, by_index=False, steps=steps, eta=eta)


def partition(length: int, left: Sequence[int], alphabet: int = 2) -> ComparedHalves:
    """Return the halves of a partition: the symbols at `left`, from 1, in order, and those at the other positions.

    Raises ValueError unless `left` is N/2 different positions.

    >>> partition(length=4, left=(1, 4)).order.tolist()
    [0, 3, 1, 2]
    """
    if length < 2 or length % 2 or sorted(set(left)) != sorted(left) or 2 * len(left) != length:
        raise ValueError(
            f"build(length={length}, left={list(left)}): left is {length // 2} different positions of an even length"
        )
    if not 1 <= min(left) <= max(left) <= length:
        raise ValueError(f"build(length={length}, left={list(left)}): positions are 1 to {length}")
    is_left = np.zeros(length, dtype=bool)
    is_left[np.array(left) - 1] = True
    order = np.concatenate([np.flatnonzero(is_left), np.flatnonzero(~is_left)])
    return ComparedHalves(alphabet, order, unequal=True)


def partners(order: Int64[np.ndarray, "length"]) -> Int64[np.ndarray, "length"]:
    """Return, for each position, the earlier member of its pair, whose symbol the position is compared with.

    The embedding at position t has the key of t and the query of partner(t) <= t. The later member of a pair finds a mismatch
    if the two symbols differ. The earlier member is compared with itself, so it finds none. So some position finds a mismatch
    if and only if some pair differs. Every constant of Theorem 6's proof holds unchanged.

    >>> partners(np.array([0, 3, 1, 2]))
    array([0, 0, 2, 2])
    """
    left, right = np.split(order, 2)
    earlier = np.minimum(left, right)
    partner = np.empty_like(order)
    partner[left] = earlier
    partner[right] = earlier
    return partner


def bound(length: int, alphabet: int, code: PositionCode) -> dict[str, Number]:
    """Bound every size as Theorem 6 does, but count the position table in `program`.

    It depends on the partition, so no rule gives it from the index alone. All its N d entries count in `program`, which is
    linear in N. `core`, which is what the lemma bounds, does not change.
    """
    plain = theorem_6.bound(length, alphabet, code)
    return {**plain, "program_bits": plain["tables_bits"]}


def partitions(length: int, random: np.random.Generator) -> Iterator[tuple[int, ...]]:
    """Yield all partitions up to N = 8, else twelve: plain, interleaved and nested ones in both orders, and random ones."""
    if length <= ALL_PARTITIONS_UP_TO:
        yield from combinations(range(1, length + 1), length // 2)
        return
    half = length // 2
    quarter = length // 4
    plain = tuple(range(1, half + 1))
    interleaved = tuple(range(1, length, 2))
    outer = tuple(range(1, quarter + 1)) + tuple(range(length - (half - quarter) + 1, length + 1))
    for left in (plain, interleaved, outer):
        yield left
        yield tuple(sorted(set(range(1, length + 1)) - set(left)))
    for _ in range(SOME_PARTITIONS - 6):
        yield tuple(sorted((random.permutation(length)[:half] + 1).tolist()))


def check(
    length: LengthFrom2 = 8, alphabet: Alphabet = 2, code: Code = "parabola", tightness: Tightness = False, seed: Seed = 0
) -> list[Outcome]:
    """Check a network for every partition up to N = 8, else for twelve (one from N = 1,024 on).

    It runs on the grid and at first in float64 too. Every input if S^N is at most 256, else the random and hard ones of Theorem
    6. With `tightness`: the least eta and L with which at most twelve partitions answer hard ones. Raises TheoremFails with
    partition and input if an answer is wrong.
    """
    trials.require("check", length, alphabet, code)
    address_code = position_code(code, length)
    outcome = _check_partitions(alphabet, address_code, seed)
    return [_tightness(outcome, alphabet, address_code, seed) if tightness else outcome]


def verify(inputs_small: int = 99_000, inputs_large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """Check every input of every partition for N <= 8; then hard ones, for changing partitions.

    At least `inputs_small` of these are at N <= 250, half of them at N <= 64, and `inputs_large` at 1,024 to 4,096.
    """
    outcomes = [_check_partitions(2, position_code("parabola", length), seed) for length in (2, 4, 6, 8)]
    half = inputs_small // 2
    outcomes += _verify_lengths((10, 16, 32, 62, 64), half, 128, seed)
    outcomes += _verify_lengths((66, 128, 250), inputs_small - half, 64, seed)
    outcomes += _verify_lengths((1024, 1024, 2048, 4096), inputs_large, 4, seed)
    return outcomes


def _verify_lengths(lengths: tuple[int, ...], inputs: int, most: int, seed: int) -> list[Outcome]:
    """Check at least `inputs` inputs, at most `most` of a hard kind; lengths, codes and alphabets take turns."""
    codes = (position_code(*turn) for turn in zip(cycle(("parabola", "binary", "kerdock")), cycle(lengths)))
    cases = (_check_partitions((2, 5)[turn % 2], code, seed + turn, most) for turn, code in enumerate(codes))
    return until_tried(inputs, cases)


def _lefts(length: int, seed: int, random: np.random.Generator) -> list[tuple[int, ...]]:
    """List the partitions that are tested: one of them from N = 1,024 on."""
    lefts = list(partitions(length, random))
    return [lefts[seed % len(lefts)]] if length >= ONE_PARTITION_FROM else lefts


def _check_partitions(alphabet: int, code: PositionCode, seed: int, most: int = 32) -> Outcome:
    """Check every input of each partition, or at most `most` of each kind of hard ones."""
    length = code.count
    random = np.random.default_rng(seed)
    lefts = _lefts(length, seed, random)
    is_exhaustive = length <= ALL_PARTITIONS_UP_TO and alphabet**length <= trials.MOST_CERTIFIED
    most_in_floats = 2_000 if length <= theorem_6.LONGEST_IN_FLOATS else 0
    tried: list[Trial] = []
    for left in lefts:
        halves = partition(length, left, alphabet)
        network = assemble(halves, code)
        in_floats = max(0, most_in_floats - sum(trial.inputs for trial in tried))
        trial = Trial(CLAIM.name, network, trials.margin(network), in_floats=in_floats)
        with trials.naming(positions_of_left=list(left)):
            if is_exhaustive:
                trials.put(trial, halves, trials.every_input(length, alphabet))
            else:
                trials.put_hard(trial, halves, random, most, climbs=left is lefts[-1])
        tried.append(trial)
    return _outcome(tried, alphabet, code, is_exhaustive)


def _outcome(tried: list[Trial], alphabet: int, code: PositionCode, is_exhaustive: bool) -> Outcome:
    """Sum up what the trials of all partitions show; their networks have the same sizes."""
    length = code.count
    network = tried[-1].network
    bounds = bound(length, alphabet, code)
    times = max(digits_of(alphabet), code.dimension) * network.precision
    least = min(trial.least for trial in tried if trial.least is not None)
    saturated = Counter[str]()
    for trial in tried:
        saturated.update(trial.saturated)
    return CLAIM.upper(
        length=length,
        inputs=sum(trial.inputs for trial in tried),
        exhaustive=is_exhaustive,
        measured=CLAIM.within(tried[-1].sizes() | {"eta": query_scale(network)}, bounds),
        bound=bounds,
        variant=f"code {code.name}, {len(tried)} partitions",
        witness={"partitions": len(tried), "bits_to_exchange": length // 2, "mpH": times, "ratio": length / 2 / times},
        margin=Margin(float(least), theorem_6.proved(code, network.grid), theorem_6.MARGIN),
        saturated=dict(saturated),
    )


def _tightness(outcome: Outcome, alphabet: int, code: PositionCode, seed: int) -> Outcome:
    """Find the least eta and L that answer the hard inputs of at most twelve partitions."""
    length = code.count
    lefts = _lefts(length, seed, np.random.default_rng(seed))
    spread = lefts[:: -(-len(lefts) // SOME_PARTITIONS)]
    tried = [partition(length, left, alphabet) for left in spread]

    def answers(networks: list[Network]) -> bool:
        pairs = zip(networks, tried, strict=True)
        return all(trials.answers_hard(network, halves, seed) for network, halves in pairs)

    return tighten(
        outcome,
        grid=assemble(tried[0], code).grid,
        eta=code.least_scale(),
        build=lambda steps, eta: [assemble(halves, code, steps=steps, eta=eta) for halves in tried],
        answers=answers,
    )


def _members(length: int, left: str | None) -> list[int]:
    """Return the positions of the first half, from 1. Raises ValueError for a text that does not list positions."""
    if left is not None and not all(part.strip().isascii() and part.strip().isdigit() for part in left.split(",")):
        raise ValueError(f"predictor(left={left!r}): left is positions with commas between them, such as 1,3,4")
    return list(range(1, length, 2)) if left is None else [int(part) for part in left.split(",")]


def predictor(
    length: LengthFrom2, left: Left | None = None, alphabet: Alphabet = 2, code: Code = "parabola"
) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"left": [..], "right": [..]}, the symbols at the positions of each half in order: 1 if they differ.

    `left` gives the positions of the first half, from 1, with commas between them; by default the odd ones. Raises ValueError
    for any other text, and as `build` does.

    >>> predictor(length=4, left="1,4")({"left": [0, 1], "right": [0, 1]})
    0
    """
    members = _members(length, left)
    network = build(length, members, alphabet, code)
    halves = partition(length, members, alphabet)

    def answer(given: Mapping[str, Any]) -> int:
        symbols = trials.symbols_of(given, length, alphabet)
        return int(run(network, halves.placed(np.array([symbols])), at=-1).answers[0, 0])

    return answer


def certificate_witness(length: LengthFrom2 = 6, left: Left | None = None, alphabet: Alphabet = 2) -> Evidence:
    """Show the network on every input of N = `length` symbols; the task is the table of whether the halves differ.

    `left` is that of `predictor`. Raises ValueError as it does, and for more than 20,000 inputs.
    """
    members = _members(length, left)
    network = build(length, members, alphabet)
    inputs = np.array(list(product(range(alphabet), repeat=length)))
    first = np.array(members) - 1
    second = np.setdiff1d(np.arange(length), first)
    differ = (inputs[:, np.sort(first)] != inputs[:, second]).any(axis=1).astype(np.int64)
    return Evidence(
        "table", tabulated(inputs, differ.tolist()), NetworkRun(network, inputs, run(network, inputs, -1).answers[:, 0])
    )


def constants(length: LengthFrom2, alphabet: Alphabet, code: Code = "parabola") -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    return bound(length, alphabet, position_code(code, length))


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the partitions and lengths that it builds.",
    not_shown="This does not show that the network is right for other partitions or lengths. The proof covers them all.",
    build=build,
    bound=constants,
    certificate_witness=certificate_witness,
    predictor=predictor,
    verify=verify,
    choices=(
        Choice(
            where="Lemma 5, appendix F.4",
            printed='"Now renumbering the positional encodings results in a transformer computing f_(S_A, S_B)"',
            found="this is true for attention without a mask, as in the paper. Under a causal mask it fails: a member of "
            "S_B that comes before its partner needs a later position. With the mask, 56 of the 70 partitions of 8 "
            "positions are answered wrongly on some input, and without it none",
            built="the later member of each pair looks up the earlier one: causal, for every partition",
            test="tests/theorems/equality/test_relabelled_two_layers.py::test_renumbered_positions_fail_under_a_causal_mask",
        ),
    ),
)
