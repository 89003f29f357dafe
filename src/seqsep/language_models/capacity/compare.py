"""Several models in one table: text, CSV or LaTeX."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from seqsep.core.names import printable
from seqsep.core.tables import Tabular, as_csv
from seqsep.language_models.capacity.answer import Capacity, plain
from seqsep.language_models.capacity.declare import BY_RULE
from seqsep.language_models.capacity.limits import INDEX_LOOKUP
from seqsep.language_models.capacity.text import CapacityQuery, readable


@dataclass(frozen=True)
class Unknown:
    """A file that cannot be read, and why."""

    where: str
    why: str


class CapacityComparison(Tabular):
    """A table with a row for each model; sizes at a length and in a memory are those of `batch` sequences.

    A file that cannot be read has a row that says why.

    >>> from seqsep.language_models.capacity import capacity
    >>> small = capacity({"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4})
    >>> both = CapacityComparison([small, Unknown("b.json", "it is empty")])
    >>> [(row["model_type"], row["fixed numbers"]) for row in both.records()]
    [('mamba', 224), ('unknown: it is empty', None)]
    """

    def __init__(self, models: Sequence[Capacity | Unknown], question: CapacityQuery | None = None) -> None:
        self.models = models
        self.question = question or CapacityQuery()

    def __repr__(self) -> str:
        return self.table()

    def records(self) -> list[dict[str, Any]]:
        """Return file, family, numbers, bytes and crossing of each. If asked, add the bytes at the length and the length that
        fits in the memory.
        """
        return self._records(lambda value: value)

    def table(self) -> str:
        """Return the rows as text, with bytes in readable units."""
        return _Readable(self._records(_in_units)).table()

    def _records(self, shown: Callable[[Any], Any]) -> list[dict[str, Any]]:
        read = [self._record(model, shown) for model in self.models if isinstance(model, Capacity)]
        columns = list(read[0]) if read else ["file", "model_type"]
        rows = iter(read)
        return [
            next(rows)
            if isinstance(model, Capacity)
            else {**dict.fromkeys(columns), "file": model.where, "model_type": f"unknown: {model.why}"}
            for model in self.models
        ]

    def _record(self, model: Capacity, shown: Callable[[Any], Any]) -> dict[str, Any]:
        alphabet = {
            limit.alphabet: limit.beyond for limit in model.limits if (limit.task, limit.accuracy) == (INDEX_LOOKUP, None)
        }
        length = self.question.length
        batch = self.question.batch
        memory = self.question.memory
        many = f" of {batch:,} sequences" if batch > 1 else ""
        asked: dict[str, Any] = {}
        if length is not None:
            asked[f"bytes at {length:,} tokens{many}"] = shown(batch * model.bytes_at(length))
        if memory is not None:
            left = self.question.left or 0
            asked[f"most tokens{many} in {readable(left)}"] = model.longest_in(left, batch)
            if length is not None:
                asked[f"sequences of {length:,} tokens"] = model.batch_in(left, length)
        return {
            "file": model.where,
            "model_type": model.model_type if model.basis != BY_RULE else f"{model.model_type} (by rule, not verified)",
            "fixed numbers": model.fixed_numbers,
            "window numbers": model.window_numbers,
            "numbers a token": plain(model.numbers_per_token),
            "bytes of state": shown(model.state_bytes()),
            "bytes as transformers stores it": shown(model.state_bytes(as_stored=True)),
            "bytes a token": shown(plain(model.bytes_per_token())),
            "crossing (tokens)": model.crossing(),
            **asked,
            "limit on list length (64 values)": alphabet[64],
        }

    def csv(self) -> str:
        """Return the rows as CSV, with a head."""
        return as_csv(self.records())

    def latex(self) -> str:
        """Return the rows as a LaTeX tabular."""
        records = self.records()
        names = list(records[0])
        lines = [" & ".join(map(_escaped, names)) + r" \\", r"\hline"]
        for record in records:
            lines.append(" & ".join(_cell(record[name]) for name in names) + r" \\")
        columns = "ll" + "r" * (len(names) - 2)
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"]) + "\n"


class _Readable(Tabular):
    """Rows that are shown as they are."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def records(self) -> list[dict[str, Any]]:
        return self.rows


def _in_units(value: int | float) -> str:
    return readable(value) if isinstance(value, int) else f"{value:,} bytes"


SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _escaped(text: str) -> str:
    r"""Return a text in LaTeX, with nothing in it that is a command.

    >>> _escaped("a\\input\n\x1b")
    'a\\textbackslash{}input\\textbackslash{}u000a\\textbackslash{}u001b'
    """
    letters = printable(text, kept="")
    return "".join(SPECIAL.get(letter, f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in letters)


def _cell(value: Any) -> str:
    if value is None:
        return "--"
    return _escaped(value) if isinstance(value, str) else f"{value:,}"
