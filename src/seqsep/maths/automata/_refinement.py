"""Partition refinement: the coarsest partition of a DFA's states that refines a given one and is stable under every token.

It takes two algorithms in turn. A round of Moore's splits every class at once and is vectorised; most automata need few rounds,
but a chain needs as many as it has states. Hopcroft's algorithm splits by one class at a time, in O(s n log n) for n states and
s tokens. Moore's rounds come first; once one adds few classes, Hopcroft's algorithm continues from that partition.
"""

import numpy as np
from jaxtyping import Int64

MOST_ROUNDS = 64
LEAST_GROWTH = 1 / 16


def coarsest(table: Int64[np.ndarray, "states tokens"], classes: Int64[np.ndarray, "states"]) -> Int64[np.ndarray, "states"]:
    """Classes 0 .. k-1 such that states of one class share a given class and move, by every token, into one class."""
    classes, count = ranks(classes)
    for _ in range(MOST_ROUNDS):
        refined, grown = moore(table, classes, count)
        if grown == count:
            return classes
        has_slowed = grown - count < LEAST_GROWTH * count
        classes = refined
        count = grown
        if has_slowed:
            break
    return hopcroft(table, classes, count)


def ranks(keys: Int64[np.ndarray, "states"]) -> tuple[Int64[np.ndarray, "states"], int]:
    """Each key's rank among the k different ones, 0 .. k-1; and k."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    return inverse.reshape(-1), len(distinct)


def moore(
    table: Int64[np.ndarray, "states tokens"], classes: Int64[np.ndarray, "states"], count: int
) -> tuple[Int64[np.ndarray, "states"], int]:
    """One round: states stay together if they, and their successors by every token, are of one class."""
    refined = classes
    grown = count
    for token in range(table.shape[1]):
        refined, grown = ranks(refined * count + classes[table[:, token]])
    return refined, grown


def hopcroft(
    table: Int64[np.ndarray, "states tokens"], classes: Int64[np.ndarray, "states"], count: int
) -> Int64[np.ndarray, "states"]:
    """Hopcroft's algorithm from any partition into classes 0 .. count-1.

    `order` lists the states class by class: class c is order[first[c]:last[c]], and order[place[q]] = q. States that move into
    the splitter are swapped to the front of their class. If these are only a part of a class, it is split, and the smaller
    part gets a new number.
    """
    before = [_predecessors(targets) for targets in table.T]
    sizes = np.bincount(classes, minlength=count)
    order = np.argsort(classes, kind="stable").tolist()
    place = np.argsort(order).tolist()
    last = np.cumsum(sizes).tolist()
    first = (np.cumsum(sizes) - sizes).tolist()
    belongs = classes.tolist()
    # The largest class may wait: a partition that all other classes do not break is not broken by the last one either.
    largest = int(sizes.argmax())
    waiting = [c for c in range(count) if c != largest]
    while waiting:
        splitter = waiting.pop()
        members = order[first[splitter] : last[splitter]]
        for sources in before:
            hit: dict[int, int] = {}
            for member in members:
                for state in sources[member]:
                    c = belongs[state]
                    front = hit.get(c, first[c])
                    hit[c] = front + 1
                    here = place[state]
                    other = order[front]
                    order[here] = other
                    order[front] = state
                    place[other] = here
                    place[state] = front
            for c, front in hit.items():
                if front == last[c]:
                    continue
                new = len(first)
                if front - first[c] <= last[c] - front:
                    first.append(first[c])
                    last.append(front)
                    first[c] = front
                else:
                    first.append(front)
                    last.append(last[c])
                    last[c] = front
                for index in range(first[new], last[new]):
                    belongs[order[index]] = new
                # If c waits, both parts wait now. If it does not, the smaller part is enough, and that is the new class.
                waiting.append(new)
    return np.array(belongs, dtype=np.int64)


def _predecessors(targets: Int64[np.ndarray, "states"]) -> list[list[int]]:
    sources: list[list[int]] = [[] for _ in range(len(targets))]
    for source, target in enumerate(targets.tolist()):
        sources[target].append(source)
    return sources
