"""Several models in one table: as text, CSV or LaTeX."""

from collections.abc import Sequence
from typing import Any

from seqsep.core.names import printable
from seqsep.core.tables import Tabular, as_csv
from seqsep.language_models.capacity.answer import Capacity, plain
from seqsep.language_models.capacity.limits import INDEX_LOOKUP
from seqsep.language_models.capacity.text import readable


class Comparison(Tabular):
    """Models beside each other, a row each; sizes at a length and in a memory are those of `batch` sequences.

    >>> from seqsep.language_models.capacity import capacity
    >>> small = capacity({"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4})
    >>> Comparison([small]).records()[0]["fixed numbers"]
    224
    """

    def __init__(
        self, models: Sequence[Capacity], length: int | None = None, memory: int | None = None, batch: int = 1
    ) -> None:
        self.models = models
        self.length = length
        self.memory = memory
        self.batch = batch

    def __repr__(self) -> str:
        return self.table()

    def records(self) -> list[dict[str, Any]]:
        """File, family, numbers, bytes and crossing of each; bytes at the length and what fits in the memory, if asked."""
        return [self._record(model) for model in self.models]

    def _record(self, model: Capacity) -> dict[str, Any]:
        alphabet = {
            limit.alphabet: limit.beyond for limit in model.limits if (limit.task, limit.accuracy) == (INDEX_LOOKUP, None)
        }
        many = f" of {self.batch:,} sequences" if self.batch > 1 else ""
        asked: dict[str, int | str | None] = {}
        if self.length is not None:
            asked[f"bytes at {self.length:,} tokens{many}"] = self.batch * model.bytes_at(self.length)
        if self.memory is not None:
            asked[f"most tokens{many} in {readable(self.memory)}"] = model.longest_in(self.memory, self.batch)
            if self.length is not None:
                asked[f"sequences of {self.length:,} tokens"] = model.batch_in(self.memory, self.length)
        return {
            "file": model.where,
            "model_type": model.model_type,
            "fixed numbers": model.fixed_numbers,
            "window numbers": model.window_numbers,
            "numbers a token": plain(model.numbers_per_token),
            "bytes of state": model.state_bytes(),
            "as transformers": model.state_bytes(as_stored=True),
            "bytes a token": plain(model.bytes_per_token()),
            "crossing": model.crossing(),
            **asked,
            "no model beyond (64 values)": alphabet[64],
        }

    def csv(self) -> str:
        """The rows as CSV, with a head."""
        return as_csv(self.records())

    def latex(self) -> str:
        """The rows as a LaTeX tabular."""
        records = self.records()
        names = list(records[0])
        lines = [" & ".join(map(_escaped, names)) + r" \\", r"\hline"]
        for record in records:
            lines.append(" & ".join(_cell(record[name]) for name in names) + r" \\")
        columns = "ll" + "r" * (len(names) - 2)
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *lines, r"\end{tabular}"]) + "\n"


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
