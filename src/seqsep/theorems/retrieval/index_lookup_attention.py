"""A Transformer with one attention layer answers index lookup, and its width grows only as log N.

In index lookup a model reads up to N symbols and then a position p. It answers with the symbol at p. seqsep writes down every
weight of one causal attention layer that does this for all sequences of up to N symbols. There are S different symbols, and
each position has a position code, which is a vector of k numbers. The width of the layer is ceil(log2 S) + 2k.

Idea. The keys and queries of the layer are position codes. The product of a query and a key is greatest if both belong to the
same position. Nearly orthogonal vectors have this property, for example. So the query attends almost only to the position that
it asks for. The head copies the bits of the symbol there. The feed-forward part (FFN) rounds each bit, and the read-out finds
the symbol with these bits.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 1 and appendix C.2.

We differ:
* The position code is a parameter. The random signs of the paper are `code="signs"`.
* Keys and queries are whole numbers. For the code `circle` they are multiples of a fixed fraction. So the factor 1/sqrt(k) of
  the paper is not needed, and the scale eta of the scores is a whole number.
* The query token has a key of its own: that of the position after the last symbol. In the paper its key is 0. With another
  code, a key of 0 can score as high as the right position.
* The FFN turns a retrieved bit into 0 or 2.

Sizes. A symbol is written with b = max(1, ceil(log2 S)) bits. An address is the number of a position. The query token has an
address too, so a code of `maths.codes.codes` gives N + 1 addresses, each in k coordinates.

Inputs. The residual stream has three spaces: [symbol: b | asked: k | own: k]. The space `asked` is for the query of a
position, and `own` is for the key of the token's own position.
* Symbol s at index i: [bits of s in {0, 1} | 0 | key of i].
* Query p at index n: [0 | query of p | key of n].

Arithmetic. The grid is the set of all multiples of 1/L from -L to L. Every number of the computation is rounded down to the
grid.

Scale the exponentials so that the right score has the exponential 1. Then leakage(eta) is an upper bound on the sum of the
exponentials of all wrong scores. Let R = leakage(eta), or R = leakage(eta) e^(1/L) for the code `circle` (see `_grid`). These
margins hold for every N and every input:
* The weight of the queried address is at least 1/(1 + R). This is above 3/4 if scores are whole numbers.
* A retrieved bit is 0 or 1 up to an error. Its distance from 1/2 is at least 1/(1 + R) - 1/2 - 1/L, a value from about 1/4 to
  about 1/2. The function `proved` computes it.
* The logit of the right symbol is above every other logit by at least 2 - 8 b/L.

The proof continues at `_retrieve` (the weight above 3/4), `_read_bits` (the threshold of the FFN), `_readout` (the symbol) and
`_grid` (the effect of rounding).
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from seqsep.core.files import read_bytes
from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.arithmetic.integers import digits_of, spelled
from seqsep.maths.codes.codes import BY_NAME as CODES
from seqsep.maths.codes.codes import PositionCode, Signs, has_addresses, position_code
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Network, whole
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Choice, Claim, Erratum, Number, Outcome, Theorem
from seqsep.theorems.blocks import Spaces, doubled_in_place, feed_forward, lookup, lookup_exponent
from seqsep.theorems.checking import tighten, until_tried
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Alphabet, Code, Eta, GridSteps, Length, Seed, Text, Tightness
from seqsep.theorems.retrieval import _index_lookup_trials as trials
from seqsep.theorems.trial import Trial, query_scale

Positions = Annotated[int, Range(1), "Number of queried positions of the text."]

TESTS = "tests/theorems/retrieval/test_index_lookup_attention.py"
CLAIM = Claim(
    name="index-lookup-attention",
    source="Bhattamishra et al. 2024, Theorem 1",
    statement="One causal attention layer of width ceil(log2 S) + 2k answers index lookup at every length up to N",
)
MARGIN = "a retrieved bit from 1/2"
EVERY_POSITION_UP_TO = 16 * 1024
SPREAD_POSITIONS = 1000
EXHAUSTIVE_INPUTS = 115_000
MOST_TEXT_BYTES = 1 << 22
"""Of a file to retrieve from: the model needs about 1 KiB of memory for each position."""


def build(
    length: Length, alphabet: Alphabet = 64, code: Code = "parabola", steps: GridSteps | None = None, eta: Eta | None = None
) -> Network:
    """The network for up to N = `length` symbols; token ids as in `IndexLookup(length, alphabet)`.

    `steps` replaces L, where the grid's numbers are multiples of 1/L. `eta` replaces the scale of the scores.
    Raises ValueError for an unknown code, a length or alphabet below 1, or more addresses than the code has.

    >>> network = build(length=5, alphabet=3)
    >>> network.width, list(network.spaces)
    (6, ['symbol', 'asked', 'own'])
    """
    return assemble(IndexLookup(length, alphabet), _code_of(length, code, call="build"), steps, eta)


def _code_of(length: int, code: str, call: str) -> PositionCode:
    """The code of that name for N + 1 addresses: the question's is the last."""
    if code not in CODES:
        raise ValueError(f"{call}(length={length}, code={code!r}): code is one of {', '.join(CODES)}")
    return position_code(code, length + 1)


def assemble(task: IndexLookup, code: PositionCode, steps: int | None = None, eta: int | None = None) -> Network:
    """The network of a task with a code for its N + 1 addresses; `steps` and `eta` as in `build`."""
    bits = digits_of(task.alphabet)
    spaces = Spaces(symbol=bits, asked=code.dimension, own=code.dimension)
    eta = code.least_scale() if eta is None else eta
    addresses = np.arange(task.length + 1)
    readout, readout_bias = _readout(spaces, task.alphabet)
    return Network(
        name=f"{CLAIM.name}-{code.name}",
        grid=_grid(code, eta, bits) if steps is None else Grid(steps),
        spaces=spaces.slices,
        symbols=whole(spaces.embed(symbol=spelled(task.alphabet))),
        indices=Array(spaces.embed(asked=code.queries(addresses[:-1])), code.unit, by_index=True),
        positions=Array(spaces.embed(own=code.keys(addresses)), code.unit, by_index=True),
        layers=((_retrieve(spaces, eta), _read_bits(spaces)),),
        readout=readout,
        readout_bias=readout_bias,
        code_bits=code.parameter_bits,
    )


def _retrieve(spaces: Spaces, eta: int) -> AttentionLayer:
    """The head with W_Q = eta [0 I 0], W_K = [0 0 I], W_V = [I 0 0], W_O = W_V^T: the query fetches the bits of s_p.

    The mask is causal and the query token is last, so it attends to all tokens. Its score of index i is eta * query_p . key_i,
    which is greatest at i = p. The scale eta is chosen with leakage(eta) < 1/3; `maths.codes.codes` proves this bound for each
    code. So the weight of index p is at least 1 / (1 + leakage(eta)) > 3/4.

    The value of the query token is 0. So coordinate j of the retrieved bits is at least 3/4 if bit j of s_p is 1, and at most
    1/4 if this bit is 0. The symbol space of the query token was 0, so it now contains the retrieved bits.
    """
    return AttentionLayer((lookup(spaces, eta, "symbol"),))


def _read_bits(spaces: Spaces) -> FeedForward:
    """The FFN changes a retrieved bit to 2 if it is at least 3/4, and to 0 if it is at most 1/4.

    It adds relu(4 z - 1) - relu(4 z - 3) - relu(z) to each bit z.
    """
    return feed_forward([doubled_in_place(spaces["symbol"])], bias=spaces.nothing()[0])


def _readout(spaces: Spaces, alphabet: int) -> tuple[Array, Array]:
    """Compute the logit of symbol s as the sum over bits j of (2 s_j - 1) (z_j - 1).

    z_j is 2 if bit j of s_p is 1, and 0 if not. So the logit is b for s = s_p, and at most b - 2 for any other s.
    """
    signs = 2 * spelled(alphabet) - 1
    return whole(spaces.embed(symbol=signs)), whole(-signs.sum(axis=1))


def _grid(code: PositionCode, eta: int, bits: int) -> Grid:
    """The grid of the paper's appendix B.2: L = n^Kc with n = max(4, N + 1) tokens, stepwise softmax, rounding down.

    Kc is the least exponent for which the grid holds every entry and every winning score. Entries include the 4 of the FFN and
    the b of the read-out. A losing score below -L becomes -L. It stays more than ln L below the winner, so its exponential
    rounds to 0 in both cases.

    Rounding down only lowers the exponentials of losing scores. It lowers the weight of the winner by less than one step of
    1/L. So z >= 3/4 - 1/L, and the margin of the read-out is at least 2 - 8 b/L. For `circle`, scores are rounded down to the
    grid too. This multiplies leakage(eta) by at most e^(1/L), which gives the R of `proved`.
    """
    return Grid.of(code.count, lookup_exponent(code, eta, least=max(4, bits)))


def proved(code: PositionCode, grid: Grid) -> float:
    """1/(1 + R) - 1/2 - 1/L, the least distance of a retrieved bit from 1/2; R is leakage(eta), times e^(1/L) for `circle`."""
    rounding = 1 if code.unit == 1 else math.exp(1 / grid.steps)
    leakage = code.leakage(code.least_scale()) * rounding
    return 1 / (1 + leakage) - 1 / 2 - 1 / grid.steps


def bound(length: int, alphabet: int, code: PositionCode) -> dict[str, Number]:
    """Every size with explicit constants, from N, S and the code alone.

    width d = b + 2 k; p = bit_length(2 n^(2 Kc)); core = 3 max(b, k) d p; tables = p ((2 N + 1) d + E);
    program = p E plus the code's own parameters; E = S d + 2 k d + 2 b d + 6 b d + 3 b + d + S d + S: the symbol table, W_Q and
    W_K, W_V and W_O, the FFN's matrices and biases, the read-out and its bias.
    """
    b = digits_of(alphabet)
    k = code.dimension
    d = b + 2 * k
    eta = code.least_scale()
    p = _grid(code, eta, b).precision
    entries = alphabet * d + 2 * k * d + 2 * b * d + 6 * b * d + 3 * b + d + alphabet * d + alphabet
    return {
        "width": d,
        "heads": 1,
        "layers": 1,
        "eta": eta,
        "precision": p,
        "core_bits": 3 * max(b, k) * d * p,
        "program_bits": p * entries + code.parameter_bits,
        "tables_bits": p * (entries + (2 * length + 1) * d),
    }


def check(
    length: Length = 64,
    alphabet: Alphabet = 64,
    code: Code | None = None,
    text: Text | None = None,
    positions: Positions | None = None,
    tightness: Tightness = False,
    seed: Seed = 0,
) -> list[Outcome]:
    """Build the network with each code that has enough addresses (or with one) and retrieve with it, on the grid.

    Every input if N S^N is at most 115,000, else every position of random sequences, of sequences that differ from a
    constant one in a single symbol, and of shorter sequences; the same in float64. With `text`: the model is built at the
    length of that file, over bytes, and retrieves every position of it up to 16 KiB, beyond 1,000 spread ones or `positions`
    of them. With `tightness`: the least eta and L that answer `hard_sequences`.
    Raises ValueError for an unknown code, an empty file, or `positions` without a file or beyond its bytes; TheoremFails with
    the input on which the answer is wrong.
    """
    if text is not None:
        return [_check_text(text, code or "parabola", positions)]
    if positions is not None:
        raise ValueError("check(positions=...): positions goes with text; without it every position is asked")
    if code is not None and code not in CODES:
        raise ValueError(f"check(code={code!r}): code is one of {', '.join(CODES)}")
    task = IndexLookup(length, alphabet)
    codes = _codes(length) if code is None else [position_code(code, length + 1)]
    outcomes = [_check_sequences(task, one, seed) for one in codes]
    if not tightness:
        return outcomes
    return [_tightness(outcome, task, one, seed) for outcome, one in zip(outcomes, codes, strict=True)]


def _codes(length: int) -> list[PositionCode]:
    """Every code that has N + 1 addresses."""
    return [position_code(name, length + 1) for name in CODES if has_addresses(name, length + 1)]


def verify(small: int = 50_000, medium: int = 49_000, large: int = 1_500, seed: int = 0) -> list[Outcome]:
    """Check every input of (N, S) = (12, 2) and (7, 4), then questions for many N.

    At least `small` questions are at N <= 64, `medium` ones at N <= 1,000, and `large` ones at 1,024 to 4,096.

    The codes take turns. Among the inputs are those with the least margin at the first, the middle and the last position
    (`_index_lookup_trials.hard_sequences`).
    """
    outcomes = []
    for length, alphabet in ((12, 2), (7, 4)):
        task = IndexLookup(length, alphabet)
        outcomes += [_check_sequences(task, position_code(code, length + 1), seed) for code in CODES]
    outcomes += _verify_lengths((1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64), small, None, seed)
    outcomes += _verify_lengths((65, 127, 128, 255, 256, 511, 512, 1000), medium, None, seed)
    outcomes += _verify_lengths((1024, 2048, 4096), large, 25, seed)
    return outcomes


def _verify_lengths(lengths: tuple[int, ...], inputs: int, spread: int | None, seed: int) -> list[Outcome]:
    """Ask at least `inputs` questions; lengths take turns, and codes after each round of lengths."""
    return until_tried(inputs, (_check_turn(turn, lengths, spread, seed) for turn in count()))


def _check_turn(turn: int, lengths: tuple[int, ...], spread: int | None, seed: int) -> Outcome:
    length = lengths[turn % len(lengths)]
    names = [name for name in CODES if has_addresses(name, length + 1)]
    code = position_code(names[turn // len(lengths) % len(names)], length + 1)
    return _check_sequences(IndexLookup(length, alphabet=64), code, seed + turn, spread)


def _check_text(text: Path, code: str, positions: int | None) -> Outcome:
    """Retrieve a file's bytes as symbols: at every position, or at spread ones."""
    data = np.frombuffer(read_bytes(text, most=MOST_TEXT_BYTES), dtype=np.uint8).astype(np.int64)
    length = len(data)
    if length == 0:
        raise ValueError(f"{text}: expected a file of at least 1 byte, found an empty one")
    if positions is None:
        positions = length if length <= EVERY_POSITION_UP_TO else SPREAD_POSITIONS
    if not 1 <= positions <= length:
        raise ValueError(f"check(positions={positions}): positions is 1 to {length}, the bytes of the file")
    made = _code_of(length, code, call="build")
    task = IndexLookup(length, alphabet=256)
    network = assemble(task, made)
    asked = np.unique(np.linspace(0, length - 1, positions).round().astype(np.int64))
    trial = Trial(CLAIM.name, network, trials.retrieved_margin(network))
    trials.require_answers(trial, data, asked, task.alphabet)
    return _outcome(trial, task, made, exhaustive=False)


def _check_sequences(task: IndexLookup, code: PositionCode, seed: int, spread: int | None = None) -> Outcome:
    """Ask every question, or `spread` of them, of every sequence or of `hard_sequences`."""
    network = assemble(task, code)
    trial = Trial(CLAIM.name, network, trials.retrieved_margin(network))
    exhaustive = spread is None and task.alphabet**task.length * task.length <= EXHAUSTIVE_INPUTS
    if exhaustive:
        for shorter in range(1, task.length + 1):
            trials.require_all(trial, shorter, task.alphabet)
    else:
        for sequence in trials.hard_sequences(task, seed):
            asked = np.arange(len(sequence))
            if spread is not None:
                asked = np.unique(np.linspace(0, len(sequence) - 1, spread).astype(np.int64))
            trials.require_answers(trial, np.array(sequence, dtype=np.int64), asked, task.alphabet)
        if task.length <= 64:
            trials.climb_down(trial, task.length, task.alphabet, seed)
    return _outcome(trial, task, code, exhaustive)


def _tightness(outcome: Outcome, task: IndexLookup, code: PositionCode, seed: int) -> Outcome:
    """The least eta and L, on `hard_sequences` with every question."""
    return tighten(
        outcome,
        grid=assemble(task, code).grid,
        eta=code.least_scale(),
        build=lambda steps, eta: assemble(task, code, steps, eta),
        answers=lambda network: trials.answers_hard_sequences(CLAIM.name, network, task, seed),
    )


def _outcome(trial: Trial, task: IndexLookup, code: PositionCode, exhaustive: bool) -> Outcome:
    printed: dict[str, Number | str] = {"entries": "±1/sqrt(k)", "eta": round(2 * math.log(3 * task.length), 3)}
    return trial.outcome(
        CLAIM,
        bound(task.length, task.alphabet, code),
        more={"eta": query_scale(trial.network)},
        margin_of=MARGIN,
        proved=proved(code, trial.network.grid),
        length=task.length,
        exhaustive=exhaustive,
        as_printed=printed if code.name == Signs.name else None,
        variant=f"code {code.name}",
    )


def predictor(length: Length, alphabet: Alphabet = 64, code: Code = "parabola") -> Callable[[Mapping[str, Any]], int]:
    """Answer {"symbols": [..], "position": p} by the built weights; p from 1, symbols from 0 to S - 1, at most N of them."""
    return partial(trials.answer_to, build(length, alphabet, code), length, alphabet)


def certificate_witness(length: Length = 64, alphabet: Alphabet = 64, code: Code = "parabola", seed: Seed = 0) -> Evidence:
    """Show the network on every input if there are at most 1,024, else at up to 64 drawn ones."""
    task = IndexLookup(length, alphabet)
    network = assemble(task, _code_of(length, code, call="build"))
    return Evidence(task.name, {"length": length, "alphabet": alphabet}, trials.shown(network, task, seed))


def constants(length: Length, alphabet: Alphabet, code: Code = "parabola") -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    return bound(length, alphabet, position_code(code, length + 1))


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
    errata=(
        Erratum(
            where="Section 3, encoding of the symbols",
            printed='"the embedding of each input token is of size log|S| + 2k", with "rho : S -> {0, 1}^|S| is some '
            'binary encoding"',
            found="such a rho takes |S| coordinates: 64 for 64 symbols, but the size leaves 6. Appendix C.2 has "
            "{0, 1}^(log|S|)",
            built="ceil(log2 S) coordinates",
            test=f"{TESTS}::test_the_printed_encoding_does_not_fit_its_size",
        ),
        Erratum(
            where="Appendix C, index lookup as a function",
            printed="the set of inputs of IdxL: S^(<= N) x [N]",
            found="a sequence of n < N symbols has no symbol at the positions n + 1 to N: 8 of the 42 inputs for 2 symbols and "
            "N = 3 have no answer",
            built="positions 1 to n for n symbols",
            test=f"{TESTS}::test_the_printed_inputs_have_positions_beyond_the_end",
        ),
        Erratum(
            where="Appendix H.1, index lookup",
            printed='"we first sample a length k uniformly between 10 and N (20-400) and then sample N symbols [...] a '
            'position between 1 and k"',
            found="with N symbols each, k is not drawn as a length: each example has length N, and only the positions vary",
            built="k symbols by default; `training_inputs` of the task has both readings",
            test="tests/tasks/test_index_lookup_readings.py::test_the_number_of_symbols",
        ),
    ),
    choices=(
        Choice(
            where="Theorem 1, appendix C.2",
            printed='"The dot product of the query vector with itself will be <Q(p), K(p)> = 0"',
            found="a key of 0 is right for the code in the paper, whose products with the queried address are above 0. In "
            "our parabola code an address may score below 0, so a query token with the key 0 outweighs it",
            built="the query token has the key of its own position, which is one address more",
            test=f"{TESTS}::test_the_printed_key_of_the_question_fails",
        ),
    ),
)
