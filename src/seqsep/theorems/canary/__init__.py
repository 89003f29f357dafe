"""Canaries: weights of stock classes whose every greedy answer is known, to test serving engines.

Files:

    llama             Llama: recall of keyed bits, and of the token 63 places back
    checksum          OLMo hybrid: the product of all tokens in four copies of S_5
    olmo_hybrid       OLMo hybrid: recall of keyed bits by recurrence and by attention, and a parity
    mamba2            Mamba-2: recall of keyed bits, and the last bit
    qwen3_next        Qwen3-Next: recall of keyed bits by recurrence and by attention, and the last bit
    qwen3_5           Qwen3.5: as Qwen3-Next
    granite_4_h       Granite-4-H: recall of keyed bits by a Mamba-2 and by attention, and the last bit
    nemotron_h        Nemotron-H: as Granite-4-H
    falcon_h1         Falcon-H1: as Granite-4-H
    jamba             Jamba: recall of keyed bits by a Mamba-1 and by attention, and the last bit
    walk_qwen3_next   Qwen3-Next: a walk in which every decoded token reads the state and changes it
    walk_mamba2       Mamba-2: a walk in which every decoded token reads the state and changes it
    walk_qwen3_5      Qwen3.5: as walk_qwen3_next
    walk_granite_4_h  Granite-4-H: a walk whose next keys are in its Mamba-2, and whose letters are in its attention
    walk_nemotron_h   Nemotron-H: as walk_granite_4_h
    walk_falcon_h1    Falcon-H1: as walk_granite_4_h
    walk_llama        Llama, in fp32: a walk in which every decoded token is looked up later
    canary            the record of a canary
    conversations     random conversations that have an answer after every token
    recall            the oracle of canaries that recall bits by a recurrence
    walk              the oracle and the conversations of canaries that walk
    vocabulary        the tokens that all canaries share
    stream            the residual stream that all canaries share
    trial             the check that the theorems of all canaries share
    _walk_out         the read-out of canaries that walk, and their lead
    _two_ways         the read-out of canaries that recall by a recurrence and by attention, and their lead
    _llama_weights    its weights and its config.json
    _llama_run        the forward of a Llama in NumPy
    _olmo             the weights of an OLMo hybrid, by their names in a checkpoint
    _olmo_run         the forward of an OLMo hybrid in NumPy
    _qwen             the weights of a Qwen3-Next, by their names in a checkpoint
    _look_up          the attention of a Qwen3-Next that finds the value of a key
    _qwen_run         the forward of a Qwen3-Next in NumPy
    _mamba            the weights of a Mamba-2 mixer, head by head
    _mamba_run        the forward of a Mamba-2 in NumPy
    _hybrid           the two layers of Granite-4-H, Nemotron-H and Falcon-H1
    _walk_hybrid      the layers of those that walk
    _hybrid_run       their forwards in NumPy
    _jamba_run        the forward of a Jamba in NumPy
"""

from seqsep.core.registry import Members, Registry
from seqsep.theorems.base import Theorem
from seqsep.theorems.canary.canary import Canary

PLACES = {
    "canary-llama": "seqsep.theorems.canary.llama:THEOREM",
    "canary-checksum": "seqsep.theorems.canary.checksum:THEOREM",
    "canary-olmo-hybrid": "seqsep.theorems.canary.olmo_hybrid:THEOREM",
    "canary-mamba2": "seqsep.theorems.canary.mamba2:THEOREM",
    "canary-qwen3-next": "seqsep.theorems.canary.qwen3_next:THEOREM",
    "canary-qwen3.5": "seqsep.theorems.canary.qwen3_5:THEOREM",
    "canary-granite-4-h": "seqsep.theorems.canary.granite_4_h:THEOREM",
    "canary-nemotron-h": "seqsep.theorems.canary.nemotron_h:THEOREM",
    "canary-falcon-h1": "seqsep.theorems.canary.falcon_h1:THEOREM",
    "canary-jamba": "seqsep.theorems.canary.jamba:THEOREM",
    "canary-walk-qwen3-next": "seqsep.theorems.canary.walk_qwen3_next:THEOREM",
    "canary-walk-mamba2": "seqsep.theorems.canary.walk_mamba2:THEOREM",
    "canary-walk-qwen3.5": "seqsep.theorems.canary.walk_qwen3_5:THEOREM",
    "canary-walk-granite-4-h": "seqsep.theorems.canary.walk_granite_4_h:THEOREM",
    "canary-walk-nemotron-h": "seqsep.theorems.canary.walk_nemotron_h:THEOREM",
    "canary-walk-falcon-h1": "seqsep.theorems.canary.walk_falcon_h1:THEOREM",
    "canary-walk-llama": "seqsep.theorems.canary.walk_llama:THEOREM",
}
"""The theorems about canaries, by name."""

CANARIES: Registry[Canary] = Registry(
    "canary", {name.removeprefix("canary-"): place.replace(":THEOREM", ":CANARY") for name, place in PLACES.items()}
)
"""The canaries, by name."""
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["CANARIES", "PLACES", "THEOREMS", "Canary"]
