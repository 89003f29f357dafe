"""What a theorem is here: a record with a `check` that runs it and returns measured sizes beside the bound.

`upper`: something is built and works on the inputs tried. `lower`: a reduction or a witness is run on given models; the
quantifier over all models stays with the written proof.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import torch

from seqsep.exact.executor import Result, run
from seqsep.exact.grid import Array, Grid, Tally
from seqsep.exact.network import Network
from seqsep.model import Model

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
    own numbers where they differ, else None; `margin` is the least one found and what it is a margin of.
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
        errs = f"; errs on {self.witness['errs_on']}" if self.witness and "errs_on" in self.witness else ""
        verdict = "holds" if self.holds else "FAILS"
        return (
            f"{verdict}  {self.theorem}{chosen} ({self.side} bound; {self.source}): {self.statement}. "
            f"N = {self.length}; measured / bound: {sizes}; {tried}{least}{errs}"
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
class Theorem:
    """A statement of a paper with the program that checks it; `options` are the keyword arguments that `check` takes.

    `applier(length=..., **applier_options)` builds the weights and returns a function from one input in the `readable` form of
    `sample` to its answer; it raises ValueError for an input of the wrong form, symbols, length or margin.
    `verify()` is the long check (`make verify`).
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


def require_within(theorem: str, measured: Mapping[str, Number], bound: Mapping[str, Number]) -> None:
    """Raise TheoremFails where a measured size exceeds its bound."""
    for quantity, most in bound.items():
        if measured[quantity] > most:
            raise TheoremFails(theorem, {"quantity": quantity, "measured": measured[quantity], "bound": most})


@dataclass
class Trial:
    """Runs a built network on batches, on its grid and as a `Model` in float64, and compares both with the right answers.

    `inputs` counts what was tried; `least` is the least margin, by `margin(result)`; `tally` what was rounded and saturated.
    The float run is left out beyond `in_floats` inputs.
    """

    theorem: str
    network: Network
    margin: Callable[[Result], Fraction] | None = None
    in_floats: int = 2_000
    inputs: int = 0
    least: Fraction | None = None
    tally: Tally = field(default_factory=Tally)
    model: Model = field(init=False)

    def __post_init__(self) -> None:
        self.model = Model.load(self.network)

    def require(
        self,
        inputs: np.ndarray,
        expected: np.ndarray,
        readable: Callable[[int], Mapping[str, Any]],
        at: np.ndarray | int = -1,
    ) -> Result:
        """The answers at the asked positions are the expected ones (batch, or batch x asked); a tie is no answer.

        Raises TheoremFails with `readable(example)`, what was expected and what was found.
        """
        result = run(self.network, inputs, at)
        wanted = expected.reshape(len(inputs), -1)
        self.compare(result.answers, result.sure, wanted, readable, "on the grid")
        if self.inputs < self.in_floats:
            self.compare(*self._in_floats(inputs, at), wanted, readable, "in float64")
        self.note(result, wanted.size)
        return result

    def note(self, result: Result, inputs: int) -> None:
        """Take a result into the count, the margin and the tally."""
        self.inputs += inputs
        self.tally.rounded.update(result.tally.rounded)
        self.tally.saturated.update(result.tally.saturated)
        if self.margin is not None and inputs:
            margin = self.margin(result)
            self.least = margin if self.least is None else min(self.least, margin)

    def compare(
        self,
        answers: np.ndarray,
        sure: np.ndarray,
        expected: np.ndarray,
        readable: Callable[[int], Mapping[str, Any]],
        run: str,
    ) -> None:
        wrong = np.argwhere((answers != expected) | ~sure)
        if len(wrong):
            place = tuple(wrong[0])
            found = int(answers[place]) if sure[place] else "a tie"
            raise TheoremFails(
                self.theorem, {**readable(int(place[0])), "expected": int(expected[place]), "found": found, "run": run}
            )

    @torch.no_grad()
    def _in_floats(self, inputs: np.ndarray, at: np.ndarray | int) -> tuple[np.ndarray, np.ndarray]:
        batch, time = inputs.shape[:2]
        tokens = inputs.ndim == 2
        given = torch.from_numpy(inputs if tokens else inputs.astype(np.float64) * float(self.network.grid.step))
        if isinstance(at, int):
            logits = self.model(given, torch.full((batch,), at % time))[:, None]
        else:
            logits = self.model(given)[torch.arange(batch)[:, None], torch.from_numpy(at)]
        top = logits.topk(2, dim=-1).values if logits.shape[-1] > 1 else None
        sure = np.ones(logits.shape[:-1], dtype=bool) if top is None else (top[..., 0] > top[..., 1]).numpy()
        return logits.argmax(-1).numpy(), sure


def least_distance(values: Array, threshold: Fraction) -> Fraction:
    """The least distance of an entry from a threshold."""
    below = Array(np.array([-threshold.numerator]), Fraction(1, threshold.denominator))
    apart = values.plus(below)
    return int(np.abs(apart.integers).min()) * apart.unit


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
