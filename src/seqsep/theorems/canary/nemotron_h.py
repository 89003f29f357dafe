"""A Nemotron-H whose every greedy answer is known: keyed bits by its Mamba-2 and by its attention, and the last bit.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two values. The model of `tensors` is of the class NemotronHForCausalLM of `transformers`, with a Mamba-2 layer, an
attention layer without positions, and width 512. After every token its greatest logit is that of the token which the oracle
names. This logit leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the relative
error of one rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.45 in all three.

Its knowledge is that of `qwen3_next`: q_i is answered by attention and r_i by the recurrence, LAST with the last bit. After an
answer to a question comes the next question.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction and proof are in `_hybrid`. A layer of this class is a mixer, an attention or a feed-forward part, and this model
has no layer of the last kind. The class makes a step at least `time_step_min`, which is 0.001 by default. Then LATEST would
decay, and lose the last bit after some 18,000 tokens. The field is 1e-30 here, not 0, since `transformers` takes its logarithm.
Tokens that do not write have the value 0, so a step of 1e-30 writes nothing, and exp(-1e-30) is 1 in every type.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from seqsep.theorems.canary import _hybrid
from seqsep.theorems.canary._hybrid import proved_lead
from seqsep.theorems.canary._hybrid_run import nemotron as run
from seqsep.theorems.canary._mamba import TAPS, MambaHeads, MambaSizes
from seqsep.theorems.canary._two_ways import read_out, recalling
from seqsep.theorems.canary.stream import WIDTH, Matrix, embedding, ones
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import SIZE


def configuration(sizes: MambaSizes = _hybrid.SIZES, mixers: int = 1) -> dict[str, Any]:
    """Return the fields of config.json.

    Arguments:
        sizes: the sizes of a mixer.
        mixers: Mamba-2 layers, before the attention.

    >>> configuration()["layers_block_type"]
    ['linear_attention', 'full_attention']
    """
    return {
        "attention_bias": False,
        **_hybrid.fields("NemotronHForCausalLM", "nemotron_h"),
        "num_hidden_layers": mixers + 1,
        "layers_block_type": [*["linear_attention"] * mixers, "full_attention"],
        "head_dim": _hybrid.ATTENTION_SIZE,
        "mamba_num_heads": sizes.heads,
        "mamba_head_dim": sizes.head_size,
        "n_groups": sizes.groups,
        "ssm_state_size": sizes.states,
        "expand": sizes.inner // WIDTH,
        "conv_kernel": TAPS,
        "chunk_size": 64,
        "use_conv_bias": True,
        "use_bias": False,
        "mamba_hidden_act": "silu",
        "mamba_ssm_cache_dtype": "float32",
        "time_step_min": 1e-30,
        "time_step_floor": 1e-30,
        "layer_norm_epsilon": 1e-6,
        "residual_in_fp32": False,
        "mlp_bias": False,
    }


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.0.mixer.in_proj.weight"].shape
    (1288, 512)
    """
    return model([_hybrid.mixer()], _hybrid.attention(), read_out())


def model(mixers: Sequence[MambaHeads], attention: Mapping[str, Matrix], rows: Matrix) -> dict[str, Matrix]:
    """Return the whole model. Arguments as for a Granite-4-H."""
    found = {"model.embeddings.weight": embedding(SIZE), "model.norm_f.weight": ones(), "lm_head.weight": rows}
    for layer, part in enumerate((*(mixer.tensors() for mixer in mixers), attention)):
        found[f"model.layers.{layer}.norm.weight"] = ones()
        found |= {f"model.layers.{layer}.mixer.{name}": weight for name, weight in part.items()}
    return found


CANARY = recalling("nemotron-h", configuration, tensors, proved_lead)
THEOREM = CanaryProof(CANARY, run).theorem()
