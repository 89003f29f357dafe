"""Live accuracy at the end of a run: over all its examples, in the rows of generated tasks alone."""

import pytest

from seqsep.lab import live
from seqsep.lab.device import environment
from seqsep.lab.live import live_score
from seqsep.lab.pruning import cut
from seqsep.lab.row import Row, read_rows, write_rows
from seqsep.lab.run import Run
from seqsep.lab.train import train
from seqsep.models.thought_accuracy import ThoughtAccuracy, thought_accuracy
from seqsep.tasks import IndexLookup, IsTree

SHORT = {"width": 8, "heads": 2, "steps": 2, "batch": 4, "evaluate_every": 1, "evaluation": 10}
OF_THE_END = {"live_accuracy", "unanswered", "answer_accuracy"}


def test_blocks_of_examples_are_put_together(monkeypatch):
    run = Run(IsTree(6, trace="cot"), ("lstm",), width=4, live=300)
    asked = []
    calls = []

    def found(model, task, examples, *, start):
        asked.append((task, examples, start))
        return ThoughtAccuracy(1.0, 0.5, 0.0, 0.2) if start == 0 else ThoughtAccuracy(0.4, 0.5, 1.0, 0.8)

    monkeypatch.setattr(live, "thought_accuracy", found)
    score = live_score(run, run.model(), lambda: calls.append(1))
    assert asked == [(run.task, 250, 0), (run.task, 50, 250)]
    assert score == pytest.approx((270 / 300, 0.5, 50 / 300, 90 / 300))
    assert len(calls) == 2


def test_the_score_is_that_of_the_trained_model():
    run = Run(IsTree(4, trace="vanilla"), ("lstm",), live=20, **SHORT)
    model, result = train(run)
    score = thought_accuracy(model, run.task, 20)
    assert (result.live_accuracy, result.unanswered, result.answer_accuracy) == (
        score.live,
        score.unanswered,
        score.teacher_forced,
    )


def test_only_ended_runs_of_generated_tasks_have_the_score(tmp_path):
    made = Run(IsTree(4, trace="peel"), ("lstm",), live=5, **SHORT)
    _, result = train(made)
    record = result.record()
    assert set(record) >= OF_THE_END
    row = Row("x", made.key(), made.configuration(), record, environment())
    write_rows(tmp_path / "a.jsonl", [row])
    assert read_rows(tmp_path / "a.jsonl") == [row]
    assert not OF_THE_END & set(cut(record, 1))
    assert set(cut(record, 2)) >= OF_THE_END
    _, paused = train(made, until=1)
    assert not OF_THE_END & set(paused.record())
    _, other = train(Run(IndexLookup(5, alphabet=4), ("lstm",), **SHORT))
    assert not OF_THE_END & set(other.record())
    _, without = train(Run(IsTree(4), ("lstm",), live=0, **SHORT))
    assert without.live_accuracy is None
