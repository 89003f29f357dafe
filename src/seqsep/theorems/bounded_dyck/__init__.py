"""Brackets of bounded depth: recognised in constant state and by few attention layers, not by one small layer.

Files:

    attention   two or three layers recognise Dyck-(n,k) (section 4.1)
    state       a recurrent model of constant size does (appendix E)
    one_layer   one layer needs m H of order N / (p + log N) (Theorem 5)
    _parts      heads and hidden units of the networks of `attention`
    _layers     the layers and the networks put together from them
    _recurrent  a stack in the units of a recurrent layer
    _trials     strings to try, and how the answers are compared
    _collision  a model that counts brackets, and the input on which a one-layer model errs
"""

from seqsep.theorems.base import Theorem
from seqsep.theorems.bounded_dyck import attention, one_layer, state

THEOREMS: tuple[Theorem, ...] = (
    attention.THEOREM,
    state.THEOREM,
    one_layer.THEOREM,
)

__all__ = ["THEOREMS"]
