"""The places where a lookup model answers wrongly: the accuracy by place, and the part of each value in its state.

For each place p of the values s_1 .. s_N, over prefixes that no training saw:

    right_p       the share of questions for s_p that the model answers
    in_state_p    the share of prefixes whose s_p a linear reader finds in the state, without the model's own way to it

The linear reader is ridge regression from the state's numbers, centred and scaled to unit variance, to one score a symbol.
It is fitted on FITTED_ON prefixes of its own; its penalty is the one of PENALTIES that is best on ASKED others. What it finds
is in the state; what it does not find may be there for a reader that is not linear. So a place where in_state_p is high and
right_p is low is kept, and the model does not get at it; where both are low, no linear reader does either.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from seqsep.lab.audit.questions import asking
from seqsep.lab.audit.reader import StateReader
from seqsep.models.model import Model
from seqsep.tasks import AssociativeRecall, IndexLookup

FITTED_ON = 6000
ASKED = 1000
"""Prefixes with which the penalty is chosen, and as many others for the shares."""
PENALTIES = (0.01, 1.0, 100.0)
"""Of a sum of squares over the fitted prefixes, each with numbers of unit variance, times their number over 1,000."""


@dataclass(frozen=True)
class PlaceShares:
    """The shares at each place, first to last, of `prefixes` prefixes: answered by the model, and found in its state."""

    prefixes: int
    right: tuple[float, ...]
    in_state: tuple[float, ...]


@torch.no_grad()
def by_place(model: Model, task: IndexLookup | AssociativeRecall, seed: int = 0) -> PlaceShares:
    """Return both shares by place for a model in evaluation mode.

    >>> _ = torch.manual_seed(0)
    >>> model = Model.build(vocabulary=6, classes=4, longest=3, layers=("lstm",), width=8).eval()
    >>> found = by_place(model, IndexLookup(length=2, alphabet=4))
    >>> min(found.in_state) > 0.9, max(found.right) < 0.5  # two tokens leave their mark; nothing is learned yet
    (True, True)
    """
    ask = asking(task)
    drawn = ask.drawn(FITTED_ON + 2 * ASKED, seed)
    reader = StateReader(model, ask.prefix_tokens)
    states = reader.states(drawn.prefixes)
    right = reader.right(states[:ASKED], drawn.first(ASKED)).mean(0)
    values = torch.from_numpy(drawn.answers.copy()).to(states.device)
    return PlaceShares(ASKED, tuple(right.tolist()), tuple(_found(_normal(states), values, ask.alphabet).tolist()))


def _normal(states: Float[Tensor, "prefixes numbers"]) -> Float[Tensor, "prefixes varying"]:
    """Return the numbers that vary, centred and with unit variance over all prefixes, and a constant 1 as a last column."""
    deviation, mean = torch.std_mean(states.double(), dim=0)
    varies = deviation > 1e-9 * (1 + mean.abs())
    scaled = (states.double()[:, varies] - mean[varies]) / deviation[varies]
    return torch.cat((scaled, torch.ones_like(states[:, :1], dtype=torch.float64)), dim=1)


def _found(
    states: Float[Tensor, "prefixes numbers"], values: Int64[Tensor, "prefixes places"], alphabet: int
) -> Float[Tensor, "places"]:
    """Return the share of the first ASKED prefixes whose values the reader finds, by place.

    Its weights are X^T (X X^T + penalty)^-1 Y for the fitted X and one-hot Y, or the same as (X^T X + penalty)^-1 X^T Y,
    whichever inverse is smaller.
    """
    shown = states[:ASKED]
    chosen = states[ASKED : 2 * ASKED]
    fitted = states[2 * ASKED :]
    wanted = torch.nn.functional.one_hot(values[2 * ASKED :], alphabet).double().flatten(1)
    is_wide = fitted.shape[1] > len(fitted)
    products = fitted @ fitted.T if is_wide else fitted.T @ fitted
    best = torch.full((values.shape[1],), -1.0, dtype=torch.float64)
    found = torch.zeros_like(best)
    for penalty in PENALTIES:
        ridge = products + penalty * len(fitted) / 1000 * torch.eye(len(products), dtype=torch.float64)
        factor = torch.linalg.cholesky(ridge)
        solved = torch.cholesky_solve(wanted if is_wide else fitted.T @ wanted, factor)
        weights = fitted.T @ solved if is_wide else solved
        on_chosen = _share(chosen @ weights, values[ASKED : 2 * ASKED])
        on_shown = _share(shown @ weights, values[:ASKED])
        found = torch.where(on_chosen > best, on_shown, found)
        best = torch.maximum(best, on_chosen)
    return found


def _share(scores: Float[Tensor, "prefixes scores"], values: Int64[Tensor, "prefixes places"]) -> Float[Tensor, "places"]:
    """Return the share of prefixes in which the greatest score of a place is that of its value."""
    return (scores.view(*values.shape, -1).argmax(-1) == values).double().mean(0)
