"""The three layers of `tour`, with the proof of each.

Symbols: n is the number of vertices, and T = 5n - 3 that of tokens. v is the vertex of a token, and y the one before it in the
tour (0 at the tour's first place). f(x) is the parent of a vertex x: the vertex that is written before the first x, and 0 for
vertex 1. B = 2 eta is the scale of layer 1.

Kinds of places. The flags of layer 1 distinguish them. The flag `behind` is 1 if the token before is ~. The flag `two_behind`
is 1 if the token two places before is ~ or [BOS].

    second end of an edge                       behind = 1
    first end of an edge, or the tour's first   two_behind = 1, is_between = 0
    ~                                           is_between = 1
    the tour's second token and later           late = 1,  late = 1 - is_between - behind - two_behind
    [BOS]                                       late = 0, two_behind = 1

The tour's first token has the flags of a first end. Below it also stores what a first end stores, so the two need not be
distinguished.

Incidences. An incidence is an edge as seen from one of its ends: the `label` is this end, and the `partner` is the other end.
Edge k, u ~ v, has two incidences. The first is (label v, partner u), stored at its second end, place 3k. The second is (label
u, partner v), stored one place later, at the next first end or the tour's first token. So a vertex's incidences are stored in
the order of the prompt.

One place later (3k + 1 and 3k + 2) the same two are stored again as `earlier_label` and `earlier_partner`. An incidence that
looks for earlier ones searches these, so it does not find itself.
"""

import numpy as np
from jaxtyping import Int64

from seqsep.maths.networks.network import AttentionLayer, FeedForward
from seqsep.theorems.blocks import (
    Number,
    Rows,
    Scores,
    Spaces,
    Units,
    feed_forward,
    first,
    gated,
    head,
    last,
    match,
    number,
    offset,
    side_by_side,
)


def look_back(spaces: Spaces, tokens: int, scale: int) -> AttentionLayer:
    """Layer 1 finds the vertices one to four places back, two flags, and the time of the last ~; each head has one winner, by
    B.

    Before the first token [BOS] wins (`blocks.offset`). It counts as vertex 0, and it is not ~. The head for the last ~ has
    the scores B t_j, less B T unless j is ~ or [BOS]. So ~ has at least 2 B, [BOS] has 0, and any other token at most -B. If
    [BOS] wins, the time is -1, which is 3 m - 1 for m = 0.
    """
    time = number(spaces, "time")
    one = spaces["one"]
    bos = spaces["bos"]
    between = spaces["is_between"]
    vertex = spaces["vertex"]
    one_back = np.concatenate([spaces["one_back"], spaces["behind"]])
    two_back = np.concatenate([spaces["two_back"], spaces["two_behind"]])
    last_between = last(time.value, one, scale) + gated(one, -scale * tokens * (one - between - bos))
    backwards = [
        head(offset(time, one, 1, scale), np.concatenate([vertex, between]), one_back),
        head(offset(time, one, 2, scale), np.concatenate([vertex, between + bos]), two_back),
        head(offset(time, one, 3, scale), vertex, spaces["three_back"]),
        head(offset(time, one, 4, scale), vertex, spaces["four_back"]),
    ]
    return side_by_side(*backwards, head(last_between, time.value - bos, spaces["last_between"]))


def late(spaces: Spaces) -> Rows:
    """Return a number that is 1 from the tour's second token on, and at most 0 before."""
    return np.asarray(spaces["one"] - spaces["is_between"] - spaces["behind"] - spaces["two_behind"])


def write_incidences(spaces: Spaces, vertices: int) -> FeedForward:
    """Layer 1's hidden units copy vertices into their parts, by the kind of place: 16 units relu(x - n (1 - flag)).

    For squares, n^2 replaces n. These vertices are copied:
    * `label` and `partner`: at a second end, the token itself and the one two back. At a first end, those three back and one
      back.
    * `earlier_label` and `earlier_partner`: at a first end, the tokens one back and three back. At ~, those four back and two
      back.
    * `came` (y, and its square): at late places, the token one back.

    At the first ~ and at the first token after [BOS] all of these are 0, as the tokens that far back are [BOS].
    """
    one = spaces["one"]
    own = number(spaces, "vertex")
    one_back = number(spaces, "one_back")
    two_back = number(spaces, "two_back")
    three_back = number(spaces, "three_back")
    four_back = number(spaces, "four_back")
    second_end = spaces["behind"] - one
    first_end = spaces["two_behind"] - spaces["is_between"] - one
    between = spaces["is_between"] - one
    label = number(spaces, "label")
    earlier_label = number(spaces, "earlier_label")
    earlier_partner = number(spaces, "earlier_partner")

    def copied(source: Number, closed: Rows, target: Number) -> list[Units]:
        return [
            _copied(source.value, vertices * closed, target.value),
            _copied(source.square, vertices**2 * closed, target.square),
        ]

    units = [
        *copied(own, second_end, label),
        *copied(three_back, first_end, label),
        _copied(two_back.value, vertices * second_end, spaces["partner"]),
        _copied(one_back.value, vertices * first_end, spaces["partner"]),
        *copied(one_back, first_end, earlier_label),
        *copied(four_back, between, earlier_label),
        *copied(three_back, first_end, earlier_partner),
        *copied(two_back, between, earlier_partner),
        *copied(one_back, late(spaces) - one, number(spaces, "came")),
    ]
    return feed_forward(units, spaces.nothing()[0])


def _copied(read: Rows, closed: Rows, write: Rows) -> Units:
    return Units(read + closed, np.array([0]), write)


def find_earlier(spaces: Spaces, tokens: int, eta: int) -> AttentionLayer:
    """Layer 2 finds the partner of the label's previous incidence, and the parents f(v) and f(y); each head has one winner, by
    eta.

    All scores are matches of scale eta (T + 1), plus eta times the time or minus it. So the last or the first match wins.
    * Previous incidence. The scores are -eta (T + 1) (earlier_label_j - label)^2 + eta t_j. Matches have at least eta, and
      [BOS] has 0. Others have at most -eta (T + 1) + eta (T - 1) = -2 eta. The head gives `previous`: the partner, or 0 from
      [BOS] for a first incidence.
    * First place where v is written, among late places of vertices other than 1. The scores are -eta (T + 1) (v_j - v)^2 - eta
      t_j, less eta (T + 1) at all other places. Matches have at least -eta (T - 1), [BOS] has -eta T, and others have at most
      -eta (T + 1). The head gives y_j, which is f(v), and t_j, the time at which v was first written. For v = 1, and in the
      prompt, [BOS] gives 0 and 0.
    * The same for y. This gives f(y), which is 0 for y = 1 and for y = 0.
    """
    one = spaces["one"]
    bos = spaces["bos"]
    time = spaces["time"][:1]
    present = one - bos
    scale = (eta, tokens + 1)
    own = number(spaces, "vertex")
    came = number(spaces, "came")
    other_places = one - bos - late(spaces) + spaces["is_root"]
    emissions = first(time, one, eta) + gated(one, -eta * tokens * bos - eta * (tokens + 1) * other_places)
    earlier = match(number(spaces, "label"), number(spaces, "earlier_label"), one, factors=scale, present=present)
    of_own = match(own, own, one, factors=scale, present=present)
    of_came = match(came, own, one, factors=scale, present=present)
    first_of_own = np.concatenate([spaces["parent"], spaces["first_time"]])
    return side_by_side(
        head(earlier + last(time, one, eta), spaces["earlier_partner"], spaces["previous"]),
        head(of_own + emissions, np.concatenate([spaces["came"], time]), first_of_own),
        head(of_came + emissions, came.value, spaces["came_parent"]),
    )


def flag_cycle(spaces: Spaces, vertices: int, tokens: int) -> FeedForward:
    """Layer 2's hidden units, 7: on a first visit `came` becomes 0, and `stray` = 1 if the tour has closed a cycle.

    Let a = t - first_time. It is 0 on a first visit of v != 1, and at least 1 otherwise. `came` becomes came - relu(came - n
    a), and its square is treated likewise.

    stray is [late and a >= 1] - [f(y) = v]. A place after the first is legal if v is visited for the first time, or if the
    tour goes back from y to its parent. The second case implies late and a >= 1, as v was written before y. So stray is 0 at
    legal places, and 1 at the end of a cycle.

    For whole d, [d = 0] is relu(d + 1) - 2 relu(d) + relu(d - 1). [late and a >= 1] is min(1, .) of relu(a - T (1 - late)).
    """
    one = spaces["one"]
    came = number(spaces, "came")
    since = spaces["time"][:1] - spaces["first_time"]
    revisit = since - tokens * (one - late(spaces))
    difference = spaces["came_parent"] - spaces["vertex"][:1]
    stray = spaces["stray"]
    nothing = np.array([0])
    units = [
        Units(came.value - vertices * since, nothing, -came.value),
        Units(came.square - vertices**2 * since, nothing, -came.square),
        Units(revisit, nothing, stray),
        Units(revisit, nothing - 1, -stray),
        Units(difference, nothing + 1, -stray),
        Units(difference, nothing, 2 * stray),
        Units(difference, nothing - 1, -stray),
    ]
    return feed_forward(units, spaces.nothing()[0])


def find_next(spaces: Spaces, tokens: int, eta: int) -> AttentionLayer:
    """Layer 3 finds v's neighbour z after y, and the neighbour z' after v's parent; each head has one winner, by eta.

    * z. The match is the incidence with label v and previous partner `came`. On a first visit `came` is 0, so this is v's
      first incidence. There is at most one match, as the graph is simple. The scores are -2 eta ((label_j - v)^2 + (previous_j
      - came)^2). The match has 0, [BOS] has -eta, and others have at most -2 eta. The head gives the partner, or 0 from [BOS].
    * z'. The match is the incidence with label v and previous partner f(v). The scores are -2 eta (T + 1) (..) + eta t_j,
      where (..) is the sum of two squares as before. Late places would lose, as they have no label. They get eta t_j - eta T
      instead. (Their `previous` is 0: each finds itself, and no partner.)

    If there is a match, it wins: it has at least 3 eta. If not, the place itself wins if it is late, with eta (t - T) >= -eta
    (T - 1). Late places before it have at least eta less, and others have at most -2 eta (T + 1) + eta (T - 1) = -eta (T + 3).
    The head gives the partner of the match, or f(v) from the place itself. At the tour's first token both may be missing, but
    then z' is not used.
    """
    one = spaces["one"]
    bos = spaces["bos"]
    label = number(spaces, "label")
    previous = number(spaces, "previous")
    vertex = number(spaces, "vertex")
    parent = number(spaces, "parent")

    def incidence(asked: Number, factors: tuple[int, int], present: Rows) -> Scores:
        same_label = match(vertex, label, one, factors=factors, present=present)
        return same_label + match(asked, previous, one, factors=factors, present=present)

    behind_came = incidence(number(spaces, "came"), (2 * eta, 1), one - bos) + gated(one, -eta * bos)
    own_place = last(spaces["time"][:1], one, eta) + gated(one, -eta * tokens * late(spaces))
    behind_parent = incidence(parent, (2 * eta, tokens + 1), one - late(spaces)) + own_place
    return side_by_side(
        head(behind_came, spaces["partner"], spaces["following"]),
        head(behind_parent, spaces["partner"] + parent.value, spaces["behind_parent"]),
    )


def choose_next(spaces: Spaces, vertices: int) -> FeedForward:
    """Layer 3's hidden units, 6: `following` becomes the next vertex, and `done` = 1 if there is none.

    With f = f(v), following = z + [z = f] (z' - f) + relu(f - n z):
    * If z is neither 0 nor f, it is z.
    * If z = f and z is not 0, it is z': the neighbour after the parent, or f.
    * If z = 0 and f is not 0, it is f: the tour goes back to the parent.
    * If z = f = 0, vertex 1 has no further neighbour. Then done = relu(1 - z - f) = 1, and `following` does not matter.
    For whole d = z - f and 0 <= x <= n, relu(x + n d) - relu(x + n d - n) is x if d = 0. Otherwise it is the same number for
    all x. So [d = 0] (z' - f) is the difference of two such terms.
    """
    following = spaces["following"]
    parent = spaces["parent"][:1]
    behind_parent = spaces["behind_parent"]
    difference = vertices * (following - parent)
    nothing = np.array([0])
    units = [
        Units(behind_parent + difference, nothing, following),
        Units(behind_parent + difference, nothing - vertices, -following),
        Units(parent + difference, nothing, -following),
        Units(parent + difference, nothing - vertices, following),
        Units(parent - vertices * following, nothing, following),
        Units(-following - parent, nothing + 1, spaces["done"]),
    ]
    return feed_forward(units, spaces.nothing()[0])


def read_out(spaces: Spaces, vertices: int) -> tuple[Rows, Int64[np.ndarray, "tokens"]]:
    """The logits of [BOS], the vertices, ~, NO and YES, in this order; the right one is greatest by at least 1.

    With next = `following` and c = 4 n^2 + 1:

        vertex i    2 i next - i^2 - c done - c stray, and n^2 + 2 more for i = 1 at [BOS] and at the second end of an edge
        NO          0
        YES         3 t - 5 last_between - 7
        [BOS], ~    -c

    For m edges, last_between = 3 m - 1, so YES has 1 + 3 (t - 5 m - 1). The tour goes along each edge at most once each way,
    so it has at most 2 m + 1 tokens. So t <= 5 m + 1. YES has 1 if t = 5 m + 1, and at most -2 before.
    * In the tour, done = stray = 0 and 1 <= next <= n. Vertex i has next^2 - (next - i)^2. So next has at least 1, and others
      have at least 1 less. An edge is still to be gone along, so t < 5 m + 1. So NO has 0 and YES has less.
    * At a cycle stray = 1, and at the end done = 1. Vertices have at most 4 n^2 - c = -1, as |next| <= 2n, and NO has 0. At a
      cycle the last edge was not gone back, so t <= 5 m and the answer is NO. At the end t = 5 m + 1 if and only if the tour
      has gone along all m = n' - 1 edges both ways without a cycle, which means a tree.
    * At the last second end, done = stray = 0, and next, its first partner, is in 1 .. n. Vertex 1 has at least n^2 + 3, and
      others at most n^2. If the prompt is only [BOS], done = 1, stray = -1 and next = 0. Then vertex 1 has n^2 + 1.
    """
    vertex = np.arange(1, vertices + 1)[:, None]
    silence = 4 * vertices**2 + 1
    silent = silence * (spaces["done"] + spaces["stray"])
    is_first = vertex == 1
    begins = (vertices**2 + 2) * (spaces["bos"] + spaces["behind"])
    out = 2 * vertex * spaces["following"] - silent + is_first * begins
    yes = 3 * spaces["time"][:1] - 5 * spaces["last_between"]
    nothing = spaces.nothing()
    bias = np.concatenate([[-silence], -(vertex[:, 0] ** 2), [-silence, 0, -7]])
    return np.concatenate([nothing, out, nothing, nothing, yes]), bias
