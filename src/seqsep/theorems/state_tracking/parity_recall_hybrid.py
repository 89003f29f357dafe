"""A hybrid solves parity-conditioned recall with nine values a number; a recurrence or small attention by itself does not.

Source: own; the definition of the task is ours too (`tasks.parity_conditioned_recall`). A model reads pairs of a key and a
value, in which the keys differ, and then one of the keys. Let v be its value, out of 0 .. S - 1. If the sum of all values is
even, the answer is v. If it is odd, the answer is S - 1 - v.

*Upper bound.* Keys are 0 .. N - 1. Let w = max(2, ceil(log2 N)). Let q = max(1, ceil(log2 S')), for S' = S if S is even and S'
= S - 1 if S is odd. A recurrence of 1 + w numbers and one attention head, of width 2 w + 4 q + 2, solve the task. This holds
for 1 to N pairs in any order. At every N, all numbers are on the grid of nine values of `_hybrids`.

Residual stream: [own: w | one | value: q | sign | last: w | found: q | same: q | other: q]. A key token has one = 1, and in own
its binary digits as -1 and 1. A value token has one = 1, its code in value, and own = 0.

Codes. The code c(v) of a value has q signs, with c(S - 1 - v) = -c(v). For v < S - 1 - v it is the binary digits of v as -1 and
1. These v are below S' / 2, so the highest digit is -1, and the highest digit of -c(v) is 1. So codes of different values
differ. If S is odd, the value in the middle has the code 0.

1. *Recurrence.* The number `sign` begins at 1, and a value v multiplies it by (-1)^v. So it is 1 if the sum so far is even, and
   -1 if it is odd. The w numbers `last` begin at 0. A key multiplies them by 0 and adds its own digits. A value keeps them.
   Each token reads the state after its own step.
2. *Attention.* The query reads own at the last token, the key k. The score of a token is the sum of own_i(k) (last_i - own_i) -
   1 over the w digits. At a value this is -2 for each digit in which its key differs from k. So it is 0 for the key k, and at
   most -2 for another one. At a key token last = own, and the score is -w <= -2. So the gap is 2, and found = c(v) exactly.
3. *Feed-forward.* Two ReLUs a digit make |sign + found_i|. The part writes same_i = |sign + found_i| - 2 and other_i = -|sign +
   found_i|. Let y_i = sign found_i. If y_i is 1 or -1, then |sign + found_i| = y_i + 1. So same_i = y_i - 1 and other_i = -y_i
   - 1, which are 0 or -2. If found = 0, both are -1.
4. *Read-out.* For a class u with a code, the logit is the sum of same_i over its digits 1, and of other_i over its digits -1.
   If found is a code, this is 0 for c(u) = sign c(v), and at most -2 for another code. If found = 0, it is at most -1. The
   logit of the value in the middle is -1/2. As sign c(v) is the code of the answer, the answer has the greatest logit.

Margin: 2 for even S, and 1/2 for odd S. Rounding: states, scores and logits are whole numbers or -1/2, so rounding changes none
of them. Losing scores and losing logits are cut off at -2. Only the exponentials of losing scores are rounded.

*Lower bound for a recurrence without attention.* After N pairs with the keys in the order 0 .. N - 1, a recurrent model needs a
state for each list of the N answers. There are S^N such lists if S is odd or N is even, and else S^N / 2. For S = 2 these are
2^N lists for even N, and 2^(N-1) for odd N. Proof. The parity of the sum and the answers decide the values. So only the lists v
and S - 1 - v can have equal answers, and then their sums have different parity. The two sums add up to N (S - 1). This is odd
only if S is even and N is odd. Then each list v has such a partner.

*Lower bound for attention without a recurrence.* Let Lambda layers of causal softmax attention have width d, any heads, any
feed-forward parts and no positions. Let their grid have L steps, so G = 2 L^2 + 1 numbers, and a stepwise softmax.
Let R = Lambda (m + 1), where m is L^2 with "floor" and 2 L^2 with "nearest". If N - 1 > G^d R, the network is wrong on an input
of at most R + 2 pairs. Proof. More than R of the keys 1 .. N - 1 have the same embedding. Put key 0 with value 0 first, then k
of these keys, each with value 1, and then the query 0. By `_attention_alone` the network gives one answer for k = R and k = R +
1. The right answers are 0 for even k and S - 1 for odd k.

The proof needs the hypothesis on d: if d grows like log N, keys need not be alike. The hybrid has such a width. For this case
there is a proof without a number. Let Lambda and L be fixed. Let each vector, and the values of all heads, have at most C log N
numbers. In a row at most m tokens have a weight above 0. So each layer is a circuit of constant depth and of a size that is
polynomial in N, with positions too. Parity has no such circuits (Furst, Saxe, Sipser 1984). So these networks fail for large N.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Network, whole
from seqsep.tasks import ParityConditionedRecall
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.blocks import ROUNDINGS, Scores, Spaces, Units, feed_forward, head, side_by_side
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Alphabet, GridRounding, Length, Seed
from seqsep.theorems.protocols.small_models import SmallModel
from seqsep.theorems.protocols.state_bound import StateBound
from seqsep.theorems.state_tracking import _parity_recall as recall
from seqsep.theorems.state_tracking._attention_alone import (
    AttentionLayers,
    AttentionNetworks,
    answers_after,
    last_change,
    repeats,
)
from seqsep.theorems.state_tracking._hybrids import (
    HybridTrial,
    KindRecurrence,
    RecurrentHybrid,
    constant_grid,
    sign_bits,
    signs,
    sizes_of,
)
from seqsep.theorems.state_tracking._parity_recall import PairInputs

UPPER = (
    "A recurrence of 1 + max(2, ceil(log2 N)) numbers and one attention head, with nine values a number, solve "
    "parity-conditioned recall of N pairs"
)
RECURRENT = "A recurrence without attention needs a state for each of the S^N lists of answers, or S^N / 2 for even S and odd N"
ATTENTION = (
    "Lambda layers of attention of width d without positions, on a grid of G numbers, fail if N - 1 > G^d Lambda (m + 1), "
    "where m is L^2, or 2 L^2 with rounding to the nearest"
)
CLAIM = Claim(name="parity-conditioned-recall-hybrid", source="own", statement=f"{UPPER}; {RECURRENT}; {ATTENTION}")
Values = Annotated[Alphabet, Range(2, 1 << 10)]
KEY, EVEN, ODD = range(3)
"""The kinds of tokens: a key, a value that is even, and one that is odd."""
MOST_BITS_RUN = 8


def value_codes(alphabet: int) -> Int64[np.ndarray, "values bits"]:
    """Return c(v): signs with c(S - 1 - v) = -c(v), and zeros for the value in the middle.

    >>> value_codes(3).tolist(), value_codes(4).tolist()
    ([[-1], [0], [1]], [[-1, -1], [1, -1], [-1, 1], [1, 1]])
    """
    half = alphabet // 2
    low = signs(half, sign_bits(2 * half))
    middle = np.zeros((alphabet % 2, low.shape[1]), dtype=np.int64)
    return np.concatenate([low, middle, -low[::-1]])


def spaces_of(length: int, alphabet: int) -> Spaces:
    """Return the spaces of the residual stream."""
    keys = sign_bits(length, least=2)
    values = value_codes(alphabet).shape[1]
    return Spaces(own=keys, one=1, value=values, sign=1, last=keys, found=values, same=values, other=values)


def hybrid(length: Length, alphabet: Values = 2, rounding: GridRounding = "floor") -> RecurrentHybrid:
    """Return the hybrid for up to N pairs with keys 0 .. N - 1; tokens are those of `ParityConditionedRecall`.

    >>> hybrid(1024).sizes()["state_numbers"]
    11
    """
    spaces = spaces_of(length, alphabet)
    codes = value_codes(alphabet)
    keys = spaces.embed(own=signs(length, spaces.size("own"))) + spaces["one"]
    values = spaces.embed(value=codes) + spaces["one"]
    readout = np.maximum(codes, 0) @ spaces["same"] + np.maximum(-codes, 0) @ spaces["other"]
    in_the_middle = (codes == 0).all(axis=1)
    network = Network(
        name=CLAIM.name,
        grid=constant_grid(rounding),
        spaces=spaces.slices,
        symbols=None,
        vectors=whole(np.eye(spaces.width)),
        layers=((_find_value(spaces), _turn_value(spaces)),),
        readout=whole(readout),
        readout_bias=Array(-in_the_middle.astype(np.int64), constant_grid(rounding).step),
    )
    return RecurrentHybrid(np.concatenate([keys, values]), _recurrence(spaces, length, alphabet), network)


def _recurrence(spaces: Spaces, length: int, alphabet: int) -> KindRecurrence:
    """The sign of the sum, which an odd value turns, and the last key, which a key token replaces."""
    numbers = 1 + spaces.size("last")
    moves = np.stack([np.eye(numbers, dtype=np.int64)] * 3)
    moves[KEY, 1:, 1:] = 0
    moves[ODD, 0, 0] = -1
    return KindRecurrence(
        kinds=np.concatenate([np.full(length, KEY), EVEN + np.arange(alphabet) % 2]),
        moves=moves,
        reads_before=np.zeros(3, dtype=bool),
        input=np.concatenate([spaces.nothing(), spaces["own"]]),
        write=np.concatenate([spaces["sign"], spaces["last"]]),
        start=np.eye(numbers, dtype=np.int64)[0],
    )


def _find_value(spaces: Spaces) -> AttentionLayer:
    """The head with the score -2 times the digits in which the key of a value token differs from the queried key."""
    ones = np.repeat(spaces["one"], spaces.size("own"), axis=0)
    scores = Scores(spaces["own"], spaces["last"] - spaces["own"]) + Scores(ones, -ones)
    return side_by_side(head(scores, value=spaces["value"], output=spaces["found"]))


def _turn_value(spaces: Spaces) -> FeedForward:
    """Two units a digit: |sign + found| - 2 is added to `same`, and -|sign + found| to `other`."""
    sums = spaces["sign"] + spaces["found"]
    write = spaces["same"] - spaces["other"]
    units = Units(
        inner=np.concatenate([sums, -sums]),
        bias=np.zeros(2 * len(sums), dtype=np.int64),
        outer=np.concatenate([write, write]),
    )
    return feed_forward([units], bias=-2 * spaces["same"].sum(axis=0))


def bound(length: Length, alphabet: Values = 2) -> dict[str, Number]:
    """Return every size, from N and S: w = max(2, ceil(log2 N)), width 2 w + 4 q + 2 and 1 + w numbers of state.

    `recurrent_bits` are those that a recurrent model without attention needs.

    >>> bound(1024)["state_bits"], bound(1024)["recurrent_bits"]
    (44, 1024)
    """
    keys = sign_bits(length, least=2)
    values = sign_bits(alphabet - alphabet % 2)
    sizes = sizes_of(2 * keys + 4 * values + 2, state_numbers=1 + keys, values=3)
    return {**sizes, "recurrent_bits": ceil_log2(recall.answer_lists(length, alphabet))}


def check(
    length: Length = 16,
    alphabet: Values = 2,
    rounding: GridRounding | None = None,
    layers: AttentionLayers = 1,
    networks: AttentionNetworks = 4,
    seed: Seed = 0,
) -> list[Outcome]:
    """Run the hybrid; count the states that a recurrence needs, and find inputs that smaller ones and attention answer wrongly.

    The hybrid runs on every input if there are at most 40,000, else on drawn ones. States are counted for up to 4,096 lists of
    values. Raises TheoremFails with an input.
    """
    roundings = ROUNDINGS if rounding is None else (rounding,)
    uppers = [check_hybrid(length, alphabet, one, seed) for one in roundings]
    pairs = recall.run_length(length, alphabet)
    lowers = [_check_recurrent(pairs, alphabet), *state_bound(pairs, alphabet).outcomes(SmallModel(seed=seed))]
    return uppers + lowers + [_check_attention(alphabet, one, layers, networks=networks, seed=seed) for one in roundings]


def check_hybrid(length: int, alphabet: int, rounding: str, seed: int, count: int = recall.SPREAD) -> Outcome:
    """Run the hybrid of one grid. Raises TheoremFails with the input that is answered wrongly."""
    exhaustive = recall.are_all_run(length, alphabet)
    inputs: Iterable[PairInputs] = recall.every_input(length, alphabet)
    if not exhaustive:
        inputs = recall.hard_inputs(length, alphabet, seed, count)
    trial = HybridTrial(CLAIM, hybrid(length, alphabet, rounding))
    task = ParityConditionedRecall(length, values=alphabet)
    for some in inputs:
        trial.require(some.tokens, some.answers[:, None], np.full((len(some.tokens), 1), some.tokens.shape[1] - 1), task)
    sizes = bound(length, alphabet)
    del sizes["recurrent_bits"]
    proved = 0.5 if alphabet % 2 else 2.0
    return trial.outcome(UPPER, sizes, proved, length=length, exhaustive=exhaustive, variant=f"S = {alphabet}, grid {rounding}")


def state_bound(length: int, alphabet: int) -> StateBound:
    """Return the lower bound on the state of a recurrence, to run on models that are too small."""
    task = recall.AnswerLists.of(length, alphabet)
    return StateBound(
        claim=CLAIM,
        statement=RECURRENT,
        task=task,
        needed=ceil_log2(recall.answer_lists(length, alphabet)),
        solve=ParityConditionedRecall(length, values=alphabet).solve,
        reduced=task.kept,
        most_bits=MOST_BITS_RUN,
        prefix="recurrence: ",
    )


def _check_recurrent(length: int, alphabet: int) -> Outcome:
    """Count the lists of answers of all lists of values. Raises TheoremFails for another number than the formula's."""
    counted = recall.AnswerLists.of(length, alphabet).count()
    proved = recall.answer_lists(length, alphabet)
    if counted != proved:
        raise CLAIM.fails({"length": length, "alphabet": alphabet, "lists of answers": counted, "proved": proved})
    return CLAIM.lower(
        statement=RECURRENT,
        length=length,
        inputs=alphabet**length,
        exhaustive=True,
        measured={"recurrent_bits": ceil_log2(counted), "states": counted},
        bound={"recurrent_bits": ceil_log2(proved), "states": proved},
        variant=f"recurrence: all lists, S = {alphabet}",
    )


def _check_attention(alphabet: int, rounding: str, layers: int, *, networks: int, seed: int, width: int = 1) -> Outcome:
    """Run random networks after R and R + 1 pairs of alike keys. Raises TheoremFails if their answers differ."""
    grid = constant_grid(rounding)
    generator = np.random.Generator(np.random.Philox(seed))
    most = repeats(grid, layers)
    last = inputs = 0
    witness: dict[str, Any] = {}
    for number in range(networks):
        network, length = recall.drawn_without_recurrence(grid, layers, width, alphabet=alphabet, generator=generator)
        words = recall.words_of_alike_keys(recall.alike_keys(network, length), length)
        answers = answers_after(network, words)
        changed = last_change(answers)
        if changed > most or len(words) < most + 2:
            raise CLAIM.fails({"network": number, "seed": seed, "alike keys": len(words) - 1, "last change": changed})
        task = ParityConditionedRecall(length, values=alphabet)
        wrong = next(word for word in words[most : most + 2] if task.solve(tuple(word)) != answers[most])
        witness = {"network": number, "errs_on": wrong, "answer": answers[most]}
        last = max(last, changed)
        inputs += len(words)
    return CLAIM.lower(
        statement=ATTENTION,
        length=recall.keys_needed(grid, layers, width),
        inputs=inputs,
        measured={"repeats": last},
        bound={"repeats": most},
        variant=f"attention: L = {grid.steps}, {layers} layers of width {width}, {rounding}",
        witness=witness,
    )


def predictor(length: Length, alphabet: Values = 2) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"pairs": [[key, value], ..], "query": key} by the built weights: 1 to N pairs with keys that differ.

    >>> predictor(length=4, alphabet=8)({"pairs": [[3, 7], [0, 4]], "query": 3})
    0
    """
    built = hybrid(length, alphabet)

    def answer(given: Mapping[str, Any]) -> int:
        tokens = recall.read_pairs(given, length, alphabet)
        return int(built.run(np.array([tokens])).execution.answers[0, 0])

    return answer


def certificate_witness(length: Annotated[Length, Range(1, 12)] = 6, alphabet: Values = 2) -> Evidence:
    """Return the bound for a recurrence: lists of values that lead to different lists of answers.

    Raises ValueError for more than 4,096 lists of values.
    """
    return recall.distinct_answers(length, alphabet)


def verify(seed: int = 0) -> list[Outcome]:
    """Run all inputs of small tasks, drawn ones of 1,024 keys and of 20,001 tokens, and the two lower bounds."""
    sizes = [(length, alphabet) for length in (1, 2, 3) for alphabet in (2, 3, 4, 5)] + [(4, 3), (4, 4), (5, 2)]
    sizes += [(length, alphabet) for length in (33, 1024) for alphabet in (2, 3, 64, 1001)]
    uppers = [check_hybrid(length, alphabet, one, seed) for length, alphabet in sizes for one in ROUNDINGS]
    uppers += [check_hybrid(10_000, 2, one, seed, count=2) for one in ROUNDINGS]
    lowers = [_check_recurrent(pairs, 2) for pairs in range(1, 13)]
    lowers += [_check_recurrent(pairs, alphabet) for alphabet in (3, 4, 5) for pairs in range(1, 6)]
    for width, layers in ((1, 1), (1, 2), (2, 1)):
        drawn = partial(_check_attention, 2, layers=layers, networks=12, seed=seed, width=width)
        lowers += [drawn(rounding=rounding) for rounding in ROUNDINGS]
    return uppers + lowers


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run shows the answers of the hybrid on its grid. It counts the lists of answers of all lists of values. It shows "
    "an input that a smaller recurrence answers wrongly, and one that a random network without a recurrence answers wrongly. "
    "The certificate has the lists of values that a recurrence must distinguish.",
    not_shown="This does not show the hybrid in floating-point numbers. This does not show the lower bounds for all models; "
    "the written proofs do. This does not show a number N for attention whose width grows like log N, or with positions. The "
    "state of the hybrid does not count the tokens that its attention keeps.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
)
