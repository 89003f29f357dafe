"""A model's reply to a question, right or wrong: a row of the store, next to those of training runs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from seqsep.lab.row import Row
from seqsep.language_models.text.language_model import Completion, Facts
from seqsep.language_models.text.question import Question

PREFIX = "text-"
TASKS = ("phonebook", "index", "hotpotqa")


@dataclass(frozen=True)
class Reply:
    """A question's fields, the model's facts, and what came of it.

    Of the expected answer's `tokens`, `tokens_right` were written before the first that differs; both are 0 for free text.
    `state_bits` are those after `prompt_tokens` tokens.
    """

    question: dict[str, Any]
    model: Facts
    right: bool
    expected: str
    written: str
    tokens_right: int
    tokens: int
    prompt_tokens: int
    state_bits: int | None
    chance: float | None

    @classmethod
    def of(
        cls, question: Question, model: Facts, completion: Completion, *, prompt_tokens: int, answer_tokens: tuple[int, ...]
    ) -> "Reply":
        """Return the graded reply of a completion."""
        written = question.written(completion.text)
        pairs = zip(answer_tokens, completion.tokens, strict=False)
        same = next((place for place, (expected, found) in enumerate(pairs) if expected != found), None)
        return cls(
            question=question.fields,
            model=model,
            right=question.is_right(written),
            expected=question.expected,
            written=written,
            tokens_right=min(len(answer_tokens), len(completion.tokens)) if same is None else same,
            tokens=len(answer_tokens),
            prompt_tokens=prompt_tokens,
            state_bits=completion.state_bits,
            chance=question.chance,
        )

    @classmethod
    def of_row(cls, row: Row) -> "Reply":
        """Return the reply of a row. Raises ValueError for a row of another kind."""
        try:
            result = {name: value for name, value in row.result.items() if name not in ("status", "accuracy")}
            reply = cls(question=row.configuration["question"], model=Facts(**row.configuration["model"]), **result)
            _ = (reply.task, reply.length)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"row {row.key[:12]} of {row.experiment}: expected a reply to a question, found {error}"
            ) from error
        return reply

    def row(self, key: str, environment: Mapping[str, Any]) -> Row:
        """Return the reply as a row of the store."""
        parts = asdict(self)
        configuration = {name: parts.pop(name) for name in ("question", "model")}
        return Row(
            experiment=f"{PREFIX}{self.task}",
            key=key,
            configuration=configuration,
            result={"status": "finished", "accuracy": float(self.right), **parts},
            environment=dict(environment),
        )

    @property
    def task(self) -> str:
        """The name of the task."""
        return str(self.question["task"])

    @property
    def length(self) -> int:
        """Entries, words or paragraphs."""
        return int(self.question["length"])
