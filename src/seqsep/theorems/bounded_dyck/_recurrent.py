"""Dyck-(n,k) by one plain recurrent layer, for `bounded_dyck_state`: h' = relu(W h + U x + b) in whole numbers, or a sigmoid.

Proof, as code. *ReLU.* Kind j (from 0) is spelled j + 1 in c = bit_length(n) bits, so that 0 is an empty slot; slot 1 is the
top of the stack. Every unit is 0 or 1 at every time, and there are (2k + 2) c + 1:
* slot_j = pushed_j + popped_j, with pushed_1 = the bits of an open bracket, pushed_j = relu(slot_(j-1) + open - 1) and
  popped_j = relu(slot_(j+1) + close - 1): ANDs of an old bit and the token. No token is both, so the sum is 0 or 1 again; the
  stack shifts down at an open bracket and up at a close one. popped_k is always 0 and left out: (2k - 1) c units.
* errors, 3 c units: relu(slot_1 + (close with this bit 0) - 1) and relu((close with this bit 1) - slot_1) find the bits in
  which the top (perhaps an empty slot) differs from a close bracket; relu(slot_k + open - 1) an open bracket on a full stack.
* alive' = relu(alive - sum of errors), 1 at the start: 0 from the step after the first error on, for ever. What the slots
  hold then does not matter, but is still 0 or 1.
Read-out: 2 alive - 2 sum of errors - 2 sum of slot_1 - 1, which is 1 after a word and at most -1 after anything else.
*Sigmoid.* Every sum above is a whole number, at most 1, so each unit is [sum >= 1]. Take sigmoid(beta (sum - 1/2)) instead: it
is within e^(-beta/4) of the unit if its sum is off by at most 1/4. The weights of old units in a sum add up to at most
F = 3 c + 1 (alive's). With beta = 4 ceil(ln 4F), an error of 1/(4F) in each unit is at most 1/4 in a sum, hence at most
1/(4F) in each unit again: it never grows. The read-out is off by at most (10 c + 2)/(4F) <= 5/6 < 1.

On the grid (ReLU): sums are whole and at most 1, and negative ones may saturate at -L before the ReLU: L = 4 is enough.
"""

import math
from typing import Literal

import numpy as np

from seqsep.exact.grid import Grid
from seqsep.exact.network import ElmanLayer, Network, whole
from seqsep.theorems.base import Number

Activation = Literal["relu", "sigmoid"]


def build_elman(kinds: int = 2, depth: int = 2, activation: Activation = "relu") -> Network:
    """The stack as one recurrent layer, one unit a bit; class 1 is above class 0 exactly after a word. Tokens as the task."""
    bits = kinds.bit_length()
    width = (2 * depth + 2) * bits + 1
    identity = np.eye(width, dtype=np.int64)
    opens, closes, (open_, close) = identity[:bits], identity[bits : 2 * bits], identity[2 * bits : 2 * bits + 2]
    blocks = list(identity[:-1].reshape(-1, bits, width))  # pushed, popped, errors
    pushed, popped, errors, alive = blocks[:depth], blocks[depth:-3], blocks[-3:], identity[-1]
    slots = [rows + (popped[place] if place < depth - 1 else 0) for place, rows in enumerate(pushed)]
    recurrent = np.concatenate(
        [0 * opens, *slots[:-1], *slots[1:], slots[0], -slots[0], slots[-1], [alive - sum(rows.sum(axis=0) for rows in errors)]]
    )
    one = np.ones((bits, 1), dtype=np.int64)
    every_open, every_close = one * open_, one * close
    stack = [opens, *[every_open] * (depth - 1), *[every_close] * (depth - 1)]
    given = np.concatenate([*stack, every_close - closes, closes, every_open, 0 * alive[None]])
    bias = -np.repeat([0] + [1] * (2 * depth - 2) + [1, 0, 1], bits)
    spelled = (np.arange(1, kinds + 1)[:, None] >> np.arange(bits)) & 1
    symbols = np.stack([spelled @ opens + open_, spelled @ closes + close], axis=1).reshape(2 * kinds, width)
    beta = scale(kinds) if activation == "sigmoid" else 1
    bias = np.append(bias, 0)
    layer = ElmanLayer(
        recurrent=whole(beta * recurrent),
        input=whole(beta * given),
        bias=whole(bias if activation == "relu" else beta * bias - beta // 2),
        start=whole(alive),
        activation=activation,
    )
    readout = np.stack([0 * alive, 2 * recurrent[-1] - 2 * slots[0].sum(axis=0)])
    return Network(
        name=f"bounded-dyck-state-{activation}",
        grid=Grid(4 if activation == "relu" else 2 * beta),
        spaces={"stack": slice(0, (2 * depth - 1) * bits), "errors": slice(width - 3 * bits - 1, width - 1)},
        symbols=whole(symbols),
        layers=((layer, None),),
        readout=whole(readout),
        readout_bias=whole([0, -1]),
    )


def scale(kinds: int) -> int:
    """beta = 4 ceil(ln 4F), F = 3 c + 1."""
    return 4 * math.ceil(math.log(4 * (3 * kinds.bit_length() + 1)))


def bound_elman(kinds: int, depth: int, activation: Activation = "relu") -> dict[str, Number]:
    """d = (2k + 2) c + 1 units, c = bit_length(n); entries of U, W, b, the start, the embedding and the read-out, p bits each.

    A ReLU unit is one bit of state; behind a sigmoid it is a float64.
    """
    d = (2 * depth + 2) * kinds.bit_length() + 1
    p = Grid(4 if activation == "relu" else 2 * scale(kinds)).precision
    return {
        "width": d,
        "state_bits": d if activation == "relu" else 64 * d,
        "tensor_bits": 64 * d,
        "precision": p,
        "program_bits": p * (2 * d * d + 2 * d + 2 * kinds * d + 2 * d + 2),
    }


def proved(kinds: int, activation: Activation) -> float:
    """The least distance of the read-out from 0."""
    c = kinds.bit_length()
    return 1.0 if activation == "relu" else 1 - (10 * c + 2) / (12 * c + 4)
