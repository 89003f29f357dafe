"""State tracking: which layers follow the product of group elements that a sequence spells, and at which precision?

Files:
"""

from typing import TYPE_CHECKING

from seqsep.core.registry import Registry, lazy_names

if TYPE_CHECKING:
    from seqsep.theorems.base import Theorem

    THEOREMS: tuple[Theorem, ...]

PLACES: dict[str, str] = {}
if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, {"THEOREMS": Registry("theorem", PLACES).members})

__all__ = ["PLACES", "THEOREMS"]
