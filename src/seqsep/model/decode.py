"""Greedy decoding of a trained model: each token is the greatest logit behind all tokens before it, up to a stop.

    generate             by the model's recurrent form: one `step` a token for all prompts together, queries answered live
    generate_by_forward  the same from the definition: the whole prefix runs through `forward` again for every token

One clock serves prompts of all lengths. At time t every running text gives its own token t to the same `step`: one of its
prompt, one that was inserted behind a query, or the one that its logits of time t - 1 made greatest. So a text never waits
for another, no padding is ever read, and positions are right by themselves. What the prompts surely have in common, the times
before the end of the shortest, is read at once.

Both ways have the same logits but for rounding, so they may differ where two logits are nearly equal, and then on from there;
`margins` tell such places.
"""

import traceback
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seqsep.mixers.base import with_parts
from seqsep.model.model import Model, ModelState
from seqsep.retriever import TookTooLong, within
from seqsep.tasks.base import LiveRetriever

SECONDS = 30.0


class Generated(NamedTuple):
    """What stands behind a prompt.

    `tokens`: up to and with the first stop; `inserted`: which of them the retriever put there; `margins`: how far the logit of
    each was above the second greatest (infinite for an inserted token).

    >>> Generated([4, 2], [False, True], [0.5, float("inf")]).tokens
    [4, 2]
    """

    tokens: list[int]
    inserted: list[bool]
    margins: list[float]


@dataclass
class _Text:
    """A prompt and what has been generated behind it, up to the place `end`."""

    number: int
    tokens: list[int]
    prompt: int
    end: int
    inserted: list[bool] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    is_done: bool = False

    def generated(self) -> Generated:
        return Generated(self.tokens[self.prompt :], self.inserted, self.margins)

    def extend(self, tokens: Sequence[int], margin: float, inserted: bool) -> None:
        """Append tokens as far as there is room."""
        room = list(tokens)[: self.end - len(self.tokens)]
        self.tokens += room
        self.inserted += [inserted] * len(room)
        self.margins += [margin] * len(room)
        self.is_done = len(self.tokens) >= self.end


@dataclass(frozen=True)
class _Rules:
    """How a text goes on behind a generated token: stops, and what the retriever inserts."""

    stops: frozenset[int]
    retriever: LiveRetriever | None
    vocabulary: int | float
    seconds: float

    def go_on(self, text: _Text, token: int, margin: float) -> None:
        """Append the token, and what the retriever finds. Raises ValueError for logits or a retriever that fail."""
        if token >= self.vocabulary:
            raise ValueError(f"generate: expected a model that writes its own {self.vocabulary} tokens, found class {token}")
        if margin != margin:
            raise ValueError(f"generate: prompt {text.number}: behind {len(text.tokens)} tokens the logits are not numbers")
        text.extend([token], margin, inserted=False)
        if token in self.stops:
            text.is_done = True
        elif self.retriever is not None and not text.is_done:
            text.extend(self._retrieved(text, self.retriever), float("inf"), inserted=True)

    def _retrieved(self, text: _Text, retriever: LiveRetriever) -> Sequence[int]:
        """What the retriever wants inserted behind the text so far, nothing if it found no closed query."""
        where = f"generate: prompt {text.number}: behind {len(text.tokens)} tokens the retriever"
        try:
            found = within(self.seconds, lambda: retriever(tuple(text.tokens), text.prompt))
        except TookTooLong:
            raise ValueError(f"{where} was stopped after {self.seconds:g} seconds") from None
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise ValueError(f"{where} raises {said} ({place.filename}, line {place.lineno})") from error
        if found is None:
            return ()
        try:
            tokens = [int(token) for token in found]
        except (TypeError, ValueError):
            raise ValueError(f"{where} returns {found!r:.80}; expected a list of tokens, or None") from None
        strange = next((token for token in tokens if not 0 <= token < self.vocabulary), None)
        if strange is not None:
            raise ValueError(f"{where} returns token {strange}; expected tokens of 0 to {self.vocabulary - 1}")
        return tokens


@torch.inference_mode()
def generate(
    model: Model,
    prompts: Sequence[Sequence[int]],
    stops: Collection[int],
    most: int,
    retriever: LiveRetriever | None = None,
    *,
    seconds: float = SECONDS,
) -> list[Generated]:
    """What greedy decoding puts behind each prompt: up to and with the first stop, at most `most` tokens.

    After each generated token that is no stop, `retriever(tokens, prompt)` gets all tokens so far, of which the first `prompt`
    are the prompt, and returns those to insert, or None; a `seqsep.retriever.Retriever` is one. Inserted tokens count in
    `most`. A text also ends where the model's positions end. Of two greatest logits the token with the smaller number is taken.

    Raises ValueError for a prompt that is empty, has an unknown token or is longer than the model's positions, a model
    that does not write its own tokens, and a retriever that raises, takes more than `seconds` or returns no tokens.

    >>> _ = torch.manual_seed(0)
    >>> model = Model.build(vocabulary=5, classes=5, longest=9, layers=("mamba", "attention"), width=8)
    >>> [len(generated.tokens) for generated in generate(model, [[0, 3, 1], [2]], stops=(), most=4)]
    [4, 4]
    """
    texts, rules = _begun(model, prompts, stops, most, retriever=retriever, seconds=seconds)
    running = [text for text in texts if not text.is_done]
    if not running:
        return [text.generated() for text in texts]
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
    return [text.generated() for text in texts]


@torch.inference_mode()
def generate_by_forward(
    model: Model,
    prompts: Sequence[Sequence[int]],
    stops: Collection[int],
    most: int,
    retriever: LiveRetriever | None = None,
    *,
    seconds: float = SECONDS,
) -> list[Generated]:
    """`generate` from its definition: every prompt alone, and its whole prefix once more for each token.

    Raises ValueError as `generate` does.

    >>> _ = torch.manual_seed(0)
    >>> model = Model.build(vocabulary=5, classes=5, longest=9, layers=("lstm",), width=8).double()
    >>> [slow], [fast] = (way(model, [[0, 3, 1]], (), 4) for way in (generate_by_forward, generate))
    >>> slow.tokens == fast.tokens
    True
    """
    texts, rules = _begun(model, prompts, stops, most, retriever=retriever, seconds=seconds)
    for text in texts:
        while not text.is_done:
            inputs = torch.tensor([text.tokens], device=model.device)
            (token,), (margin,) = _greatest(cast(Tensor, model(inputs))[:, -1])
            rules.go_on(text, token, margin)
    return [text.generated() for text in texts]


def _begun(
    model: Model,
    prompts: Sequence[Sequence[int]],
    stops: Collection[int],
    most: int,
    *,
    retriever: LiveRetriever | None,
    seconds: float,
) -> tuple[list[_Text], _Rules]:
    """The texts before anything is generated. Raises ValueError as `generate` does."""
    embedding = getattr(model, "tokens", None)
    if isinstance(embedding, nn.Linear):
        raise ValueError("generate: expected a model over tokens, found one over vectors")
    vocabulary = embedding.num_embeddings if isinstance(embedding, nn.Embedding) else float("inf")
    if most < 0:
        raise ValueError(f"generate(most={most}): most is at least 0 tokens")
    longest = None if model.positions is None else model.positions.num_embeddings
    texts = []
    for number, prompt in enumerate(prompts):
        _require_readable(number, prompt, vocabulary, longest)
        end = len(prompt) + most
        if longest is not None:
            end = min(end, longest + 1)  # the last token is not read
        texts.append(_Text(number, [int(token) for token in prompt], len(prompt), end, is_done=most == 0))
    return texts, _Rules(frozenset(stops), retriever, vocabulary, seconds)


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
    """Each row's greatest logit's class, the first of several, and how far it is above the second greatest."""
    two = logits.topk(min(2, logits.shape[1]), dim=1).values
    margins = two[:, 0] - two[:, 1] if two.shape[1] == 2 else two[:, 0] - two[:, 0]
    return logits.argmax(1).tolist(), margins.tolist()


def _rows(state: ModelState, kept: Tensor) -> ModelState:
    """The state of some of the texts."""
    return tuple(with_parts(block, (part[kept] for part in block)) for block in state)
