"""Greedy decoding of a trained model: each token has the greatest logit after all tokens before it, up to a stop.

    generate             by the model's recurrent form: one `step` a token for all prompts together, queries answered live
    generate_by_forward  the same from the definition: the whole prefix runs through `forward` again for every token

One clock serves prompts of all lengths. At time t every running text gives its own token t to the same `step`: one of its
prompt, one that was inserted after a query, or the one that its logits of time t - 1 made greatest. So a text never waits
for another, no padding is ever read, and positions are right by themselves. What the prompts surely have in common, the times
before the end of the shortest, is read at once.

Both ways have the same logits except for rounding, so they may differ where two logits are nearly equal, and then on from
there; `margins` tell such places.
"""

import math
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from seqsep.models.mixers.base import with_parts
from seqsep.models.model import Model, ModelState
from seqsep.tasks.base import LiveRetriever
from seqsep.tasks.retriever import TimeoutCall, TookTooLong

SECONDS = 30.0

Found: TypeAlias = tuple[list[int], str]
"""The tokens to insert after a text, and what is wrong with the retriever; empty if nothing is."""


class Generated(NamedTuple):
    """The tokens that a model wrote after one prompt.

    Fields:
        tokens: the tokens, up to and including the first stop.
        inserted: true for a token that the retriever inserted.
        margins: difference between each token's logit and the second greatest logit; infinite for an inserted token.

    >>> Generated([4, 2], [False, True], [0.5, float("inf")]).tokens
    [4, 2]
    """

    tokens: list[int]
    inserted: list[bool]
    margins: list[float]


class GenerationFails(ValueError):
    """The error of `generate` if it could not answer some of the prompts.

    Fields:
        reasons: reason of each failure, by the number of the prompt, from 0.
        generated: the generated tokens of each prompt, and None for a prompt that failed.

    >>> str(GenerationFails({1: "no time", 4: "no token"}, [None] * 5))
    'generate: prompt 1: no time (and 1 further prompt fails)'
    """

    def __init__(self, reasons: dict[int, str], generated: list[Generated | None]) -> None:
        first, *others = reasons
        further = f" (and {len(others)} further prompt{'s fail' if len(others) > 1 else ' fails'})" if others else ""
        super().__init__(f"generate: prompt {first}: {reasons[first]}{further}")
        self.reasons = reasons
        self.generated = generated


@dataclass
class _Text:
    """A prompt and the tokens generated after it, up to the place `end`; `failure` is the reason why it was given up."""

    tokens: list[int]
    prompt: int
    end: int
    inserted: list[bool] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    is_done: bool = False
    failure: str = ""

    def generated(self) -> Generated:
        return Generated(self.tokens[self.prompt :], self.inserted, self.margins)

    def extend(self, tokens: Sequence[int], margin: float, inserted: bool) -> None:
        """Append tokens as far as there is room."""
        room = list(tokens)[: self.end - len(self.tokens)]
        self.tokens += room
        self.inserted += [inserted] * len(room)
        self.margins += [margin] * len(room)
        self.is_done = len(self.tokens) >= self.end

    def fail(self, why: str) -> None:
        """Give the text up."""
        self.failure = why
        self.is_done = True


@dataclass(frozen=True)
class _Rules:
    """The rules for a text after a generated token: stops, and the retriever's insertions."""

    stops: frozenset[int]
    vocabulary: int | float
    retriever: TimeoutCall[[tuple[int, ...], int], Found] | None

    def go_on(self, text: _Text, token: int, margin: float) -> None:
        """Append the token, and what the retriever finds; logits or a retriever that fail give the text up."""
        if token >= self.vocabulary:
            text.fail(f"expected a model that writes its own {self.vocabulary} tokens, found class {token}")
            return
        if not math.isfinite(margin):
            text.fail(f"after {len(text.tokens)} tokens the logits are not finite")
            return
        text.extend([token], margin, inserted=False)
        if token in self.stops:
            text.is_done = True
        elif self.retriever is not None and not text.is_done:
            self._insert(text, self.retriever)

    def _insert(self, text: _Text, retriever: TimeoutCall[[tuple[int, ...], int], Found]) -> None:
        """Append the tokens that the retriever inserts after the text so far, or nothing if it finds no closed query."""
        found, wrong = _asked(retriever, text)
        if wrong:
            text.fail(f"after {len(text.tokens)} tokens the retriever {wrong}")
        else:
            text.extend(found, float("inf"), inserted=True)


def _asked(retriever: TimeoutCall[[tuple[int, ...], int], Found], text: _Text) -> Found:
    """Return what the retriever finds after the text so far, and its fault, if any: it may take too long."""
    try:
        return retriever(tuple(text.tokens), text.prompt)
    except TookTooLong:
        return [], f"was stopped after {retriever.seconds:g} seconds"
    except RuntimeError as error:
        return [], f"cannot be called: {error}"


def _checked(retriever: LiveRetriever, vocabulary: int | float) -> Callable[[tuple[int, ...], int], Found]:
    """Return the retriever in a form that returns a list of tokens, or the words of the exception that it raises."""

    def retrieve(tokens: tuple[int, ...], prompt: int) -> Found:
        try:
            found = retriever(tokens, prompt)
        except Exception as error:
            return [], _raised(error)
        if found is None:
            return [], ""
        try:
            inserted = [int(token) for token in found]
        except (TypeError, ValueError, OverflowError):
            return [], f"returns {found!r:.80}; expected a list of tokens, or None"
        except Exception as error:  # of a generator's
            return [], _raised(error)
        strange = next((token for token in inserted if not 0 <= token < vocabulary), None)
        if strange is not None:
            return [], f"returns token {strange}; expected tokens of 0 to {vocabulary - 1}"
        return inserted, ""

    return retrieve


def _raised(error: Exception) -> str:
    """Return the retriever's exception, and its place, in one line."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"raises {said} ({place.filename}, line {place.lineno})"


def generate(
    model: Model,
    prompts: Sequence[Sequence[int]],
    stops: Collection[int],
    most: int,
    retriever: LiveRetriever | None = None,
    *,
    seconds: float = SECONDS,
) -> list[Generated]:
    """Decode greedily after each prompt, up to and including the first stop.

    After each generated token that is not a stop, the retriever may insert tokens. These tokens count in `most`. A text also
    ends at the last position of the model. If two logits are equal, the token with the smaller number is written.

    Arguments:
        model: a model over tokens.
        prompts: tokens of each prompt.
        stops: tokens that end a text.
        most: greatest number of tokens to write for a prompt.
        retriever: function of all tokens so far and the prompt's length, which returns the tokens to insert, or None.
        seconds: time limit of the retriever for one query.

    Raises ValueError for a prompt that is empty, has an unknown token or is longer than the model's positions, and for a
    model over vectors. Raises GenerationFails when all texts are written, if some of them failed. A text fails if its logits
    are NaN, or if they choose a class that is not a token of the model. It also fails if the retriever raises an exception,
    takes more than `seconds` or does not return tokens.

    >>> _ = torch.manual_seed(0)
    >>> model = Model.build(vocabulary=5, classes=5, longest=9, layers=("mamba", "attention"), width=8)
    >>> [len(generated.tokens) for generated in generate(model, [[0, 3, 1], [2]], stops=(), most=4)]
    [4, 4]
    """
    return _written(_by_steps, model, _begun(model, prompts, most), _rules(model, stops, retriever, seconds))


def generate_by_forward(
    model: Model,
    prompts: Sequence[Sequence[int]],
    stops: Collection[int],
    most: int,
    retriever: LiveRetriever | None = None,
    *,
    seconds: float = SECONDS,
) -> list[Generated]:
    """Generate as `generate` does, from its definition: each prompt on its own, and its complete prefix again for each token.

    Raises ValueError as `generate` does.

    >>> _ = torch.manual_seed(0)
    >>> model = Model.build(vocabulary=5, classes=5, longest=9, layers=("lstm",), width=8).double()
    >>> [slow], [fast] = (way(model, [[0, 3, 1]], (), 4) for way in (generate_by_forward, generate))
    >>> slow.tokens == fast.tokens
    True
    """
    return _written(_by_forward, model, _begun(model, prompts, most), _rules(model, stops, retriever, seconds))


def _by_steps(model: Model, texts: Sequence[_Text], rules: _Rules) -> None:
    """Write all texts together, one step a token."""
    running = [text for text in texts if not text.is_done]
    if not running:
        return
    device = model.device
    t = min(text.prompt for text in running) - 1
    state = model.prefill(torch.tensor([text.tokens[:t] for text in running], dtype=torch.int64, device=device))
    while running:
        logits, state = model.advance(torch.tensor([text.tokens[t] for text in running], device=device), state, t)
        t += 1
        for text, token, margin in zip(running, *_greatest(logits), strict=True):
            if len(text.tokens) == t:
                rules.go_on(text, token, margin)
        kept = [row for row, text in enumerate(running) if not text.is_done]
        if len(kept) < len(running):
            running = [running[row] for row in kept]
            state = _rows(state, torch.tensor(kept, dtype=torch.int64, device=device))


def _by_forward(model: Model, texts: Sequence[_Text], rules: _Rules) -> None:
    """Write the texts in order, from the complete prefix for each token."""
    for text in texts:
        while not text.is_done:
            inputs = torch.tensor([text.tokens], device=model.device)
            (token,), (margin,) = _greatest(cast(Tensor, model(inputs))[:, -1])
            rules.go_on(text, token, margin)


@torch.inference_mode()
def _written(
    way: Callable[[Model, Sequence[_Text], _Rules], None], model: Model, texts: list[_Text], rules: _Rules
) -> list[Generated]:
    """Return what the way writes after the texts. Raises GenerationFails if some were given up."""
    with rules.retriever or nullcontext():
        way(model, texts, rules)
    reasons = {number: text.failure for number, text in enumerate(texts) if text.failure}
    if reasons:
        raise GenerationFails(reasons, [None if text.failure else text.generated() for text in texts])
    return [text.generated() for text in texts]


def _rules(model: Model, stops: Collection[int], retriever: LiveRetriever | None, seconds: float) -> _Rules:
    """Return the stops, and the retriever with its bounds."""
    vocabulary = _vocabulary(model)
    bounded = None if retriever is None else TimeoutCall(_checked(retriever, vocabulary), seconds)
    return _Rules(frozenset(stops), vocabulary, bounded)


def _vocabulary(model: Model) -> int | float:
    """Return the number of tokens that the model reads. Raises ValueError if it reads vectors."""
    embedding = getattr(model, "tokens", None)
    if isinstance(embedding, nn.Linear):
        raise ValueError("generate: expected a model over tokens, found one over vectors")
    return embedding.num_embeddings if isinstance(embedding, nn.Embedding) else float("inf")


def _begun(model: Model, prompts: Sequence[Sequence[int]], most: int) -> list[_Text]:
    """Return the texts before anything is generated. Raises ValueError as `generate` does."""
    vocabulary = _vocabulary(model)
    if most < 0:
        raise ValueError(f"generate(most={most}): most is at least 0 tokens")
    longest = None if model.positions is None else model.positions.num_embeddings
    texts = []
    for number, prompt in enumerate(prompts):
        _require_readable(number, prompt, vocabulary, longest)
        end = len(prompt) + most
        if longest is not None:
            end = min(end, longest + 1)  # the last token is not read
        texts.append(_Text([int(token) for token in prompt], len(prompt), end, is_done=most == 0))
    return texts


def _require_readable(number: int, prompt: Sequence[int], vocabulary: int | float, longest: int | None) -> None:
    """Raise ValueError for a prompt that the model cannot read."""
    if not len(prompt):
        raise ValueError(f"generate: prompt {number}: expected at least 1 token, found none")
    for place, token in enumerate(prompt):
        if not 0 <= int(token) < vocabulary:
            raise ValueError(
                f"generate: prompt {number}, place {place}: expected a token of 0 to {vocabulary - 1}, found {token}"
            )
    if longest is not None and len(prompt) > longest:
        raise ValueError(f"generate: prompt {number}: {len(prompt)} tokens, but this model has positions for {longest}")


def _greatest(logits: Float[Tensor, "batch classes"]) -> tuple[list[int], list[float]]:
    """Return for each row the class of the greatest logit, the first of several, and its margin over the second greatest.

    NumPy: on so few numbers each of PyTorch's operations takes several times as long.
    """
    rows = (logits if logits.dtype in (torch.float32, torch.float64) else logits.float()).cpu().numpy()
    two = np.partition(rows, -2)[:, -2:] if rows.shape[1] > 1 else rows[:, [0, 0]]
    return rows.argmax(1).tolist(), (two[:, 1] - two[:, 0]).tolist()


def _rows(state: ModelState, kept: Tensor) -> ModelState:
    """Return the state of some of the texts."""
    return tuple(with_parts(block, (part[kept] for part in block)) for block in state)
