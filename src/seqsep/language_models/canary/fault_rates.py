"""Measure how many conversations with a canary see an injected fault: all conversations are rows of one batch."""

from typing import Any

import numpy as np
import torch

from seqsep.language_models.canary.faults import Fault
from seqsep.language_models.canary.questions import canary_words
from seqsep.theorems.canary import Canary
from seqsep.theorems.canary.vocabulary import BOS, FILLER, FIRST_FINE, FIRST_KEY, KEYS

BORDER = 256
"""A multiple of all sizes of chunks. A key is the token before it, and the value the token after it."""
EARLY = 64
AFTER = 4
"""Tokens between the last value and the question."""
DECODED = 24
DECODED_LONG = 120
OLD = ("long", "together")
MISSING = ("absent",)
FINE = ("fine",)
"""Scenarios that ask for the first key, for a key without a value, and finely for the first key.

Others ask for the last key.
"""
TWICE = ("twice",)
"""Scenarios that ask for the last key before BORDER too. In a walk this token changes the state if it is read twice."""


def conversations_seen(model: Any, canary: Canary, fault: Fault, *, chunk: int = 64, conversations: int = 20) -> int:
    """Return the number of conversations in which a wrong token shows a fault.

    Each conversation has a pair across the token EARLY and one across BORDER. The question is about the pair that the fault's
    scenario is about. If prompts are padded, one more prompt is longer than all that count.

    Arguments:
        model: the canary in `transformers`.
        canary: the canary.
        fault: the fault.
        chunk: tokens of a chunk.
        conversations: number of conversations.
    """
    prompts = _prompts(canary, fault.seen_in, conversations + 1)
    count = DECODED_LONG if fault.seen_in in ("decoding", "") else DECODED
    served = fault.serve(model, chunk)
    if fault.seen_in == "together":
        lengths = range(EARLY + 3, EARLY + 4 + conversations)
        prompts = [[*prompt[:length], prompt[-1]] for prompt, length in zip(prompts, lengths, strict=True)]
        answers = served.complete(prompts, count)
    else:
        served.last = _with_all_keys(canary)
        with torch.no_grad():
            answers = served.in_rows(prompts, count)
    pairs = zip(prompts[:conversations], answers, strict=False)
    return sum(found != canary.continued(prompt, count) for prompt, found in pairs)


def _with_all_keys(canary: Canary) -> list[int]:
    """Return a prompt in which every key has a value."""
    values = canary_words(canary.name).values
    return [BOS, *(token for key in range(KEYS) for token in (FIRST_KEY + key, values[key % 2]))]


def answer_changes(canary: Canary, tokens: list[int], question: int) -> bool:
    """Return True if a question is answered in another way after the last token is read twice.

    >>> from seqsep.theorems.canary import CANARIES
    >>> step = canary_words("walk-mamba2").question(3)
    >>> answer_changes(CANARIES["walk-mamba2"], [BOS, FILLER, step], step)
    True
    >>> answer_changes(CANARIES["mamba2"], [BOS, FILLER, FIRST_KEY], canary_words("mamba2").question(0))
    False
    """
    once, twice = (canary.truth([*tokens, *more, FILLER, question])[-1] for more in ([], tokens[-1:]))
    return once != twice


def _prompts(canary: Canary, scenario: str, conversations: int) -> list[list[int]]:
    """Draw prompts of one length."""
    random = np.random.default_rng(len(scenario))
    words = canary_words(canary.name)
    found = []
    for _ in range(conversations):
        first, last, missing = random.permutation(KEYS)[:3].tolist()
        prompt = [BOS, *random.choice(words.noise, size=BORDER + AFTER).tolist()]
        for border, key in ((EARLY, first), (BORDER, last)):
            prompt[border - 1 : border + 2] = [FIRST_KEY + key, words.values[int(random.integers(2))], FILLER]
        if scenario in TWICE and answer_changes(canary, [*prompt[: BORDER - 1], words.question(last)], words.question(last)):
            prompt[BORDER - 1 : BORDER + 1] = [words.question(last), FILLER]
        asks = first if scenario in (*OLD, *FINE) else missing if scenario in MISSING else last
        found.append([*prompt, FIRST_FINE + asks if scenario in FINE else words.question(asks)])
    return found
