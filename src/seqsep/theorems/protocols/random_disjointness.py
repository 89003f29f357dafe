"""Two parties with random bits (coins) still need linearly many bits to decide whether two sets of N places meet.

Two sets meet if they have a common place. The proof measures the information that a transcript, the record of all bits sent,
has about the sets. Each step of the proof is computed on given protocols.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Fact 1, appendix B.1. The proof is that of Bar-Yossef, Jayram, Kumar and
Sivakumar 2004. Alice has a and Bob has b in {0, 1}^N. DISJ is 1 if a_i = b_i = 1 for some i. On every input the answer is
wrong with chance at most e < 1/2. The coins are private or shared. Both parties know the answer from the transcript. If only
one of them does, one bit more gives it to the other.

We differ:
* The constant of Omega(N) is explicit.
* We run protocols, compare their bits with the bound, and compute each step of the proof on them.

*Needed*: the longest run has B >= c(e) N bits, with c(e) = (1 - 2 sqrt(e (1 - e))) / 4. This is N / 4 at e = 0, and 0.0143 N
at e = 1/3.

Notation. T is the transcript, shared coins included, and P_ab is its distribution on the inputs a and b. I is mutual
information. Let h^2(P, Q) = 1 - sum_t sqrt(P(t) Q(t)). Then h is the distance of the vectors sqrt(P) and sqrt(Q), divided by
sqrt(2), so it is a metric.
1. *The inputs.* D in {Alice, Bob}^N is uniform. If D_i = Alice, a_i is a uniform bit and b_i = 0. Otherwise b_i is a uniform
  bit and a_i = 0. Given D all bits are independent, and the sets are disjoint. The shared coins are independent of a, b and D.
  So I(ab; T | D) is the information that the bits sent have about a and b, given coins and D. It is at most their entropy. The
  bits sent are a leaf of a binary tree of depth B, so their entropy is at most B.
2. *Coordinates.* The pairs (a_i, b_i) are independent given D. So I(ab; T | D) >= sum_i I(a_i b_i; T | D).
3. *AND inside.* Fix i and the other D_j. Alice puts a bit u at place i, and Bob a bit v. Each party draws its other bits as in
  step 1, by private coins. Only place i can be common, so the answer is AND(u, v), and it is wrong with chance at most e. Let
  Q_uv be the transcript's distribution. Let I(P, Q) be the information of a draw about its source, if the source is P or Q
  with chance 1/2 each. Then I(a_i b_i; T | D) is the mean over the other D_j of (I(Q_00, Q_10) + I(Q_00, Q_01)) / 2.
4. *Information and distance.* I(P, Q) >= h^2(P, Q). Let m = (P + Q) / 2 and r = P / 2m, and let H be the binary entropy. The
  two sides are the sums over t of m (1 - H(r)) and of m (1 - 2 sqrt(r (1 - r))). So it remains to show that f(r) = 2 sqrt(r (1
  - r)) - H(r) >= 0. With s = r (1 - r), f'' = 1 / (s ln 2) - 1 / (2 s^(3/2)). This is at least 0 exactly if 2 sqrt(s) >=
  ln(2), which is the case between some r* < 1/2 and 1 - r*. There f is convex with f(1/2) = f'(1/2) = 0, so f >= 0. Between 0
  and r* it is concave with f(0) = 0 and f(r*) >= 0, so f >= 0 as well. By symmetry the same holds for 1 - r.
5. *Triangle.* h(Q_10, Q_01) <= h(Q_00, Q_10) + h(Q_00, Q_01), and (x + y)^2 <= 2 (x^2 + y^2). So (h^2(Q_00, Q_10) + h^2(Q_00,
  Q_01)) / 2 >= h^2(Q_10, Q_01) / 4.
6. *Cut and paste.* The chance of a transcript is a product of three factors: Q_uv(t) = p(t) x_u(t) y_v(t). The first is for
  its shared coin, the second for Alice's bits and coins, and the third for Bob's. So Q_00(t) Q_11(t) = Q_01(t) Q_10(t), and
  h(Q_10, Q_01) = h(Q_00, Q_11). This would be false if T did not contain the shared coin.
7. *The answer* is wrongly 1 under Q_00 with chance sin^2(x), and wrongly 0 under Q_11 with chance sin^2(y). Both chances are
  at most e = sin^2(z), with z < pi/4. Apply Cauchy-Schwarz to the transcripts of each answer: 1 - h^2(Q_00, Q_11) <= sin(x)
  cos(y) + cos(x) sin(y) = sin(x + y) <= sin(2 z) = 2 sqrt(e (1 - e)).
Together B >= I(ab; T | D) >= sum_i h^2(Q_00, Q_11) / 4 >= c(e) N.

*Enough.* Order the N places in a circle. A window is k places in a row. With g = gcd(k, N) there are N / g windows that begin
at multiples of g, and each place is in k / g of them. Alice draws a window, and sends its number and her k bits in it. If the
sets meet in it, Bob answers 1. Otherwise he answers 1 with chance (N - k) / (2N - k). This is the error on disjoint sets. If
the sets meet in one place, the error is (1 - k / N) N / (2N - k), which is the same number. If they meet in more places, it is
at most this number.

This takes k + ceil(log2(N / g)) + 1 bits, or k + 1 if the window is a shared coin. That is N / 2 + 2 bits at e = 1/3 and an
even N.

*Without coins* N + 1 bits are enough. They are also needed: the 2^N pairs of a set and its complement have 2^N different
transcripts, and a pair that meets has one more.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from seqsep.maths.communication.channel import meet
from seqsep.maths.communication.communication import TwoParty, fooling_set
from seqsep.theorems.base import Choice, Claim, Number, Outcome, Theorem
from seqsep.theorems.options import Error, Length, Seed
from seqsep.theorems.protocols import protocol_trees
from seqsep.theorems.protocols.disjointness_windows import Windows, alice, bob, windows_for
from seqsep.theorems.protocols.protocol_trees import Distribution, Protocol, Tree, parts

CLAIM = Claim(
    name="disjointness-random-protocol",
    source="Bhattamishra et al. 2024, Fact 1",
    statement="Disjointness of N places with an error of at most e costs at least (1 - 2 sqrt(e (1 - e))) N / 4 bits",
)
UPPER = "A window of the places, drawn, decides disjointness of N places with an error of at most e by a share of N bits"
SHORT = "Protocols of fewer bits than are needed have an error of more than e"
TREES = (1, 2, 3)
LONGEST = 4096
MOST_ROWS = 8
DRAWN = 6
SHORT_TREES = (10, Fraction(1, 100))
ROUNDING = 1e-9


def share(error: Fraction) -> float:
    """Return c(e) = (1 - 2 sqrt(e (1 - e))) / 4, and 0 from e = 1/2 on.

    >>> share(Fraction(0)), share(Fraction(1, 10)), share(Fraction(2, 3))
    (0.25, 0.1, 0.0)
    """
    return 0.0 if 2 * error >= 1 else (1 - 2 * math.sqrt(error * (1 - error))) / 4


def needed_bits(length: int, error: Fraction) -> int:
    """Return ceil(c(e) N), exactly; 0 from e = 1/2 on.

    With e = p / q it is the least B with 4 q B >= q N - sqrt(4 N^2 p (q - p)).

    >>> needed_bits(1000, Fraction(1, 3)), needed_bits(1000, Fraction(1, 10)), needed_bits(8, Fraction(0))
    (15, 100, 2)
    """
    if 2 * error >= 1:
        return 0
    p = error.numerator
    q = error.denominator
    return -(-(q * length - math.isqrt(4 * length**2 * p * (q - p))) // (4 * q))


def worst_input(protocol: Protocol, length: int) -> tuple[Fraction, int, int]:
    """The largest error over all pairs of sets, and a pair of numbers, whose bits are the places, that has it.

    >>> worst_input(Windows(2, 1, shared=True).protocol(), 2)
    (Fraction(1, 3), 0, 0)
    """
    found = []
    for x in range(1 << length):
        for y in range(1 << length):
            one = protocol.chance_of_one(x, y)
            found.append((1 - one if x & y else one, x, y))
    return max(found, key=lambda pair: pair[0])


@dataclass(frozen=True)
class Steps:
    """The proof's steps for one protocol, the largest number first.

    They are the bits, I(ab; T | D), the sum of step 2, and that of h^2 in step 4. Then come the sum of h^2(Q_00, Q_11) / 4 in
    steps 5 and 6, and c(e) N at the worst error of all inputs.

    >>> Steps(bits=2, information=0.5, coordinates=0.5, distances=0.5, opposite=0.25, bound=0.25).information
    0.5
    """

    bits: int
    information: float
    coordinates: float
    distances: float
    opposite: float
    bound: float


def steps(protocol: Protocol, length: int, error: Fraction) -> Steps:
    """Compute each step for a worst error.

    Raises TheoremFails if cut and paste fails for a transcript, or a step is larger than the one before.

    >>> found = steps(Windows(2, 2, shared=False).protocol(), 2, Fraction(0))
    >>> found.bits, round(found.information, 9), round(found.opposite, 9), found.bound
    (3, 1.0, 0.5, 0.5)
    """
    table = {(x, y): protocol.transcripts(x, y) for x in range(1 << length) for y in range(1 << length)}
    told = []
    for owner in range(1 << length):
        others = ~owner & (1 << length) - 1
        told.append(protocol_trees.information([table[x, y] for x in parts(owner) for y in parts(others)]))
    sums = np.zeros(3)
    for place in range(length):
        for owner in parts((1 << length) - 1 & ~(1 << place)):
            sums += _inside(protocol, length, table, place=place, owner=owner)
    coordinates, distances, opposite = (sums / (1 << length - 1)).tolist()
    found = Steps(
        bits=protocol.bits,
        information=math.fsum(told) / len(told),
        coordinates=coordinates,
        distances=distances,
        opposite=opposite,
        bound=share(error) * length,
    )
    sizes = list(vars(found).values())
    if any(after > before + ROUNDING for before, after in itertools.pairwise(sizes)):
        raise CLAIM.fails({"protocol": protocol.name, "length": length, "error": error, "steps": found})
    return found


def _inside(
    protocol: Protocol, length: int, table: Mapping[tuple[int, int], Distribution], *, place: int, owner: int
) -> list[float]:
    """The protocol of AND at a place: its information, its distances, and h^2 of opposite corners over 4."""
    others = (1 << length) - 1 & ~(1 << place) & ~owner
    corners = {}
    for u in (0, 1):
        for v in (0, 1):
            pairs = [(x | u << place, y | v << place) for x in parts(owner) for y in parts(others)]
            corners[u, v] = protocol_trees.mean([table[pair] for pair in pairs])
    wrong = protocol_trees.unpasted(corners[0, 0], corners[0, 1], corners[1, 0], corners[1, 1])
    if wrong is not None:
        found = {f"Q_{u}{v}": corners[u, v][wrong] for u, v in corners}
        raise CLAIM.fails({"protocol": protocol.name, "length": length, "not cut and pasted": wrong, **found})
    near = [corners[1, 0], corners[0, 1]]
    told = sum(protocol_trees.information([corners[0, 0], one]) for one in near) / 2
    apart = sum(protocol_trees.hellinger(corners[0, 0], one) for one in near) / 2
    opposite = protocol_trees.hellinger(corners[0, 0], corners[1, 1])
    if abs(opposite - protocol_trees.hellinger(corners[1, 0], corners[0, 1])) > ROUNDING:
        raise CLAIM.fails({"protocol": protocol.name, "place": place, "h^2 of opposite corners": opposite})
    return [told, apart, opposite / 4]


def protocols(length: int, seed: int = 0) -> list[Protocol]:
    """Protocols of N places as trees: all of a, noisy, windows with own and with shared coins, disturbed, and drawn.

    >>> [protocol.bits for protocol in protocols(2)]
    [3, 3, 3, 2, 3, 3, 3]
    """
    random = np.random.default_rng(seed)
    whole = Windows(length, length, shared=False).protocol()
    half = windows_for(length, Fraction(1, 3), shared=True).sent
    disturbed = {inverse: protocol_trees.disturbed(whole.trees[0], random, Fraction(1, inverse)) for inverse in (16, 4)}
    return [
        Protocol("all of a", whole.trees),
        Protocol("all of a, each bit wrong with chance 1/16", (_noisy(length, Fraction(1, 16)),)),
        Windows(length, half, shared=False).protocol(),
        Windows(length, half, shared=True).protocol(),
        *(Protocol(f"all of a, with chances changed by up to 1/{inverse}", (tree,)) for inverse, tree in disturbed.items()),
        Protocol("drawn", (protocol_trees.drawn(random, 1 << length, length + 1),)),
    ]


def _noisy(length: int, noise: Fraction) -> Tree:
    """Alice says each bit, wrong with this chance; Bob answers as if they were hers."""
    every = range(1 << length)
    messages = []
    for x in every:
        flips = [(x ^ said).bit_count() for said in every]
        chances = [noise**flip * (1 - noise) ** (length - flip) for flip in flips]
        messages.append({f"{said:0{length}b}": chance for said, chance in zip(every, chances, strict=True)})
    return protocol_trees.one_way(messages, lambda message: tuple(Fraction(bool(int(message, 2) & y)) for y in every), length)


def check(length: Length = 1000, error: Error | None = None, seed: Seed = 0) -> list[Outcome]:
    """Compute the proof's steps on trees for N = 1 .. 3, and run windows for N = `length` and an error of 1/3 (`error`).

    Errors are counted over all inputs of trees, and for windows by the places that they miss. The channel carries 20 drawn
    runs.
    Raises ValueError for a length outside 1 to 4,096 or an error outside (0, 1/2); TheoremFails with an input otherwise.
    """
    most = Fraction(1, 3) if error is None else error
    if length > LONGEST:
        raise ValueError(f"check(length={length}): at most {LONGEST:,}, as every window is tested")
    windows = windows_for(length, most, shared=False)
    trees = [_check_steps(protocol, one) for one in TREES for protocol in protocols(one, seed)]
    outcomes = [*trees, _check_windows(windows, most, seed=seed), _compare(windows, most), _check_short_trees(seed)]
    if needed_bits(length, most) > 1:
        outcomes.append(_check_short_windows(length, most))
    return outcomes


def _check_steps(protocol: Protocol, length: int) -> Outcome:
    error, x, y = worst_input(protocol, length)
    found = steps(protocol, length, error)
    needed = needed_bits(length, error)
    if needed > protocol.bits:
        raise CLAIM.fails({"protocol": protocol.name, "bits": protocol.bits, "error": error, "bits needed": needed})
    return CLAIM.lower(
        length=length,
        inputs=4**length,
        exhaustive=True,
        measured={"bits": protocol.bits, "information": round(found.information, 6)},
        bound={"bits": needed, "information": round(found.bound, 6)},
        variant=protocol.name,
        witness={"worst_error": f"{error}", "a": x, "b": y, "steps": vars(found)},
    )


def errors(windows: Windows) -> tuple[Fraction, int | None]:
    """Return the largest error over all inputs, and the one common place of an input that has it; None: the sets are disjoint.

    More common places are missed by no more windows, so inputs with one are enough.

    >>> errors(Windows(6, 2, shared=True))
    (Fraction(2, 5), None)
    """
    met = np.zeros(windows.length, dtype=np.int64)
    for number in range(windows.count):
        met[windows.places(number)] += 1
    place = int(met.argmin())
    missed = Fraction(windows.count - int(met[place]), windows.count) * (1 - windows.error)
    return (missed, place) if missed > windows.error else (windows.error, None)


def _check_windows(windows: Windows, most: Fraction, *, seed: int) -> Outcome:
    """Count the windows that miss a place, and run the parties on drawn inputs."""
    worst, place = errors(windows)
    if worst != windows.error:
        raise CLAIM.fails({"windows": windows, "common place": place, "error": worst, "expected": windows.error})
    random = np.random.default_rng(seed)
    for _ in range(20):
        a = random.integers(2, size=windows.length)
        b = random.integers(2, size=windows.length) * (1 - a * random.integers(2))
        number = int(random.integers(windows.count))
        coin = bool(random.integers(windows.error.denominator) < windows.error.numerator)
        heard, said, bits = meet(
            partial(alice, windows=windows, a=a, number=number),
            partial(bob, windows=windows, b=b, number=number if windows.shared else None, coin=coin),
        )
        expected = int(coin or bool((a & b)[windows.places(number)].any()))
        if bits != windows.bits or not heard == said == expected:
            raise CLAIM.fails({"windows": windows, "answers": (heard, said), "expected": expected, "bits": bits})
    bound: dict[str, Number] = {"bits": windows.bits, "error": float(most)}
    return CLAIM.upper(
        statement=UPPER,
        length=windows.length,
        inputs=windows.length + 21,
        measured=CLAIM.within({"bits": bits, "error": float(worst)}, bound),
        bound=bound,
        variant=f"own coins, error {most}, {windows.count} windows of {windows.sent}",
        witness={"worst_error": f"{worst}"},
    )


def _compare(windows: Windows, most: Fraction) -> Outcome:
    """Give the bits by the proof, and without coins by a fooling set, shown for N <= 8, and one transcript more."""
    needed = needed_bits(windows.length, most)
    if needed > windows.bits:
        raise CLAIM.fails({"bits sent": windows.bits, "bits needed": needed})
    without = windows.length + 1
    if windows.length <= MOST_ROWS:
        sets = np.arange(1 << windows.length)
        taken = fooling_set(TwoParty((sets[:, None] & sets[None, ::-1] != 0).astype(np.int64)), value=0)
        taken.witness.verify()
        without = taken.bits + 1
    return CLAIM.lower(
        length=windows.length,
        inputs=1,
        computed=windows.length > MOST_ROWS,
        measured={"bits": windows.bits, "bits_without_coins": without},
        bound={"bits": needed, "bits_without_coins": windows.length + 1},
        variant=f"error {most}",
    )


def _check_short_windows(length: int, most: Fraction) -> Outcome:
    """Windows by a shared coin with one bit less than is needed."""
    windows = Windows(length, needed_bits(length, most) - 2, shared=True)
    worst, place = errors(windows)
    shown = "disjoint sets" if place is None else f"a = b = {{{place}}}"
    if worst <= most:
        raise CLAIM.fails({"windows": windows, "bits": windows.bits, "error": worst, "at": shown})
    return CLAIM.lower(
        statement=SHORT,
        length=length,
        inputs=length + 1,
        measured={"error": float(worst)},
        bound={"error": float(most)},
        variant=f"windows of {windows.sent} by shared coins, {windows.bits} bits",
        witness={"errs_on": shown, "worst_error": f"{worst}"},
    )


def _check_short_trees(seed: int) -> Outcome:
    """Drawn trees of one bit less than is needed for 10 places and an error of 1/100, on all pairs of sets."""
    length, most = SHORT_TREES
    bits = needed_bits(length, most) - 1
    disjoint = np.bitwise_and.outer(np.arange(1 << length), np.arange(1 << length)) == 0
    random = np.random.default_rng(seed)
    found = []
    for _ in range(DRAWN):
        ones = protocol_trees.eighths(protocol_trees.drawn(random, 1 << length, bits), 1 << length)
        wrong = np.where(disjoint, ones, 8**bits - ones)
        x, y = divmod(int(wrong.argmax()), 1 << length)
        found.append((Fraction(int(wrong[x, y]), 8**bits), x, y))
    worst, x, y = min(found)
    if worst <= most:
        raise CLAIM.fails({"bits": bits, "length": length, "error": worst, "a": x, "b": y})
    return CLAIM.lower(
        statement=SHORT,
        length=length,
        inputs=4**length,
        exhaustive=True,
        measured={"error": float(worst)},
        bound={"error": float(most)},
        variant=f"the best of {DRAWN} drawn trees of {bits} bits",
        witness={"errs_on": f"a = {x:010b}, b = {y:010b}", "worst_error": f"{worst}"},
    )


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="For protocols at N up to 3, a run computes exact errors over all inputs. It checks the equality of step 6 in exact "
    "fractions, and the other steps in floating point. If a protocol has too few bits, the run shows an input on which its "
    "error is above e. For any N, the run computes the exact error of the protocol of windows, and counts its bits.",
    not_shown="This does not show that every protocol with coins obeys the bound. The proof shows that.",
    nothing_to_apply="it is a protocol of two parties with a chance of error; disjointness-one-layer is a model",
    nothing_to_certify="certificates have no witness for a chance over coins; disjointness-one-layer has one without coins",
    choices=(
        Choice(
            where="Fact 1, appendix B.1",
            printed='"the randomized communication complexity of the DISJ is Omega(N)"',
            found="error e needs (1 - 2 sqrt(e (1 - e))) N / 4 bits, 0.0143 N at e = 1/3; N / 2 + 2 are enough for even N",
            built="the proof with its constant, each step computed on protocols of few places, and a protocol over a channel",
            test="tests/theorems/protocols/test_random_disjointness.py::test_bits_beside_the_bound",
        ),
    ),
)
