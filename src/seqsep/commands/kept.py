"""The finished part of an interrupted command, for its closing line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seqsep.lab.store.store import Store


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or SIGTERM, with what was kept, in words."""


@contextmanager
def saying_what_is_kept(kept: Callable[[], str]) -> Iterator[None]:
    """Have an interrupt inside say what was kept: what `kept` gives then, in front of what an inner one says.

    >>> try:
    ...     with saying_what_is_kept(lambda: "2 rows are in s.sqlite"):
    ...         raise KeyboardInterrupt
    ... except Interrupted as interrupt:
    ...     print(interrupt)
    2 rows are in s.sqlite
    """
    try:
        yield
    except KeyboardInterrupt as interrupt:
        words = [kept(), str(interrupt)]
        raise Interrupted("; ".join(word for word in words if word)) from None


class KeptRuns:
    """The part of an interrupted sweep that a store has kept. Make it before the sweep, so that it knows the earlier rows."""

    def __init__(self, store: "Store", experiment: str) -> None:
        self.store = store
        self.experiment = experiment
        self.before = self._ended()

    def __call__(self) -> str:
        """Return the number of runs that ended meanwhile, and of those that resume from a checkpoint. The sweep must be
        over.
        """
        new = len(self._ended() - self.before)
        waiting = len(self.store.steps())
        earlier = f", besides {len(self.before)} of earlier sweeps" if self.before else ""
        ended = f"{new} finished {'run is' if new == 1 else 'runs are'} kept"
        begun = (
            f"; {waiting} unfinished {'run has a checkpoint' if waiting == 1 else 'runs have checkpoints'}" if waiting else ""
        )
        return f"{ended} in {self.store.path}{earlier}{begun}; the same command continues from there"

    def _ended(self) -> set[str]:
        return {row.key for row in self.store.rows(self.experiment) if row.has_outcome}
