"""A Jamba whose every greedy answer is known: keyed bits by its Mamba-1 and by its attention, and the last bit.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two values. The model of `tensors` is of the class JambaForCausalLM of `transformers`, with a Mamba-1 layer, an
attention layer without positions, one expert, and width 512. After every token its greatest logit is that of the token which
the oracle names. This logit leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the
relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.45 in all three.

Its knowledge is that of `qwen3_next`: q_i is answered by attention and r_i by the recurrence, LAST with the last bit. After an
answer to a question comes the next question.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction. Layer 1 is the attention of `_hybrid`. Layer 0 is a Mamba-1. Each of its channels has a state of its own, with a
row for each key and three more. All channels share the write vector B and the read vector C. Both are made from the channels
after their convolution, and so is the step. A channel that is on has the value SiLU(32) = 32, and another one has 0.
* NAMED and CYCLED have the token before, by tap 1 of the convolution: a key, or a question. They are not written to a state.
  D = 1 shows them where their gate is open: keys at V0 and V1, questions at answers. So values have the code of their key in
  the stream, and answers that of their question, as in `_hybrid`.
* B has two entries. One is in the row of the key before, or in the row NONE after any other token. The other is in the row
  CONSTANT for V0 and V1, or PADDED for PAD. C has two entries: r_i the rows i and PADDED, and LAST the rows CONSTANT and
  PADDED. The norms of the class make two equal entries sqrt(32 / 2) = 4 each, times a scale.
* A step has the bias -32. V0, V1 and PAD make it 32 for the channels that follow, and all other steps are softplus(-32).
* MEMORY has V0, V1 and PAD as three channels, which r_i reads. Rows of keys and PADDED have A_log = -200, so their decay is
  exactly 1. Other rows are overwritten.
* LATEST has them again, with A_log = 0 in all rows, so each write leaves exp(-32) of what was there. LAST reads it.

Proof. All numbers between the stream and the recurrence are powers of two: 32 in channels, 4 after norms, 64 - 32 = 32 as a
step, 64 in a state, 64 in what is read, 2,048 after the gate, and 512 in the stream. SiLU(32) and SiLU of the gate differ from
32 by 4e-13. Only the three norms and softplus are not exact. Their roundings give what is read an error of 5 unit: one for B,
one for C, two for the step, one for softplus. A state of MEMORY is 0 in the rows of keys without a value, since the channel is
0 at all other tokens. LATEST keeps exp(-32) of what it overwrites, and softplus(-32) * 131,072 = 1.7e-9 of itself decays. So
the bounds of `_hybrid` hold: six roundings for what the recurrence read, and 1e-4 for what is left.
"""

from typing import Any

import numpy as np

from seqsep.theorems.canary import _hybrid
from seqsep.theorems.canary._hybrid import proved_lead
from seqsep.theorems.canary._jamba_run import logits as run
from seqsep.theorems.canary._two_ways import BEFORE, CODE, CYCLE, ONE, RECALLED, WRITTEN, read_out, recalling
from seqsep.theorems.canary.stream import WIDTH, Matrix, embedding, ones, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import ANSWERS, FIRST_KEY, FIRST_RECALL, KEYS, LAST, PAD, SIZE, V0, V1

STATES = 32
RANK = 16
TAPS = 4
NONE, CONSTANT, PADDED = range(KEYS, KEYS + 3)
"""Rows of a state after those of the keys."""
NAMED = range(KEYS)
CYCLED = range(NAMED.stop, NAMED.stop + len(CYCLE))
OF_RECALL = range(CYCLED.stop, CYCLED.stop + KEYS)
UNNAMED, OF_VALUES, OF_PAD, OF_LAST, WRITES = range(OF_RECALL.stop, OF_RECALL.stop + 5)
MEMORY = range(WRITES + 1, WRITES + 4)
LATEST = range(MEMORY.stop, MEMORY.stop + 3)
"""Channels."""
ON = 2
"""Weight of a channel and of a gate: 16 * 2 = 32."""
OF_STEP = 16
IDLE = -32
"""Weight and bias of a step: the norm of the rank makes one entry 4, and 4 * 16 - 32 = 32."""
HOLD = -200
SCALE_OF_WRITE = 2**-6
SCALE_OF_READ = 2**-2


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["num_experts"]
    1
    """
    return {
        **_hybrid.fields("JambaForCausalLM", "jamba"),
        "num_hidden_layers": 2,
        "attn_layer_period": 2,
        "attn_layer_offset": 1,
        "num_experts": 1,
        "num_experts_per_tok": 1,
        "expert_layer_period": 2,
        "expert_layer_offset": 1,
        "mamba_d_state": STATES,
        "mamba_d_conv": TAPS,
        "mamba_expand": 1,
        "mamba_dt_rank": RANK,
        "mamba_conv_bias": True,
        "mamba_proj_bias": False,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
    }


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.0.mamba.x_proj.weight"].shape
    (80, 512)
    """
    found = {
        "model.embed_tokens.weight": embedding(SIZE),
        "model.final_layernorm.weight": ones(),
        "lm_head.weight": read_out(),
    }
    found |= {f"model.layers.0.mamba.{name}": weight for name, weight in _mixer().items()}
    found |= {f"model.layers.1.self_attn.{name}": weight for name, weight in _hybrid.attention().items()}
    for layer in range(2):
        here = f"model.layers.{layer}."
        found |= {f"{here}{norm}.weight": ones() for norm in ("input_layernorm", "pre_ff_layernorm")}
        found |= {f"{here}feed_forward.{name}_proj.weight": zeros(_hybrid.INNER, WIDTH) for name in ("gate", "up")}
        found[f"{here}feed_forward.down_proj.weight"] = zeros(WIDTH, _hybrid.INNER)
    return found


def _mixer() -> dict[str, Matrix]:
    """Build the Mamba-1 of layer 0."""
    channel, gate = np.split(weight := zeros(2 * WIDTH, WIDTH), 2)
    taps = np.zeros(WIDTH, dtype=np.int64)
    out = zeros(WIDTH, WIDTH)
    _before(channel, gate, out)
    taps[[*NAMED, *CYCLED, UNNAMED]] = 1
    recalls = range(FIRST_RECALL, FIRST_RECALL + KEYS)
    channel[list(OF_RECALL), list(recalls)] = ON
    channel[OF_VALUES, [V0, V1]] = channel[OF_PAD, PAD] = channel[OF_LAST, LAST] = channel[WRITES, list(WRITTEN)] = ON
    for channels, readers in ((MEMORY, recalls), (LATEST, (LAST,))):
        channel[list(channels), list(WRITTEN)] = ON
        gate[channels.start : channels.stop, list(readers)] = ON
        out[list(RECALLED), list(channels)] = 2**-2
    rates = np.full((WIDTH, STATES), HOLD, dtype=np.float32)
    rates[MEMORY.start : MEMORY.stop, [NONE, CONSTANT]] = 0
    rates[LATEST.start : LATEST.stop] = 0
    step = zeros(WIDTH, RANK)
    step[MEMORY.start : LATEST.stop, 0] = OF_STEP
    shown = zeros(WIDTH)
    shown[: CYCLED.stop] = 1
    convolution = zeros(WIDTH, 1, TAPS)
    convolution[np.arange(WIDTH), 0, TAPS - 1 - taps] = 1
    return {
        "in_proj.weight": weight,
        "conv1d.weight": convolution,
        "conv1d.bias": zeros(WIDTH),
        "x_proj.weight": _of_channels(),
        "dt_layernorm.weight": ones(RANK),
        "b_layernorm.weight": ones(STATES) * np.float32(SCALE_OF_WRITE),
        "c_layernorm.weight": ones(STATES) * np.float32(SCALE_OF_READ),
        "dt_proj.weight": step,
        "dt_proj.bias": np.full(WIDTH, IDLE, dtype=np.float32),
        "A_log": rates,
        "D": shown,
        "out_proj.weight": out,
    }


def _before(channel: Matrix, gate: Matrix, out: Matrix) -> None:
    """Fill in the channels of the token before."""
    keys = range(FIRST_KEY, FIRST_KEY + KEYS)
    channel[list(NAMED), list(keys)] = channel[list(CYCLED), list(CYCLE)] = channel[UNNAMED, ONE] = ON
    channel[UNNAMED, list(keys)] = -ON
    gate[NAMED.start : NAMED.stop, [V0, V1]] = gate[CYCLED.start : CYCLED.stop, list(ANSWERS)] = ON
    out[list(CODE), list(NAMED)] = out[list(BEFORE), list(CYCLED)] = 2**-1


def _of_channels() -> Matrix:
    """Build what makes the step, B and C from the channels."""
    weight = zeros(RANK + 2 * STATES, WIDTH)
    step, write, read = np.split(weight, [RANK, RANK + STATES])
    step[0, WRITES] = 1
    write[list(NAMED), list(NAMED)] = write[NONE, UNNAMED] = write[CONSTANT, OF_VALUES] = write[PADDED, OF_PAD] = 1
    read[list(NAMED), list(OF_RECALL)] = read[CONSTANT, OF_LAST] = read[PADDED, [*OF_RECALL, OF_LAST]] = 1
    return weight


CANARY = recalling("jamba", configuration, tensors, proved_lead)
THEOREM = CanaryProof(CANARY, run).theorem()
