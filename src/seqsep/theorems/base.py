"""What a theorem is here: a record with a `check` that runs it and returns measured sizes beside the bound.

`upper`: something is built and works on the inputs tried. `lower`: a reduction or a witness is run on given models; the
quantifier over all models stays with the written proof.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Int64

from seqsep.exact.grid import Grid
from seqsep.exact.network import Network

Number = int | float


@dataclass(frozen=True)
class Margin:
    """The least margin over the inputs tried, beside the one that the proof guarantees (or None); `of` says of what."""

    least: float
    proved: float | None
    of: str


@dataclass(frozen=True)
class Outcome:
    """One run of one side of a theorem; `measured` and `bound` have the same keys (quantity -> number).

    `variant` names what was chosen (a code, a mixer); `witness` is what a lower bound exhibits; `as_printed` gives the paper's
    own numbers where they differ, else None; `margin` is the least one found and what it is a margin of; `saturated` counts
    the numbers that met an end of the grid, by place (None: nothing ran on a grid).
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
    margin: Margin | None = None
    saturated: Mapping[str, int] | None = None
    holds: bool = True

    def __post_init__(self) -> None:
        assert self.measured.keys() == self.bound.keys(), (self.measured, self.bound)

    def line(self) -> str:
        """One line: what, how it came out, sizes as measured / bound, inputs tried."""
        sizes = ", ".join(f"{name} {self.measured[name]:,} / {self.bound[name]:,}" for name in self.measured)
        tried = f"{'all ' if self.exhaustive else ''}{self.inputs:,} inputs"
        chosen = f" [{self.variant}]" if self.variant else ""
        least = ""
        if self.margin is not None:
            proved = "" if self.margin.proved is None else f" (proved: {self.margin.proved:.4g})"
            least = f"; least margin of {self.margin.of} {self.margin.least:.4g}{proved}"
        ends = ""
        if self.saturated is not None:
            places = ", ".join(f"{place} {count:,}" for place, count in sorted(self.saturated.items()))
            ends = f"; saturated: {places or 'nothing'}"
        errs = f"; errs on {self.witness['errs_on']}" if self.witness and "errs_on" in self.witness else ""
        verdict = "holds" if self.holds else "FAILS"
        return (
            f"{verdict}  {self.theorem}{chosen} ({self.side} bound; {self.source}): {self.statement}. "
            f"N = {self.length}; measured / bound: {sizes}; {tried}{least}{ends}{errs}"
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
class Erratum:
    """A place where the printed text does not survive execution: a row of docs/errata.md.

    `test` names the test that shows it, as `path::name`; `found` gives the counterexample or the numbers.
    """

    where: str
    printed: str
    found: str
    built: str
    test: str


Applier = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class NetworkRun:
    """A built network with inputs (tokens) and the classes that it answers at their last positions."""

    network: Network
    inputs: Int64[np.ndarray, "batch time"]
    answers: Int64[np.ndarray, "batch"]


@dataclass(frozen=True)
class Evidence:
    """What a certificate of a theorem shows: the task with its whole-number fields, the numbers claimed, and the witness."""

    task: str
    parameters: Mapping[str, int | list[int]]
    claims: Mapping[str, int]
    witness: Any


@dataclass(frozen=True)
class Theorem:
    """A statement of a paper with the program that checks it; `options` are the keyword arguments that `check` takes.

    `applier(length=..., **applier_options)` builds the weights and returns a function from one input in the `readable` form of
    `sample` to its answer; it raises ValueError for an input of the wrong form, symbols, length or margin.
    `verify()` is the long check (`make verify`). `evidence(**options)` is what `seqsep certify` writes.
    """

    name: str
    source: str
    statement: str
    check: Callable[..., list[Outcome]]
    options: tuple[str, ...]
    applier: Callable[..., Applier] | None = None
    applier_options: tuple[str, ...] = ()
    errata: tuple[Erratum, ...] = ()
    verify: Callable[[], list[Outcome]] | None = None
    evidence: Callable[..., Evidence] | None = None


def require_within(theorem: str, measured: Mapping[str, Number], bound: Mapping[str, Number]) -> None:
    """Raise TheoremFails where a measured size exceeds its bound."""
    for quantity, most in bound.items():
        if measured[quantity] > most:
            raise TheoremFails(theorem, {"quantity": quantity, "measured": measured[quantity], "bound": most})


def sizes(network: Network) -> dict[str, Number]:
    """Measured from the arrays: what every upper bound reports."""
    ledger = network.ledger()
    return {
        "width": network.width,
        "heads": network.heads,
        "layers": len(network.layers),
        "precision": network.precision,
        "core_bits": ledger.core,
        "program_bits": ledger.program,
        "tables_bits": ledger.tables,
    }


def tighten(
    outcome: Outcome, network: Network, eta: int, works: Callable[[int, int], bool], printed: Mapping[str, Number | str] | None
) -> Outcome:
    """The outcome of `--tightness`: the least eta at the built L, and the least L at the built eta, for which `works(L, eta)`.

    eta goes down by 1 until it fails; L is halved until it fails, then bisected between the last two. A network whose entries
    are not on the grid does not work. Raises TheoremFails where the built values themselves do not work.
    """
    if not works(network.grid.steps, eta):
        raise TheoremFails(outcome.theorem, {"steps": network.grid.steps, "eta": eta})
    least_eta = eta
    while least_eta > 0 and works(network.grid.steps, least_eta - 1):
        least_eta -= 1
    steps, fails = network.grid.steps, network.grid.steps
    while fails > 2:
        fails //= 2
        if not works(fails, eta):
            break
        steps = fails
    while steps - fails > 1:
        middle = (steps + fails) // 2
        steps, fails = (middle, fails) if works(middle, eta) else (steps, middle)
    measured = {"eta": least_eta, "steps": steps, "precision": Grid(steps).precision}
    bound = {"eta": eta, "steps": network.grid.steps, "precision": network.precision}
    variant = "tightness" if outcome.variant is None else f"tightness, {outcome.variant}"
    return replace(outcome, measured=measured, bound=bound, as_printed=printed, variant=variant, margin=None)


def whole_numbers(given: Mapping[str, Any], name: str) -> list[int]:
    """A list of whole numbers in a user's input. Raises ValueError with the field's name."""
    if name not in given:
        raise ValueError(f"{name}: missing; found {', '.join(given) or 'no fields'}")
    value = given[name]
    if not isinstance(value, list) or not all(type(entry) is int for entry in value):
        raise ValueError(f"{name}: expected a list of whole numbers, found {str(value)[:80]}")
    return value


def whole_number(given: Mapping[str, Any], name: str) -> int:
    """A whole number in a user's input. Raises ValueError with the field's name."""
    if name not in given:
        raise ValueError(f"{name}: missing; found {', '.join(given) or 'no fields'}")
    if type(given[name]) is not int:
        raise ValueError(f"{name}: expected a whole number, found {str(given[name])[:80]}")
    return int(given[name])
