"""The worst case by asking everything: for a task of few inputs it is exact, and nothing is searched for.

Every input is asked, in batches. The least counterexample is least among all that are answered wrong, by size and then by
margin, and is asked once more alone. All prefixes are read for bit-equal states.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from heapq import nsmallest
from itertools import islice

import numpy as np

from seqsep.lab.audit.asker import Asker
from seqsep.lab.audit.equal_states import collision
from seqsep.lab.audit.failures import Attacked, WorstCase, Wrong
from seqsep.lab.audit.questions import TaskQueries, Tokens
from seqsep.lab.audit.reader import StateReader

MOST_INPUTS = 1 << 20
AT_ONCE = 2048
KEPT = 8
MOST_PAIRS = 64
NAME = "all"


def every_input(asker: Asker, how: TaskQueries, confidence: float) -> WorstCase:
    """Ask every input there is: which are wrong, the prefix with most of them, and the least one.

    >>> from seqsep.lab.audit.questions import asking
    >>> from seqsep.models.model import Model
    >>> from seqsep.tasks import IndexLookup
    >>> task = IndexLookup(length=2, alphabet=4)
    >>> model = Model.build(vocabulary=6, classes=4, longest=3, layers=("lstm",), width=4)
    >>> every_input(Asker(model, task), asking(task), confidence=0.95).inputs
    32
    """
    first_wrong = None
    asked = 0
    least: list[Wrong] = []
    by_prefix: dict[Tokens, int] = {}
    for batch in in_batches(how.every_input(), AT_ONCE):
        asker.margins(batch)
        wrong = list(asker.wrong.values())
        if wrong and first_wrong is None:
            first_wrong = asked + batch.index(wrong[0].inputs) + 1
        asked += len(batch)
        for one in wrong:
            prefix = one.inputs[: how.prefix_tokens]
            by_prefix[prefix] = by_prefix.get(prefix, 0) + 1
        least = nsmallest(KEPT, [*least, *wrong], key=lambda one: (how.size(one.inputs), one.margin))
        asker.wrong.clear()
    worst = max(by_prefix, key=lambda prefix: by_prefix[prefix], default=None)
    return WorstCase(
        task=how.task,
        questions=asked,
        confidence=confidence,
        attacks=(Attacked(NAME, questions=asked, wrong=sum(by_prefix.values()), first_wrong=first_wrong, interval=None),),
        worst_prefix=worst,
        worst_prefix_questions=0 if worst is None else sum(1 for _ in how.continuations(worst)),
        worst_prefix_wrong=0 if worst is None else by_prefix[worst],
        least=next((one for one in least if asker.alone(one.inputs)), None),
        collision=collision(asker.model, how, equal_pairs(StateReader(asker.model, how.prefix_tokens), how)),
        inputs=asked,
    )


def equal_pairs(reader: StateReader, how: TaskQueries) -> list[tuple[float, Tokens, Tokens]]:
    """Return the first pairs of distinguishable prefixes whose states are equal bit for bit, at most MOST_PAIRS. Prefixes are
    read in batches.
    """
    known: dict[bytes, Tokens] = {}
    found: list[tuple[float, Tokens, Tokens]] = []
    for prefixes in in_batches(how.every_prefix(), AT_ONCE):
        rows = reader.states(np.array(prefixes)).cpu().numpy()
        for prefix, row in zip(prefixes, rows, strict=True):
            first = known.setdefault(sha256(row.tobytes()).digest(), prefix)
            if first != prefix and next(how.continuations_apart(first, prefix), None) is not None:
                found.append((0.0, first, prefix))
                if len(found) == MOST_PAIRS:
                    return found
    return found


def in_batches(inputs: Iterable[Tokens], size: int) -> Iterator[list[Tokens]]:
    """Yield the inputs in lists of at most `size`.

    >>> list(in_batches([(1,), (2,), (3,)], size=2))
    [[(1,), (2,)], [(3,)]]
    """
    left = iter(inputs)
    while batch := list(islice(left, size)):
        yield batch
