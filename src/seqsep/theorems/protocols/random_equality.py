"""Two parties with random bits (coins) compare strings of N bits with O(log N) bits, or with O(1) bits if they share coins.

Without coins the parties need N bits. So a bound for deterministic models does not carry over to randomised ones. The error is
at most e < 1/2, by default 1/3.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Fact 2 and the sentence before Fact 3, appendix B.1. Alice has a and Bob
has b in {0, 1}^N. Bob learns the answer, and one more bit gives it to Alice.

We differ: the paper states O(log N). Here the protocol runs, and the bits that it sends are counted. Its constant is explicit,
and its error is computed over all coins.

*Without coins* N bits are needed: no two of the 2^N inputs (a, a) can have the same transcript (`communication.fooling_set`).

*Own coins.* For a prime q let w = floor(log2 q) and n = ceil(N / w). Choose the least prime q with n - 1 <= e q. Split a into n
groups of at most w bits. The groups are the coefficients of a polynomial A of degree at most n - 1, and each is below 2^w <= q.
The polynomial B is made of b in the same way. Alice draws x in 0 .. q - 1. She sends x and A(x) modulo q, in 2 ceil(log2 q)
bits. Bob says "equal" if A(x) = B(x).

He answers wrongly only if a and b differ. Then A - B is not 0 modulo q and has at most n - 1 roots, so the error is at most (n
- 1) / q <= e. By Bertrand's postulate there is such a q below 2 N / e, as n <= N. So at most 2 ceil(log2(2 N / e)) bits are
sent.

*The error is exact.* Some a and b have the error (n - 1) / q, for every N (`worst_pair`). For D(x) = x (x - 1) .. (x - n + 2)
has n - 1 roots, and it is a difference A - B. To see this, let c be a coefficient of D modulo q. If c < 2^w, take c in A and 0
in B. Otherwise take 0 in A and q - c in B, where q - c <= q - 2^w < 2^w. One group may have fewer than w bits. Let it be the
coefficient of x^(n-1), which is 1 in D and fits in one bit.

*A lower bound.* Suppose that only Alice sends, B bits with her own coins. Then 2^B >= N / log2(1 + 1 / (1 - 2 e)), so B >=
log2 N - 1 at e = 1/3. Proof: for a != a' let P and P' be the distributions of the message. Bob with input a says "equal" with
chance at least 1 - e under P and at most e under P'. So |P - P'|_1 >= 2 (1 - 2 e). Hence the balls of radius 1 - 2 e around
these 2^N points of R^(2^B) are disjoint. They are in the ball of radius 2 - 2 e around 0, so 2^N <= ((2 - 2 e) / (1 - 2
e))^(2^B).

*Shared coins.* Both parties know t = ceil(log2(1 / e)) random strings r. Alice sends the t parities of a and r: the sums of
a_i r_i modulo 2. If a and b differ, the parity of their difference with r is 0 with chance 1/2. So the error is 2^-t for every
such pair. At e = 1/3 this takes 2 bits, for any N.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.communication.channel import Channel, meet
from seqsep.maths.communication.communication import TwoParty, fooling_set
from seqsep.theorems.base import Choice, Claim, Number, Outcome, Theorem
from seqsep.theorems.options import Error, Length, Seed

CLAIM = Claim(
    name="equality-random-protocol",
    source="Bhattamishra et al. 2024, Fact 2",
    statement="Equality of two strings of N bits costs O(log N) bits if each party has its own coins, with an error of at "
    "most e",
)
SHARED = "Equality of two strings of N bits costs ceil(log2(1/e)) bits if the parties share coins"
NEEDED = "One message needs log2 N - O(1) bits if each party has its own coins, and N bits without coins"
EXHAUSTIVE = 8
OVER_THE_CHANNEL = 4
LONGEST = 4096
DRAWN = 40


@dataclass(frozen=True)
class PolynomialPlan:
    """The prime q, the bits w of a coefficient and their number n, for strings of N = `length` bits.

    >>> plan_for(1000, Fraction(1, 3))
    PolynomialPlan(length=1000, prime=373, digit_bits=8, digits=125)
    """

    length: int
    prime: int
    digit_bits: int
    digits: int

    @property
    def bits(self) -> int:
        """2 ceil(log2 q): x and A(x)."""
        return 2 * ceil_log2(self.prime)

    @property
    def error(self) -> Fraction:
        """(n - 1) / q, the chance that the worst pair of inputs is taken for equal."""
        return Fraction(self.digits - 1, self.prime)

    def coefficients(self, words: Int64[np.ndarray, "words length"]) -> Int64[np.ndarray, "words digits"]:
        """The bits of each word in groups of w, the least first, as numbers; the last group may be shorter."""
        padded = np.zeros((len(words), self.digits * self.digit_bits), dtype=np.int64)
        padded[:, : self.length] = words
        return padded.reshape(len(words), self.digits, self.digit_bits) @ (1 << np.arange(self.digit_bits))

    def values(self, words: Int64[np.ndarray, "words length"]) -> Int64[np.ndarray, "words coins"]:
        """A(x) modulo q of each word at every x, by Horner's rule; the products stay below 2^63."""
        points = np.arange(self.prime, dtype=np.int64)
        found = np.zeros((len(words), self.prime), dtype=np.int64)
        for column in self.coefficients(words).T[::-1]:
            found = (found * points + column[:, None]) % self.prime
        return found


def plan_for(length: int, error: Fraction) -> PolynomialPlan:
    """The least prime for N bits and error e. Raises ValueError for N below 1, or e outside (0, 1/2).

    >>> plan_for(8, Fraction(1, 3)).bits, plan_for(10**6, Fraction(1, 3)).bits
    (8, 36)
    """
    if length < 1 or not 0 < error < Fraction(1, 2):
        raise ValueError(f"plan_for(length={length}, error={error}): length is at least 1, and error between 0 and 1/2")
    prime = 2
    while True:
        digit_bits = prime.bit_length() - 1
        digits = -(-length // digit_bits)
        if digits - 1 <= error * prime and all(prime % one for one in range(2, math.isqrt(prime) + 1)):
            return PolynomialPlan(length, prime, digit_bits, digits)
        prime = max(prime + 1, min(math.ceil((digits - 1) / error), 2 << digit_bits))


def alice(channel: Channel, plan: PolynomialPlan, a: Int64[np.ndarray, "length"], x: int) -> None:
    """Send x and A(x)."""
    value = 0
    for coefficient in plan.coefficients(a[None])[0, ::-1].tolist():
        value = (value * x + coefficient) % plan.prime
    width = ceil_log2(plan.prime)
    channel.send(x, width)
    channel.send(value, width)


def bob(channel: Channel, plan: PolynomialPlan, b: Int64[np.ndarray, "length"]) -> bool:
    """Return True if A(x) = B(x)."""
    width = ceil_log2(plan.prime)
    x = channel.receive(width)
    value = channel.receive(width)
    own = plan.coefficients(b[None])[0].tolist()
    return sum(coefficient * pow(x, place, plan.prime) for place, coefficient in enumerate(own)) % plan.prime == value


def alice_with_shared(channel: Channel, a: Int64[np.ndarray, "length"], coins: Int64[np.ndarray, "t length"]) -> None:
    """Send a parity for each shared string."""
    for string in coins:
        channel.send(int(a @ string) % 2, 1)


def bob_with_shared(channel: Channel, b: Int64[np.ndarray, "length"], coins: Int64[np.ndarray, "t length"]) -> bool:
    """Return True if all parities are those of b."""
    heard = [channel.receive(1) for _ in coins]
    return heard == [int(b @ string) % 2 for string in coins]


def shared_bits(error: Fraction) -> int:
    """Return t = ceil(log2(1 / e)).

    >>> [shared_bits(Fraction(1, inverse)) for inverse in (3, 4, 5, 1000)]
    [2, 2, 3, 10]
    """
    return ceil_log2(math.ceil(1 / error))


def needed_bits(length: int, error: Fraction) -> int:
    """Return the least B with 2^B >= N / log2(1 + 1 / (1 - 2 e)); log2 N - 1, rounded up, at e = 1/3.

    >>> needed_bits(1024, Fraction(1, 3)), needed_bits(1025, Fraction(1, 3))
    (9, 10)
    """
    packed = math.log2(1 + 1 / (1 - 2 * error))
    bits = 0
    while (1 << bits) * packed < length:
        bits += 1
    return bits


def every_word(length: int) -> Int64[np.ndarray, "words length"]:
    """All strings of N bits.

    >>> every_word(2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return np.arange(1 << length)[:, None] >> np.arange(length) & 1


def agreements(values: Int64[np.ndarray, "words coins"]) -> Int64[np.ndarray, "words words"]:
    """For every two words, the number of coins for which their values are the same.

    >>> agreements(np.array([[0, 1], [0, 0]])).tolist()
    [[2, 1], [1, 2]]
    """
    return np.stack([(values == one).sum(axis=1) for one in values])


def worst_pair(plan: PolynomialPlan) -> tuple[Int64[np.ndarray, "length"], Int64[np.ndarray, "length"]]:
    """Two different words with A(x) = B(x) for x = 0 .. n - 2, by the coefficients of x (x - 1) .. (x - n + 2) modulo q.

    >>> one, other = worst_pair(plan_for(8, Fraction(1, 3)))
    >>> one.tolist(), other.tolist()
    ([0, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 0, 0, 0])
    """
    q = plan.prime
    difference = np.zeros(plan.digits, dtype=np.int64)
    difference[0] = 1
    for root in range(plan.digits - 1):
        difference = (np.roll(difference, 1) - root * difference) % q  # the last one is 0 before it is rolled to the front
    fits = difference < 1 << plan.digit_bits
    pair = np.stack([np.where(fits, difference, 0), np.where(fits, 0, q - difference)])
    bits = (pair[:, :, None] >> np.arange(plan.digit_bits) & 1).reshape(2, -1)
    one, other = bits[:, : plan.length]
    return one, other


def check(length: Length | None = None, error: Error | None = None, seed: Seed = 0) -> list[Outcome]:
    """Run both protocols for N = 4, 8, 1,000 (or `length`) with error 1/3 (or `error`), and count their bits and errors.

    Every pair of inputs with every coin for N <= 8; beyond, the worst pair and drawn ones with every coin of Alice. Up to
    N = 4 every run goes over the channel, else some do.
    Raises ValueError for a length outside 1 to 4,096 or an error outside (0, 1/2); TheoremFails with a pair otherwise.
    """
    most = Fraction(1, 3) if error is None else error
    lengths = (4, 8, 1000) if length is None else (length,)
    if max(lengths) > LONGEST:
        raise ValueError(f"check(length={length}): at most {LONGEST:,}, as every coin is tested")
    return [outcome for one in lengths for outcome in _check_length(one, most, seed)]


def verify() -> list[Outcome]:
    """Check every N up to 8, and seven lengths up to 4,096, with errors of 1/3, 1/10 and 1/1000."""
    lengths = (*range(1, EXHAUSTIVE + 1), 9, 16, 64, 100, 1000, 1024, LONGEST)
    errors = [Fraction(1, inverse) for inverse in (3, 10, 1000)]
    settings = [(one, error) for one in lengths for error in errors if one <= 1000 or 1000 * error > 1]
    return [outcome for one, error in settings for outcome in check(one, error)]


def _check_length(length: int, most: Fraction, seed: int) -> list[Outcome]:
    plan = plan_for(length, most)
    outcomes = [_check_own(plan, most, seed)]
    if length <= EXHAUSTIVE:
        outcomes.append(_check_shared(length, most))
    return [*outcomes, _compare(plan, most)]


def _check_own(plan: PolynomialPlan, most: Fraction, seed: int) -> Outcome:
    """Count for pairs of words the coins with which Bob answers wrongly; every pair for small N."""
    exhaustive = plan.length <= EXHAUSTIVE
    random = np.random.default_rng(seed)
    if exhaustive:
        words = every_word(plan.length)
    else:
        drawn = random.integers(2, size=(DRAWN, plan.length))
        near = drawn[:1] ^ np.eye(plan.length, dtype=np.int64)[: DRAWN // 2]
        words = np.unique(np.concatenate([np.stack(worst_pair(plan)), drawn, near]), axis=0)
    same = agreements(plan.values(words))
    if not (same.diagonal() == plan.prime).all():
        raise CLAIM.fails({"length": plan.length, "found": "equal words that are distinguished"})
    apart = same - plan.prime * np.eye(len(words), dtype=np.int64)
    first, second = np.unravel_index(int(apart.argmax()), apart.shape)
    worst = Fraction(int(apart.max()), plan.prime)
    if worst != plan.error:
        shown = {"a": words[first].tolist(), "b": words[second].tolist()}
        raise CLAIM.fails({**shown, "error": worst, "expected as the worst": plan.error})
    drawn_pairs = [(one, other) for one, other in random.integers(len(words), size=(8, 2)).tolist()]
    pairs = [(int(first), int(second)), (0, 0), *drawn_pairs]
    if plan.length <= OVER_THE_CHANNEL:
        pairs = [(one, other) for one in range(len(words)) for other in range(len(words))]
    bits = _over_the_channel(plan, words, pairs, same, coins=None if plan.length <= OVER_THE_CHANNEL else 8)
    bound: dict[str, Number] = {"bits": 2 * ceil_log2(math.ceil(2 * plan.length / most)), "error": float(most)}
    measured: dict[str, Number] = {"bits": bits, "error": float(worst)}
    return CLAIM.upper(
        length=plan.length,
        inputs=len(words) ** 2,
        exhaustive=exhaustive,
        measured=CLAIM.within(measured, bound),
        bound=bound,
        variant=f"own coins, error {most}",
        witness={"worst_error": f"{worst}", "prime": plan.prime, "coins": plan.prime},
    )


def _over_the_channel(
    plan: PolynomialPlan,
    words: Int64[np.ndarray, "words length"],
    pairs: list[tuple[int, int]],
    same: Int64[np.ndarray, "words words"],
    *,
    coins: int | None,
) -> int:
    """Run the parties on pairs of words, with every coin or some, and compare; returns the bits sent, the same in every run."""
    sent = set()
    for one, other in pairs:
        tried = range(plan.prime) if coins is None else np.unique(np.linspace(0, plan.prime - 1, coins).astype(int)).tolist()
        equal = 0
        for x in tried:
            a = words[one]
            b = words[other]
            _, answer, bits = meet(partial(alice, plan=plan, a=a, x=x), partial(bob, plan=plan, b=b))
            sent.add(bits)
            equal += answer
        shown = {"a": words[one].tolist(), "b": words[other].tolist(), "coins with the answer 'equal'": equal}
        if (coins is None and equal != same[one, other]) or (one == other and equal != len(tried)):
            raise CLAIM.fails({**shown, "expected": int(same[one, other])})
    if sent != {plan.bits}:
        raise CLAIM.fails({"length": plan.length, "bits sent": sorted(sent), "expected": plan.bits})
    return plan.bits


def _check_shared(length: int, most: Fraction) -> Outcome:
    """Count over every shared string the pairs of words with one parity; runs of t strings are independent."""
    words = every_word(length)
    parities = words @ words.T % 2
    same = agreements(parities)
    expected = (1 << length - 1) * (1 + np.eye(len(words), dtype=np.int64))
    if not np.array_equal(same, expected):
        first, second = np.argwhere(same != expected)[0]
        raise CLAIM.fails({"a": words[first].tolist(), "b": words[second].tolist(), "strings": int(same[first, second])})
    t = shared_bits(most)
    coins = np.random.default_rng(length).integers(2, size=(t, length))
    for a in words[:8]:
        for b in words[:8]:
            _, answer, bits = meet(partial(alice_with_shared, a=a, coins=coins), partial(bob_with_shared, b=b, coins=coins))
            if bits != t or answer != np.array_equal(coins @ a % 2, coins @ b % 2):
                raise CLAIM.fails({"a": a.tolist(), "b": b.tolist(), "answer": answer, "bits": bits})
    bound: dict[str, Number] = {"bits": t, "error": float(most)}
    measured: dict[str, Number] = {"bits": t, "error": 0.5**t}
    return CLAIM.upper(
        statement=SHARED,
        length=length,
        inputs=len(words) ** 2,
        exhaustive=True,
        measured=CLAIM.within(measured, bound),
        bound=bound,
        variant=f"shared coins, error {most}",
    )


def _compare(plan: PolynomialPlan, most: Fraction) -> Outcome:
    """Give the least bits by the packing of distributions, and without coins by a fooling set, shown for N <= 8."""
    needed = needed_bits(plan.length, most)
    if needed > plan.bits:
        raise CLAIM.fails({"bits sent": plan.bits, "bits needed": needed})
    without = plan.length
    if plan.length <= EXHAUSTIVE:
        taken = fooling_set(TwoParty(np.eye(1 << plan.length, dtype=np.int64)), value=1)
        taken.witness.verify()
        without = taken.bits
    return CLAIM.lower(
        statement=NEEDED,
        length=plan.length,
        inputs=1,
        computed=plan.length > EXHAUSTIVE,
        measured={"bits": plan.bits, "bits_without_coins": without},
        bound={"bits": needed, "bits_without_coins": plan.length},
        variant=f"one message, error {most}",
    )


TEST = "tests/theorems/protocols/test_random_equality.py::"
THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="For small N a run tests every pair of inputs with every coin, so the worst error is exact. For large N it tests "
    "random pairs, and the worst pair, whose error is exact by the proof. It also counts the bits that the parties send.",
    not_shown="This does not show that O(log N) bits are enough at every N. The proof shows that.",
    verify=verify,
    nothing_to_apply="it is a protocol of two parties with a chance of error; equality-two-layers is a model",
    nothing_to_certify="certificates have no witness for a chance over coins; equality-state has a certificate for protocols "
    "without coins",
    choices=(
        Choice(
            where="appendix B.1, after Fact 3",
            printed='"the randomized communication complexity is O(log N)"',
            found="if each party has its own coins, 2 ceil(log2 q) bits are enough, with the prime q of the proof. At N = "
            "1,000 and error 1/3 these are 18 bits. One message of fewer than log2 N - 1 bits is not enough. With shared coins "
            "2 bits are enough at every N",
            built="both protocols over a counted channel, and their error over all coins",
            test=TEST + "test_bits_at_a_thousand",
        ),
    ),
)
