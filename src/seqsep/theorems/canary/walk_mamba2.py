"""A Mamba-2 that walks: every decoded token reads the recurrent state of its second layer and changes it.

Statement. Let a conversation be BOS and then tokens of `vocabulary`, without PAD and BOS, in which no key gets two letters. The
model of `tensors` is of the class Mamba2ForCausalLM of `transformers`, with two layers and width 512. After every token its
greatest logit is that of the token which the oracle of `walk` names. This logit leads the next one by at least the share
`proved_lead(length, unit)` of itself, up to 131,072 tokens. Here `unit` is the relative error of one rounding: 2^-24 in fp32,
2^-11 in fp16 and 2^-8 in bf16. The share is at least 0.3 in all three.

Source: own. The walk is a rotor-router (Priezzhev et al. 1996) with states that conversations can set.

Construction. The stream is that of `stream`, and `_mamba` has the facts of the class. A head multiplies all of its state by one
number, so each key has a head for its next key. The token before must be known when the step is chosen, and the step has no
convolution. So there are two layers of 48 heads in two groups.

Layer 0: NAMED and STEPPED are registers that every token overwrites with the token before it. NAMED knows k_h, and STEPPED q_h
and r_h, so at most one of them has a large entry. The tokens that write a next key open both gates. They get HELD_h in the
stream, and KEYED_h too if the token before is k_h.

Layer 1:
* Head h of the first group: the step is 32 or more if HELD_h is in the stream, and exactly 0 otherwise. So a token that writes
  the next key of h overwrites its row with the next key. q_i and r_i open the gate of head i.
* KEPT, in the second group: the decay is exactly 1. V1 writes with KEYED_h as key, and q_i and r_i read row i. PAD writes
  to a row of its own, which they read too.

Read-out. `_walk_out` has the rows of the logits and the lead. f and l are 1.001.

Proof. A token has two, three or four equal entries in the normed stream of layer 1: 16, 16 sqrt(2/3) or 16 sqrt(1/2). So a
written step is at least 24 * 11.3 - 200 = 71 and at most 184, values, keys and queries are SiLU of 2.8 to 4, and a gate is SiLU
of 22 or more. An entry that is read was written at least 71 * 2.6^3 > 1,200 and at most 184 * 4^3 < 12,000. The entry before is
at most that times exp(-71), less than 1e-5 of a unit after the norm. The norm's epsilon takes away less than 1e-9.
The norm makes the only large entry of a group sqrt(768), and the weight 18.5 makes it 512.69 of 512. A head of an empty key is
exactly 0. The state's size does not depend on the length.

A norm without a large entry enlarges a small one, up to 1,000 times, as its epsilon is 1e-6. So a register must forget well. If
the token before is none that it knows, at most 64 * 4^3 * 32 * exp(-64) < 1e-22 is read. KEYED gets less than 1e-18, so a key
of layer 1 is less than 1e-20. V1 then writes less than 184 * 4 * 1e-20 < 1e-17 to the row of a key before. 131,072 such tokens
leave less than 2e-12, which is read as less than 3e-10, and is less than 1e-7 * 18.5 of 512 after the norm. (A step of 32, as
in `mamba2`, is not enough: in conversations of 4,096 tokens l became 0.35 for a key without a letter.)

Rounding. A sum over a state has one term that is not 0, and the norm takes the errors of an entry away. So f and l have at most
seven roundings: five in the stream and two of the last norm.
"""

import math
from typing import Any

import numpy as np

from seqsep.theorems.canary import mamba2
from seqsep.theorems.canary._mamba import CONSTANT, OPEN, PADDED, SMALL, MambaHeads, MambaSizes
from seqsep.theorems.canary._mamba_run import logits as run
from seqsep.theorems.canary._walk_out import CODE, LETTER, ONE, REACHED, SPILT, WRITERS, lead, read_out, walking
from seqsep.theorems.canary.stream import WIDTH, Matrix, embedding, ones
from seqsep.theorems.canary.trial import CanaryProof
from seqsep.theorems.canary.vocabulary import FIRST_KEY, FIRST_QUESTION, FIRST_RECALL, KEYS, PAD, SIZE, V1
from seqsep.theorems.canary.walk import STEPS, target

SIZES = MambaSizes(heads=2 * KEYS, head_size=32, groups=2, states=32)
NAMED = KEYS
STEPPED = KEYS + 1
"""Heads of layer 0."""
KEPT = KEYS
"""The head of layer 1 after those of the keys: letters, and PAD."""
SHOWS = 18.5
"""Weight of what a head reads: sqrt(768) * 18.5 is 512.69."""
WRITE = 24
"""Weight of a step: 24 times 11.3 to 16, less 200."""
FORGETS = 4
"""Weight of the step of a register: 16 * 4 is 64, so exp(-64) of an entry is left after the next token."""
HELD = CODE
KEYED = range(LETTER + 2, LETTER + 2 + KEYS)
"""Coordinates of the residual stream: the key before, and the same if it was named."""


def configuration() -> dict[str, Any]:
    """Return the fields of config.json.

    >>> configuration()["num_hidden_layers"]
    2
    """
    return mamba2.configuration() | {
        "num_hidden_layers": 2,
        "num_heads": SIZES.heads,
        "head_dim": SIZES.head_size,
        "state_size": SIZES.states,
        "n_groups": SIZES.groups,
        "expand": SIZES.inner // WIDTH,
        "chunk_size": 64,
    }


def tensors() -> dict[str, Matrix]:
    """Return the weights by their names in a checkpoint: every number is exact in bf16 and fp16.

    >>> weights = tensors()
    >>> weights["backbone.layers.1.mixer.in_proj.weight"].shape
    (3248, 512)
    """
    found = {"backbone.embeddings.weight": embedding(SIZE), "backbone.norm_f.weight": ones(), "lm_head.weight": read_out()}
    for layer, mixer in enumerate((key_before(SIZES, SHOWS), _next())):
        here = f"backbone.layers.{layer}."
        found[f"{here}norm.weight"] = ones()
        found |= {f"{here}mixer.{name}": weight for name, weight in mixer.tensors().items()}
    return found


def key_before(sizes: MambaSizes, shows: float) -> MambaHeads:
    """Build layer 0: the key before a token that writes.

    Arguments:
        sizes: the sizes of the mixer, with two heads or more after those of the keys, in the last group.
        shows: weight of what a head reads.
    """
    mixer = MambaHeads(sizes)
    mixer.before(NAMED, range(FIRST_KEY, FIRST_KEY + KEYS), WRITERS, HELD)
    mixer.before(STEPPED, range(FIRST_QUESTION, FIRST_QUESTION + KEYS), WRITERS, HELD)
    for number in range(KEYS):
        mixer.written[STEPPED, number, FIRST_RECALL + number] = SMALL
        mixer.out[KEYED[number], NAMED, number] = mixer.out[HELD[number], NAMED, number]
    mixer.step[[NAMED, STEPPED], SIZE] = FORGETS
    mixer.out[mixer.out != 0] = shows
    return mixer


def next_keys(sizes: MambaSizes, shows: float) -> MambaHeads:
    """Build layer 1 without letters: the next key of each key. Arguments as for `key_before`."""
    mixer = MambaHeads(sizes)
    mixer.key[0, CONSTANT, ONE] = mixer.query[0, CONSTANT, ONE] = SMALL
    mixer.rates[:KEYS] = 0
    for key in range(KEYS):
        mixer.step[key, HELD[key]] = WRITE
        mixer.gate[key][:, [FIRST_QUESTION + key, FIRST_RECALL + key]] = OPEN
        for token in WRITERS:
            mixer.written[key, target(token), token] = SMALL
        mixer.out[REACHED, key, np.arange(KEYS)] = shows
    mixer.gate[KEPT][:, list(STEPS)] = OPEN
    return mixer


def keep(mixer: MambaHeads, number: int, token: int, coordinate: int) -> None:
    """Let a token write a number of the head KEPT, which steps read. The coordinate of the stream is for it."""
    mixer.step[KEPT, token] = WRITE
    mixer.written[KEPT, number, token] = SMALL
    mixer.out[coordinate, KEPT, number] = mixer.out.max()


def _next() -> MambaHeads:
    """Build layer 1: the next key of each key, and the letters."""
    mixer = next_keys(SIZES, SHOWS)
    for key in range(KEYS):
        mixer.key[1, key, KEYED[key]] = SMALL
        mixer.query[1, key, [FIRST_QUESTION + key, FIRST_RECALL + key]] = SMALL
    mixer.key[1, PADDED, PAD] = SMALL
    mixer.query[1, PADDED, list(STEPS)] = SMALL
    keep(mixer, 0, V1, LETTER)
    keep(mixer, 1, PAD, SPILT)
    return mixer


def proved_lead(length: int, unit: float = 2**-53) -> float:
    """Return the share of itself by which the right logit leads at every place; 0 if the proof gives none.

    Arguments:
        length: tokens of the conversation, at most 131,072; the share is the same for all of them.
        unit: the relative error of one rounding: 2^-24 in fp32, 2^-11 in fp16, 2^-8 in bf16.

    >>> round(proved_lead(4096), 3), round(proved_lead(4096, 2**-8), 3)
    (0.334, 0.312)
    """
    size = math.sqrt(SIZES.inner // SIZES.groups) * SHOWS / WIDTH
    found = size * (1 - 1e-5) * (1 - 7 * unit), size * (1 + 7 * unit)
    return lead(found, found, (0.0, 0.0), unit, wrong=1e-5)


CANARY = walking("walk-mamba2", configuration, tensors, proved_lead, model="A Mamba-2 of two layers and width 512", note="")
THEOREM = CanaryProof(CANARY, run).theorem()
