"""The sizes of a statement with their constants, as `bound` returns them: a dict that prints as a table."""

from typing import Any

from seqsep.tables import Tabular
from seqsep.theorems.base import Number


class Constants(dict[str, Number], Tabular):
    """Size -> its number: sizes in bits, widths in coordinates.

    >>> Constants(width=10, core_bits=4680)
    size       number
    width          10
    core_bits   4,680
    """

    def records(self) -> list[dict[str, Any]]:
        """A row for each size."""
        return [{"size": size, "number": number} for size, number in self.items()]

    def __repr__(self) -> str:
        return self.table()
