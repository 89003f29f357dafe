"""Eight numbers that decide two thirds of the double stars of the paper's experiments: O(log n) bits of state.

Source: the graphs are those of Wen, Dang, Lyu 2025 (arXiv:2402.18510), section 6.1; the model is ours.

A graph has two stars and one odd edge, an edge without a hub, in random order. The state is the two hubs and three pairs. At
first the hubs are not known, and the pairs are edges. The first vertex that two edges share becomes a hub. Then the first
vertex that two edges without it share becomes the other hub.

From then on the first pair is the odd edge. The second pair is the hubs of its ends, if their star edges come later. If the
state has both, the answer is right. Otherwise the answer is "tree", which is right half of the time. So the model is right in
about 1/3 + 2/3 * 1/2 of the cases.

It loses a little in the first few edges, less for larger n: a wrong vertex may become a hub, or the odd edge may be forgotten.
`tasks.ceilings.double_star_ceiling` shows that O(log n) bits cannot do better as n grows.
"""

from collections.abc import Iterable, Sequence

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import Recurrence

Pair = tuple[int, int]
NOTHING = (0, 0)
NUMBERS = 8


def tokens(vertices: int, edges: Iterable[Sequence[int]]) -> list[int]:
    """A token for each edge: u (n + 1) + v.

    >>> tokens(6, [(2, 6), (1, 5)])
    [20, 12]
    """
    return [u * (vertices + 1) + v for u, v in edges]


def build(vertices: int) -> Recurrence:
    """The model: its state is eight numbers from 0 to n, written as one; it reads edges and answers 1 for a tree.

    >>> model = build(vertices=6)
    >>> model.state_bits, model.answer(tokens(6, [(1, 5), (4, 6), (3, 5), (4, 2), (2, 6), (5, 1)]))
    (23, 1)
    """
    base = vertices + 1

    def move(t: int, state: int, token: int) -> int:
        return _packed(_after(_unpacked(state, base), divmod(token, base)), base)

    def read(t: int, state: int) -> int:
        first, second = _unpacked(state, base)[2]
        return int(first == 0 or second == 0 or first != second)

    return Recurrence(ceil_log2(base**NUMBERS), 0, move, read)


def _unpacked(state: int, base: int) -> list[Pair]:
    numbers = [state // base**place % base for place in range(NUMBERS)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _packed(pairs: Sequence[Pair], base: int) -> int:
    numbers = [number for pair in pairs for number in pair]
    return sum(number * base**place for place, number in enumerate(numbers))


def _after(pairs: Sequence[Pair], edge: Pair) -> list[Pair]:
    """The hubs and the three other pairs after one more edge."""
    hubs = pairs[0]
    if 0 not in hubs:
        return _with_both_hubs(hubs, odd=pairs[1], joined=pairs[2], edge=edge)
    if hubs[0] in edge:
        return list(pairs)
    kept = [pair for pair in pairs[1:] if pair != NOTHING]
    shared = [vertex for vertex in edge if any(vertex in pair for pair in kept)]
    if not shared:
        return _filled([hubs, *kept[-2:], edge])
    apart = [pair for pair in kept if shared[0] not in pair]
    if hubs[0] == 0:
        return _filled([(shared[0], 0), *apart])
    return _filled([(hubs[0], shared[0]), *apart[-1:]])


def _filled(pairs: list[Pair]) -> list[Pair]:
    return [*pairs, *[NOTHING] * (NUMBERS // 2 - len(pairs))]


def _with_both_hubs(hubs: Pair, odd: Pair, joined: Pair, edge: Pair) -> list[Pair]:
    """Keep an edge without a hub as the odd one; note the hub to which a star edge joins an end of the odd one."""
    ends = [vertex for vertex in edge if vertex not in hubs]
    if len(ends) == 2:
        return _filled([hubs, edge])
    if len(ends) == 1:
        hub = sum(edge) - ends[0]
        joined = (hub if ends[0] == odd[0] else joined[0], hub if ends[0] == odd[1] else joined[1])
    return _filled([hubs, odd, joined])
