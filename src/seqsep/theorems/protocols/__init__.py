"""Models as protocols between two parties: if a model computes a function, few bits of communication compute it too.

Files:

    one_way_protocol     a recurrent model is a one-way protocol of its state (Theorem 2)
    one_layer_protocol   one attention layer is a protocol of few bits (Theorem 4)
    random_equality      equality by O(log N) bits with coins (Fact 2 and the sentence after Fact 3)
    random_index         INDEX by one message with coins (Fact 3)
    random_disjointness  disjointness needs a share of N bits with coins too (Fact 1)
    disjointness_windows  Alice and Bob who compare a part of their sets
    protocol_trees       protocols as trees of exact chances, and the information in their transcripts
    _one_layer_parties   Alice and Bob of that protocol, with the proof of each step
    one_layer_ledger     the bits of that protocol, step by step, and the least width that they require
    one_layer_collision  two inputs that this protocol does not distinguish
    one_layer_trials     random networks, inputs and partitions for it
    machine              any recurrent model, with its state as a number of counted bits
    tensor_machine       those whose state is tensors, at their own precision or rounded
    _contract            the contract of recurrent models and of machines
    thought              the tokens that a model writes between its prompt and its answer
    sequences            tasks as sequences that a model must distinguish, with the continuation that distinguishes them
    collision            two prefixes that leave a model in one state, and an input that it answers wrongly
    state_bound          a lower bound on state, run on models that are too small
    small_models         models whose state is too small for a task, as a user chooses them or by default
"""

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "one-way-protocol": "seqsep.theorems.protocols.one_way_protocol:THEOREM",
    "one-layer-protocol": "seqsep.theorems.protocols.one_layer_protocol:THEOREM",
    "equality-random-protocol": "seqsep.theorems.protocols.random_equality:THEOREM",
    "index-random-protocol": "seqsep.theorems.protocols.random_index:THEOREM",
    "disjointness-random-protocol": "seqsep.theorems.protocols.random_disjointness:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
