"""What a theorem is here: a record with a `check` that runs it and returns measured sizes beside the bound.

`upper`: something is built and works on the inputs tried. `lower`: a reduction or a witness is run on given models; the
quantifier over all models stays with the written proof.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Number = int | float


@dataclass(frozen=True)
class Outcome:
    """One run of one side of a theorem; `measured` and `bound` have the same keys (quantity -> number).

    `variant` names what was chosen (a code, a mixer); `witness` is what a lower bound exhibits; `as_printed` gives the paper's
    own numbers where they differ, else None.
    """

    theorem: str
    source: str
    side: Literal["upper", "lower"]
    statement: str
    length: int
    exhaustive: bool
    inputs: int
    measured: Mapping[str, Number]
    bound: Mapping[str, Number]
    as_printed: Mapping[str, Number | str] | None = None
    variant: str | None = None
    witness: Mapping[str, Any] | None = None
    holds: bool = True

    def __post_init__(self) -> None:
        assert self.measured.keys() == self.bound.keys(), (self.measured, self.bound)

    def line(self) -> str:
        """One line: what, how it came out, sizes as measured / bound, inputs tried."""
        sizes = ", ".join(f"{name} {self.measured[name]:,} / {self.bound[name]:,}" for name in self.measured)
        tried = f"{'all ' if self.exhaustive else ''}{self.inputs:,} inputs"
        chosen = f" [{self.variant}]" if self.variant else ""
        errs = f"; errs on {self.witness['errs_on']}" if self.witness and "errs_on" in self.witness else ""
        verdict = "holds" if self.holds else "FAILS"
        return (
            f"{verdict}  {self.theorem}{chosen} ({self.side} bound; {self.source}): {self.statement}. "
            f"N = {self.length}; measured / bound: {sizes}; {tried}{errs}"
        )

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


class TheoremFails(Exception):
    """A check met a counterexample."""

    def __init__(self, theorem: str, counterexample: Mapping[str, Any]) -> None:
        self.theorem = theorem
        self.counterexample = dict(counterexample)
        shown = ", ".join(f"{key} = {value}" for key, value in self.counterexample.items())
        super().__init__(f"{theorem} fails: {shown[:2000]}")


@dataclass(frozen=True)
class Theorem:
    """A statement of a paper with the program that checks it; `options` are the keyword arguments that `check` takes."""

    name: str
    source: str
    statement: str
    check: Callable[..., list[Outcome]]
    options: tuple[str, ...]


def require_within(theorem: str, measured: Mapping[str, Number], bound: Mapping[str, Number]) -> None:
    """Raise TheoremFails where a measured size exceeds its bound."""
    for quantity, most in bound.items():
        if measured[quantity] > most:
            raise TheoremFails(theorem, {"quantity": quantity, "measured": measured[quantity], "bound": most})
