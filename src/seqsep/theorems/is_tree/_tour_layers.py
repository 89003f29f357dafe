"""The three layers of `tour`, with the proof of each.

Symbols: n is the number of vertices, and T = 5n - 3 the number of tokens. v is the vertex of a token. y is the vertex before v
in the tour, and 0 at the tour's first token. The parent f(x) of a vertex x is the vertex that the tour writes directly before
the first x. For vertex 1 it is 0. B = 2 eta is the scale of layer 1. A head has one winner by E if one key scores higher than
every other key by at least E.

Kinds of places. Layer 1 writes flags that distinguish the kinds. The flag `behind` is 1 if the token before is ~. The flag
`two_behind` is 1 if the token two places before is ~ or [BOS].

    second end of an edge                       behind = 1
    first end of an edge, or the tour's first   two_behind = 1, is_between = 0
    ~                                           is_between = 1
    the tour's second token and later           late = 1,  late = 1 - is_between - behind - two_behind
    [BOS]                                       late = 0, two_behind = 1

The tour's first token has the same flags as a first end. This does no harm, because both store the same things, as the next
paragraph says.

Incidences. An incidence is an edge seen from one of its ends. Its `label` is this end, and its `partner` is the other end. Let
edge k be u ~ v. It has two incidences:
* (label v, partner u) is stored at the second end of the edge, at place 3k.
* (label u, partner v) is stored one place later. The token at this place is the first end of the next edge, or the tour's
  first token.

So the incidences of a vertex are stored in the order in which its edges are in the prompt.

Each incidence, except the prompt's last one, is stored a second time, one place later, as `earlier_label` and
`earlier_partner`. These copies are at 3k + 1 and 3k + 2. A place that looks for an earlier incidence searches the copies up to
itself. So it does not find the incidence that it stores.
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
    """Layer 1 finds the vertices one to four places back, the two flags, and the time of the last ~. Each head has one winner
    by B.

    If no token is that far back, [BOS] wins (`blocks.offset`). It counts as vertex 0. In `two_behind` it counts like ~, and in
    `behind` it does not. The head for the last ~ has the scores B t_j, less B T unless j is ~ or [BOS]. So ~ has at least 2 B,
    [BOS] has 0, and any other token at most -B. If [BOS] wins, the head gives -1. So with m edges in the prompt `last_between`
    is 3 m - 1, also for m = 0.
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
    """Layer 1's 16 hidden units copy vertices to other parts of the residual stream, if the flag of the kind of place is 1.

    A unit is relu(x - n (1 - flag)) for a vertex x. For its square, n^2 replaces n. These vertices are copied:
    * At a second end, `label` is the token itself, and `partner` is the token two back.
    * At a first end, `label` is the token three back, and `partner` is the token one back.
    * At a first end, `earlier_label` is the token one back, and `earlier_partner` is the token three back.
    * At ~, `earlier_label` is the token four back, and `earlier_partner` is the token two back.
    * At late places, `came` is y, the token one back. Its square is copied too.

    At the first ~ and at the first token after [BOS] all of these are 0, because the tokens that far back are [BOS].
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
    """Layer 2 finds the partner of the label's previous incidence, and the parents f(v) and f(y). Each head has one winner by
    eta.

    Each score is -eta (T + 1) times a squared difference, plus or minus eta times the time. A match has the difference 0. With
    plus the last match wins, and with minus the first.
    * One head finds the last incidence before this one with the same label. The scores are -eta (T + 1) (earlier_label_j -
      label)^2 + eta t_j. Matches have at least eta, and [BOS] has 0. Others have at most -eta (T + 1) + eta (T - 1) = -2 eta.
      The head gives `previous`: the partner, or 0 from [BOS] for a first incidence.
    * One head finds the first token of the tour with the vertex v, for v != 1. The scores are -eta (T + 1) (v_j - v)^2 - eta
      t_j. At a place that is not late, or whose vertex is 1, the score is lower by at least eta (T + 1), except at [BOS].
      Matches have at least -eta (T - 1), [BOS] has -eta T, and others have at most -eta (T + 1). The head gives y_j, which is
      f(v), and t_j, which is called `first_time`. For v = 1, and in the prompt, [BOS] wins and gives 0 and 0.
    * One head does the same for y in place of v. It gives f(y), which is 0 for y = 1 and for y = 0.
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
    """Layer 2's 7 hidden units set `came` to 0 on a first visit, and `stray` to 1 if the tour has closed a cycle.

    Let a = t - first_time. In the tour a is 0 on the first visit of a vertex other than 1, and at least 1 otherwise. `came`
    becomes came - relu(came - n a). This is 0 if a = 0, and `came` otherwise. Its square is treated in the same way, with n^2.

    Let [condition] be 1 if the condition holds, and 0 otherwise. Then stray = [late and a >= 1] - [f(y) = v]. A token of the
    tour after the first is legal in two cases. On a first visit of v both terms are 0. If the tour goes back from y to its
    parent v, both terms are 1, because v was written before y. A token that closes a cycle is in neither case: the first term
    is 1 and the second is 0. So stray is 1 there, and 0 at legal tokens.

    For a whole number d, [d = 0] is relu(d + 1) - 2 relu(d) + relu(d - 1). With z = a - T (1 - late), [late and a >= 1] is
    relu(z) - relu(z - 1).
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
    """Layer 3 finds z, the neighbour of v after y, and z', the neighbour of v after its parent. Each head has one winner by
    eta.

    * z is the partner in the incidence with label v whose `previous` is `came`. On a first visit `came` is 0, so this is v's
      first incidence. There is at most one match, as the graph is simple. The scores are -2 eta ((label_j - v)^2 + (previous_j
      - came)^2). The match has 0, [BOS] has -eta, and others have at most -2 eta. The head gives the partner, or 0 from [BOS].
    * z' is the partner in the incidence with label v whose `previous` is f(v). The scores are -2 eta (T + 1) (..) + eta t_j,
      where (..) is the sum of two squares as before, with f(v) in place of `came`. A late place stores no incidence: its label
      is 0, and so is its `previous`. For it the first summand is left out, and its score is eta t_j - eta T.

    For z', a match wins, as it has at least 3 eta. Without a match, a late place attends to itself. There it has eta (t - T)
    >= -eta (T - 1), and earlier late places have at least eta less. All others have at most -2 eta (T + 1) + eta (T - 1) =
    -eta (T + 3). The head gives the partner of the match, or f(v) from the place itself. The tour's first token is not late.
    If it has no match, vertex 1 has no neighbour, and z' does not matter.
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
    """Layer 3's 6 hidden units: `following` becomes the next vertex, and `done` becomes 1 if there is none.

    Let f = f(v). Then `following` is z + [z = f] (z' - f) + relu(f - n z):
    * If z is neither 0 nor f, it is z.
    * If z = f and z is not 0, it is z': the neighbour after the parent, or the parent f if there is none.
    * If z = 0 and f is not 0, it is f: the tour goes back to the parent.
    * If z = f = 0, vertex 1 has no further neighbour. Then done = relu(1 - z - f) = 1, and `following` does not matter.

    Let d = z - f and 0 <= x <= n. Then relu(x + n d) - relu(x + n d - n) is x if d = 0. If d is not 0, it does not depend on
    x. So [d = 0] (z' - f) is this term for x = z', less this term for x = f.
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
    """The logits of [BOS], the vertices, ~, NO and YES, in this order. The right one is greatest by at least 1.

    With next = `following` and c = 4 n^2 + 1:

        vertex i    2 i next - i^2 - c done - c stray, and n^2 + 2 more for i = 1 at [BOS] and at the second end of an edge
        NO          0
        YES         3 t - 5 last_between - 7
        [BOS], ~    -c

    For m edges, last_between = 3 m - 1, so YES has 1 + 3 (t - 5 m - 1). The tour goes along each edge at most once in each
    direction, so it has at most 2 m + 1 tokens, and t <= 5 m + 1. YES has 1 at t = 5 m + 1, and at most -2 at earlier places.
    * In the tour, done = stray = 0 and 1 <= next <= n. Vertex i has next^2 - (next - i)^2. So the vertex `next` has at least
      1, and the other vertices have at least 1 less. The tour has not ended, so t < 5 m + 1. Then NO has 0, and YES is below
      0.
    * At a cycle stray = 1, and at the end done = 1. Vertices have at most 4 n^2 - c = -1, as |next| <= 2n, and NO has 0. At a
      cycle the tour has not gone back along the last edge. So t <= 5 m, and the answer is NO. At the end t = 5 m + 1 if and
      only if the tour has gone along all m = n' - 1 edges in both directions without a cycle. Then the edges form a tree.
    * After the second end of the last edge, vertex 1 is the next token. There done = stray = 0, and `next` is a vertex. Vertex
      1 has at least n^2 + 3, and the other vertices have at most n^2. If the prompt is only [BOS], done = 1, stray = -1 and
      next = 0. Then vertex 1 has n^2 + 1.
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
