"""A Qwen3.5 that walks: every decoded token reads the recurrent state and changes it, and reads the cache of attention.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two letters. The model of `tensors` is of the class Qwen3_5ForCausalLM of `transformers`, with a gated delta layer, an
attention layer, and width 512. After every token its greatest logit is that of the token which the oracle of `walk` names. This
logit leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the relative error of one
rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.3 in all three.

Source: own. The walk is a rotor-router (Priezzhev et al. 1996) with states that conversations can set.

Construction and proof are those of `walk_qwen3_next`, in the class of `qwen3_5`.
"""

from seqsep.theorems.canary import qwen3_5, walk_qwen3_next
from seqsep.theorems.canary._qwen_run import logits as run
from seqsep.theorems.canary._walk_out import walking
from seqsep.theorems.canary.stream import Matrix
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.walk_qwen3_next import proved_lead


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.0.linear_attn.in_proj_qkv.weight"].shape
    (1536, 512)
    """
    return qwen3_5.model(*walk_qwen3_next.parts())


MODEL = "A Qwen3.5 of one gated delta layer and one attention layer of width 512"
CANARY = walking("walk-qwen3.5", qwen3_5.configuration, tensors, proved_lead, model=MODEL)
THEOREM = CanaryProof(CANARY, run).theorem()
