"""A row is what a finished run leaves for reports, as canonical JSON without times, hosts and process ids."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from seqsep.core.files import read_lines, write_file
from seqsep.core.tables import Tabular
from seqsep.lab.answers import chance, limits
from seqsep.lab.ranking import rank
from seqsep.lab.run import Run, canonical_json
from seqsep.lab.sound_row import require_ending, require_key, require_reply, require_result, require_shallow, too_deep
from seqsep.lab.train import PAUSED, Result
from seqsep.models.mixers.settings import has_heads
from seqsep.models.plugins.name import shown
from seqsep.models.plugins.task import UserTask

PRUNED = "pruned"
DESCRIBED = ("layers", "task", "length", "width", "heads", "positions", "embedding_scale", "learning_rate", "seed")
"""The columns of a table of runs, in this order."""
RUN_FIELDS = tuple(field.name for field in fields(Result) if field.default is MISSING)
REPLY_FIELDS = (
    "status",
    "accuracy",
    "right",
    "expected",
    "written",
    "tokens",
    "tokens_right",
    "prompt_tokens",
    "state_bits",
    "chance",
)
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""The errors of a configuration that makes no run in this version."""


def diverged(result: Mapping[str, Any]) -> bool:
    """Return True if the run ended with a loss, gradient or weight that was not finite."""
    return result["status"].startswith("failed")


def rank_of(run: Run, result: Mapping[str, Any]) -> tuple[float, int, float]:
    """Return the rank of a run by its result among others of its setting, the best one greatest (`ranking.rank`)."""
    return rank(
        accuracy=result["accuracy"],
        steps=result["steps"],
        learning_rate=run.learning_rate,
        diverged=diverged(result),
    )


@dataclass(frozen=True)
class Row:
    """One run of an experiment with its outcome, or one reply of a language model.

    A row is a reply if its configuration has a `question`. If the worker of a run died, or if the run raised an exception, the
    row has no outcome. Then `result` has only `status`, `finished` is False, and the row is never exported. A run diverges if
    its loss, a gradient or a weight is not finite. This ends the run, but the row keeps the outcome until then. So for a run
    that diverges, both `finished` and `failed` are True.

    Fields:
        experiment: name of the experiment.
        key: SHA-256 of the run's settings, as 64 hexadecimal digits.
        configuration: the settings of the run, as `Run.configuration` returns them.
        result: the outcome: status, steps, accuracy (a fraction), curve and bits of the state. The status is converged,
            finished, pruned (stopped early), or "failed: " and the reason.
        environment: versions, processor and device that the result depends on.

    >>> row = Row("trial", "0" * 64, configuration={}, result={"status": "failed: worker died"}, environment={})
    >>> row.status, row.has_outcome, row.finished, row.failed
    ('failed: worker died', False, False, True)
    """

    experiment: str
    key: str
    configuration: dict[str, Any]
    result: dict[str, Any]
    environment: dict[str, Any]

    @cached_property
    def run(self) -> Run:
        """The run of the configuration, made once: reports ask for it often."""
        return Run.from_configuration(self.configuration)

    @property
    def status(self) -> str:
        """The end of the run: converged, finished, pruned or failed: ..."""
        return self.result["status"]

    @property
    def has_outcome(self) -> bool:
        """True if there is an outcome. A loss that was not finite is one; so is the curve of a pruned run."""
        return self.result.keys() != {"status"} and self.status != PAUSED

    @property
    def finished(self) -> bool:
        """True if there is an outcome, and the run was not pruned: it may represent its setting."""
        return self.has_outcome and self.status != PRUNED

    @property
    def failed(self) -> bool:
        """True if the run has no outcome, or its loss, a gradient or a weight was not finite."""
        return not self.has_outcome or diverged(self.result)

    @property
    def is_reply(self) -> bool:
        """True for a model's reply to a question, False for a training run."""
        return "question" in self.configuration

    @cached_property
    def is_current(self) -> bool:
        """True if the key is that of the run in this version of seqsep, and for a reply, whose key is of the question.

        A row of another version is shown as such, and is not exported.
        """
        if self.is_reply:
            return True
        try:
            return self.run.key() == self.key
        except UNREADABLE:
            return False

    def require_possible(self) -> None:
        """Raise ValueError, which names the field, for a result that no run has, and for a row without an outcome."""
        needed = REPLY_FIELDS if self.is_reply else RUN_FIELDS
        missing = [name for name in needed if name not in self.result]
        missing += [name for name in ("torch", "device", "threads") if name not in self.environment]
        if missing:
            raise ValueError(f"expected a finished row, found one without {', '.join(missing)}")
        require_ending(self.result["status"], is_reply=self.is_reply)
        if self.is_reply:
            require_reply(self.result)
            return
        try:
            run = self.run
        except UNREADABLE:
            require_result(self.result, any_loss=True)
        else:
            require_result(self.result, most_steps=run.steps, any_loss=isinstance(run.task, UserTask))
            for name in ("accuracy_by_length", "accuracy_per_answer_by_length"):
                tested = [length for length, _ in self.result.get(name, ())]
                has_tests = self.status in ("converged", "finished") and (name in self.result or name == "accuracy_by_length")
                if tested != list(run.test_lengths if has_tests else ()):
                    raise ValueError(f"result.{name}: expected the lengths {run.test_lengths}, found {tested}")

    def to_json(self) -> str:
        """Return the row as canonical JSON, in which the configuration is called `run`."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return canonical_json({"run": parts.pop("configuration")} | parts)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Row":
        """Return the row of its JSON. Raises ValueError, in one line, for anything but the JSON of a finished row."""
        try:
            parts = json.loads(text)
        except RecursionError:
            raise too_deep("row") from None
        except ValueError as error:
            raise ValueError(f"expected a row as JSON, found: {error}") from error
        kinds = {"experiment": str, "key": str, "run": dict, "result": dict, "environment": dict}
        if not isinstance(parts, dict) or {name: type(value) for name, value in parts.items()} != kinds:
            raise ValueError(f"expected an object with {', '.join(kinds)}, found {text[:60]!r}")
        for name in ("run", "result", "environment"):
            require_shallow(name, parts[name])
        row = cls(configuration=parts.pop("run"), **parts)
        row.require_possible()
        if row.is_reply:
            return row
        try:
            require_key(row.run, row.key)
        except UNREADABLE as error:
            raise ValueError(
                error if isinstance(error, ValueError) else f"run: expected one of this version: {error}"
            ) from error
        return row


def chance_of(run: Run, result: Mapping[str, Any]) -> float | None:
    """Return the accuracy of guessing, as the result has it or else for the run's task; None if it is not known."""
    known = result.get("chance")
    return known if known is not None or isinstance(run.task, UserTask) else chance(run.task)


class Rows(list[Row], Tabular):
    """Rows in a list that prints as a table, with one line per row; a reply of a language model fills fewer columns.

    Fields:
        iterable: the rows, in their order.

    >>> result = {"status": "finished", "accuracy": 1.0}
    >>> reply = Row("trial", "0" * 64, configuration={"question": 1}, result=result, environment={})
    >>> Rows([reply]).records()[0]["accuracy"]
    1.0
    """

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each run: its settings, its end, its last accuracy, its parameters and bits of state.

        None means heads that its layers do not have, and for positions of a layer from a file that says nothing of them.
        `accuracy_low` and `accuracy_high` are the limits of a 95 % confidence interval of the accuracy over all examples, by
        Clopper and Pearson. `chance` is the accuracy of guessing, and `loss_nats` the mean loss of an answer at the last
        evaluation. `accuracy_per_answer` counts single answers and is a column if any run has it.
        `live_accuracy`, of answers after chains of thought that the model wrote itself, is a column if any run has it. So is
        the accuracy at each test length of a run.
        """
        further = [name for name in ("accuracy_per_answer", "live_accuracy") if any(name in row.result for row in self)]
        lengths = sorted({length for row in self for length, _ in row.result.get("accuracy_by_length", ())})
        return [_record(row, further, lengths) for row in self]

    def __repr__(self) -> str:
        return self.table()


def _record(row: Row, further: Sequence[str], lengths: Sequence[int]) -> dict[str, Any]:
    """Return the part of a row that a table shows."""
    columns: dict[str, Any] = dict.fromkeys(DESCRIBED)
    if not row.is_reply:
        run = row.run
        columns |= {name: getattr(run, name) for name in ("width", "embedding_scale", "learning_rate", "seed")}
        columns["positions"] = run.positions_told() or None
        columns["heads"] = run.heads if has_heads(run.layers) else None
        columns |= {"layers": "+".join(map(shown, run.layers)), "task": run.task.label(), "length": run.task.length}
    bits = row.result.get("state_bits")  # of a run two numbers, of a reply one or None
    fixed, per_token = bits if isinstance(bits, Sequence) else (bits, None)
    ending = {"status": row.status, "steps": row.result.get("steps"), "accuracy": row.result.get("accuracy")}
    if "accuracy_per_answer" in further:
        ending["accuracy_per_answer"] = row.result.get("accuracy_per_answer")
    ending |= dict.fromkeys(("accuracy_low", "accuracy_high", "chance", "loss_nats"))
    if not row.is_reply and "curve" in row.result:
        low, high = limits(row.result["accuracy"], row.run.evaluation)
        loss = row.result["curve"][-1][2] if row.result["curve"] else None
        ending |= {"accuracy_low": low, "accuracy_high": high, "chance": chance_of(row.run, row.result), "loss_nats": loss}
    if "live_accuracy" in further:
        ending["live_accuracy"] = row.result.get("live_accuracy")
    by_length = dict(row.result.get("accuracy_by_length", ()))
    ending |= {f"accuracy_at_{length}": by_length.get(length) for length in lengths}
    sizes = {"parameters": row.result.get("parameters"), "state_bits": fixed, "state_bits_per_token": per_token}
    return {"experiment": row.experiment} | columns | ending | sizes


def write_rows(path: Path | str, rows: Iterable[Row], *, read: Iterable[Path] = ()) -> None:
    """Write the rows, sorted by experiment and key, one a line in ASCII, to a file that is none of `read` (`write_file`)."""
    lines = [row.to_json() + "\n" for row in sorted(rows, key=lambda row: (row.experiment, row.key))]
    write_file(path, "".join(lines), read=read)


def read_rows(path: Path | str) -> Rows:
    """Return the rows of a file that `seqsep export` or `write_rows` wrote, in a list that prints as a table.

    Arguments:
        path: the file, NAME.jsonl.

    Raises ValueError with the number of the line for a line that is not a row. Raises BadInput and OSError if the file cannot
    be read.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> write_rows(path, [])
    >>> len(read_rows(path))
    0
    """
    rows = Rows()
    for number, line in enumerate(read_lines(path), start=1):
        try:
            rows.append(Row.from_json(line))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    return rows
