"""Needs at most: the fewest bits of a fixed codebook from which the model's own reader stays within one point.

The reader is all of the model that comes after the state: it is asked the same questions from the restored state as from its
own. The result speaks of this reader. The information that the state holds may be less: any state can be replaced by the list
of the model's own answers, without losing a point.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from seqsep.lab.audit.carried import carried_bits, lower_accuracy, places_at_least
from seqsep.lab.audit.codebooks import Axes, Codebook, budgets, lloyd
from seqsep.lab.audit.questions import PrefixQuestions, PrefixSource
from seqsep.lab.audit.reader import Rows, StateReader
from seqsep.tasks import Task
from seqsep.tasks.ceilings import ceiling

ALLOWED_LOSS = 0.01
MOST_BUDGET = 1024
MOST_COORDINATES = 1 << 15


@dataclass(frozen=True)
class CodebookResult:
    """A codebook that was tested: accuracy and its lower limit, least bits carried, and the ceiling for its number of bits."""

    codebook: str
    bits: int
    accuracy: float
    accuracy_at_least: float
    carries_at_least: float
    ceiling: float | None


def codebooks(rows: Rows, gradients: Rows | None, most_bits: int) -> Iterator[Codebook]:
    """Yield all codebooks, fitted on these states and on gradients at some of them. Without gradients, those that need them are
    left out.

    Those with a level for each number, a bit at least, are left out for states of more than MOST_COORDINATES numbers.
    """
    if rows.shape[1] <= MOST_COORDINATES:
        yield from lloyd(rows)
    axes = Axes.fitted(rows)
    steps = budgets(most_bits)
    yield from axes.codebooks("variance", rows, torch.ones_like(axes.variances), steps)
    if gradients is None:
        return
    slopes = (gradients.double() @ axes.directions).square().mean(0)
    if bool(slopes.isfinite().all()) and bool((slopes > 0).any()):
        yield from axes.codebooks("gradient", rows, slopes, steps)


def tried(
    reader: StateReader, how: PrefixSource, *, fitted_on: PrefixQuestions, asked: PrefixQuestions, rows: Rows, error: float
) -> tuple[CodebookResult, ...]:
    """Return the reader's answers to `asked`, whose states are `rows`, through each codebook, by bits.

    `error`: the probability with which the lower limits of one codebook may be wrong.
    """
    states = reader.states(fitted_on.prefixes)
    gradients = reader.gradients(states, fitted_on)
    most_bits = max(MOST_BUDGET, 2 * (how.task.answer_bits() or 0))
    books = codebooks(states, gradients, most_bits)
    found = rounded(partial(reader.right, questions=asked), how, books, rows=rows, error=error)
    return tuple(sorted(found, key=lambda one: (one.bits, one.codebook)))


def rounded(
    right: Callable[[Rows], np.ndarray], of: Task | PrefixSource, books: Iterable[Codebook], *, rows: Rows, error: float
) -> Iterator[CodebookResult]:
    """Yield the share of right answers from these states through each codebook in turn; equal ones once.

    `right`: which questions are answered right from rows, prefixes by questions.
    """
    known = set()
    for book in books:
        if (book.name, book.bits) not in known:
            known.add((book.name, book.bits))
            yield _rounded(of, book, right(book.restored(rows)), error)


def _rounded(of: Task | PrefixSource, book: Codebook, right: np.ndarray, error: float) -> CodebookResult:
    if isinstance(of, PrefixSource):
        carried = of.carried(places_at_least(right, error))
        highest = None if of.single is None else ceiling(of.single, book.bits)
    else:
        carried = carried_bits(of, right, error)
        highest = ceiling(of, book.bits)
    return CodebookResult(
        codebook=book.name,
        bits=book.bits,
        accuracy=float(right.mean()),
        accuracy_at_least=lower_accuracy(right, error),
        carries_at_least=carried,
        ceiling=highest,
    )


def fewest(curve: tuple[CodebookResult, ...], accuracy: float) -> CodebookResult | None:
    """Return the result with the fewest bits whose accuracy is within one point; None if no tested codebook's is.

    >>> fewest((), accuracy=0.5) is None
    True
    """
    return next((one for one in curve if one.accuracy >= accuracy - ALLOWED_LOSS), None)
