"""Two attention layers of one head decide whether the two halves of a sequence are equal, in width O(log N).

The first layer compares each symbol of the second half with its partner, the symbol at the same place of the first half. The
second layer averages the mismatches. The answer is "equal" if this mean is 0. The width depends on S, the number of different
symbols, and on k, the number of coordinates of a position code.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 6 and appendix F.2. The function EQ is 1 if the two halves of x_1
.. x_N are equal, and INEQ = 1 - EQ. N is even, and the symbols are bits or from any finite alphabet.

We differ:
* The position code is a parameter: any code of `maths.codes.codes`.
* Both layers are causal, and the answer is read at the last position.
* A threshold follows layer 1. So no attention weight needs to round to 1.
* The head subtracts the symbol that it retrieves from the symbol at its own position. So the retrieved symbol needs no
  coordinates of its own.
* The width for two symbols is 2 + 2k, for a position code of k coordinates. The paper states this width, but its construction
  needs 3 + 2k.
* The read-out has no feed-forward network (FFN) before it.

Sizes. A half has h = N/2 symbols. With S different symbols, each is written as b = max(1, ceil(log2 S)) bits. The position
code gives each of the N positions a key and a query of k coordinates. A larger alphabet changes only b.

Inputs. The residual stream has four parts, with these numbers of coordinates:
    [symbol: b | mismatch: 1 | asked: k | own: k]
At position t, `symbol` starts as the bits of the symbol there, and `mismatch` starts at 0. `own` is the key of t. `asked` is
the query of the partner of t. The partner of a position t > h is t - h, and a position t <= h is its own partner.

Margins. Every stored number is a multiple of D = 1/L. Scores are multiplied by a whole number eta. Let the exponential of the
score of the queried position be 1. Then the exponentials of all other positions add up to at most leakage(eta), a number that
depends on the position code. These margins hold for every N and every input:
* The attention weight of the queried position is above 3/4.
* Layer 1 gives the difference of two bits. The distance of its magnitude from 1/2 is at least 1/(1 + leakage(eta)) - 1/2 - D
  (`proved`), which is about 1/4 or more.
* The mismatch at a position is 0 if its symbol equals the partner's, and at least 1 otherwise.
* The mean of the mismatches is 0 or at least u = 1/N. Layer 2 adds it to `mismatch` at the last position. The answer is
  "unequal" if twice this sum is above u.

The proof continues at `_subtract_partner` (layer 1 retrieves), `_flag_mismatch` (its FFN is an XOR), `_average_mismatch`
(layer 2 is an OR), `_readout` and `_grid` (the effect of rounding).
"""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.arithmetic.integers import digits_of, spelled
from seqsep.maths.codes.codes import BY_NAME as CODES
from seqsep.maths.codes.codes import PositionCode, has_addresses, position_code
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.blocks import Spaces, average, feed_forward, lookup, lookup_exponent, mismatch
from seqsep.theorems.checking import tighten, until_tried
from seqsep.theorems.equality import _trials as trials
from seqsep.theorems.equality._errata import ERRATA
from seqsep.theorems.equality._trials import ComparedHalves
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Alphabet, Code, Eta, GridSteps, LengthFrom2, Seed, Tightness
from seqsep.theorems.trial import Trial, query_scale

Unequal = Annotated[bool, "Answer 1 if the halves differ, in place of 1 if they are equal."]

STATEMENT = "Two causal one-head layers of width ceil(log2 S) + 1 + 2k decide whether the halves of N symbols are {}"
CLAIM = Claim(
    name="equality-two-layers",
    source="Bhattamishra et al. 2024, Theorem 6",
    statement=STATEMENT.format("equal"),
)
MARGIN = "|difference of two bits| from 1/2"
LEAST_STEPS = 6
LONGEST_IN_FLOATS = 256


def build(
    length: LengthFrom2,
    alphabet: Alphabet = 2,
    code: Code = "parabola",
    unequal: Unequal = False,
    steps: GridSteps | None = None,
    eta: Eta | None = None,
) -> Network:
    """Build the network for N = `length` symbols 0 .. S - 1; class 1 is EQ, or INEQ if `unequal`.

    It is read at the last position.
    `steps` replaces L, where the grid's numbers are multiples of 1/L. `eta` replaces the scale of the scores.
    Raises ValueError for an unknown code, an odd length, an alphabet below 1, or more addresses than the code has.

    >>> network = build(length=4)
    >>> run(network, np.array([[0, 1, 0, 1], [0, 1, 1, 1]]), at=-1).answers[:, 0]
    array([1, 0])
    """
    trials.require("build", length, alphabet, code)
    return assemble(alphabet, position_code(code, length), unequal, steps=steps, eta=eta)


def assemble(alphabet: int, code: PositionCode, unequal: bool, steps: int | None = None, eta: int | None = None) -> Network:
    """Build the network with a code for its N addresses; `steps` and `eta` are those of `build`."""
    half = code.count // 2
    addresses = np.arange(code.count)
    partners = np.where(addresses < half, addresses, addresses - half)
    name = f"{CLAIM.name}-{code.name}"
    return compare(name, partners, alphabet, code, unequal=unequal, by_index=True, steps=steps, eta=eta)


def compare(
    name: str,
    partners: Int64[np.ndarray, "length"],
    alphabet: int,
    code: PositionCode,
    *,
    unequal: bool,
    by_index: bool,
    steps: int | None = None,
    eta: int | None = None,
) -> Network:
    """Build two layers that compare the symbol at each position t with the one at partners[t] <= t.

    Positions count from 0. Class 1 means that all agree or, if `unequal`, that some do not. `by_index`: whether the positions
    are functions of the index alone.
    """
    length = len(partners)
    eta = code.least_scale() if eta is None else eta
    grid = _grid(code, eta) if steps is None else Grid(steps)
    spaces = Spaces(symbol=digits_of(alphabet), mismatch=1, asked=code.dimension, own=code.dimension)
    positions = spaces.embed(asked=code.queries(partners), own=code.keys(np.arange(length)))
    readout, readout_bias = _readout(spaces, grid, length, unequal)
    return Network(
        name=name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(spaces.embed(symbol=spelled(alphabet))),
        positions=Array(positions, code.unit, by_index),
        layers=((_subtract_partner(spaces, eta), _flag_mismatch(spaces)), (_average_mismatch(spaces), None)),
        readout=readout,
        readout_bias=readout_bias,
        code_bits=code.parameter_bits if by_index else 0,
    )


def _subtract_partner(spaces: Spaces, eta: int) -> AttentionLayer:
    """Layer 1 subtracts the partner's symbol: W_Q = eta [asked], W_K = [own], W_V = [symbol], W_O = -W_V^T.

    Here [asked] is the matrix that reads the part `asked`. The head is causal, because no position queries a later one. The
    weight of the queried position is at least 1 / (1 + leakage(eta)). This is above 3/4, since eta is chosen with leakage(eta)
    < 1/3.

    Let z be the mean of one bit that the head retrieves. Then z >= 3/4 if the partner's bit is 1, and z <= 1/4 if it is 0. The
    layer replaces the bit x_t by v = x_t - z. So |v| <= 1/4 if the two bits agree, and |v| >= 3/4 if they do not. A position t
    <= h is its own partner, so there all bits agree.
    """
    return AttentionLayer((lookup(spaces, eta, "symbol", sign=-1),))


def _flag_mismatch(spaces: Spaces) -> FeedForward:
    """The FFN of layer 1 adds 0 to `mismatch` if all bits agree, and at least 1 otherwise.

    It adds 4 times the sum over bits of relu(4 v - 2) + relu(-4 v - 2), with v from `_subtract_partner`. Without rounding this
    is 0 or at least 4. On the grid |v| <= 1/4 + r for equal bits, and |v| >= 3/4 - r for unequal ones. Here r is D if scores
    are whole numbers, and 5/4 D otherwise. For equal bits each relu is at most relu(-1 + 5 D) = 0, as L >= 6. For unequal bits
    the result is at least 4 (1 - 4 D) >= 1 if scores are whole numbers. Otherwise L >= 64, and it is at least 4 (1 - 5 D) > 3.
    """
    return feed_forward([mismatch(spaces["symbol"], spaces["mismatch"])], spaces.nothing()[0])


def _average_mismatch(spaces: Spaces) -> AttentionLayer:
    """Layer 2 has the score 0 everywhere and the value `mismatch`, so it adds the mean of the mismatches at the last position.

    Each position has the weight u = 1/N. Without rounding, the added mean is 0 if the halves are equal, and at least 4 u if
    not. On the grid the weight is u = floor(L/N) D, which is 1/N since N divides L. The mean of the rounded mismatches is 0 or
    at least u. Since u is a multiple of D, rounding down leaves u or more.
    """
    return AttentionLayer((average(spaces["mismatch"], spaces["mismatch"]),))


def _readout(spaces: Spaces, grid: Grid, length: int, unequal: bool) -> tuple[Array, Array]:
    """The logits are 2 * mismatch for "unequal" and u for "equal".

    If the halves are equal, the logits are 0 and u, so "equal" wins. Otherwise the logit of "unequal" is at least 2 u, so it
    wins. If `mismatch` is cut off at the end of the grid, it is still more than 1 and so more than u.
    """
    order = [1, 0] if unequal else [0, 1]
    weights = np.concatenate([2 * spaces["mismatch"], spaces.nothing()])
    uniform = np.array([0, grid.steps // length])
    return whole(weights[order]), Array(uniform[order], grid.step)


def _grid(code: PositionCode, eta: int) -> Grid:
    """The grid is that of appendix B.2, with stepwise softmax and rounding down: L = n^Kc, where n = max(4, N).

    Kc is the least whole number with L >= 6 for which the grid holds every entry and every winning score.

    Losing scores below -L are stored as -L. This changes nothing, because winning scores are at least 0 for every code. So the
    exponentials of these losing scores round to 0 in both cases.

    Rounding down lowers the exponentials and weights of the losing positions. It lowers the weight of the winner by less than
    D. In the code `circle`, scores are not multiples of D. They are rounded down too, by less than D, which multiplies
    leakage(eta) by at most e^D. For this code L >= 64.
    """
    return Grid.of(code.count, lookup_exponent(code, eta, LEAST_STEPS))


def proved(code: PositionCode, grid: Grid) -> float:
    """The least of the margin is 1/(1 + R) - 1/2 - D; R is leakage(eta), times e^D if scores are rounded."""
    rounding = 1 if code.unit == 1 else math.exp(1 / grid.steps)
    leakage = code.leakage(code.least_scale()) * rounding
    return 1 / (1 + leakage) - 1 / 2 - 1 / grid.steps


def bound(length: int, alphabet: int, code: PositionCode) -> dict[str, Number]:
    """Bound every size with explicit constants, from N, S and the code alone.

    width d = b + 1 + 2k; p = bit_length(2 n^(2 Kc)); core = 3 d p (max(b, k) + 1), one head of each layer;
    tables = p (N d + E); program = p E plus the code's own parameters;
    E = S d + 2 k d + 2 b d + 4 b d + 2 b + d + 4 d + 2 d + 2: the symbol table, W_Q and W_K, W_V and W_O of layer 1, its FFN
    and biases, the four of layer 2, the read-out and its bias.
    """
    b = digits_of(alphabet)
    k = code.dimension
    d = b + 1 + 2 * k
    eta = code.least_scale()
    p = _grid(code, eta).precision
    entries = d * (alphabet + 2 * k + 6 * b + 7) + 2 * b + 2
    return {
        "width": d,
        "heads": 1,
        "layers": 2,
        "eta": eta,
        "precision": p,
        "core_bits": 3 * d * p * (max(b, k) + 1),
        "program_bits": p * entries + code.parameter_bits,
        "tables_bits": p * (entries + length * d),
    }


def printed(length: int, k: int, exponent: int) -> dict[str, Number | str]:
    """Give the printed eta, the one that the printed inequality asks for, and the printed width."""
    needed = 2 * math.log((length - 1) * (2 * length**exponent - 1))
    return {
        "eta": round(math.log(length) + exponent * math.log(2 * length), 3),
        "eta_needed": round(needed, 3),
        "width": 2 + 2 * k,
    }


def check(
    length: LengthFrom2 = 64,
    alphabet: Alphabet = 2,
    code: Code | None = None,
    unequal: Unequal = False,
    tightness: Tightness = False,
    seed: Seed = 0,
) -> list[Outcome]:
    """Check EQ (or INEQ) with each code that has N addresses, or with one, on the grid and in float64.

    Every input if S^N is at most 65,536 (for {0, 1}: N <= 16), else random and hard ones, at every position up to
    N = 512 and at drawn ones beyond (`_trials.hard_inputs`). With `tightness`: the least eta and L that answer hard ones.
    Raises TheoremFails with the input on which the answer is wrong.
    """
    trials.require("check", length, alphabet, "binary" if code is None else code)
    names = [name for name in CODES if has_addresses(name, length)] if code is None else [code]
    halves = ComparedHalves.plain(length, alphabet, unequal)
    outcomes = []
    for address_code in [position_code(name, length) for name in names]:
        outcome = _check_code(halves, address_code, seed)
        outcomes.append(_tightness(outcome, halves, address_code, seed) if tightness else outcome)
    return outcomes


def verify(inputs_small: int = 99_000, inputs_large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """Check EQ on every input over {0, 1} for N <= 16, then EQ and INEQ on hard ones (`_trials.long_check`)."""
    outcomes = []
    for length in range(2, 17, 2):
        outcomes.append(_check_code(ComparedHalves.plain(length, 2, unequal=False), position_code("parabola", length), seed))
    for number, series in enumerate(trials.long_check(inputs_small, inputs_large)):
        outcomes += until_tried(series.inputs, _cases(series, seed + 1 + number))
    return outcomes


def _cases(series: trials.EqualitySeries, first_seed: int) -> Iterator[Outcome]:
    """Check the cases of a series for which the code has enough addresses."""
    for turn in count():
        case = series.case(turn)
        if has_addresses(case.code, case.length):
            halves = ComparedHalves.plain(case.length, case.alphabet, case.unequal)
            yield _check_code(halves, position_code(case.code, case.length), first_seed + turn, case.most)


def _check_code(halves: ComparedHalves, code: PositionCode, seed: int, most: int = 256) -> Outcome:
    """Check every input, or at most `most` of each kind of hard ones."""
    length = halves.length
    network = assemble(halves.alphabet, code, halves.unequal)
    in_floats = 2_000 if length <= LONGEST_IN_FLOATS else 0
    trial = Trial(CLAIM.name, network, trials.margin(network), in_floats=in_floats)
    is_exhaustive = halves.alphabet**length <= trials.EXHAUSTIVE_INPUTS
    if is_exhaustive:
        trials.put(trial, halves, trials.every_input(length, halves.alphabet))
    else:
        trials.put_hard(trial, halves, np.random.default_rng(seed), most)
    exponent = lookup_exponent(code, code.least_scale(), LEAST_STEPS)
    return trial.outcome(
        CLAIM,
        bound(length, halves.alphabet, code),
        more={"eta": query_scale(network)},
        margin_of=MARGIN,
        proved=proved(code, network.grid),
        statement=STATEMENT.format("unequal" if halves.unequal else "equal"),
        length=length,
        exhaustive=is_exhaustive,
        as_printed=printed(length, code.dimension, exponent),
        variant=f"{'INEQ' if halves.unequal else 'EQ'}, code {code.name}",
    )


def _tightness(outcome: Outcome, halves: ComparedHalves, code: PositionCode, seed: int) -> Outcome:
    """Find the least eta and L that answer the hard inputs."""
    eta = code.least_scale()
    return tighten(
        outcome,
        grid=_grid(code, eta),
        eta=eta,
        build=lambda steps, scale: assemble(halves.alphabet, code, halves.unequal, steps=steps, eta=scale),
        answers=lambda network: trials.answers_hard(network, halves, seed),
    )


def predictor(
    length: LengthFrom2, alphabet: Alphabet = 2, code: Code = "parabola", unequal: Unequal = False
) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"left": [..], "right": [..]}, N/2 symbols each: 1 if they are equal, or with `unequal` if they are not.

    >>> predictor(length=4)({"left": [0, 1], "right": [0, 1]})
    1
    """
    network = build(length, alphabet, code, unequal)

    def answer(given: Mapping[str, Any]) -> int:
        symbols = trials.symbols_of(given, length, alphabet)
        return int(run(network, np.array([symbols]), at=-1).answers[0, 0])

    return answer


def certificate_witness(
    length: LengthFrom2 = 8, alphabet: Alphabet = 2, code: Code = "parabola", unequal: Unequal = False, seed: Seed = 0
) -> Evidence:
    """Show the network on every input if there are at most 256, else on hard ones (`_trials.certified`)."""
    network = build(length, alphabet, code, unequal)
    return trials.certified(network, ComparedHalves.plain(length, alphabet, unequal), seed)


def constants(length: LengthFrom2, alphabet: Alphabet, code: Code = "parabola") -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    return bound(length, alphabet, position_code(code, length))


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the network at the length that it is built for.",
    not_shown="This does not show that the network is right at other lengths. The proof covers every N.",
    build=build,
    bound=constants,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    errata=ERRATA,
)
