"""A Qwen3-Next whose every greedy answer is known: keyed bits by its recurrence and by its attention, and the last bit.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two values. The model of `tensors` is of the class Qwen3NextForCausalLM of `transformers`, with a gated delta layer,
an attention layer, and width 512. After every token its greatest logit is that of the token which the oracle names. This logit
leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the relative error of one
rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.45 in all three.

Its knowledge:
* q_i is answered by attention and r_i by the recurrence, with the value of key i, or with ABSENT if k_i has no value. A value
  is the token V0 or V1 right after its key.
* LAST is answered with the bit of the last V0 or V1, or with ABSENT if there is none.
* After an answer to a question comes the next question: r_i after q_i, q_(i+1) after r_i, LAST after r_23, q_0 after LAST.
* Every other token is answered with ACK. LEAK is never right: only a PAD that is read leads to it.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction. The stream is that of `stream`. The class has a beta of at most 1, so it holds no parity. Layer 0 has four heads
with keys and values of 128. The decay is exactly 1, and beta is exactly 1 or less than 1e-55.
* MEMORY: V0 and V1 write, with the token before as key (tap 1) and the token as value. r_i reads row i. PAD writes LEAK to a
  row of its own (tap 0), which every r_i reads too.
* KEYS_BEFORE and QUESTIONS_BEFORE: one row, which every token overwrites with the token before it. V0 and V1 open the gate of
  the first, and answers that of the second. So values have the code of their key in the stream, and answers that of their
  question.
* LATEST: one row, which V0, V1 and PAD overwrite with themselves. LAST reads it.

Layer 1 uses one of 16 heads of size 64. Rotary angles turn the first 16 coordinates of a key and of a query, which are 0; the
codes have the next ones. The norm of a head makes a key of one code a vector of length 8 * 16, and a query one of length 8 * 4.
A token without a code has the key 0. BOS has the sum of all codes as key. q_i has code i as query, every other token the sum of
all codes, and each query has twice the code of PAD. V0, V1 and PAD have values. So q_i reads its value. If there is none, it
reads BOS, whose value is 0. The output gate is sigmoid(26) or more. The experts are zero.

Read-out. `_two_ways` has the rows of the logits, and the lead that follows from the sizes of what is found.

Proof. Rows of the recurrence hold 0 or 32, so the state is exact in fp32, in which the kernel computes. The norm after a head
makes the only non-zero entry sqrt(128) / sqrt(1 + 16e-6), or sqrt(128) / sqrt(1 + 32e-6) for a query of two rows. The norms
before it take away less than 1e-8. The gate SiLU(32) = 32 and the weight 181/128 make it at least 511.96 of 512. In attention
let u = 8 * 4 * 16 = 512 be the score of equal unit vectors. A right value has u / sqrt 5, BOS has u / sqrt(5 * 24) for q_i,
and every other token has 0. So the wrong tokens have at most N exp(-u / sqrt 5 + u / sqrt 120) or N exp(-u / sqrt 120) of the
weight. A value that is read adds 40 times an entry of the normed stream. A value of a key has three equal entries there, each
16 sqrt(2/3), and one without a key has 16.

Rounding. Scores have an error of at most 8 unit of their size: two for the code, two for each norm, and two for the product
and its scaling. A coordinate of the stream has at most five roundings, one that attention read has eight, and a logit three
more.
"""

import math

from seqsep.theorems.canary import _qwen
from seqsep.theorems.canary._look_up import CARRIED, OPEN, look_up, of_others
from seqsep.theorems.canary._olmo import DeltaHeads
from seqsep.theorems.canary._qwen_run import logits as run
from seqsep.theorems.canary._two_ways import (
    ATTENDED,
    BEFORE,
    CODE,
    CYCLE,
    ONE,
    RECALLED,
    WRITTEN,
    lead,
    read_out,
    recalling,
)
from seqsep.theorems.canary.stream import HEIGHT, NORMED, Matrix
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import (
    ANSWERS,
    FIRST_KEY,
    FIRST_QUESTION,
    FIRST_RECALL,
    KEYS,
    LAST,
    PAD,
    V0,
    V1,
)

MEMORY, KEYS_BEFORE, QUESTIONS_BEFORE, LATEST = range(_qwen.HEADS)
SHOWS = 181 / 128
"""Weight of what a head of layer 0 reads: sqrt(128) * 32 * SHOWS is 511.97."""


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.0.linear_attn.in_proj_qkvz.weight"].shape
    (2048, 512)
    """
    return _qwen.model(*parts())


def parts() -> tuple[DeltaHeads, _qwen.OneHead, Matrix]:
    """Return the recurrence, the attention, and the rows of the logits."""
    return _recurrence(), look_up([FIRST_QUESTION], CODE, dict(zip(WRITTEN, ATTENDED, strict=True))), read_out()


def _recurrence() -> DeltaHeads:
    """Build layer 0: the memory, the token before, and the last bit."""
    delta = DeltaHeads(_qwen.HEADS, (_qwen.HEAD_SIZE, _qwen.HEAD_SIZE))
    delta.key_tap[MEMORY, :KEYS] = 1
    for number in range(KEYS):
        delta.key[MEMORY, number, FIRST_KEY + number] = OPEN
        delta.query[MEMORY, number, FIRST_RECALL + number] = OPEN
    recalls = slice(FIRST_RECALL, FIRST_RECALL + KEYS)
    delta.key[MEMORY, KEYS, PAD] = OPEN
    delta.query[MEMORY, KEYS, recalls] = OPEN
    delta.gate[MEMORY][:, recalls] = OPEN
    delta.gate[LATEST, :, LAST] = OPEN
    for head in (MEMORY, LATEST):
        delta.beta[head, ONE] = -_qwen.WRITE
        delta.beta[head, list(WRITTEN)] = 2 * _qwen.WRITE
        for number, token in enumerate(WRITTEN):
            delta.value[head, number, token] = OPEN
            delta.out[RECALLED[number], head, number] = SHOWS
    delta.key[KEYS_BEFORE:, 0, ONE] = OPEN
    delta.query[KEYS_BEFORE:, 0, ONE] = OPEN
    before = ((KEYS_BEFORE, range(FIRST_KEY, FIRST_KEY + KEYS), (V0, V1), CODE), (QUESTIONS_BEFORE, CYCLE, ANSWERS, BEFORE))
    for head, tokens, readers, coordinates in before:
        delta.beta[head, ONE] = _qwen.WRITE
        delta.value_tap[head] = 1
        delta.gate[head][:, list(readers)] = OPEN
        for number, token in enumerate(tokens):
            delta.value[head, number, token] = OPEN
            delta.out[coordinates[number], head, number] = SHOWS
    return delta


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.5, 0.476)
    """
    others = of_others(length, unit)
    size = math.sqrt(_qwen.HEAD_SIZE) * 2 * NORMED * SHOWS / HEIGHT * (1 - 17e-6) * (1 - 5 * unit)
    attended = CARRIED * math.sqrt(2 / 3) * (1 - 1e-8) * (1 - 2 * others[0]) * (1 - 8 * unit)
    return lead((size, attended), others, unit)


CANARY = recalling("qwen3-next", _qwen.configuration, tensors, proved_lead)
THEOREM = CanaryProof(CANARY, run).theorem()
