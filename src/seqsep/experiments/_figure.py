"""From rows to the grid of an experiment's figure."""

from collections.abc import Callable, Iterable

from seqsep.lab.row import Row
from seqsep.report.cells import Grid
from seqsep.report.contender import Contender
from seqsep.report.measured import Measured
from seqsep.report.papers import printed
from seqsep.tasks import Task


def grid_of(title: str, rows: Iterable[Row], figure: str | None, task: Callable[[int], Task]) -> Grid:
    """The grid of the rows that have an outcome. The paper's numbers are those of `figure`, on tasks equal to `task(length)`:
    at other alphabets, say, there is nothing to compare."""

    def paper(one: Contender, asked: Task) -> float | None:
        if figure is None or asked != task(asked.length):
            return None
        return printed(figure, one.architecture, len(one.layers), one.width, asked.length)

    return Grid.of(title, [Measured.of(row.run, row.result, row.environment) for row in rows if row.has_outcome], paper)
