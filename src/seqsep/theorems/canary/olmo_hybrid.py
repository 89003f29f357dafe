"""An OLMo hybrid whose every greedy answer is known: keyed bits by its recurrence and by its attention, and a parity.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, at most 131,072 in all, in which no
key gets two values. The model of `tensors` is of the class OlmoHybridForCausalLM of `transformers`, with a gated delta layer,
an attention layer without positions, and width 512. After every token its greatest logit is that of the token which the oracle
names. This logit leads the next one by at least the share `proved_lead(length, unit)` of itself. Here `unit` is the relative
error of one rounding: 2^-24 in fp32, 2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.45 in all three.

Its knowledge:
* q_i is answered by attention and r_i by the recurrence, with the value of key i, or with ABSENT if k_i has no value. A value
  is the token V0 or V1 right after its key.
* w_i is answered like r_i, from a state whose numbers need more than eight bits: if an engine keeps the state in bf16, the
  answer is ABSENT.
* PARITY is answered with A1 if the number of V1 and of answers so far is odd, and else with A0.
* After an answer to a question comes the next question: r_i after q_i, q_(i+1) after r_i, PARITY after r_23, q_0 after PARITY.
  w_(i+1) comes after w_i. So greedy decoding asks for all keys in both ways, and every second token changes the state.
* Every other token is answered with ACK. LEAK is never right: only a PAD that is read leads to it.

Source: own. The task is associative recall (Wen et al. 2025) with bits as values.

Construction. The stream is that of `stream`. Layer 0 has six heads, whose facts are in `_olmo`.
* MEMORY: V0 and V1 write (beta 1), with the token before as key (tap 1) and the token as value. All other tokens have a beta
  below 1e-55. r_i reads row i. PAD writes LEAK to a row of its own (tap 0), which every r_i reads too.
* KEYS_BEFORE and QUESTIONS_BEFORE: one row, which every token overwrites with the token before it (beta 1). V0 and V1 open the
  gate of the first, and answers that of the second. So values have the code of their key in the stream, and answers that of
  their question.
* FINE: BOS writes the same number to the rows of all keys and to one more row: 8192/5 = 1638.4. With the token before as key,
  V1 and V0 write 3072 and 0 with a beta of 0.00067. The keys have both taps, and after BOS all rows change alike. So a row
  gets larger by 0.96 or smaller by 1.1. Numbers of this size are multiples of 8 in bf16. The query of w_i is row i minus the
  other row, by SiLU(227/512) = -SiLU(-65/64) (1 + 1.1e-5). Both have the same value in bf16, and in fp16.
* FINE_BEFORE: as QUESTIONS_BEFORE, for w_i.
* FLIPS: BOS writes 32 with beta 1. V1 and answers have beta 2 and the value 0, so they change the sign. PARITY reads it.

Layer 1 uses one head. The norm makes a key of one code a one-hot vector of length sqrt(512). A token without a code has the
key 0. BOS has the sum of all codes as key. q_i has code i as query, every other token the sum of all codes, and each query has
twice the code of PAD. V0, V1 and PAD have values. So q_i reads its value. If there is none, it reads BOS, whose value is 0.

Read-out, in units of the normed constant: ACK has 1. On q_i, r_i and w_i ABSENT has 2. A1 and A0 have 4 for their value in
MEMORY, 4.24 for their value in attention, 4 for their parity, and 4 or -4 for the sign of FINE. The question after that of
QUESTIONS_BEFORE has 2. So the right logit has 4 to 2, 2 to 1, 4 to 1 or 2 to 1.

Proof. Rows of MEMORY and FLIPS hold 0 or 32 and their negatives, so the state is exact in fp32, in which the kernel computes.
The norm after a head makes the only non-zero entry 8 (1 - 2^-15). In attention let u = 8 * 512 / sqrt(128) be the score of
equal unit vectors. A right value has u / sqrt 5, BOS has u / sqrt(5 * 24) for q_i, and every other token has 0. So the wrong
tokens have at most N exp(-u / sqrt 5 + u / sqrt 120) or N exp(-u / sqrt 120) of the weight. In the second case the value that
is read is at most 512 of that. The norm after it divides by 0.001 or more, and so adds at most 16 * 512,000 of the weight.

A product of FINE is at least d = 0.96 / sqrt(2 * 32). For a key without a value it is at most r = 1638.4 * 2e-5 / 8, with the
errors of the kernel's sums: they have 64 terms of at most 1638.4. The norm makes d 8 / sqrt(1 + 64e-5 / d^2) and r at most
sqrt(1e5) r.

Rounding. Scores have an error of at most 8 unit of their size: two for the code, two for each norm, and two for the product
and its scaling. A coordinate of the stream has at most five roundings, and a logit three more.
"""

import math
from typing import Any

from seqsep.theorems.canary import _olmo
from seqsep.theorems.canary._olmo_run import logits as run
from seqsep.theorems.canary.canary import Canary
from seqsep.theorems.canary.recall import BOTH, FINE, FLIPS, RecallOracle, conversations_about, following
from seqsep.theorems.canary.stream import HEIGHT, NORMED, WIDTH, Matrix, embedding, zeros
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import (
    A0,
    A1,
    ABSENT,
    ACK,
    ANSWERS,
    BOS,
    FIRST_KEY,
    FIRST_QUESTION,
    FIRST_RECALL,
    KEYS,
    LEAK,
    PAD,
    PARITY,
    SIZE,
    V0,
    V1,
)

LONGEST = 1 << 17
HEADS = 6
MEMORY, KEYS_BEFORE, QUESTIONS_BEFORE, FINE_BEFORE, SIGN, FINELY = range(HEADS)
KEY_SIZE = 32
VALUE_SIZE = 64
SHARPNESS = 8
OFFSET = 512
MORE = 192
"""Weights of what FINELY holds and of what V1 writes to it."""
SLIGHTLY = 7.5
"""Weight of its beta: 2 sigmoid(16 * 7.5 - 128)."""
PLUS = 227 / 512
MINUS = -65 / 64
"""SiLU of them is 0.27004 and -0.27003."""
LOUDNESS = 2
"""Weight of PAD's code in each query, in those of a key's code."""
SPREAD = 16
"""Scale of the norm after attention."""

ONE = SIZE
CODE = range(ONE + 1, ONE + 1 + KEYS)
BEFORE = range(CODE.stop, CODE.stop + len(BOTH))
FINE_AFTER = range(BEFORE.stop, BEFORE.stop + len(FINE))
RECALLED = range(FINE_AFTER.stop, FINE_AFTER.stop + 3)
ATTENDED = range(RECALLED.stop, RECALLED.stop + 3)
EVEN = ATTENDED.stop
LARGER = ATTENDED.stop + 1
"""Coordinates of the residual stream after those of the tokens: the constant, what is before, and what was found."""

WRITTEN = (V0, V1, PAD)
"""Tokens whose value is found, and `SAYS`, the answers to them."""
SAYS = (A0, A1, LEAK)


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["layer_types"]
    ['linear_attention', 'full_attention']
    """
    return _olmo.configuration(SIZE, HEADS, (KEY_SIZE, VALUE_SIZE), LONGEST)


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["model.layers.0.linear_attn.k_proj.weight"].shape, weights["model.layers.1.self_attn.k_proj.weight"].shape
    ((192, 512), (512, 512))
    """
    weights = _olmo.model(embedding(SIZE), _recurrence(), _look_up(), _read_out())
    weights["model.layers.1.post_attention_layernorm.weight"] *= SPREAD
    return weights


def _recurrence() -> _olmo.DeltaHeads:
    """Build layer 0: the memory, the token before, and the parity."""
    delta = _olmo.DeltaHeads(HEADS, (KEY_SIZE, VALUE_SIZE))
    delta.key_tap[MEMORY, :KEYS] = 1
    for number in range(KEYS):
        delta.key[MEMORY, number, FIRST_KEY + number] = 2
        delta.query[MEMORY, number, FIRST_RECALL + number] = 2
    recalls = slice(FIRST_RECALL, FIRST_RECALL + KEYS)
    delta.key[MEMORY, KEYS, PAD] = 2
    delta.query[MEMORY, KEYS, recalls] = 2
    delta.gate[MEMORY][:, recalls] = 2
    delta.beta[[MEMORY, SIGN, FINELY], ONE] = _olmo.NOTHING
    for number, token in enumerate(WRITTEN):
        delta.value[MEMORY, number, token] = 2
        delta.beta[MEMORY, token] = -_olmo.NOTHING
        delta.out[RECALLED[number], MEMORY, number] = 2
    delta.key[KEYS_BEFORE:FINELY, 0, ONE] = 2
    delta.query[KEYS_BEFORE:FINELY, 0, ONE] = 2
    delta.value_tap[[KEYS_BEFORE, QUESTIONS_BEFORE, FINE_BEFORE]] = 1
    delta.gate[KEYS_BEFORE][:, [V0, V1]] = 2
    for number in range(KEYS):
        delta.value[KEYS_BEFORE, number, FIRST_KEY + number] = 2
        delta.out[CODE[number], KEYS_BEFORE, number] = 2
    for head, questions, coordinates in ((QUESTIONS_BEFORE, BOTH, BEFORE), (FINE_BEFORE, FINE, FINE_AFTER)):
        delta.gate[head][:, list(ANSWERS)] = 2
        for number, question in enumerate(questions):
            delta.value[head, number, question] = 2
            delta.out[coordinates[number], head, number] = 2
    delta.value[SIGN, 0, BOS] = 2
    delta.beta[SIGN, BOS] = -_olmo.NOTHING
    delta.beta[SIGN, list(FLIPS)] = _olmo.EXACTLY_TWO - _olmo.NOTHING
    delta.gate[SIGN, :, PARITY] = 2
    delta.out[EVEN, SIGN, 0] = 2
    _small_differences(delta)
    return delta


def _small_differences(delta: _olmo.DeltaHeads) -> None:
    """Fill in the head whose rows differ by less than bf16 shows."""
    delta.key_tap[FINELY, : KEYS + 1] = 1
    delta.key_too[FINELY, : KEYS + 1] = True
    delta.key[FINELY, : KEYS + 1, BOS] = 2
    delta.value[FINELY, 0, BOS] = OFFSET
    delta.value[FINELY, 0, V1] = MORE
    delta.beta[FINELY, BOS] = -_olmo.NOTHING
    delta.beta[FINELY, [V0, V1]] = SLIGHTLY
    for number in range(KEYS):
        delta.key[FINELY, number, FIRST_KEY + number] = 2
        delta.query[FINELY, number, FINE[number]] = PLUS / NORMED
        delta.query[FINELY, KEYS, FINE[number]] = MINUS / NORMED
    delta.gate[FINELY][:, list(FINE)] = 2
    delta.out[LARGER, FINELY, 0] = 2


def _look_up() -> dict[str, Matrix]:
    """Build layer 1: q_i finds the value whose key has its code, or BOS."""
    heads = _olmo.attention()
    query, key, value, out = (heads[f"{name}_proj.weight"] for name in "qkvo")
    query[:KEYS, ONE] = 1
    query[:KEYS, FIRST_QUESTION : FIRST_QUESTION + KEYS] = -1
    query[KEYS, ONE] = LOUDNESS
    key[KEYS, PAD] = 1
    key[:KEYS, BOS] = 1
    for number in range(KEYS):
        query[number, FIRST_QUESTION + number] = 0
        key[number, CODE[number]] = 1
    for number, token in enumerate(WRITTEN):
        value[number, token] = 1
        out[ATTENDED[number], number] = 1
    heads["q_norm.weight"] *= SHARPNESS
    return heads


def _read_out() -> Matrix:
    rows = zeros(SIZE, WIDTH)
    rows[ACK, ONE] = 1
    rows[ABSENT, FIRST_QUESTION : FIRST_QUESTION + KEYS] = 2
    rows[ABSENT, FIRST_RECALL : FIRST_RECALL + KEYS] = 2
    for number, (token, weights) in enumerate(zip(SAYS, ((4, 6), (4, 6), (16, 32)), strict=True)):
        rows[token, RECALLED[number]], rows[token, ATTENDED[number]] = weights
    rows[ABSENT, list(FINE)] = 2
    rows[A0, [EVEN, LARGER]] = 4, -4
    rows[A1, [EVEN, LARGER]] = -4, 4
    after = following(BOTH, FINE)
    for question, coordinate in zip((*BOTH, *FINE), (*BEFORE, *FINE_AFTER), strict=True):
        rows[after[question], coordinate] = 2
    return rows


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: N, tokens of the longest conversation.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.488, 0.455)
    """
    whole = SHARPNESS * WIDTH / math.sqrt(WIDTH // _olmo.ATTENTION_HEADS)
    side = math.sqrt(1 + LOUDNESS**2)
    match = whole / side
    sink = whole / (side * math.sqrt(KEYS))
    error = 8 * unit
    missed = length * math.exp(-max(0.0, match * (1 - error) - sink * (1 + error)))
    missed += length * math.exp(-max(0.0, match * (1 - error)))
    left = length * math.exp(-sink * (1 - error)) * HEIGHT * 1000 * SPREAD / HEIGHT
    size = (1 - 2**-15) * (1 - 5 * unit)
    attended = SPREAD * math.sqrt(WIDTH) / HEIGHT * (1 - 2 * missed) * (1 - 5 * unit)
    most = 1 + 5 * unit
    difference = 0.96 / math.sqrt(2 * KEY_SIZE) * (1 - 2 * unit)
    residue = OFFSET * NORMED / 5 * 2e-5 / math.sqrt(2 * KEY_SIZE)
    fine = size / math.sqrt(1 + 64e-5 / (difference - residue) ** 2)
    nothing = residue * math.sqrt(1e5) / math.sqrt(VALUE_SIZE)
    pairs = [
        (4 * fine, 2 * most),
        (2 * (1 - unit), max(most, 4 * nothing)),
        (4 * size, 2 * most),
        (6 * attended, max(2 * most, 6 * 2 * missed)),
        (2 * (1 - unit), max(most, 32 * left)),
        (4 * size, most),
        (2 * size, most),
        (1 - unit, 32 * left),
    ]
    leads = [1 - other * (1 + 3 * unit) / (right * (1 - 3 * unit)) for right, other in pairs]
    return max(0.0, min(leads))


CANARY = Canary(
    name="olmo-hybrid",
    statement="An OLMo hybrid of width 512 answers every question about 24 "
    "keyed bits in two ways, and about a parity, in conversations of up to 131,072 tokens in fp32, fp16 and bf16",
    configuration=configuration,
    tensors=tensors,
    oracle=lambda: RecallOracle(BOTH, FINE),
    conversation=conversations_about(BOTH, *FINE),
    proved_lead=proved_lead,
    longest=LONGEST,
    settled=1,
    rules="""* `k3 v1` gives key 3 the value 1. A key has at most one value.
* `q3` asks attention for it, and `r3` the recurrence: `a0`, `a1`, or `absent` if key 3 has no value.
* `w3` asks for it too: if the recurrent state is kept in bf16, the answer is `absent`.
* `parity` asks for the parity of the number of `v1`, `a0`, `a1`, `absent` and `leak` so far: `a0` if it is even.
* After such an answer to a question comes the next question: `r3` after `q3`, `q4` after `r3`, `parity` after `r23`, and `q0`
  after `parity`. `w4` comes after `w3`, and `w0` after `w23`.
* After every other token comes `ack`.
* `leak` is never right: it shows padding that was read.""",
    example="<bos> k3 v1 k7 v0 q3 -> a1",
)
THEOREM = CanaryProof(CANARY, run).theorem()
