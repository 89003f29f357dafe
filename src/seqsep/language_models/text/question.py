"""A question in words: the prompt, how an answer is read from what a model writes, and whether it is right."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from seqsep.lab.run import canonical_json
from seqsep.language_models.text.exact_match import normalised

REVISION = 1
"""Enters every key: it grows when a prompt, its draws or its grading change."""


@dataclass(frozen=True)
class Question:
    """A prompt with its answer.

    `fields` name the question among all: equal fields mean an equal prompt. A model's text ends at the first match of `end`, a
    regular expression; its answer is the rest of the line after `mark`, or without a mark the first line. It is right if it
    equals `expected`, letter by letter (`exact`) or as HotpotQA compares (`normalised`). `most_tokens` are written at most.
    `chance` is the accuracy of the best guess that reads all but the last question; None if the answer is free text.

    >>> question = Question({"task": "trial"}, "One: 1\\nOne:", expected="1", end=r"\\n", most_tokens=4)
    >>> question.is_right(question.written(" 1\\nTwo: 2"))
    True
    """

    fields: dict[str, Any]
    prompt: str
    expected: str
    end: str
    most_tokens: int
    mark: str = ""
    grading: Literal["exact", "normalised"] = "exact"
    chance: float | None = None

    @property
    def task(self) -> str:
        """The name of its task."""
        return str(self.fields["task"])

    @property
    def length(self) -> int:
        """The length over which accuracy is drawn: entries, words or paragraphs."""
        return int(self.fields["length"])

    def key(self, model: dict[str, Any]) -> str:
        """Return the SHA-256 of the question and of the model's identity: 64 hexadecimal digits."""
        return key_of(self.fields, model)

    def is_complete(self, text: str) -> bool:
        """Return True if a text has come to its end."""
        return re.search(self.end, text) is not None

    def written(self, text: str) -> str:
        """Return the answer in a text; empty if there is none."""
        end = re.search(self.end, text)
        line = text[: end.end()] if end else text
        if self.mark:
            _, mark, line = line.partition(self.mark)
            line = line if mark else ""
        return line.split("\n")[0].strip()

    def is_right(self, written: str) -> bool:
        """Return True if an answer is the expected one."""
        if self.grading == "normalised":
            return normalised(written) == normalised(self.expected)
        return written == self.expected


def key_of(fields: Mapping[str, Any], model: Mapping[str, Any]) -> str:
    """Return the key of a question with these fields to a model with this identity (`Question.key`)."""
    identity = {name: model[name] for name in ("sha256", "dtype")}
    canonical = canonical_json({"question": dict(fields), "model": identity, "revision": REVISION})
    return hashlib.sha256(canonical.encode()).hexdigest()
