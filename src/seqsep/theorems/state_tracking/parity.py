"""One unit of an LSTM, or one number of a delta rule with a negative eigenvalue, keeps the parity of a word exactly.

Source: own. That a negative eigenvalue gives parity is from Grazzi et al. 2024 (arXiv:2411.12537). We differ: both models are
weights of the layers in `models/mixers`, run in float32. Every number of the state takes two values, at any length.

*Statement.* After each token of a word over 0 and 1, the output of the layer shows the parity of the ones so far. The LSTM has
one unit. The delta rule uses one number of state, with one write of 1 at a start token.

*LSTM* (`lstm`). The input x is the bit. Let w = 2048 and v = tanh(1). The gates are

    i = sigmoid(w (x - h / v) - w / 2)     f = sigmoid(w / 2 - w x)     g = tanh(40)     o = sigmoid(40)

Proof. We claim that (h, c) is (0, 0) if the parity is 0, and (v, 1) if it is 1. Let p be the parity, so h / v is p up to a
relative error of 2^-20. The argument of each sigmoid is then +-w / 2 or -3 w / 2 up to 1, so at least 1023 in size. In
float32 and float64 the sigmoid of such a number is exactly 0 or 1, because exp(1023) is infinite there. The numbers
tanh(40) and sigmoid(40) round to 1. So i = 1 only if x = 1 and p = 0, and f = 1 only if x = 0. The new c is f c + i: it is
c at a 0, and 1 - c at a 1. Then h = tanh(c) is 0 or v.

*Delta rule* (`gated_delta`). Key and value have one coordinate, so S is one number and S <- (1 - b) S + b v. The start
token has b = 1 and v = 32. A one has b = 2 and v = 0, and a zero has b = 0. The gate's decay is 1.

Proof. The logits of b are 0 at the start token, 128 at a one, and -128 at a zero. In float32, 2 sigmoid of them is exactly
1, 2, and 0. The key is silu(32) divided by its length, with 1e-6 under the root: in float32 this is 1. The decay is
exp(-softplus (-200)), which is 1. So S is 32 after the start, changes its sign at a one, and stays at a zero. The norm of
one number keeps its sign, so the output has the sign of S, and is about 32 in size.

Rounding: all numbers are float32 of the layer's own code, token by token (`step`). A margin is |h - v / 2| for the LSTM and
the size of the output for the delta rule.
"""

from collections.abc import Callable, Mapping, Sequence
from math import tanh
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from seqsep.core.options import OneOf, Range
from seqsep.theorems.base import Claim, Margin, Number, Outcome, Theorem, symbols_in
from seqsep.theorems.options import Length, Seed

if TYPE_CHECKING:
    from seqsep.models.mixers import LSTM, GatedDelta

CLAIM = Claim(
    name="parity-recurrent",
    source="own",
    statement="One LSTM unit, or one number of a delta rule with a negative eigenvalue, keeps parity exactly at every length",
)
VARIANTS = ("lstm", "gated-delta")
Variant = Annotated[str, OneOf(*VARIANTS), "The layer; by default check runs each."]
WIDE = 2048.0
SATURATED = 40.0
SIZE = 32.0
START = (0.0, 1.0)
"""The start token of the delta rule; a bit is (2 bit - 1, 1)."""


def lstm() -> "LSTM":
    """Return the layer with one unit.

    >>> lstm().cells.hidden_size
    1
    """
    import torch

    from seqsep.models.mixers import LSTM

    layer = LSTM(1)
    weights = {
        "weight_ih_l0": [[WIDE], [-WIDE], [0.0], [0.0]],
        "weight_hh_l0": [[-WIDE / tanh(1)], [0.0], [0.0], [0.0]],
        "bias_ih_l0": [-WIDE / 2, WIDE / 2, SATURATED, SATURATED],
        "bias_hh_l0": [0.0] * 4,
    }
    layer.cells.load_state_dict({name: torch.tensor(values) for name, values in weights.items()})
    return layer


def gated_delta() -> "GatedDelta":
    """Return the layer of width 2, whose second head is 0 for ever.

    >>> gated_delta().start(1).associations[:, :1].numel()
    1
    """
    import torch

    from seqsep.models.mixers import GatedDelta

    layer = GatedDelta(2, 2, expand=1, conv=1, negative=True)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
        layer.convolution.weight.fill_(1)
        layer.norm.weight.fill_(1)
        layer.step_bias.fill_(-200)
        query = 0
        key = 2
        value = 4
        layer.input.weight[[query, key], 1] = SIZE
        layer.input.weight[value] = torch.tensor([-SIZE, SIZE])
        layer.write.weight[0, 0] = 128
        layer.gate.weight[0, 1] = SIZE
        layer.output.weight[0, 0] = 1
    return layer


def follow(variant: str, bits: Sequence[int]) -> tuple[list[int], float, int]:
    """Return the parity after each bit, the least margin, and the number of different values of the state.

    >>> follow("lstm", [1, 0, 1])[0], follow("gated-delta", [1, 0, 1])[0]
    ([1, 1, 0], [1, 1, 0])
    """
    import torch

    layer = lstm() if variant == "lstm" else gated_delta()
    tokens = torch.tensor([[float(bit)] if variant == "lstm" else [2.0 * bit - 1, 1.0] for bit in bits])
    found = []
    margin = float("inf")
    values = set()
    with torch.no_grad():
        state = layer.start(1)
        if variant == "gated-delta":
            state = layer.step(torch.tensor([START]), state, 0)[1]
        for place, token in enumerate(tokens):
            output, state = layer.step(token[None], state, place)
            signed = float(output[0, 0]) - tanh(1) / 2 if variant == "lstm" else -float(output[0, 0])
            found.append(int(signed > 0))
            margin = min(margin, abs(signed))
            values.add(tuple(state[1].flatten().tolist()) if variant == "lstm" else (float(state[0][0, 0, 0, 0]),))
    return found, margin, len(values)


def bound(variant: Variant = "lstm") -> dict[str, Number]:
    """Return the numbers of state in use, and the values that the state takes.

    >>> bound("gated-delta")
    {'state_numbers': 1, 'values': 2}
    """
    return {"state_numbers": 2 if variant == "lstm" else 1, "values": 2}


def check(length: Length = 200, variant: Variant | None = None, seed: Seed = 0) -> list[Outcome]:
    """Run each layer, or one, on a random word, on zeros after a one, and on ones.

    Raises TheoremFails with the word if an answer is wrong.
    """
    drawn = np.random.default_rng(seed).integers(2, size=length).tolist()
    words = [drawn, [1] + [0] * (length - 1), [1] * length]
    outcomes = []
    for one in VARIANTS if variant is None else (variant,):
        margins = []
        values = 0
        for word in words:
            answers, margin, count = follow(one, word)
            _require(one, word, answers)
            margins.append(margin)
            values = max(values, count)
        proved = tanh(1) / 2 - 2**-20 if one == "lstm" else SIZE * (1 - 2**-8)
        measured: dict[str, Number] = {"state_numbers": 2 if one == "lstm" else 1, "values": values}
        outcomes.append(
            CLAIM.upper(
                length=length,
                inputs=3 * length,
                measured=CLAIM.within(measured, bound(one)),
                bound=bound(one),
                variant=one,
                margin=Margin(min(margins), proved, "the output from the border"),
            )
        )
    return outcomes


def _require(variant: str, word: Sequence[int], answers: Sequence[int]) -> None:
    """Require the parity after each bit. Raises TheoremFails at the first wrong one."""
    expected = np.cumsum(word) % 2
    wrong = np.flatnonzero(expected != np.array(answers))
    if len(wrong):
        place = int(wrong[0])
        raise CLAIM.fails({"variant": variant, "bits": list(word[: place + 1]), "found": answers[place]})


def predictor(length: Length, variant: Variant = "lstm") -> Callable[[Mapping[str, Any]], int]:
    """Answer {"bits": [1, 0, 1]}, at most `length` bits, with their parity.

    >>> predictor(length=8)({"bits": [1, 0, 1, 1]})
    1
    """

    def answer(given: Mapping[str, Any]) -> int:
        return follow(variant, symbols_in(given, "bits", 2, most=length))[0][-1]

    return answer


def verify(length: Annotated[int, Range(1)] = 10_000) -> list[Outcome]:
    """Run both layers on words of 10,000 bits."""
    return check(length)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run loads the weights into the layers of seqsep and reads three words token by token in float32: a drawn "
    "one, a one before zeros only, and ones only. It compares the parity after each bit and counts the values of "
    "the state.",
    not_shown="This does not show that the chunked form of the delta rule, or a kernel, gives the same floats. It does not "
    "show that training finds these weights.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    nothing_to_certify="certificates have no type for recurrences with real numbers",
)
