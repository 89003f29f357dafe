"""One plain recurrent layer that recognises Dyck-(n,k): it keeps the stack of open brackets in units that are 0 or 1.

The layer is h' = relu(W h + U x + b) in whole numbers, or has a sigmoid in place of the ReLU. Kind j (from 0) is the number
j + 1 in c = bit_length(n) bits, so that 0 is an empty slot. Slot 1 is the top of the stack. There are (2k + 2) c + 1 units.

Margin: the read-out is at least 1 away from 0 (ReLU), or more than 1 - (10 c + 2)/(4F) >= 1/6 (sigmoid, `scale`).
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import ElmanLayer, Network, whole
from seqsep.theorems.base import Number

Activation = Literal["relu", "sigmoid"]
Rows = Int64[np.ndarray, "_ width"]


class UnitSums(NamedTuple):
    """A block of units, each the activation of a sum: of old units, of the token's coordinates, and of a bias."""

    old: Rows
    token: Rows
    bias: int


class TokenSpaces(NamedTuple):
    """Coordinates of an embedded token: bits of its kind if it opens, bits of its kind if it closes, and two flags."""

    opened_kind: Rows
    closed_kind: Rows
    opens: Rows
    closes: Rows


def build_elman(kinds: int = 2, depth: int = 2, activation: Activation = "relu") -> Network:
    """Build the stack as one recurrent layer; class 1 is above class 0 exactly after a word.

    Tokens are those of `BoundedDyck`.

    >>> from seqsep.maths.networks.executor import run
    >>> run(build_elman(kinds=2, depth=2), np.array([[0, 2, 3, 1]])).answers
    array([[0, 0, 0, 1]])
    """
    bits = kinds.bit_length()
    width = (2 * depth + 2) * bits + 1
    identity = np.eye(width, dtype=np.int64)
    token = TokenSpaces(
        opened_kind=identity[:bits],
        closed_kind=identity[bits : 2 * bits],
        opens=identity[2 * bits : 2 * bits + 1],
        closes=identity[2 * bits + 1 : 2 * bits + 2],
    )
    blocks = identity[:-1].reshape(-1, bits, width)
    pushed = list(blocks[:depth])
    popped = list(blocks[depth:-3])
    errors = blocks[-3:].reshape(-1, width)
    alive = identity[-1:]
    # At most one of pushed_j and popped_j is 1, since no token both opens and closes: the sum is 0 or 1 again. popped_k would
    # come from a slot k + 1, which is always empty, so it is left out.
    slots = [above + below for above, below in zip(pushed, [*popped, np.zeros_like(pushed[-1])], strict=True)]
    sums = [*_stack(slots, token), *_errors(slots, token), _alive(alive, errors)]
    recurrent = np.concatenate([block.old for block in sums])
    bias = np.concatenate([np.full(len(block.old), block.bias) for block in sums])
    beta = scale(kinds) if activation == "sigmoid" else 1
    layer = ElmanLayer(
        recurrent=whole(beta * recurrent),
        input=whole(beta * np.concatenate([block.token for block in sums])),
        bias=whole(bias if activation == "relu" else beta * bias - beta // 2),
        start=whole(alive[0]),
        activation=activation,
    )
    # 2 alive - 2 (sum of errors) - 2 (sum of slot_1) - 1 is 1 after a word and at most -1 after anything else.
    word = 2 * recurrent[-1] - 2 * slots[0].sum(axis=0)
    return Network(
        name=f"bounded-dyck-state-{activation}",
        grid=_grid(kinds, activation),
        spaces={"stack": slice(0, (2 * depth - 1) * bits), "errors": slice(width - 3 * bits - 1, width - 1)},
        symbols=whole(_embedded(kinds, token)),
        layers=((layer, None),),
        readout=whole(np.stack([np.zeros_like(word), word])),
        readout_bias=whole([0, -1]),
    )


def _embedded(kinds: int, token: TokenSpaces) -> Int64[np.ndarray, "tokens width"]:
    """Token 2j opens kind j and token 2j + 1 closes it; both carry the bits of j + 1."""
    bits = len(token.opened_kind)
    digits = (np.arange(1, kinds + 1)[:, None] >> np.arange(bits)) & 1
    opening = digits @ token.opened_kind + token.opens
    closing = digits @ token.closed_kind + token.closes
    return np.stack([opening, closing], axis=1).reshape(2 * kinds, -1)


def _stack(slots: list[Rows], token: TokenSpaces) -> list[UnitSums]:
    """The stack shifts down at an open bracket and up at a close one; every sum is an AND of an old bit and the token.

    pushed_1 holds the bits of an open bracket; pushed_j = relu(slot_(j-1) + open - 1); popped_j = relu(slot_(j+1) + close - 1).
    """
    top = UnitSums(0 * token.opened_kind, token.opened_kind, 0)
    pushed = [UnitSums(above, _in_each_bit(token.opens, above), -1) for above in slots[:-1]]
    popped = [UnitSums(below, _in_each_bit(token.closes, below), -1) for below in slots[1:]]
    return [top, *pushed, *popped]


def _errors(slots: list[Rows], token: TokenSpaces) -> list[UnitSums]:
    """3 c units find the bits in which the top, perhaps an empty slot, differs from a close bracket; and an overfull stack.

    relu(slot_1 + (close with this bit 0) - 1) and relu((close with this bit 1) - slot_1) find the bits that differ.
    relu(slot_k + open - 1) finds an open bracket on a full stack.
    """
    top = slots[0]
    bottom = slots[-1]
    bit_is_0 = _in_each_bit(token.closes, top) - token.closed_kind
    return [
        UnitSums(top, bit_is_0, -1),
        UnitSums(-top, token.closed_kind, 0),
        UnitSums(bottom, _in_each_bit(token.opens, bottom), -1),
    ]


def _alive(alive: Rows, errors: Rows) -> UnitSums:
    """alive' = relu(alive - sum of errors), 1 at the start: it is 0 from the step after the first error on, for ever.

    The slots still hold 0 or 1 then, but they no longer matter.
    """
    return UnitSums(alive - errors.sum(axis=0), np.zeros_like(alive), 0)


def _in_each_bit(row: Rows, block: Rows) -> Rows:
    """Repeat a row for each unit of a block."""
    return np.repeat(row, len(block), axis=0)


def _grid(kinds: int, activation: Activation) -> Grid:
    """L = 4 is enough for the ReLU: sums are whole and at most 1, and those stored as -L are negative."""
    return Grid(4 if activation == "relu" else 2 * scale(kinds))


def scale(kinds: int) -> int:
    """For beta = 4 ceil(ln 4F), with F = 3 c + 1, no error of a sigmoid ever grows.

    Every sum is a whole number, at most 1. So each unit should be [sum >= 1]. If the sum is off by at most 1/4, sigmoid(beta
    (sum - 1/2)) is within e^(-beta/4) <= 1/(4F) of this. The weights of the old units in a sum add up to at most F (for the
    unit `alive`). So an error of 1/(4F) in each unit is at most 1/4 in a sum. Hence it is again at most 1/(4F) in each unit.

    >>> scale(2)
    16
    """
    return 4 * math.ceil(math.log(4 * (3 * kinds.bit_length() + 1)))


def bound_elman(kinds: int, depth: int, activation: Activation = "relu") -> dict[str, Number]:
    """Bound every size: d = (2k + 2) c + 1 units, and p bits an entry of U, W, b, start, embedding and read-out.

    A ReLU unit is one bit of state; after a sigmoid it is a float64.

    >>> bound_elman(kinds=2, depth=2)["width"]
    13
    """
    d = (2 * depth + 2) * kinds.bit_length() + 1
    p = _grid(kinds, activation).precision
    return {
        "width": d,
        "state_bits": d if activation == "relu" else 64 * d,
        "tensor_bits": 64 * d,
        "precision": p,
        "program_bits": p * (2 * d * d + 2 * d + 2 * kinds * d + 2 * d + 2),
    }


def proved(kinds: int, activation: Activation) -> float:
    """Bound the distance of the read-out from 0: its weights add up to 10 c + 2, each unit is off by at most 1/(4F)."""
    c = kinds.bit_length()
    return 1.0 if activation == "relu" else 1 - (10 * c + 2) / (12 * c + 4)
