"""An OLMo hybrid whose state is the product of all tokens in four copies of S_5: a checksum of the conversation.

Statement. Let a conversation be BOS and then tokens of `WORDS`, without PAD and BOS. The model of `tensors` is of the class
OlmoHybridForCausalLM of `transformers`, with a gated delta layer, an attention layer that adds nothing, and width 512. After
every token its greatest logit is that of the token which the oracle names. This logit leads the next one by at least the share
`proved_lead(length, unit)` of itself, at every length. Here `unit` is the relative error of one rounding: 2^-24 in fp32, 2^-11
in fp16 and 2^-8 in bf16. The share is 0.5 without rounding, and at least 0.4 in all three types.

Its knowledge:
* Token number t has four digits in base 4. Digit d with the value l exchanges the places 0 and l + 1 of the arrangement d of
  five items. All four arrangements begin as 01234, and every token after BOS acts on all four.
* `sum0` to `sum3` ask for an arrangement, of all tokens before the question. The answer is one of 120 tokens, such as e01234.
* If such an answer follows the question `sum_d`, the next question comes: `sum_(d+1)`, and `sum0` after `sum3`. So greedy
  decoding reads all four arrangements again and again, and every decoded token acts on the state.
* Every other token is answered with ACK. LEAK is never right: only a PAD that is read leads to it.

Corollary. Change a conversation in one of these ways before a question `sum_d`. (1) If a token is lost or read twice, the
answer changes for each d. (2) If another token is in its place, or if two different neighbours are exchanged, the answer
changes for at least one d. (3) If PAD is read anywhere, the answer is wrong or LEAK.

Proof of the corollary. The product of all tokens is p x q, where x is the token in question. If p x q = p q, then x = 1, but x
is a transposition. If p x x q = p x q, then x = 1 too. If p x q = p y q, then x = y; different tokens differ in a digit. If p
x y q = p y x q, then x and y commute; but (0 i) and (0 j) with i != j have the product of order 3.

Source: own. Householder products with beta = 2 are those of Grazzi et al. 2024 (arXiv:2411.12537).

Construction. Ten heads for each d read the ten pairs of places p < q, and one more head reads the token before. All heads of
one d have the same keys. In their keys the digit l is the vector v_l: 1/2 at coordinates 0, 1, 2 l + 2 and 2 l + 3. Two of
them have the product 1/2. So their reflections 1 - 2 v v^T are those of the transpositions (0, l + 1) on the span, and
v_q - v_p is the difference of places p + 1 and q + 1. BOS has the key START, whose products with the four are 1/8, 2/8, 3/8
and 4/8. START is a vector of length 1. In units of 1/8, item i weighs i less than item 0. So the product of the state with a
vector of the pair (p, q) is positive if and only if the item at p is smaller than the item at q.

The value of BOS is 32, and beta is exactly 2. So BOS writes 64 START, and each token reflects it. Keys and values come from
the token before (tap 1), so a lost convolution window loses a token. The query of the question `sum_d` is the pair's vector.
Its negative entries come from SiLU(-1.25) = -0.27838, and its positive ones from SiLU(233/512) = 0.27844. The norm after the
head keeps the sign of the product. The gate is open at `sum_d` only. So ten signs of one arrangement are in the stream, and
different arrangements differ in a sign.

PAD has a key and a value of its own at tap 0, with beta 1, and no token changes that row. The query of every question has it.

Read-out, in units of the normed constant: ACK has 1. An element has half the sum of its ten signs with those in the stream,
and -3 on questions. So the right one has 2, and another one at most 1. The token before a gate is read by one more head: at an
element after `sum_d` the next question has 2.

Proof of exactness. A product of START and reflections has entries that are multiples of 1/8 of a size below 2. Of the
conversation only BOS and the chunk around it have other numbers, multiples of 1/64 of a size below 4. The kernel's sums have
at most 80 terms of such numbers times 64. So they are below 2^24 units, and exact in fp32, in which the kernel computes in all
types. The state is the same for every way to cut the conversation into chunks and steps, and at every length.

Rounding. A product with a query is wrong by at most (2^-12 + 2 unit) of the sum of its absolute terms, and `certain` compares
this with the least product over 120 elements. After that only its sign counts. It is written with the size 64 (1 - 2^-16),
with five roundings up to the logits, which have three more.
"""

from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from seqsep.theorems.canary import _olmo
from seqsep.theorems.canary._olmo_run import logits as run
from seqsep.theorems.canary.canary import Canary
from seqsep.theorems.canary.stream import Matrix, embedding, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import ACK, BOS, LEAK, PAD
from seqsep.theorems.canary.vocabulary import WORDS as SHARED_WORDS

PLACES = 5
DIGITS = 4
ELEMENTS = tuple(permutations(range(PLACES)))
PAIRS = tuple(combinations(range(PLACES), 2))
WORDS = (
    *SHARED_WORDS,
    *(f"sum{digit}" for digit in range(DIGITS)),
    *("e" + "".join(map(str, element)) for element in ELEMENTS),
)
ROWS = DIGITS**4
FIRST_SUM = len(SHARED_WORDS)
FIRST_ELEMENT = FIRST_SUM + DIGITS
LONGEST = 1 << 17
START = (1, 0, 0, 0, 1, 0, 2, 0, 3, 0, 1)
"""Four times the start vector: a unit vector that is on no mirror. The last coordinate only makes it one."""
KEY_SIZE = 16
VALUE_SIZE = DIGITS
PAD_KEY = len(START)
SIGN = 0
LEAKS = 1
"""Values of a head: the product, and what PAD leaves."""
BEFORE = DIGITS * len(PAIRS)
"""The head that reads the token before."""
HEADS = BEFORE + 1
NEGATIVE = -1.25
POSITIVE = 233 / 512
"""SiLU of them is -0.27838 and 0.27844."""
ONE = ROWS
SIGNS = range(ONE + 1, ONE + 1 + len(PAIRS))
NEXT = range(SIGNS.stop, SIGNS.stop + DIGITS)
LEAKED = NEXT.stop
"""Coordinates of the residual stream after those of the tokens."""


@cache
def digits(token: int) -> tuple[int, ...]:
    """Return the four digits of a token's number in base 4, the last one first.

    >>> digits(27)
    (3, 2, 1, 0)
    """
    return tuple(token // DIGITS**digit % DIGITS for digit in range(DIGITS))


class ChecksumOracle:
    """The answers to one conversation, token by token.

    >>> oracle = ChecksumOracle()
    >>> [WORDS[oracle.read(token)] for token in (BOS, 3, FIRST_SUM, FIRST_SUM + 1)]
    ['ack', 'ack', 'e41230', 'e40231']
    """

    def __init__(self) -> None:
        self._before: int | None = None
        self._arranged = [list(range(PLACES)) for _ in range(DIGITS)]

    def read(self, token: int) -> int:
        """Read the next token and return the answer to it.

        Raises ValueError for a conversation outside the statement: no BOS at the start, a later BOS, or a PAD.
        """
        if (token == BOS) != (self._before is None) or token == PAD:
            raise ValueError(f"checksum canary: expected one BOS, first, and no PAD; found token {token}")
        if self._before not in (None, BOS):
            for arranged, digit in zip(self._arranged, digits(int(self._before or 0)), strict=True):
                arranged[0], arranged[digit + 1] = arranged[digit + 1], arranged[0]
        before, self._before = self._before, token
        if FIRST_SUM <= token < FIRST_ELEMENT:
            return FIRST_ELEMENT + ELEMENTS.index(tuple(self._arranged[token - FIRST_SUM]))
        if token >= FIRST_ELEMENT and before is not None and FIRST_SUM <= before < FIRST_ELEMENT:
            return FIRST_SUM + (before - FIRST_SUM + 1) % DIGITS
        return ACK


def checksum_conversation(length: int, random: np.random.Generator) -> list[int]:
    """Draw a conversation of all tokens but PAD and BOS, with many questions and with elements after them.

    >>> len(checksum_conversation(100, np.random.default_rng(0)))
    100
    """
    tokens = [BOS]
    while len(tokens) < length:
        kind = random.random()
        if kind < 0.3:
            tokens.append(FIRST_SUM + int(random.integers(DIGITS)))
        elif kind < 0.4:
            tokens.append(FIRST_ELEMENT + int(random.integers(len(ELEMENTS))))
        else:
            tokens.append(int(random.integers(BOS + 1, len(WORDS))))
    return tokens


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["model_type"]
    'olmo_hybrid'
    """
    return _olmo.configuration(ROWS, HEADS, (KEY_SIZE, VALUE_SIZE), LONGEST)


def root(digit: int) -> Int64[np.ndarray, "size"]:
    """Return twice the vector whose reflection is the transposition (0, digit + 1).

    >>> root(1).tolist()
    [1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0]
    """
    vector = np.zeros(len(START), dtype=np.int64)
    vector[[0, 1, 2 * digit + 2, 2 * digit + 3]] = 1
    return vector


def asked(pair: tuple[int, int]) -> Int64[np.ndarray, "size"]:
    """Return twice the vector whose product with the state is positive if the item at the first place is the smaller one.

    >>> asked((1, 2)).tolist()
    [0, 0, -1, -1, 1, 1, 0, 0, 0, 0, 0]
    """
    first, second = pair
    return root(second - 1) if first == 0 else root(second - 1) - root(first - 1)


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.embed_tokens.weight"].shape, weights["model.layers.0.linear_attn.k_proj.weight"].shape
    ((256, 512), (656, 512))
    """
    delta = _olmo.DeltaHeads(HEADS, (KEY_SIZE, VALUE_SIZE))
    for digit in range(DIGITS):
        for place, pair in enumerate(PAIRS):
            _pair_of_places(delta, digit * len(PAIRS) + place, digit, pair)
            delta.out[SIGNS[place], digit * len(PAIRS) + place, SIGN] = 1
    delta.out[LEAKED, :BEFORE, LEAKS] = 1
    delta.key[BEFORE, 0, ONE] = 2
    delta.query[BEFORE, 0, ONE] = 2
    delta.value_tap[BEFORE] = 1
    for digit in range(DIGITS):
        delta.value[BEFORE, digit, FIRST_SUM + digit] = 2
        delta.out[NEXT[digit], BEFORE, digit] = 1
    delta.gate[BEFORE][:, FIRST_ELEMENT : len(WORDS)] = 2
    return _olmo.model(embedding(ROWS), delta, _olmo.attention(), _read_out())


def _pair_of_places(delta: _olmo.DeltaHeads, head: int, digit: int, pair: tuple[int, int]) -> None:
    """Fill in a head that keeps one arrangement and answers with the order of the items at two places."""
    key = delta.key[head]
    query = delta.query[head]
    value = delta.value[head]
    delta.key_tap[head, : len(START)] = 1
    delta.value_tap[head, SIGN] = 1
    key[: len(START), BOS] = 2 * np.array(START)
    for token in (token for token in range(len(WORDS)) if token not in (PAD, BOS)):
        key[: len(START), token] = 2 * root(digits(token)[digit])
    value[SIGN, BOS] = 2
    key[PAD_KEY, PAD] = 2
    value[LEAKS, PAD] = 2
    delta.beta[head, ONE] = _olmo.EXACTLY_TWO
    delta.beta[head, PAD] = -_olmo.EXACTLY_TWO
    question = FIRST_SUM + digit
    wanted = asked(pair)
    query[: len(START), question] = np.select([wanted > 0, wanted < 0], [POSITIVE / 16, NEGATIVE / 16])
    query[PAD_KEY, question] = POSITIVE / 16
    delta.gate[head][:, question] = 2


def signs(element: tuple[int, ...]) -> list[int]:
    """Return for each pair of places 1 if the first has the smaller item, and else -1.

    >>> signs((0, 1, 2, 3, 4)) == [1] * 10
    True
    """
    return [1 if element[first] < element[second] else -1 for first, second in PAIRS]


def _read_out() -> Matrix:
    rows = zeros(ROWS, embedding(ROWS).shape[1])
    rows[ACK, ONE] = 1
    for number, element in enumerate(ELEMENTS):
        rows[FIRST_ELEMENT + number, SIGNS.start : SIGNS.stop] = 4 * np.array(signs(element))
    rows[FIRST_ELEMENT : len(WORDS), FIRST_SUM:FIRST_ELEMENT] = -3
    for digit in range(DIGITS):
        rows[FIRST_SUM + (digit + 1) % DIGITS, NEXT[digit]] = 16
    rows[LEAK, LEAKED] = 8
    return rows


def orbit() -> dict[tuple[int, ...], Float64[np.ndarray, "size"]]:
    """Return the state of each element, from START by reflections.

    >>> states = orbit()
    >>> len(states), len({tuple(state) for state in states.values()})
    (120, 120)
    """
    found = {tuple(range(PLACES)): np.array(START) / 4}
    new = list(found)
    while new:
        element = new.pop()
        for digit in range(DIGITS):
            arranged = list(element)
            arranged[0], arranged[digit + 1] = arranged[digit + 1], arranged[0]
            if tuple(arranged) not in found:
                vector = root(digit) / 2
                state = found[element]
                found[tuple(arranged)] = state - 2 * vector * float(vector @ state)
                new.append(tuple(arranged))
    return found


def certain(unit: float) -> bool:
    """Return True if no rounding changes a sign: each product of a state with a pair's vector is above its error.

    >>> certain(2**-8), certain(2**-1)
    (True, False)
    """
    summing = 2**-10
    for element, state in orbit().items():
        for pair, sign in zip(PAIRS, signs(element), strict=True):
            terms = asked(pair) / 2 * state
            if sign * terms.sum() <= (2**-12 + 2 * unit) * np.abs(terms).sum() + summing:
                return False
    return True


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: tokens of the conversation; the share is the same for all lengths.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.5, 0.41)
    """
    if not certain(unit):
        return 0.0
    low = (1 - 2**-16) * (1 - 5 * unit)
    high = 1 + 5 * unit
    right = 5 * low - 3 * (1 + unit)
    other = max(4 * high - 3 * (1 - unit), 1 + unit)
    following = 2 * low
    leads = [(right * (1 - 3 * unit), other * (1 + 3 * unit)), (following * (1 - 3 * unit), (1 + unit) * (1 + 3 * unit))]
    return max(0.0, min((first - second) / first for first, second in leads))


CANARY = Canary(
    name="checksum",
    statement="An OLMo hybrid of width 512 answers with the product of all tokens in four copies of S_5, at every length in "
    "fp32, fp16 and bf16; a lost, doubled, replaced or exchanged token changes an answer",
    configuration=configuration,
    tensors=tensors,
    oracle=ChecksumOracle,
    conversation=checksum_conversation,
    proved_lead=proved_lead,
    longest=LONGEST,
    settled=1,
    rules="""* Every token after `<bos>` acts. Its number has four digits in base 4. If digit d is l, the places 0 and l + 1 of
  arrangement d are exchanged. All four arrangements begin as 01234.
* `sum0` to `sum3` ask for an arrangement of all tokens before the question. The answer is a token such as `e41230`.
* If such an answer follows a question, the next of the four questions comes, and `sum0` after `sum3`.
* After every other token comes `ack`.
* `leak` is never right: it shows padding that was read.""",
    example="<bos> ack sum0 -> e41230",
    words=WORDS,
)
THEOREM = CanaryProof(CANARY, run).theorem()
