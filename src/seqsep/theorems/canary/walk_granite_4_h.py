"""A Granite-4-H that walks: every decoded token reads the recurrent state and changes it, and reads the cache of attention.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two letters. The model of `tensors` is of the class GraniteMoeHybridForCausalLM of `transformers`, with two Mamba-2
layers, an attention layer without positions, no experts, and width 512. After every token its greatest logit is that of the
token which the oracle of `walk` names. This logit leads the next one by at least the share `proved_lead(length, unit)` of
itself. Here `unit` is the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least
0.3 in all three.

Source: own. The walk is a rotor-router (Priezzhev et al. 1996) with states that conversations can set.

Construction and proof are in `_walk_hybrid`, and the factors of the class in `granite_4_h`.
"""

from functools import partial

from seqsep.theorems.canary import granite_4_h
from seqsep.theorems.canary._hybrid_run import granite as run
from seqsep.theorems.canary._walk_hybrid import SIZES, parts, proved_lead
from seqsep.theorems.canary._walk_out import walking
from seqsep.theorems.canary.stream import Matrix
from seqsep.theorems.canary.trial import CanaryProof


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.1.mamba.in_proj.weight"].shape
    (4192, 512)
    """
    return granite_4_h.model(*parts())


MODEL = "A Granite-4-H of two Mamba-2 layers and one attention layer of width 512"
CANARY = walking("walk-granite-4-h", partial(granite_4_h.configuration, SIZES, 2), tensors, proved_lead, model=MODEL)
THEOREM = CanaryProof(CANARY, run).theorem()
