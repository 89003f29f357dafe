"""Questions asked of a model one by one: a reply is on disk before the next is asked; what the store holds is not asked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol, runtime_checkable

from seqsep.core.names import BadInput, excerpt
from seqsep.lab.device import but_for_processor, environment
from seqsep.lab.store.store import Store
from seqsep.language_models.text.language_model import Completion, Facts, NonFiniteLogits
from seqsep.language_models.text.question import Question, key_of
from seqsep.language_models.text.reply import PREFIX, Reply

OnReply = Callable[[Reply], None]


def reply_environment(device: str) -> dict[str, Any]:
    """Return what replies depend on besides question and model: torch and transformers, device, threads, processor."""
    import torch
    import transformers

    return environment(device) | {"threads": torch.get_num_threads(), "transformers": transformers.__version__}


@runtime_checkable
class TextModel(Protocol):
    """The model that is asked: `language_model.LanguageModel`, or anything else that completes prompts."""

    facts: Facts

    def read(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt. Raises ValueError if a symbol is lost."""

    def answer_tokens(self, prompt: str, answer: str) -> tuple[int, ...]:
        """Return the tokens of an answer after its prompt."""

    def require_room(self, prompt_tokens: int, most_tokens: int, what: str) -> None:
        """Raise ValueError if a prompt and what may follow it are more than it can read."""

    def complete(
        self, prompts: Sequence[Sequence[int]], is_complete: Callable[[str], bool], most_tokens: int
    ) -> list[Completion]:
        """Write after each of some prompts of equally many tokens. Raises NonFiniteLogits."""


class Evaluation:
    """A model that answers questions, and the store of its replies; the store is being driven (`Store.driving`).

    Replies are found again by question, model and environment (without the processor). `batch` questions whose prompts have
    equally many tokens are answered together.
    """

    def __init__(self, model: TextModel, store: Store, task: str, device: str = "cpu", batch: int = 1) -> None:
        self.model = model
        self.store = store
        self.batch = batch
        self.environment = reply_environment(device)
        self.held: dict[str, Reply] = {}
        for row in store.finished(f"{PREFIX}{task}"):
            if not _same(row.environment, self.environment):
                continue
            reply = Reply.of_row(row)
            if row.key == key_of(reply.question, asdict(reply.model)):  # else it answers another question, or none
                self.held[row.key] = reply

    def replies(self, questions: Iterable[Question], on_reply: OnReply = lambda reply: None) -> list[Reply]:
        """Return the reply to each question, in the given order; `on_reply` is called with each new one.

        Raises ValueError if a prompt is longer than the model can read or the tokenizer loses a symbol of it; replies until
        then are kept. Raises StoreUnavailable if the disk is full.
        """
        asked = list(questions)
        waiting: dict[int, list[tuple[Question, list[int]]]] = {}
        for question in asked:
            if self._key(question) in self.held:
                continue
            tokens = self.model.read(question.prompt)
            self.model.require_room(len(tokens), question.most_tokens, in_words(question))
            alike = waiting.setdefault(len(tokens), [])
            alike.append((question, tokens))
            if len(alike) == self.batch:
                self._answer(waiting.pop(len(tokens)), on_reply)
        for alike in waiting.values():
            self._answer(alike, on_reply)
        return [self.held[self._key(question)] for question in asked]

    def _answer(self, alike: list[tuple[Question, list[int]]], on_reply: OnReply) -> None:
        first = alike[0][0]
        try:
            completions = self.model.complete([tokens for _, tokens in alike], first.is_complete, first.most_tokens)
        except NonFiniteLogits as error:
            asked, tokens = alike[error.row]
            prompt = f"the prompt {excerpt(repr(asked.prompt))} of {len(tokens):,} tokens"
            said = f"expected finite logits, found NaN or infinity after {prompt}, or after what it wrote next"
            raise BadInput(f"{self.model.facts.name}: {in_words(asked)}: {said}") from error
        for (question, tokens), completion in zip(alike, completions, strict=True):
            exact = question.grading == "exact"
            reply = Reply.of(
                question,
                self.model.facts,
                completion,
                prompt_tokens=len(tokens),
                answer_tokens=self.model.answer_tokens(question.prompt, question.expected) if exact else (),
            )
            key = self._key(question)
            self.store.record(reply.row(key, self.environment), seconds=0.0, attempts=1)
            self.held[key] = reply
            on_reply(reply)

    def _key(self, question: Question) -> str:
        return question.key({"sha256": self.model.facts.sha256, "dtype": self.model.facts.dtype})


def in_words(question: Question) -> str:
    """Return the question's name, for messages."""
    number = question.fields.get("id", question.fields.get("index"))
    return f"{question.task}, n = {question.length}, question {number}"


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return but_for_processor(one) == but_for_processor(other)
