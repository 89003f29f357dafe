"""Heads and hidden units of the attention networks for Dyck-(n,k), each with its step of the proof.

The symbols are those of `attention`: n is the base of the grid, G the gate, and L the number of steps of a unit. d is the
depth after a token, and u the weight of [BOS] under uniform attention.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int64

from seqsep.maths.networks.network import Head
from seqsep.theorems.blocks import Rows, Scores, Spaces, Units, at_least_one, average, gated, head
from seqsep.theorems.bounded_dyck._plan import DyckPlan

# Heads


def depth_counter(spaces: Spaces) -> Head:
    """Average (opens - closes, [BOS]) over all tokens so far: `count` is d u and `unit` is u = w/L, the weight of [BOS].

    All scores are 0, so each of m tokens has the weight w = floor(L/m) steps. Both averages are exact, as the values are
    whole.
    """
    value = np.concatenate([spaces["open"] - spaces["close"], spaces["bos"]])
    return average(value, np.concatenate([spaces["count"], spaces["unit"]]))


def class_counters(plan: DyckPlan, spaces: Spaces) -> tuple[Head, Head]:
    """Count each digit of a kind in each class of levels, and also write the depth (`depth_counter`).

    Open brackets with the digit 1 count plus one, and close brackets with the digit 1 count minus one.

    A class is the levels of one parity. An open bracket of a class is at a position of its parity, and a close bracket of the
    class is at a position of the other parity. No linear map of the embedding gives the product of kind and parity. So there
    are two heads. One averages over the odd positions, and at an even position i also over [BOS]. The other averages over the
    even positions and [BOS]. At every i both average over m = floor(i/2) + 1 tokens. So their results have the same weight,
    and the counts of a class can be added.
    """
    gate = plan.gate
    one = spaces["one"]
    odd = spaces["odd"]
    bos = spaces["bos"]
    value = np.concatenate([spaces["open_kind"], spaces["close_kind"], spaces["open"] - spaces["close"], bos])
    no_unit = spaces.nothing()
    from_odd = np.concatenate([spaces["odd_count"], -spaces["even_count"], spaces["count"], no_unit])
    from_even = np.concatenate([spaces["even_count"], -spaces["odd_count"], spaces["count"], spaces["unit"]])
    odd_positions = Scores(np.concatenate([one, one - odd]), gate * np.concatenate([odd - one, bos]))
    even_positions = gated(one, -gate * odd)
    return head(odd_positions, value, from_odd), head(even_positions, value, from_even)


def last_open_by_parity(plan: DyckPlan, spaces: Spaces, same: bool) -> Scores:
    """Attend to the last open bracket at a position of the same parity, or of the other one (`_last_open`).

    A position of the wrong parity has a score lower by G. The score is bilinear in the parity of the query and that of the key.
    The query is [1, odd]. So the first row of the key is the score for a query at an even time. The second row is the
    difference that an odd time makes.
    """
    gate = plan.gate
    one = spaces["one"]
    odd = spaces["odd"]
    unless_even = -gate * odd
    unless_odd = gate * (odd - one)
    at_even_time = unless_even if same else unless_odd
    at_odd_time = unless_odd if same else unless_even
    key = np.concatenate([_last_open(plan, spaces) + at_even_time, at_odd_time - at_even_time])
    return Scores(np.concatenate([one, odd]), key)


def last_open_at_depth(plan: DyckPlan, spaces: Spaces, digits: Rows) -> Scores:
    """Attend to the last open bracket whose depth has the same digits as the query's `digits` (`_last_open`).

    A position scores n (digit digit' - 1) for each digit of the depth: 0 for equal digits, and -2 n = -G otherwise.
    """
    one = spaces["one"]
    query = np.concatenate([plan.base * digits, one])
    key = np.concatenate([spaces["depth"], _last_open(plan, spaces) - plan.base * plan.depth_digits * one])
    return Scores(query, key)


def _last_open(plan: DyckPlan, spaces: Spaces) -> Rows:
    """Build the key that finds the last open bracket: eta j at position j, less G if the token there does not open.

    Let j* be the last position that passes every gate. Other positions that pass are j* - 2, j* - 4 and so on, and their
    exponentials (with that of j* as 1) add up to at most 1/(e^2 - 1). A position j that does not pass scores at least j* - j +
    2 n lower. These exponentials add up to at most e^(-n-2)/(1 - 1/e). For n >= 4 both sums together are at most R = 0.1605.
    So j* has a weight of at least 1/(1+R) - 1/L >= 0.799, and all others together have at most R/(1+R) <= 0.139. A retrieved
    digit in {0, 1} is therefore above 3/4 or below 1/4. If no position passes, the digits are not used, since then `some` = 0.
    """
    return plan.gate * (spaces["open"] - spaces["one"]) + plan.eta * spaces["time"]


def match(plan: DyckPlan, spaces: Spaces) -> Head:
    """Retrieve the kind of the last open bracket of the present depth: brackets opened later are deeper."""
    return head(last_open_at_depth(plan, spaces, spaces["depth"]), spaces["open_kind"], spaces["match"])


# Hidden units


def _beyond(plan: DyckPlan, spaces: Spaces, depth: int) -> Rows:
    """Read n (count - depth u), which is at most 0 if d <= depth, and at least n u >= 1 otherwise.

    So relu and a cut at 1 give [d > depth] exactly.
    """
    return plan.base * (spaces["count"] - depth * spaces["unit"])


def at_least(plan: DyckPlan, spaces: Spaces, depth: int, outer: Rows) -> Units:
    """Write `outer` if the depth is at least this."""
    return at_least_one(_beyond(plan, spaces, depth - 1), outer)


def _digits_changed(plan: DyckPlan, digits: Rows, depth: int) -> Rows:
    """Return the change from the ±1 digits of depth - 1 to those of `depth`."""
    places = np.arange(plan.depth_digits)
    now = 2 * ((depth >> places) & 1)
    before = 2 * ((depth - 1 >> places) & 1)
    return (now - before)[None] @ digits


def digits_of_0(spaces: Spaces) -> Int64[np.ndarray, "width"]:
    """Write the digits of depth 0 and level 0, all -1, which `depths` and `levels` start from."""
    digits = [spaces[name].sum(axis=0) for name in ("depth", "level") if name in spaces]
    return -sum(digits, start=spaces.nothing()[0])


def depths(plan: DyckPlan, spaces: Spaces) -> list[Units]:
    """Write the digits of the depth, `some` (d > 0) and `full` (d >= k): sums of [d > t] over t."""
    units = []
    for depth in range(1, plan.depth + 1):
        outer = spaces.nothing()
        if "depth" in spaces:
            outer = outer + _digits_changed(plan, spaces["depth"], depth)
        if depth == 1:
            outer = outer + spaces["some"]
        if depth == plan.depth and "full" in spaces:
            outer = outer + spaces["full"]
        if outer.any():
            units.append(at_least(plan, spaces, depth, outer))
    return units


def levels(plan: DyckPlan, spaces: Spaces) -> list[Units]:
    """Write the digits of the level, d after an open bracket and d + 1 after a close one: sums of [d + close > t] over t."""
    units = []
    for level in range(1, plan.depth + 1):
        deep_enough = _beyond(plan, spaces, level - 1) + spaces["close"]
        units.append(at_least_one(deep_enough, _digits_changed(plan, spaces["level"], level)))
    return units


def outside(plan: DyckPlan, spaces: Spaces, names: Sequence[str]) -> list[Units]:
    """Write 1 to each of these spaces that exists, if the depth is below 0 or above k."""
    outer = sum((spaces[name] for name in names if name in spaces), start=spaces.nothing())
    below = at_least_one(-plan.base * spaces["count"], outer)
    above = at_least(plan, spaces, plan.depth + 1, outer)
    return [below, above]


def mismatch(spaces: Spaces) -> list[Units]:
    """Write `wrong` of a close bracket: at least 0.598 if its kind differs from the retrieved kind, else 0.

    It is the sum over digits of relu(2 z - 1 - 2 own) + relu(2 own - 1 - 2 z), for the retrieved digit z and the own digit. If
    the digits differ, one of the two terms is at least 2 * 0.799 - 1. At a token that does not close, own = 0. There the
    network lowers the first term to relu(2 z - 3), by the flag `close`. So both terms are 0.
    """
    found = spaces["found"]
    kind = spaces["close_kind"]
    outer = np.repeat(spaces["wrong"], len(found), axis=0)
    bias = np.ones(len(found), dtype=np.int64)
    above = Units(2 * found - 2 * kind + 2 * spaces["close"], -3 * bias, outer)
    below = Units(2 * kind - 2 * found, -bias, outer)
    return [above, below]


def unbalanced(spaces: Spaces) -> list[Units]:
    """Write the sum of |count| u over the digits of a close bracket's class; 0 at other tokens, whose sums are lower by 2.

    If it is not 0, it is at least u >= n/L.
    """
    units = []
    for name, other_class in (("odd_count", spaces["odd"]), ("even_count", spaces["one"] - spaces["odd"])):
        counts = spaces[name]
        outer = np.repeat(spaces["unbalanced"], len(counts), axis=0)
        bias = np.full(len(counts), -2)
        close_of_this_class = 2 * spaces["close"] - 2 * other_class
        units.append(Units(counts + close_of_this_class, bias, outer))
        units.append(Units(-counts + close_of_this_class, bias, outer))
    return units
