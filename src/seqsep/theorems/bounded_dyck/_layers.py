"""The networks of `attention`, layer by layer, with the proof of each layer.

The symbols are those of `attention`, the spaces of the residual stream those of `DyckPlan.spaces`.
"""

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import spelled
from seqsep.maths.networks.network import Head, Layer, Network, whole
from seqsep.theorems.blocks import (
    Rows,
    Spaces,
    Units,
    average,
    doubled_in_place,
    feed_forward,
    gated,
    head,
    side_by_side,
)
from seqsep.theorems.bounded_dyck import _parts as parts
from seqsep.theorems.bounded_dyck._plan import DyckPlan


def assemble(plan: DyckPlan) -> Network:
    """Build the network of a plan. Raises ValueError if an entry is not on the grid.

    Entries are at most n (c + 2) <= n^2, since c <= bit_length(n - 1) <= n - 2.

    >>> from seqsep.maths.networks.executor import run
    >>> network = assemble(DyckPlan(length=4, kinds=2, depth=2, variant="two-layer", ask="word"))
    >>> run(network, np.array([[4, 0, 2, 3, 1]])).logits.integers[0, :, 0] > 0  # [BOS] ( [ ] )
    array([ True, False, False, False,  True])
    """
    spaces = plan.spaces
    layers_of = {
        "one-layer": _one_layer,
        "two-layer-valid": _two_layers_valid,
        "two-layer": _two_layers,
        "three-layer": _three_layers,
    }
    layers = layers_of[plan.variant](plan, spaces)
    readout, bias = _readout(plan, spaces)
    return Network(
        name=f"bounded-dyck-attention-{plan.variant}",
        grid=plan.grid,
        spaces=spaces.slices,
        symbols=whole(_symbols(plan, spaces)),
        positions=whole(_positions(plan, spaces), by_index=True),
        layers=tuple(layers),
        readout=whole(readout),
        readout_bias=whole(bias),
    )


def _symbols(plan: DyckPlan, spaces: Spaces) -> Int64[np.ndarray, "tokens width"]:
    """Token 2j opens kind j, 2j + 1 closes it, and the last one is [BOS]."""
    kinds = spelled(plan.kinds)
    symbols = spaces.nothing(2 * plan.kinds + 1)
    symbols[0:-1:2] = kinds @ spaces["open_kind"] + spaces["open"]
    symbols[1:-1:2] = kinds @ spaces["close_kind"] + spaces["close"]
    symbols[-1] = spaces["bos"]
    return symbols


def _positions(plan: DyckPlan, spaces: Spaces) -> Int64[np.ndarray, "time width"]:
    """Position i = 0 .. N, with [BOS] at 0, holds i itself, its parity, and 1."""
    time = np.arange(plan.length + 1)[:, None]
    return time * spaces["time"] + time % 2 * spaces["odd"] + spaces["one"]


def _readout(plan: DyckPlan, spaces: Spaces) -> tuple[Rows, Int64[np.ndarray, "outputs"]]:
    """A logit is at least 1 if its bracket (or the end) is allowed, and at most -1 if not.

    The logit of an open bracket is 1 - 2 full - 2 errors. The logit of the end is 1 - 2 some - 2 errors; with `ask` = `word` it
    is the only logit. The logit of a close bracket of kind s is Q - (b + 1) + 2 some - 2 errors. Here Q is the sum over digits
    of (2 s_m - 1)(z'_m - 1), with the retrieved digits z' in {0, 2}. Q is b if all digits agree, and at most b - 2 otherwise.
    """
    errors = 2 * spaces["errors"] if "errors" in spaces else spaces.nothing()
    end = -2 * spaces["some"] - errors
    if not plan.gives_sets:
        return end, np.array([1])
    signs = 2 * spelled(plan.kinds) - 1
    outputs = 2 * plan.kinds + 1
    readout = np.repeat(end, outputs, axis=0)
    readout[0:-1:2] = -2 * spaces["full"] - errors
    readout[1:-1:2] = signs @ spaces["match"] + 2 * spaces["some"] - errors
    bias = np.ones(outputs, dtype=np.int64)
    bias[1:-1:2] = -signs.sum(axis=1) - plan.kind_digits - 1
    return readout, bias


# One layer, after valid prefixes, k = 2


def _one_layer(plan: DyckPlan, spaces: Spaces) -> list[Layer]:
    """The only layer uses the parity of positions to find the bracket that is to be closed.

    After a valid prefix d = 1 at odd positions. So the last bracket that opened at an odd position is still open. At an even
    position d is 2 if the token opens, and then the token itself is the match; otherwise d = 0. So full = relu(open - odd) and
    some = 1 - relu(1 - odd - open).
    """
    one = spaces["one"]
    odd = spaces["odd"]
    is_open = spaces["open"]
    no_bias = np.array([0])
    units = [
        doubled_in_place(spaces["match"]),
        Units(is_open - odd, no_bias, spaces["full"]),
        Units(one - odd - is_open, no_bias, -spaces["some"]),
    ]
    match = head(parts.last_open_by_parity(plan, spaces, same=True), spaces["open_kind"], spaces["match"])
    return [(side_by_side(match), feed_forward(units, spaces["some"][0]))]


# Two layers, after valid prefixes, any k


def _two_layers_valid(plan: DyckPlan, spaces: Spaces) -> list[Layer]:
    """Layer 1 finds the depth, layer 2 the last open bracket of that depth."""
    return [_depth(plan, spaces), _match(plan, spaces)]


def _depth(plan: DyckPlan, spaces: Spaces) -> Layer:
    """Write the digits of the depth, `some` and `full`, from what the uniform head counts."""
    units = parts.depths(plan, spaces)
    return side_by_side(parts.depth_counter(spaces)), feed_forward(units, parts.digits_of_0(spaces))


def _match(plan: DyckPlan, spaces: Spaces) -> Layer:
    """Write the digits of the bracket to be closed, 0 or 2 each."""
    units = [doubled_in_place(spaces["match"])]
    return side_by_side(parts.match(plan, spaces)), feed_forward(units, spaces.nothing()[0])


# Two layers, after every prefix, k <= 4


def _two_layers(plan: DyckPlan, spaces: Spaces) -> list[Layer]:
    """Layer 1 finds errors at each close bracket, layer 2 averages them.

    A close bracket at position i has a level of the parity of i - 1, whatever its depth. Its class is the levels of this
    parity. Layer 1 finds the last open bracket of the class. For k >= 3 it also counts each digit of a kind in each class.
    There are three kinds of errors:
    * (a) The depth d is outside 0..k.
    * (b) `wrong` is positive at a token with d >= k - 2. These are the close brackets of level at least k - 1.
    * (c) `unbalanced` is positive at a token with d < k - 2. These are the close brackets of level at most k - 2.

    Why this is right. Let the prefix before a close bracket of level l be valid, and call the open bracket that it closes the
    match. After the match, open brackets of the same class have a level of at least l + 2. If l > k - 2, this exceeds k, so
    there are none. Then the last open bracket of the class is the match, and (b) is exact.

    If l <= k - 2 <= 2, the class has only the levels l and l + 2, as l - 2 <= 0 and l + 4 > k. All other pairs
    of the class are closed and have equal kinds, so their counts cancel. The counts that remain are the differences between the
    digits of the match and those of the close bracket. So (c) is exact.

    For k = 5 and l = 3 this fails: the bracket of level 1 is still open, and its digits remain in the counts.
    """
    if plan.counts_kinds:
        return [_last_open_and_counts(plan, spaces), _errors_so_far(plan, spaces, _weighed_by_level(plan, spaces))]
    return [_last_open_of_class(plan, spaces), _errors_so_far(plan, spaces, [_mean_of_wrong(spaces)])]


def _last_open_of_class(plan: DyckPlan, spaces: Spaces) -> Layer:
    """Layer 1 for k <= 2: every level is at least k - 1, so errors (c) do not occur."""
    units = _depth_and_wrong(plan, spaces)
    heads = side_by_side(parts.depth_counter(spaces), _last_of_class(plan, spaces))
    return heads, feed_forward(units, parts.digits_of_0(spaces))


def _last_open_and_counts(plan: DyckPlan, spaces: Spaces) -> Layer:
    """Layer 1 from k = 3 on counts kinds too; `deep` is [d >= k - 2]."""
    deep = parts.at_least(plan, spaces, plan.depth - 2, spaces["deep"])
    units = [*_depth_and_wrong(plan, spaces), deep, *parts.unbalanced(spaces)]
    heads = side_by_side(*parts.class_counters(plan, spaces), _last_of_class(plan, spaces))
    return heads, feed_forward(units, parts.digits_of_0(spaces))


def _last_of_class(plan: DyckPlan, spaces: Spaces) -> Head:
    """Retrieve the kind of the last open bracket at the other parity: that of a close bracket's class."""
    scores = parts.last_open_by_parity(plan, spaces, same=False)
    return head(scores, spaces["open_kind"], spaces["found"])


def _depth_and_wrong(plan: DyckPlan, spaces: Spaces) -> list[Units]:
    """Write the depth, the errors of a depth outside 0..k (a), and `wrong` (b)."""
    flagged = parts.outside(plan, spaces, ("wrong", "unbalanced"))
    return [*parts.depths(plan, spaces), *flagged, *parts.mismatch(spaces)]


def _weighed_by_level(plan: DyckPlan, spaces: Spaces) -> list[Head]:
    """Two heads average `wrong` over tokens with d >= k - 2, and `unbalanced` over the others.

    Both heads see [BOS], which has neither error. An error `unbalanced` is at least u >= n/L, and its weight in the mean is at
    least n/L. So the mean is at least n^2 / L^2 = 1/L, which is 1 step.
    """
    deep = plan.gate * (spaces["deep"] + spaces["bos"] - spaces["one"])
    shallow = -plan.gate * spaces["deep"]
    return [
        head(gated(spaces["one"], deep), spaces["wrong"], spaces["errors"]),
        head(gated(spaces["one"], shallow), spaces["unbalanced"], spaces["errors"]),
    ]


# Three layers, after every prefix, any k


def _three_layers(plan: DyckPlan, spaces: Spaces) -> list[Layer]:
    """Layer 1 finds depth and level, layer 2 the match of each close bracket, layer 3 the errors so far.

    If the prefix before a close bracket is valid, its match is the last open bracket of its level. So the first error is seen
    at the bracket that makes it, and a valid prefix has none.
    """
    return [
        _depth_and_level(plan, spaces),
        _match_of_each_close(plan, spaces),
        _errors_so_far(plan, spaces, [_mean_of_wrong(spaces)]),
    ]


def _depth_and_level(plan: DyckPlan, spaces: Spaces) -> Layer:
    """Write the digits of the depth and of the level; a depth outside 0..k is an error."""
    units = [*parts.depths(plan, spaces), *parts.outside(plan, spaces, ("wrong",)), *parts.levels(plan, spaces)]
    return side_by_side(parts.depth_counter(spaces)), feed_forward(units, parts.digits_of_0(spaces))


def _match_of_each_close(plan: DyckPlan, spaces: Spaces) -> Layer:
    """Write `wrong` of each close bracket, from the last open bracket of its level."""
    scores = parts.last_open_at_depth(plan, spaces, spaces["level"])
    found = head(scores, spaces["open_kind"], spaces["found"])
    return side_by_side(found), feed_forward(parts.mismatch(spaces), spaces.nothing()[0])


# The last layer of two or three


def _mean_of_wrong(spaces: Spaces) -> Head:
    """A head averages `wrong`: the mean is 0 if `wrong` is 0 at every token so far, and at least 2 steps otherwise."""
    return average(spaces["wrong"], spaces["errors"])


def _errors_so_far(plan: DyckPlan, spaces: Spaces, flags: list[Head]) -> Layer:
    """The last layer writes `errors`, L times the mean of the flags: at least 1 if there is an error so far, else 0.

    It finds the match too, if the question is about the brackets allowed next. Only `errors`, losing scores and negative units
    are ever cut off at the end of the grid.
    """
    errors = spaces["errors"]
    units = [Units(plan.grid.steps * errors, np.array([0]), errors)]
    heads = flags
    if plan.gives_sets:
        heads = [*heads, parts.match(plan, spaces)]
        units = [*units, doubled_in_place(spaces["match"])]
    return side_by_side(*heads), feed_forward(units, spaces.nothing()[0])
