"""IsTree: whether a list of edges is a tree, by Transformers, hybrids and recurrent models that think before they answer.

Files:

    _graphs  lists of edges: the definition, every small one, random and hard ones, as tokens and as a user's input
"""

from seqsep.theorems.base import Theorem

THEOREMS: tuple[Theorem, ...] = ()

__all__ = ["THEOREMS"]
