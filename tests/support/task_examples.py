"""Tests that every task shares: a digest of its examples, and counts near those that are stated."""

import hashlib
import math
from collections.abc import Iterable

from seqsep.tasks import Task

EXAMPLES = 10_000


def digest(task: Task, blocks: list[tuple[int, int]]) -> str:
    """SHA-256 of examples made in blocks (start, count); of vectors the sign of a zero does not count."""
    parts = {}
    for start, count in blocks:
        batch = task.sample(start, count, 11)
        inputs = (batch.inputs + 0.0).astype("<f4") if task.coordinates else batch.inputs.astype("<i8")
        answers = [rows.astype("<i8") for rows in (batch.targets, batch.lengths[:, None])]
        for offset in range(count):
            parts[start + offset] = b"".join(rows[offset].tobytes() for rows in (inputs, *answers))
    return hashlib.sha256(b"".join(parts[index] for index in sorted(parts))).hexdigest()


def assert_counts_are_near(counts: dict, expected: dict[object, float], total: int) -> None:
    """Within 5 standard deviations of every stated probability, and nothing that is not expected."""
    assert set(counts) <= set(expected)
    for case, probability in expected.items():
        deviation = math.sqrt(total * probability * (1 - probability))
        assert abs(counts.get(case, 0) - total * probability) <= 5 * deviation + 1, case


def pairwise_different(rows: list[dict]) -> int:
    """Rows of answers by continuation of which every two differ at one they share: each needs a state of its own."""
    apart: list[dict] = []
    for row in rows:
        if all(any(row[tail] != other[tail] for tail in row.keys() & other.keys()) for other in apart):
            apart.append(row)
    return len(apart)


def states_before_tokens(task: Task, inputs: Iterable[tuple[int, ...]]) -> int:
    """States that are needed before some token, by the answers to all of its continuations among the inputs.

    An answer is a function of the state and the token that follows it. Every token of an input may be asked.
    """
    found = [(tokens, _answers(task, tokens)) for tokens in inputs]
    most = 0
    for read in range(len(found[0][0])):
        rows: dict[tuple[int, ...], dict[tuple[int, ...], tuple[int | None, ...]]] = {}
        for tokens, answers in found:
            rows.setdefault(tokens[:read], {})[tokens[read:]] = answers[read:]
        most = max(most, pairwise_different(list({_frozen(row): row for row in rows.values()}.values())))
    return most


def _frozen(row: dict) -> frozenset:
    return frozenset(row.items())


def _answers(task: Task, tokens: tuple[int, ...]) -> tuple[int | None, ...]:
    """The answer at each token of an input; None at tokens that ask nothing."""
    answers: list[int | None] = []
    for end in range(1, len(tokens) + 1):
        try:
            answers.append(task.solve(tokens[:end]))
        except ValueError:
            answers.append(None)
    return tuple(answers)
