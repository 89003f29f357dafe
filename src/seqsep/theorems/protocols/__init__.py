"""Models as protocols between two parties: what a model computes, few bits of communication compute.

Files:

    one_way_protocol    a recurrent model is a one-way protocol of its state (Theorem 2)
    one_layer_protocol  one attention layer is a protocol of few bits (Theorem 4)
    one_layer_ledger    the bits of that protocol, step by step
    _one_layer_parties  the two parties of that protocol
    one_layer_trials    random networks, inputs and partitions for it
    machine             any recurrent model, with its state as a number
    collision           two prefixes that leave a model in one state, and the input on which it errs
    small_models        models whose state is too small for a task
"""

from seqsep.theorems.base import Theorem
from seqsep.theorems.protocols import one_layer_protocol, one_way_protocol

THEOREMS: tuple[Theorem, ...] = (
    one_way_protocol.THEOREM,
    one_layer_protocol.THEOREM,
)

__all__ = ["THEOREMS"]
