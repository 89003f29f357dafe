"""A theorem's outcomes in one line, and what says on stderr how far long checks are."""

import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from math import inf, log
from types import TracebackType
from typing import Any

Number = int | float
FIRST_SECONDS = 5.0
MOST_SECONDS_BETWEEN = 30.0


def brief(records: Sequence[Mapping[str, Any]]) -> str:
    """Return one line for a theorem: verdict, name, sides, N, and the size that is nearest to its bound.

    `records` are those of all its outcomes, as `Outcome.record` gives them. Of sizes as near as each other the first counts
    that is above 1.

    >>> sizes = {"measured": {"heads": 1, "width": 12}, "bound": {"heads": 1, "width": 14}}
    >>> brief([{"theorem": "parity", "side": "upper", "length": 8, "holds": True} | sizes])
    'holds     parity                          upper         N = 8        width 12 / 14'
    """
    computed = all(record.get("computed") for record in records)
    verdict = "FAILS" if not all(record["holds"] for record in records) else "computed" if computed else "holds"
    sides = ", ".join(side for side in ("upper", "lower") if any(record["side"] == side for record in records))
    lengths = {record["length"] for record in records}
    span = f"N = {min(lengths)}" + (f"..{max(lengths)}" if len(lengths) > 1 else "")
    name, measured, bound = _tightest(records)
    of_more = f" (tightest of {len(records)})" if len(records) > 1 else ""
    size = f"{name} {_number(measured)} / {_number(bound)}"
    return f"{verdict:<8}  {records[0]['theorem']:<30}  {sides:<12}  {span:<11}  {size}{of_more}"


def _tightest(records: Sequence[Mapping[str, Any]]) -> tuple[str, Number, Number]:
    """Return the size whose measured value is nearest to its bound, as (name, measured, bound)."""
    sizes = [(name, record["measured"][name], record["bound"][name]) for record in records for name in record["measured"]]
    telling = [size for size in sizes if size[1:] != (1, 1)]
    return min(telling or sizes, key=lambda size: _distance(size[1], size[2]))


def _distance(measured: Number, bound: Number) -> float:
    """Return the distance of two sizes: the absolute value of their ratio's logarithm."""
    if measured == bound:
        return 0.0
    return abs(log(measured) - log(bound)) if measured > 0 and bound > 0 else inf


def _number(value: Number) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


class ProgressLines:
    """Says on stderr which theorem is being checked, or what else `doing` says, for how long, and how many are done.

    A theorem is named once it has taken `first_seconds`, then at twice that, and so on, with at most 30 s in between; nothing
    is said of what takes less. `total` theorems are checked while it is open; `clock` gives seconds.
    """

    def __init__(
        self,
        total: int,
        *,
        doing: str = "being checked",
        clock: Callable[[], float] = time.monotonic,
        first_seconds: float = FIRST_SECONDS,
    ) -> None:
        self.total = total
        self.doing = doing
        self.done = 0
        self.clock = clock
        self.first_seconds = first_seconds
        self.began = clock()
        self._under_way: tuple[str, float] | None = None
        self._next = first_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "ProgressLines":
        if sys.stderr is not None:
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def begin(self, theorem: str) -> None:
        """Begin the clock of a theorem's check."""
        self._next = self.first_seconds
        self._under_way = theorem, self.clock()

    def end(self) -> None:
        """Count the theorem as checked."""
        self._under_way = None
        self.done += 1

    def due(self) -> str:
        """Return the line of progress that is due now; empty if none is."""
        under_way = self._under_way
        if under_way is None:
            return ""
        theorem, since = under_way
        now = self.clock()
        if now - since < self._next:
            return ""
        self._next += min(self._next, MOST_SECONDS_BETWEEN)
        standing = f"; {self.done} of {self.total} theorems done in {now - self.began:.0f} s" if self.total > 1 else ""
        return f"{theorem}: {self.doing} for {now - since:.0f} s{standing}"

    def _beat(self) -> None:
        while not self._stop.wait(self.first_seconds / 10):
            line = self.due()
            if line:
                print(line, file=sys.stderr, flush=True)
