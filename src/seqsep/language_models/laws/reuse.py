"""The laws of caches that serve more than once, or that are allocated before they are filled."""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from seqsep.language_models.laws.cuts import chunkings
from seqsep.language_models.laws.independence import NEW_TOKENS
from seqsep.language_models.laws.reader import State
from seqsep.language_models.laws.refusals import refusals_not_tried
from seqsep.language_models.laws.trial import LawTrial, NotTried


def reset(trial: LawTrial) -> None:
    """A state that has read another sequence, and is then emptied by its method `reset`, gives the logits of an empty state."""
    trial.require_state()
    for length in (trial.time, 2):
        state = trial.reader.read(trial.other_tokens[:, :length])[1]
        if not hasattr(state.value, "reset"):
            raise NotTried("its state has no reset")
        with refusals_not_tried("its state refuses to be reset"):
            state = trial.reader.reset(state)
        sizes = sizes_of_decoding(trial.time)
        found = in_sizes(trial, state, sizes)
        words = f"a state that was reset after {length} tokens of another sequence"
        trial.require_as(words, found, trial.reference, control=partial(in_sizes, trial, None, sizes))


def reused(trial: LawTrial) -> None:
    """In the second turn of a chat, `generate` with the state of the first turn gives the logits of one pass.

    The state is the one that `generate` returns. If it returns none, seqsep gives it an empty cache of the library to fill.
    """
    trial.require_state()
    if not hasattr(trial.reader.model, "generate"):
        raise NotTried("it has no generate")
    start = trial.time // 3
    first = _turn(trial, trial.tokens[:, :start])
    state = getattr(first, trial.reader.name, None)
    if state is None:
        if not trial.reader.takes_cache(trial.reader.read(trial.tokens[:, :2])[1]):
            raise NotTried("its generate hands no state back")
        state = trial.reader.growing().value
        first = _turn(trial, trial.tokens[:, :start], **{trial.reader.name: state})
    prompt = torch.cat([first.sequences, trial.tokens[:, start : 2 * start]], 1)
    with refusals_not_tried("its generate refuses the state of an earlier turn"):
        second = _turn(trial, prompt, **{trial.reader.name: state})
    text = second.sequences[:, :-1]
    new = text.shape[1] - prompt.shape[1]
    sizes = [start, *[1] * new, start + 1, *[1] * new]
    words = f"the second turn after one of {first.sequences.shape[1]} tokens (tokens counted from the first written)"
    trial.require_as(
        words,
        torch.stack(list(second.logits), 1),
        trial.exact.whole(text)[:, -new - 1 :],
        control=lambda: in_sizes(trial, None, sizes, text)[:, -new - 1 :],
    )


def _turn(trial: LawTrial, prompt: Tensor, **state: Any) -> Any:
    return trial.reader.generate(prompt, max_new_tokens=NEW_TOKENS, use_cache=True, output_logits=True, **state)


def static(trial: LawTrial) -> None:
    """A cache that is allocated for a number of tokens before it is filled gives the logits of one that grows."""
    trial.require_state()
    for spare, sizes in enumerate((sizes_of_decoding(trial.time), *chunkings(trial.time))):
        length = trial.time + spare
        state = _static(trial, length)
        with refusals_not_tried("it refuses a static cache"):
            found = in_sizes(trial, state, sizes)
        words = f"a static cache of {length} places, in chunks of {', '.join(map(str, sizes))} tokens"
        trial.require_as(words, found, trial.reference, control=partial(in_sizes, trial, None, sizes))
    state = _static(trial, length)
    trial.reader.read(trial.other_tokens, state)
    sizes = [1] * trial.time
    found = in_sizes(trial, trial.reader.reset(state), sizes)
    words = f"a static cache of {length} places after its reset, token by token"
    trial.require_as(words, found, trial.reference, control=partial(in_sizes, trial, None, sizes))


def _static(trial: LawTrial, length: int) -> State:
    """Return an empty static cache. Raises NotTried if the library has none for the layers of the model."""
    state = trial.reader.read(trial.tokens[:, :2])[1]
    if not trial.reader.takes_cache(state):
        raise NotTried("its state is not the library's cache")
    try:
        with refusals_not_tried("the library refuses a static cache"):
            return trial.reader.static(length)
    except (KeyError, AttributeError) as error:
        raise NotTried(f"the library has no static cache of its layers ({error})") from error


def sizes_of_decoding(time: int) -> list[int]:
    """Return the sizes of chunks of a prompt in one pass and single tokens after it.

    >>> sizes_of_decoding(5)
    [2, 1, 1, 1]
    """
    half = time // 2
    return [half, *[1] * (time - half)]


def in_sizes(trial: LawTrial, state: State | None, sizes: list[int], text: Tensor | None = None) -> Tensor:
    """Return the logits of a text, by default all tokens, in chunks of these sizes; the first is read into the state."""
    tokens = trial.tokens if text is None else text
    found = []
    for chunk in tokens.split(sizes, 1):
        logits, state = trial.reader.read(chunk, state)
        found.append(logits)
    return torch.cat(found, 1)
