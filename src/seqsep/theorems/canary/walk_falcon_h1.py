"""A Falcon-H1 that walks: every decoded token reads the recurrent state and changes it, and reads the cache of attention.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two letters. The model of `tensors` is of the class FalconH1ForCausalLM of `transformers`, with two layers of width
512, each a Mamba-2 next to an attention of rotary base 1e11. After every token its greatest logit is that of the token which
the oracle of `walk` names. This logit leads the next one by at least the share `proved_lead(length, unit)` of itself. Here
`unit` is the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.3 in all
three.

Source: own. The walk is a rotor-router (Priezzhev et al. 1996) with states that conversations can set.

Construction and proof are in `_walk_hybrid`, and the factors and the rotary pairs of the class in `falcon_h1`. The attention
that is used is in layer 1, next to the second Mamba-2. So its tokens have one entry less than the proof allows.
"""

from functools import partial

from seqsep.theorems.canary import _walk_hybrid, falcon_h1
from seqsep.theorems.canary._hybrid_run import falcon as run
from seqsep.theorems.canary._walk_out import walking
from seqsep.theorems.canary.stream import Matrix
from seqsep.theorems.canary.trial import CanaryProof


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.1.mamba.in_proj.weight"].shape
    (4192, 512)
    """
    return falcon_h1.model(*_walk_hybrid.parts(falcon_h1.PLACES))


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.333, 0.302)
    """
    return _walk_hybrid.proved_lead(length, unit, turned=falcon_h1.turned(length), rounded=falcon_h1.ROUNDED)


MODEL = "A Falcon-H1 of two layers and width 512"
CANARY = walking("walk-falcon-h1", partial(falcon_h1.configuration, _walk_hybrid.SIZES), tensors, proved_lead, model=MODEL)
THEOREM = CanaryProof(CANARY, run).theorem()
