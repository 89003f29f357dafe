"""Canaries: weights of stock classes whose every greedy answer is known, to test serving engines.

Files:

    llama          Llama: recall of keyed bits, and of the token 63 places back
    canary         the record of a canary
    conversations  random conversations that have an answer after every token
    vocabulary     the tokens that all canaries share
    _llama_weights  its weights and its config.json
    _llama_run     the forward of a Llama in NumPy
"""

from seqsep.core.registry import Registry
from seqsep.theorems.canary.canary import Canary

CANARIES: Registry[Canary] = Registry("canary", {"llama": "seqsep.theorems.canary.llama:CANARY"})
"""The canaries, by name."""

__all__ = ["CANARIES", "Canary"]
