"""HotpotQA's official JSON, read and checked: a list of questions, each with titled paragraphs and the facts that it needs.

Source: Yang et al. 2018 (arXiv:1809.09600); the files hotpot_dev_distractor_v1.json and hotpot_train_v1.1.json have this form.
"""

import hashlib
import json
import reprlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqsep.core.files import read_bytes
from seqsep.core.names import excerpt

NEEDED = 2


@dataclass(frozen=True)
class Paragraph:
    """A paragraph: its title and its sentences."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class HotpotQAExample:
    """A question of the file: what it needs, what distracts from it, and the sentences that support the answer."""

    id: str
    question: str
    answer: str
    needed: tuple[Paragraph, ...]
    distracting: tuple[Paragraph, ...]
    support: tuple[str, ...]


@dataclass(frozen=True)
class HotpotFile:
    """The questions of a file, in its order, and its SHA-256. `set_aside` counts those that need other than two paragraphs."""

    questions: tuple[HotpotQAExample, ...]
    sha256: str
    set_aside: int


def read_hotpotqa(path: Path) -> HotpotFile:
    """Read a file whole. Raises ValueError naming the file, the question and the field, and OSError if it cannot be read."""
    data = read_bytes(path)
    try:
        entries = json.loads(data)
    except RecursionError:
        raise ValueError(f"{path}: expected HotpotQA's JSON, found lists nested too deep") from None
    except json.JSONDecodeError as error:
        cut = "cut off" if error.pos >= len(error.doc.rstrip()) - 1 or error.msg.startswith("Unterminated") else "damaged"
        where = f"line {error.lineno}, column {error.colno} ({error.msg})"
        raise ValueError(f"{path}: expected HotpotQA's JSON, a list of questions, found it {cut} at {where}") from None
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            found = f"found it cut off within the letter at byte {error.start}"
            raise ValueError(f"{path}: expected HotpotQA's JSON, a list of questions, {found}") from None
        raise ValueError(f"{path}: expected HotpotQA's JSON in UTF-8, found other bytes at byte {error.start}") from None
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{path}: expected HotpotQA's JSON, a list of questions, found {_shown(entries)}")
    questions = [_question(entry, f"{path}, question {number}") for number, entry in enumerate(entries, start=1)]
    repeated = len(questions) - len({question.id for question in questions})
    if repeated:
        raise ValueError(f"{path}, field _id: expected a different one for each question, found {repeated} repeated")
    kept = tuple(question for question in questions if len(question.needed) == NEEDED)
    return HotpotFile(kept, hashlib.sha256(data).hexdigest(), set_aside=len(questions) - len(kept))


def _question(entry: Any, place: str) -> HotpotQAExample:
    if not isinstance(entry, dict):
        raise ValueError(f"{place}: expected an object, found {_shown(entry)}")
    words = {name: _text(entry.get(name), f"{place}, field {name}") for name in ("_id", "question", "answer")}
    place = f"{place} (_id {words['_id']:.40})"
    paragraphs = _paragraphs(entry.get("context"), f"{place}, field context")
    facts = _facts(entry.get("supporting_facts"), f"{place}, field supporting_facts")
    titles = list(dict.fromkeys(title for title, _ in facts))
    unknown = [title for title in titles if title not in paragraphs]
    if unknown:
        raise ValueError(f"{place}, field supporting_facts: expected titles of its context, found {unknown[0]!r:.60}")
    support = [
        paragraphs[title].sentences[number].strip() for title, number in facts if number < len(paragraphs[title].sentences)
    ]
    return HotpotQAExample(
        id=words["_id"],
        question=words["question"],
        answer=words["answer"],
        needed=tuple(paragraphs[title] for title in titles),
        distracting=tuple(paragraph for title, paragraph in paragraphs.items() if title not in titles),
        support=tuple(support),  # the benchmark names some sentences that its paragraphs do not have
    )


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{place}: expected words, found {_shown(value)}")
    return " ".join(value.split())


def _paragraphs(value: Any, place: str) -> dict[str, Paragraph]:
    """Return the paragraphs by title. If two have one title, the first is kept."""
    if not isinstance(value, list) or not value:
        raise ValueError(f"{place}: expected a list of [title, sentences], found {_shown(value)}")
    found: dict[str, Paragraph] = {}
    for number, pair in enumerate(value, start=1):
        match pair:
            case [str(title), [*sentences]] if all(isinstance(sentence, str) for sentence in sentences):
                found.setdefault(title, Paragraph(title, tuple(sentences)))
            case _:
                raise ValueError(f"{place}, paragraph {number}: expected [title, sentences], found {_shown(pair)}")
    return found


def _facts(value: Any, place: str) -> list[tuple[str, int]]:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{place}: expected a list of [title, sentence number], found {_shown(value)}")
    found = []
    for number, pair in enumerate(value, start=1):
        match pair:
            case [str(title), int(sentence)] if sentence >= 0:
                found.append((title, sentence))
            case _:
                raise ValueError(f"{place}, fact {number}: expected [title, sentence number], found {_shown(pair)}")
    return found


def _shown(value: Any) -> str:
    return "none" if value is None else excerpt(reprlib.repr(value))
