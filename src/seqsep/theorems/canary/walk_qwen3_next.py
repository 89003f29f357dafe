"""A Qwen3-Next that walks: every decoded token reads the recurrent state and changes it, and reads the cache of attention.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two letters. The model of `tensors` is of the class Qwen3NextForCausalLM of `transformers`, with a gated delta layer,
an attention layer, and width 512. After every token its greatest logit is that of the token which the oracle of `walk` names.
This logit leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the relative error
of one rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.3 in all three.

`walk` has the rules. In decoding a step answers a step. So one token that is lost, doubled or foreign in the window, or one
state that is not written, sends the walk another way as soon as it comes back to the key. A key that is not visited again
does not show it: of 100 lost writes 64 showed in 24 steps. A token that writes the same
row twice in a row, such as a doubled V1, changes nothing.

Source: own. The walk is a rotor-router (Priezzhev et al. 1996) with states that conversations can set.

Construction. The stream is that of `stream`. Layer 0 uses two of four heads with keys and values of 128. The decay is exactly
1, and beta is exactly 1 or less than 1e-55.
* NEXT: row i is the next key of i, as one of 24 values. V0, V1, w_j, q_i and r_i write. The key is the token before (tap 1)
  if this is k_h, q_h or r_h, and 0 otherwise, so then nothing is written. The value is the token. A write replaces the row.
  The state is read after the write. q_i and r_i read row i. PAD writes LEAK to a row of its own (tap 0), which every step
  reads too.
* KEYS_BEFORE: one row, which every token overwrites with the token before it. V0 and V1 open its gate. So they have the code
  of their key in the stream if this is k_h.

Layer 1 is the attention of `_look_up`. q_i and r_i read the value with code i, or BOS if there is none. V1 has a value, PAD
has LEAK, V0 and BOS have 0. The letter that is read is written to LETTER.

Read-out. `_walk_out` has the rows of the logits and the lead. Here l is 1.02. So the least share is 0.34: the letter q and a
row that holds the first next key.

Proof of NEXT. A key of one row is 32 / sqrt(1024 + 1e-6), so it is k with 1 - 2^-22 <= k <= 1 + 2^-22. A write of v turns a
row s into (1 - k^2) s + k v. So all that was there before keeps at most 2^-20 of the size of v, at any number of writes. Keys
of different rows are orthogonal. A row that was never written is exactly 0, and so is the row of PAD. In fp32 and with exact
square roots k is 1. Then rows hold 0 or 32, and the inverse of a chunk's triangle has only the numbers -1, 0 and 1. So chunks
and single steps have the same state, bit by bit, in any type that has the numbers -32, 0 and 32.

Proof of the rest. The norm after a head makes the only large entry sqrt(128) / sqrt(1 + 32e-6) or more, for a query of two
rows. The norms before it take away less than 1e-8. The gate SiLU(32) = 32 and the weight 181/128 make it 511.96 to 511.98 of
512. The other entries of the row stay below 2^-20 of it. A step that reads an empty row adds exactly 0, and so does every
other token, for its gate is 0. In attention V1 has three equal entries in the stream, each 16 sqrt(2/3), up to a share of
5e-5 for the 511.96. A value without a code has 16, and its score is 0. So `of_others` bounds what wrong tokens add.

Rounding. The coordinates of the token and of the constant are 512 exactly, and the last norm makes them the same number.
Against it f has at most seven roundings and l ten: five and eight in the stream (`qwen3_next`), and two of the last norm. A
logit is a sum of at most five terms, in all at most 11, made in at least fp32: its error is at most 5 * 11 * 2^-24. With the
other entries of a row, 3 * 2^-20, this is less than 2^-17. The result is rounded once. A share of two such sums is monotone
in f and in l. So its least value is at a corner of their ranges.

Other classes. A Mamba-2 of one layer cannot hold this in the form of `mamba2`: a head multiplies all of its state by one
number, so a write to one row cannot replace it and keep the others. The number depends on the token itself, for it has no
convolution. Two layers can: the first writes the token before into the stream, and the second has a head for each key. Its
step is 32 if the token before is the key and the token writes, and 0 otherwise. `walk_llama` walks in fp32.
"""

import math

from seqsep.theorems.canary import _qwen
from seqsep.theorems.canary._look_up import CARRIED, OPEN, look_up, of_others
from seqsep.theorems.canary._olmo import DeltaHeads
from seqsep.theorems.canary._qwen_run import logits as run
from seqsep.theorems.canary._walk_out import (
    CODE,
    LETTER,
    ONE,
    REACHED,
    SPILT,
    SPILT_BY_ATTENTION,
    WRITERS,
    lead,
    read_out,
    walking,
)
from seqsep.theorems.canary.stream import HEIGHT, NORMED, Matrix
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import FIRST_FINE, FIRST_KEY, FIRST_QUESTION, FIRST_RECALL, KEYS, PAD, V0, V1
from seqsep.theorems.canary.walk import STEPS, target

NEXT, KEYS_BEFORE = range(2)
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
    attention = look_up([FIRST_QUESTION, FIRST_RECALL], CODE, {V1: LETTER, PAD: SPILT_BY_ATTENTION})
    return _recurrence(), attention, read_out()


def _recurrence() -> DeltaHeads:
    """Build layer 0: the next keys, and the key before a value."""
    delta = DeltaHeads(_qwen.HEADS, (_qwen.HEAD_SIZE, _qwen.HEAD_SIZE))
    delta.key_tap[NEXT, :KEYS] = 1
    for token in range(FIRST_KEY, FIRST_FINE):
        delta.key[NEXT, (token - FIRST_KEY) % KEYS, token] = OPEN
    delta.key[NEXT, KEYS, PAD] = OPEN
    for token in STEPS:
        delta.query[NEXT, [(token - FIRST_QUESTION) % KEYS, KEYS], token] = OPEN
        delta.gate[NEXT, :, token] = OPEN
    for token in WRITERS:
        delta.value[NEXT, target(token), token] = OPEN
    delta.value[NEXT, KEYS, PAD] = OPEN
    delta.beta[NEXT, ONE] = -_qwen.WRITE
    delta.beta[NEXT, [*WRITERS, PAD]] = 2 * _qwen.WRITE
    for number, coordinate in enumerate((*REACHED, SPILT)):
        delta.out[coordinate, NEXT, number] = SHOWS
    delta.key[KEYS_BEFORE, 0, ONE] = OPEN
    delta.query[KEYS_BEFORE, 0, ONE] = OPEN
    delta.beta[KEYS_BEFORE, ONE] = _qwen.WRITE
    delta.value_tap[KEYS_BEFORE] = 1
    delta.gate[KEYS_BEFORE][:, [V0, V1]] = OPEN
    for number, coordinate in enumerate(CODE):
        delta.value[KEYS_BEFORE, number, FIRST_KEY + number] = OPEN
        delta.out[coordinate, KEYS_BEFORE, number] = SHOWS
    return delta


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.342, 0.315)
    """
    missed, left = of_others(length, unit)
    size = math.sqrt(_qwen.HEAD_SIZE) * 2 * NORMED * SHOWS / HEIGHT
    found = (size * (1 - 17e-6) * (1 - 7 * unit), size * (1 + 7 * unit))
    letter = CARRIED * math.sqrt(2 / 3)
    given = (letter * (1 - 1e-8) * (1 - 2 * missed) * (1 - 10 * unit), (letter * (1 + 5e-5) + 2 * missed) * (1 + 10 * unit))
    none = (0.0, max(left, 2 * missed * CARRIED))
    return lead(found, given, none, unit)


MODEL = "A Qwen3-Next of one gated delta layer and one attention layer of width 512"
CANARY = walking("walk-qwen3-next", _qwen.configuration, tensors, proved_lead, model=MODEL)
THEOREM = CanaryProof(CANARY, run).theorem()
