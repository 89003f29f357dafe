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
* The weight of index p is at least 1 / (1 + others(eta)) > 3/4, since eta is chosen with others(eta) < 1/3 (`exact.codes`
  proves the sum for each code). The question's own value is 0, so each coordinate of the retrieved bits is >= 3/4 where bit
  j of s_p is 1 and <= 1/4 where it is 0. The symbol space of the question was 0, so it now holds exactly this.
* FFN per bit: relu(4 z - 1) - relu(4 z - 3) - relu(z), added to z: 2 for z >= 3/4 and 0 for z <= 1/4.
* Read-out of symbol s: sum over bits j of (2 s_j - 1) (z_j - 1), which is b for s = s_p and at most b - 2 for any other.

What a run does not show: other lengths than the one built. The bounds below hold for every N by the proof.
`precision` is p of the grid Q_p (B.2) on which every array and every winning score lies; the run itself is in float64, where
scores are exact integers below 2^53.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int64

from seqsep.exact.codes import BY_NAME as CODES
from seqsep.exact.codes import PositionCode, Signs
from seqsep.exact.network import Array, AttentionLayer, FeedForward, Network
from seqsep.model import Model
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Number, Outcome, Theorem, TheoremFails, require_within

NAME = "index-lookup-attention"
SOURCE = "Bhattamishra et al. 2024, Theorem 1"
STATEMENT = "One causal attention layer of width ceil(log2 S) + 2k answers index lookup at every length up to N"
EVERY_POSITION_UP_TO = 16 * 1024
SPREAD_POSITIONS = 1000


def build(length: int, alphabet: int = 64, code: str = "parabola") -> Network:
    """The network for up to `length` symbols; token ids as in `IndexLookup(length, alphabet)`.

    Raises ValueError for an unknown code, a length or alphabet below 1, or `signs` beyond 20,000 addresses.
    """
    if code not in CODES:
        raise ValueError(f"build(length={length}, code={code!r}): code is one of {', '.join(CODES)}")
    task = IndexLookup(length, alphabet)
    return _assemble(task, CODES[code](length + 1))


def _assemble(task: IndexLookup, code: PositionCode) -> Network:
    bits, k = _bits(task.alphabet), code.dimension
    width = bits + 2 * k
    symbol, asked, own = slice(0, bits), slice(bits, bits + k), slice(bits + k, width)
    spelled = (np.arange(task.alphabet, dtype=np.int64)[:, None] >> np.arange(bits)) & 1
    eta = code.least_scale()

    def place(block: np.ndarray, space: slice) -> np.ndarray:
        rows = np.zeros((len(block), width), dtype=np.int64)
        rows[:, space] = block
        return rows

    def pick(space: slice) -> np.ndarray:
        return np.eye(width, dtype=np.int64)[space]

    read_bits = pick(symbol)
    addresses = np.arange(task.length + 1)
    attention = AttentionLayer(
        query=Array(eta * pick(asked)), key=Array(pick(own)), value=Array(read_bits), output=Array(read_bits.T)
    )
    inner = np.concatenate([4 * read_bits, 4 * read_bits, read_bits])
    inner_bias = np.repeat(np.array([-1, -3, 0], dtype=np.int64), bits)
    outer = np.concatenate([read_bits, -read_bits, -read_bits]).T
    return Network(
        name=f"{NAME}-{code.name}",
        precision=_precision(code, eta, task.length + 1),
        spaces={"symbol": symbol, "asked": asked, "own": own},
        symbols=Array(place(spelled, symbol)),
        indices=Array(place(code.queries(addresses[:-1]), asked), by_index=True),
        positions=Array(place(code.keys(addresses), own), by_index=True),
        layers=((attention, FeedForward(Array(inner), Array(inner_bias), Array(outer), Array(np.zeros(width, np.int64)))),),
        readout=Array(place(2 * spelled - 1, symbol)),
        readout_bias=Array(-(2 * spelled - 1).sum(axis=1)),
    )


def _bits(alphabet: int) -> int:
    return max(1, (alphabet - 1).bit_length())


def _precision(code: PositionCode, eta: int, tokens: int) -> int:
    """p = bit_length(2 n^(2 Kc)) for n = max(4, tokens) and the least Kc with n^Kc >= every entry and winning score."""
    ends = np.array([0, code.count - 1])
    keys, queries = code.keys(ends), code.queries(ends)
    needed = max(int(np.abs(keys).max()), eta * int(np.abs(queries).max()), eta * int((keys * queries).sum(1).max()), 4)
    grid = max(4, tokens)
    exponent = 1
    while grid**exponent < needed:
        exponent += 1
    return (2 * grid ** (2 * exponent)).bit_length()


def bound(length: int, alphabet: int, code: PositionCode) -> dict[str, Number]:
    """Every size with explicit constants, from N, S and the code alone.

    width d = b + 2 k; p as `_precision` says; core = 3 max(b, k) d p; tables = program + p (2 N + 1) d; and
    program = p (S d + 2 k d + 2 b d + 6 b d + 3 b + d + S d + S): the symbol table, W_Q and W_K, W_V and W_O, the FFN's
    matrices and biases, the read-out and its bias.
    """
    b, k = _bits(alphabet), code.dimension
    d, p = b + 2 * k, _precision(code, code.least_scale(), length + 1)
    entries = alphabet * d + 2 * k * d + 2 * b * d + 6 * b * d + 3 * b + d + alphabet * d + alphabet
    return {
        "width": d,
        "heads": 1,
        "layers": 1,
        "eta": code.least_scale(),
        "precision": p,
        "core_bits": 3 * max(b, k) * d * p,
        "program_bits": p * entries,
        "tables_bits": p * (entries + (2 * length + 1) * d),
    }


def crossing(alphabet: int, code: str, total: str = "core_bits", most: int = 1 << 20) -> int | None:
    """The least N from which on every recurrent model needs more state bits, N log2 S, than this network's `total`.

    Searched up to `most` symbols; the network's sizes grow like log N, so there is one crossing. None: not below `most`.
    """

    def recurrent_is_larger(length: int) -> bool:
        return (alphabet**length - 1).bit_length() > bound(length, alphabet, CODES[code](length + 1))[total]

    if not recurrent_is_larger(most):
        return None
    below, above = 0, most
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if recurrent_is_larger(middle) else (middle, above)
    return above


def check(
    length: int = 64,
    alphabet: int = 64,
    code: str | None = None,
    text: Path | None = None,
    positions: int | None = None,
    seed: int = 0,
) -> list[Outcome]:
    """Build the network with each code (or one) and retrieve with it.

    Every input where there are at most 20,000, else every position of random sequences, of sequences that differ from a
    constant one in a single symbol, and of shorter sequences. With `text`: the model is built at the length of that file, over
    bytes, and retrieves every position of it up to 16 KiB, beyond 1,000 spread ones or `positions` of them.
    Raises TheoremFails with the input on which the answer is wrong.
    """
    if text is not None:
        data = np.frombuffer(text.read_bytes(), dtype=np.uint8).astype(np.int64)
        if len(data) == 0:
            raise ValueError(f"{text}: expected a file of at least 1 byte, found an empty one")
        return [_check_text(data, code or "parabola", positions)]
    if positions is not None:
        raise ValueError("check(positions=...): positions goes with text; without it every position is asked")
    names = list(CODES) if code is None else [code]
    return [_check_sequences(length, alphabet, name, seed) for name in names]


def _check_text(data: Int64[np.ndarray, "length"], code: str, positions: int | None) -> Outcome:
    length = len(data)
    if positions is None:
        positions = length if length <= EVERY_POSITION_UP_TO else SPREAD_POSITIONS
    if not 1 <= positions <= length:
        raise ValueError(f"check(positions={positions}): positions is 1 to {length}, the bytes of the file")
    network = build(length, 256, code)
    asked = np.unique(np.linspace(0, length - 1, positions).round().astype(np.int64))
    _require_answers(Model.load(network), data, asked, 256)
    return _outcome(network, length, 256, code, exhaustive=False, inputs=len(asked))


def _check_sequences(length: int, alphabet: int, code: str, seed: int) -> Outcome:
    network = build(length, alphabet, code)
    model = Model.load(network)
    exhaustive = alphabet**length * length <= 20_000
    sequences = _all(length, alphabet) if exhaustive else _hard(IndexLookup(length, alphabet), seed)
    inputs = 0
    for sequence in sequences:
        asked = np.arange(len(sequence))
        _require_answers(model, np.array(sequence, dtype=np.int64), asked, alphabet)
        inputs += len(asked)
    return _outcome(network, length, alphabet, code, exhaustive, inputs)


def _all(length: int, alphabet: int) -> Iterator[Sequence[int]]:
    for shorter in range(1, length + 1):
        for rank in range(alphabet**shorter):
            yield [rank // alphabet**place % alphabet for place in range(shorter)]


def _hard(task: IndexLookup, seed: int) -> Iterator[Sequence[int]]:
    batch = task.sample(0, 8, seed)
    for inputs, count in zip(batch.inputs, batch.lengths - 1, strict=True):
        yield inputs[:count].tolist()
    for inputs in task.sample(0, 8, seed, evaluate=True).inputs:
        yield inputs[: task.length].tolist()
    for odd_one in sorted({0, task.length // 2, task.length - 1}):
        for common, other in ((0, task.alphabet - 1), (task.alphabet - 1, 0)):
            yield [other if place == odd_one else common for place in range(task.length)]


@torch.no_grad()
def _require_answers(model: Model, sequence: Int64[np.ndarray, "length"], asked: Int64[np.ndarray, "n"], alphabet: int) -> None:
    """Put each question to the state after the sequence, a few at a time, and compare with the sequence itself."""
    length = len(sequence)
    state = model.read(torch.from_numpy(sequence)[None])
    at_once = max(1, 2**24 // (length + 1))
    for first in range(0, len(asked), at_once):
        some = asked[first : first + at_once]
        answers = model.ask(torch.from_numpy(alphabet + some), state, length).argmax(-1).numpy()
        wrong = np.flatnonzero(answers != sequence[some])
        if len(wrong):
            position = int(some[wrong[0]])
            raise TheoremFails(
                NAME,
                {
                    "symbols": sequence.tolist(),
                    "position": position + 1,
                    "expected": int(sequence[position]),
                    "found": int(answers[wrong[0]]),
                },
            )


def _outcome(network: Network, length: int, alphabet: int, code: str, exhaustive: bool, inputs: int) -> Outcome:
    ledger = network.ledger()
    attention, _ = network.layers[0]
    assert isinstance(attention, AttentionLayer)
    measured: dict[str, Number] = {
        "width": network.width,
        "heads": network.heads,
        "layers": len(network.layers),
        "eta": int(attention.query.largest),
        "precision": network.precision,
        "core_bits": ledger.core,
        "program_bits": ledger.program,
        "tables_bits": ledger.tables,
    }
    bounds = bound(length, alphabet, CODES[code](length + 1))
    require_within(NAME, measured, bounds)
    printed: dict[str, Number | str] | None = None
    if code == Signs.name:
        printed = {"entries": "±1/sqrt(k)", "eta": round(2 * np.log(3 * length).item(), 3)}
    return Outcome(
        NAME, SOURCE, "upper", STATEMENT, length, exhaustive, inputs, measured, bounds, printed, variant=f"code {code}"
    )


THEOREM = Theorem(NAME, SOURCE, STATEMENT, check, ("length", "alphabet", "code", "text", "positions", "seed"))
