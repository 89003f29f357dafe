"""A Mamba-2 whose every greedy answer is known: keyed bits in an additive memory, and the last bit in a register.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, in which no key gets two values. The
model of `tensors` is of the class Mamba2ForCausalLM of `transformers`, with one layer and width 512. After every token its
greatest logit is that of the token which the oracle names. This logit leads the next one by at least the share
`proved_lead(length, unit)` of itself, at every length. Here `unit` is the relative error of one rounding: 2^-24 in fp32, 2^-11
in fp16 and 2^-8 in bf16. The share is at least 0.45 in all three.

Its knowledge:
* r_i is answered with the value of key i, or with ABSENT if k_i has no value. A value is the token V0 or V1 right after its
  key.
* LAST is answered with the bit of the last V0 or V1, or with ABSENT if there is none.
* After an answer to a question comes the next question: r_(i+1) after r_i, LAST after r_23, r_0 after LAST. So greedy decoding
  asks for all keys again and again.
* Every other token is answered with ACK. LEAK is never right: only a PAD that is read leads to it.

This class can keep no parity: its states are multiplied by numbers above 0 only.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction. The stream is that of `stream`. Three of 16 heads are used: MEMORY is in the first of two groups, and the
registers BEFORE and LATEST are in the second. Groups have keys B and queries C of their own. The convolution of a channel has
one tap of weight 1: tap 0 is the token itself and tap 1 the token before.
* MEMORY: A_log is -200, so the decay is exactly 1. The step is 32 for V0, V1 and PAD, and exactly 0 for other tokens, since
  softplus(-200) is 0. The key is the token before (tap 1), and the value is the token. PAD has a row of its own (tap 0). r_i
  reads row i and the row of PAD.
* BEFORE: the step of every token is 32 and A is -1, so each write multiplies what is there by exp(-32). The value is the
  question before (tap 1).
* LATEST: the step is 32 for V0, V1 and PAD, and exactly 0 for other tokens. The value is the token.
The gate opens MEMORY at r_i, BEFORE at answers, and LATEST at LAST, and only one of them. So the norm sees one head, whose one
large entry becomes sqrt(512).

Read-out, in units of the normed constant: ACK has 1. On questions ABSENT has 2. A1 and A0 have 4.24 for their bit. The
question after that of BEFORE has 2.83. So the right logit has 4.24 to 2, 2 to 1, 2.83 to 1 or 1 to 0.

Proof. Each entry of MEMORY is written at most once, and then never changes. Let y be a written and read entry: 32 * SiLU(4)^3,
at least 1,900 in all types. In the registers what was there before is at most 2 y exp(-32): one write and all earlier ones.
Times the gate 32 it is at most 2e-9, and the norm divides it by 0.001 or more. That leaves 3e-6 of a unit. A row of MEMORY
that was not written is exactly 0. The state's size does not depend on the length.

Rounding. All entries of a state have one sign, and a sum over them has one term that is not 0. So a read entry has a relative
error of at most 12 unit, which the norm takes away. A coordinate of the stream has at most six roundings, and a logit three
more. Cumulative sums of decays over a chunk of 256 tokens have an error of at most 2^-9, which only scales the entry.
"""

from typing import Any

import numpy as np

from seqsep.theorems.canary._mamba import SHOWS, TAPS, MambaHeads, MambaSizes
from seqsep.theorems.canary._mamba_run import logits as run
from seqsep.theorems.canary.canary import Canary
from seqsep.theorems.canary.recall import RECURRENT, RecallOracle, conversations_about, following
from seqsep.theorems.canary.stream import LONGEST, WIDTH, Matrix, embedding, ones, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import A0, A1, ABSENT, ACK, ANSWERS, LEAK, SIZE

SIZES = MambaSizes(heads=16, head_size=64, groups=2, states=64)
MEMORY = 0
BEFORE = 8
LATEST = 9
ONE = SIZE
ASKED_BEFORE = range(ONE + 1, ONE + 1 + len(RECURRENT))
FOUND = range(ASKED_BEFORE.stop, ASKED_BEFORE.stop + 3)
"""Coordinates of the residual stream after those of the tokens: the constant, the question before, and what was found."""


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["model_type"]
    'mamba2'
    """
    return {
        "architectures": ["Mamba2ForCausalLM"],
        "model_type": "mamba2",
        "vocab_size": SIZE,
        "hidden_size": WIDTH,
        "num_hidden_layers": 1,
        "num_heads": SIZES.heads,
        "head_dim": SIZES.head_size,
        "state_size": SIZES.states,
        "n_groups": SIZES.groups,
        "expand": SIZES.inner // WIDTH,
        "conv_kernel": TAPS,
        "chunk_size": 256,
        "hidden_act": "silu",
        "layer_norm_epsilon": 1e-6,
        "use_bias": False,
        "use_conv_bias": True,
        "residual_in_fp32": True,
        "tie_word_embeddings": False,
    }


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["backbone.layers.0.mixer.in_proj.weight"].shape, weights["lm_head.weight"].shape
    ((2320, 512), (128, 512))
    """
    mixer = MambaHeads(SIZES)
    mixer.memory(MEMORY, FOUND)
    mixer.before(BEFORE, RECURRENT, ANSWERS, ASKED_BEFORE)
    mixer.latest(LATEST, FOUND)
    here = "backbone.layers.0."
    return {
        "backbone.embeddings.weight": embedding(SIZE),
        f"{here}norm.weight": ones(),
        **{f"{here}mixer.{name}": weight for name, weight in mixer.tensors().items()},
        "backbone.norm_f.weight": ones(),
        "lm_head.weight": _read_out(),
    }


def _read_out() -> Matrix:
    rows = zeros(SIZE, WIDTH)
    rows[ACK, ONE] = 1
    rows[ABSENT, list(RECURRENT)] = 2
    for token, weight, coordinate in zip((A0, A1, LEAK), (3, 3, 12), FOUND, strict=True):
        rows[token, coordinate] = weight
    after = following(RECURRENT)
    for question, coordinate in zip(RECURRENT, ASKED_BEFORE, strict=True):
        rows[after[question], coordinate] = 2
    return rows


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place.

    Arguments:
        length: tokens of the conversation; the share is the same for all lengths.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.5, 0.484)
    """
    most = 1 + 6 * unit
    found = float(np.sqrt(SIZES.inner // SIZES.groups)) * SHOWS / WIDTH * (1 - 2**-16) * (1 - 6 * unit)
    left = 3e-6
    pairs = [
        (3 * found, 2 * most + left),
        (2 * (1 - unit), 1 + unit + left),
        (2 * found, most + left),
        (1 - unit, 12 * left),
    ]
    leads = [1 - other * (1 + 3 * unit) / (right * (1 - 3 * unit)) for right, other in pairs]
    return max(0.0, min(leads))


CANARY = Canary(
    name="mamba2",
    statement="A Mamba-2 of one layer and width 512 answers every question about 24 keyed bits, and about the last bit, at "
    "every length in fp32, fp16 and bf16",
    configuration=configuration,
    tensors=tensors,
    oracle=lambda: RecallOracle(RECURRENT),
    conversation=conversations_about(RECURRENT),
    proved_lead=proved_lead,
    longest=LONGEST,
    settled=1,
    rules="""* `k3 v1` gives key 3 the value 1. A key has at most one value.
* `r3` asks for it: `a0`, `a1`, or `absent` if key 3 has no value.
* `last` asks for the bit of the last `v0` or `v1`: `a0`, `a1`, or `absent` if there is none.
* After such an answer to a question comes the next question: `r4` after `r3`, `last` after `r23`, and `r0` after `last`.
* After every other token comes `ack`.
* `leak` is never right: it shows padding that was read.""",
    example="<bos> k3 v1 k7 v0 r3 -> a1",
)
THEOREM = CanaryProof(CANARY, run).theorem()
