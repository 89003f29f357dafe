"""Two theorems at sizes that take a tenth of a second: for tests of what is done with outcomes, not of the theorems."""

from typing import Any

from seqsep.theorems import Theorem
from seqsep.theorems.bounded_dyck import state as bounded_dyck_state
from seqsep.theorems.retrieval import index_lookup_state


def small(theorem: Theorem, **sizes: Any) -> Theorem:
    """The theorem, whose check has these sizes for defaults: three outcomes, as at its own."""
    return type(theorem)(theorem.claim, lambda: theorem.check(**sizes))


LOOKUP = small(index_lookup_state.THEOREM, length=4)
DYCK = small(bounded_dyck_state.THEOREM, length=4, kinds=1, depth=1)
