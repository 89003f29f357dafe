"""Upper bound: one attention layer of width O(log N) solves index lookup, for every length up to N.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 1 and appendix C.2.
We differ: the position code is a parameter (the printed random signs are `code="signs"`); keys and queries are integers, so
the printed factor 1/sqrt(k) of each is gone and eta is a whole number; the question has the address N + 1 (or n + 1 after
n < N symbols) where the paper gives it the key 0, which ties with an address in other codes; the FFN writes {0, 2}.

Proof, as code. S symbols, b = max(1, ceil(log2 S)) bits; N + 1 addresses in k coordinates with a code of `exact.codes`.
The residual stream is [symbol: b | asked: k | own: k], all of it integers:
* symbol s at index i:     [bits of s in {0, 1} | 0 | key of i]
* question p at index n:   [0 | query of p | key of n]
* W_Q = eta [0 I 0], W_K = [0 0 I], W_V = [I 0 0], W_O = W_V^T. The mask is causal, the question is last, so the question
  attends to everything: its score of index i is eta * query_p . key_i, greatest at i = p.
* The weight of index p is at least 1 / (1 + leakage(eta)) > 3/4, since eta is chosen with leakage(eta) < 1/3 (`exact.codes`
  proves the sum for each code). The question's own value is 0, so each coordinate of the retrieved bits is >= 3/4 where bit
  j of s_p is 1 and <= 1/4 where it is 0. The symbol space of the question was 0, so it now holds exactly this.
* FFN per bit: relu(4 z - 1) - relu(4 z - 3) - relu(z), added to z: 2 for z >= 3/4 and 0 for z <= 1/4.
* Read-out of symbol s: sum over bits j of (2 s_j - 1) (z_j - 1), which is b for s = s_p and at most b - 2 for any other.

On the grid (B.2, stepwise softmax, rounding down): L = n^Kc with n = max(4, N + 1) tokens, and Kc the least for which every
entry and every winning score lies on it. Losing scores may saturate at -L: they stay more than ln L below the winner and their
exponentials round to 0 either way. Floors only lower the others' exponentials, and the winner's weight by less than one step,
so z >= 3/4 - 1/L and the read-out's margin shrinks by at most 8 b/L, from 2.

What a run does not show: other lengths than the one built. The bounds below hold for every N by the proof.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.exact.codes import BY_NAME as CODES
from seqsep.exact.codes import PositionCode, Signs, has_addresses, position_code
from seqsep.exact.grid import Array, Grid
from seqsep.exact.integers import digits_of, spelled
from seqsep.exact.network import AttentionLayer, Network, whole
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Claim, Erratum, Margin, Number, Outcome, Theorem, sizes
from seqsep.theorems.blocks import Spaces, doubled_in_place, feed_forward, lookup, lookup_exponent
from seqsep.theorems.checking import tighten, until_tried
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.retrieval import _index_lookup_trials as trials
from seqsep.theorems.trial import Trial

CLAIM = Claim(
    name="index-lookup-attention",
    source="Bhattamishra et al. 2024, Theorem 1",
    statement="One causal attention layer of width ceil(log2 S) + 2k answers index lookup at every length up to N",
)
MARGIN = "a retrieved bit from 1/2"
EVERY_POSITION_UP_TO = 16 * 1024
SPREAD_POSITIONS = 1000
EXHAUSTIVE_INPUTS = 115_000


def build(length: int, alphabet: int = 64, code: str = "parabola", steps: int | None = None, eta: int | None = None) -> Network:
    """The network for up to `length` symbols; token ids as in `IndexLookup(length, alphabet)`.

    `steps` and `eta` replace L and the scale of the scores, to see how small they may be.
    Raises ValueError for an unknown code, a length or alphabet below 1, or more addresses than the code has.
    """
    if code not in CODES:
        raise ValueError(f"build(length={length}, code={code!r}): code is one of {', '.join(CODES)}")
    return _assemble(IndexLookup(length, alphabet), position_code(code, length + 1), steps, eta)


def _assemble(task: IndexLookup, code: PositionCode, steps: int | None = None, eta: int | None = None) -> Network:
    bits = digits_of(task.alphabet)
    spaces = Spaces(symbol=bits, asked=code.dimension, own=code.dimension)
    eta = code.least_scale() if eta is None else eta
    addresses = np.arange(task.length + 1)
    signs = 2 * spelled(task.alphabet) - 1
    # The weight of the address asked for is above 3/4: the question's symbol space then holds s_p up to 1/4 in each bit.
    retrieve = AttentionLayer((lookup(spaces, eta, "symbol"),))
    # Each of these becomes 2 or 0.
    read_bits = feed_forward([doubled_in_place(spaces["symbol"])], bias=spaces.nothing()[0])
    return Network(
        name=f"{CLAIM.name}-{code.name}",
        grid=Grid.of(task.length + 1, _exponent(code, eta, bits)) if steps is None else Grid(steps),
        spaces=spaces.slices,
        symbols=whole(spaces.embed(symbol=spelled(task.alphabet))),
        indices=Array(spaces.embed(asked=code.queries(addresses[:-1])), code.unit, by_index=True),
        positions=Array(spaces.embed(own=code.keys(addresses)), code.unit, by_index=True),
        layers=((retrieve, read_bits),),
        # The logit of symbol s is the sum over bits of (2 s_j - 1) (z_j - 1).
        readout=whole(spaces.embed(symbol=signs)),
        readout_bias=whole(-signs.sum(axis=1)),
        code_bits=code.parameter_bits,
    )


def _exponent(code: PositionCode, eta: int, bits: int) -> int:
    """The least Kc: the grid also holds the read-out's bias and the 4 of the hidden units."""
    return lookup_exponent(code, eta, least=max(4, bits))


def bound(length: int, alphabet: int, code: PositionCode) -> dict[str, Number]:
    """Every size with explicit constants, from N, S and the code alone.

    width d = b + 2 k; p = bit_length(2 n^(2 Kc)); core = 3 max(b, k) d p; tables = p ((2 N + 1) d + E);
    program = p E plus the code's own parameters; E = S d + 2 k d + 2 b d + 6 b d + 3 b + d + S d + S: the symbol table, W_Q and
    W_K, W_V and W_O, the FFN's matrices and biases, the read-out and its bias.
    """
    b, k = digits_of(alphabet), code.dimension
    eta = code.least_scale()
    d, p = b + 2 * k, Grid.of(length + 1, _exponent(code, eta, b)).precision
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
    length: int = 64,
    alphabet: int = 64,
    code: str | None = None,
    text: Path | None = None,
    positions: int | None = None,
    tightness: bool = False,
    seed: int = 0,
) -> list[Outcome]:
    """Build the network with each code that has enough addresses (or with one) and retrieve with it, on the grid.

    Every input where N S^N is at most 115,000, else every position of random sequences, of sequences that differ from a
    constant one in a single symbol, and of shorter sequences; the same in float64. With `text`: the model is built at the
    length of that file, over bytes, and retrieves every position of it up to 16 KiB, beyond 1,000 spread ones or `positions`
    of them. With `tightness`: the least eta and L that answer the same inputs.
    Raises TheoremFails with the input on which the answer is wrong.
    """
    if text is not None:
        data = np.frombuffer(text.read_bytes(), dtype=np.uint8).astype(np.int64)
        if len(data) == 0:
            raise ValueError(f"{text}: expected a file of at least 1 byte, found an empty one")
        return [_check_text(data, code or "parabola", positions)]
    if positions is not None:
        raise ValueError("check(positions=...): positions goes with text; without it every position is asked")
    if code is not None and code not in CODES:
        raise ValueError(f"check(code={code!r}): code is one of {', '.join(CODES)}")
    names = [name for name in CODES if has_addresses(name, length + 1)] if code is None else [code]
    outcomes = [_check_sequences(length, alphabet, name, seed) for name in names]
    return [_tightness(outcome, alphabet, seed) for outcome in outcomes] if tightness else outcomes


def verify(small: int = 50_000, medium: int = 49_000, large: int = 1_000, seed: int = 0) -> list[Outcome]:
    """Every input of (N, S) = (12, 2) and (7, 4); and so many questions at N <= 64, in between, and at 1,024 <= N <= 4,096.

    The codes take turns. `hard_sequences` holds the worst inputs there are: a retrieved bit is furthest from its value when
    every other symbol has the other bit, as in a constant sequence with one symbol changed.
    """
    outcomes = [_check_sequences(*size, code, seed) for size in ((12, 2), (7, 4)) for code in CODES]
    for lengths, inputs, spread in (
        ((1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64), small, None),
        ((65, 127, 128, 255, 256, 511, 512, 1000), medium, None),
        ((1024, 2048, 4096), large, 25),
    ):

        def check_case(turn: int, _: int, lengths: tuple[int, ...] = lengths, spread: int | None = spread) -> Outcome:
            length = lengths[turn % len(lengths)]
            codes = [name for name in CODES if has_addresses(name, length + 1)]
            return _check_sequences(length, 64, codes[turn // len(lengths) % len(codes)], seed + turn, spread)

        outcomes += until_tried(inputs, check_case)
    return outcomes


def _check_text(data: Int64[np.ndarray, "length"], code: str, positions: int | None) -> Outcome:
    length = len(data)
    if positions is None:
        positions = length if length <= EVERY_POSITION_UP_TO else SPREAD_POSITIONS
    if not 1 <= positions <= length:
        raise ValueError(f"check(positions={positions}): positions is 1 to {length}, the bytes of the file")
    network = build(length, 256, code)
    asked = np.unique(np.linspace(0, length - 1, positions).round().astype(np.int64))
    trial = Trial(CLAIM.name, network, trials.retrieved_margin(network))
    trials.require_answers(trial, data, asked, 256)
    return _outcome(trial, length, 256, code, exhaustive=False)


def _check_sequences(length: int, alphabet: int, code: str, seed: int, spread: int | None = None) -> Outcome:
    """Every question, or `spread` of them, of every sequence or of `hard_sequences`."""
    network = build(length, alphabet, code)
    trial = Trial(CLAIM.name, network, trials.retrieved_margin(network))
    exhaustive = spread is None and alphabet**length * length <= EXHAUSTIVE_INPUTS
    if exhaustive:
        for shorter in range(1, length + 1):
            trials.require_all(trial, shorter, alphabet)
    else:
        for sequence in trials.hard_sequences(IndexLookup(length, alphabet), seed):
            asked = np.arange(len(sequence))
            if spread is not None:
                asked = np.unique(np.linspace(0, len(sequence) - 1, spread).astype(np.int64))
            trials.require_answers(trial, np.array(sequence, dtype=np.int64), asked, alphabet)
        if length <= 64:
            trials.climb_down(trial, length, alphabet, seed)
    return _outcome(trial, length, alphabet, code, exhaustive)


def _tightness(outcome: Outcome, alphabet: int, seed: int) -> Outcome:
    """The least eta and L, on up to 16 sequences of `hard_sequences` with every question."""
    code, length = str(outcome.variant).removeprefix("code "), outcome.length

    return tighten(
        outcome,
        grid=build(length, alphabet, code).grid,
        eta=position_code(code, length + 1).least_scale(),
        build=lambda steps, eta: build(length, alphabet, code, steps, eta),
        answers=lambda network: trials.answers_hard_sequences(CLAIM.name, network, length, alphabet, seed),
    )


def _outcome(trial: Trial, length: int, alphabet: int, code: str, exhaustive: bool) -> Outcome:
    measured = {**sizes(trial.network), "eta": int(dict(trial.network.arrays())["layers.0.heads.0.query"].largest)}
    made = position_code(code, length + 1)
    bounds = bound(length, alphabet, made)
    printed: dict[str, Number | str] | None
    printed = {"entries": "±1/sqrt(k)", "eta": round(2 * math.log(3 * length), 3)} if code == Signs.name else None
    proved = 1 / (1 + made.leakage(made.least_scale())) - 1 / 2 - 1 / trial.network.grid.steps
    assert trial.least is not None
    return CLAIM.upper(
        length=length,
        inputs=trial.inputs,
        exhaustive=exhaustive,
        measured=CLAIM.within(measured, bounds),
        bound=bounds,
        as_printed=printed,
        variant=f"code {code}",
        margin=Margin(float(trial.least), proved, MARGIN),
        saturated=trial.saturated,
    )


def evidence(length: int = 64, alphabet: int = 64, code: str = "parabola", seed: int = 0) -> Evidence:
    """The network with every input where there are at most 1,024, else every position of drawn symbols (`trials.shown`)."""
    task, network = IndexLookup(length, alphabet), build(length, alphabet, code)
    return Evidence(task.name, {"length": length, "alphabet": alphabet}, trials.shown(network, task, seed))


def applier(length: int, alphabet: int = 64, code: str = "parabola") -> Callable[[Mapping[str, Any]], int]:
    """Answers {"symbols": [..], "position": p} by the built weights; p from 1, symbols from 0 to S - 1, at most N of them."""
    return partial(trials.answer_to, build(length, alphabet, code), length, alphabet)


THEOREM = Theorem(
    CLAIM,
    check,
    applier=applier,
    verify=verify,
    evidence=evidence,
    errata=(
        Erratum(
            where="Theorem 1, appendix C.2",
            printed="the question has the key 0, and scores 0 with itself",
            found="in the parabola code an address may score below 0, so the question outweighs the address asked for",
            built="the question has the key of its own position, one address more",
            test="tests/theorems/retrieval/test_index_lookup_attention.py::test_the_printed_key_of_the_question_fails",
        ),
    ),
)
