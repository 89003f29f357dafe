"""The type of a theorem: a claim with a `check` that runs it and returns measured sizes next to the bound.

`upper`: something is built and works on the inputs tried. `lower`: a reduction or a witness is run on given models; the
quantifier over all models stays with the written proof.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal, NotRequired, TypedDict, Unpack

import numpy as np

from seqsep.core.options import Number, Option, options_of, require_in_range
from seqsep.core.tables import Tabular
from seqsep.maths.networks.network import Network
from seqsep.theorems.evidence import Evidence

Side = Literal["upper", "lower"]
FUNCTIONS: Mapping[str, str] = {
    "check": "check",
    "apply": "predictor",
    "certify": "certificate_witness",
    "build": "build",
    "export-network": "build",
    "bound": "constants",
}
"""The function of a theorem that a command calls."""


@dataclass(frozen=True)
class Margin:
    """The least margin over the inputs tried, beside the one that the proof guarantees (or None); `of` says of what."""

    least: float
    proved: float | None
    of: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a check on one side of a theorem, upper or lower; `Claim.upper` and `Claim.lower` make it.

    Fields:
        theorem: name of the theorem.
        source: the paper and the number in it.
        side: upper for a network that was built, lower for a reduction or a witness.
        statement: the statement, in one sentence.
        length: N, in tokens.
        exhaustive: the inputs are all inputs of this length.
        inputs: number of tested inputs; if `computed`, number of compared sizes.
        measured: the number that was measured for each size, by its name: states and parameters in bits, widths in
            coordinates.
        bound: the bound of each size, by the same names.
        as_printed: the numbers in the paper, if they differ from ours.
        variant: the choice that was run, such as a code or a mixer.
        witness: inputs that show a lower bound.
        margin: the smallest margin of all inputs, and the margin that the proof guarantees.
        saturated: counts of numbers that reached an end of the grid, by place; None if nothing ran on a grid.
        holds: nothing refuted the statement.
        computed: the outcome is arithmetic on sizes, and no model ran.

    Raises ValueError if `measured` and `bound` have different names.

    >>> claim = Claim("parity", "folklore", "One bit is enough")
    >>> outcome = claim.upper(length=8, inputs=256, exhaustive=True, measured={"bits": 1}, bound={"bits": 1})
    >>> outcome.line()
    'holds  parity (upper bound; folklore): One bit is enough. N = 8; measured / bound: bits 1 / 1; all 256 inputs'
    """

    theorem: str
    source: str
    side: Side
    statement: str
    length: int
    exhaustive: bool = False
    inputs: int
    measured: Mapping[str, Number]
    bound: Mapping[str, Number]
    as_printed: Mapping[str, Number | str] | None = None
    variant: str | None = None
    witness: Mapping[str, Any] | None = None
    margin: Margin | None = None
    saturated: Mapping[str, int] | None = None
    holds: bool = True
    computed: bool = False

    def __post_init__(self) -> None:
        if self.measured.keys() != self.bound.keys():
            raise ValueError(
                f"Outcome({self.theorem}): measured {[*self.measured]}, expected the keys of bound, {[*self.bound]}"
            )

    def line(self) -> str:
        """One line: what, how it came out, sizes as measured / bound, inputs tried."""
        verdict = "computed" if self.computed and self.holds else "holds" if self.holds else "FAILS"
        chosen = f" [{self.variant}]" if self.variant else ""
        sizes = ", ".join(f"{name} {self.measured[name]:,} / {self.bound[name]:,}" for name in self.measured)
        unit = ("size" if self.computed else "input") + ("" if self.inputs == 1 else "s")
        tried = f"{'all ' if self.exhaustive else ''}{self.inputs:,} {unit}{', no model ran' if self.computed else ''}"
        more = [part for part in (self._margin_shown(), self._saturated_shown(), self._error_shown()) if part]
        return (
            f"{verdict}  {self.theorem}{chosen} ({self.side} bound; {self.source}): {self.statement}. "
            f"N = {self.length}; measured / bound: {'; '.join([sizes, tried, *more])}"
        )

    def _margin_shown(self) -> str:
        if self.margin is None:
            return ""
        proved = "" if self.margin.proved is None else f" (proved: {self.margin.proved:.4g})"
        return f"least margin of {self.margin.of} {self.margin.least:.4g}{proved}"

    def _saturated_shown(self) -> str:
        if self.saturated is None:
            return ""
        places = ", ".join(f"{place} {count:,}" for place, count in sorted(self.saturated.items()))
        return f"saturated: {places or 'nothing'}"

    def _error_shown(self) -> str:
        return f"wrong on {self.witness['errs_on']}" if self.witness and "errs_on" in self.witness else ""

    def record(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return asdict(self)


class Outcomes(list[Outcome], Tabular):
    """The outcomes of a check, in a list that prints as a table with a row for each size with a bound.

    Fields:
        iterable: the outcomes, in their order.

    >>> claim = Claim("parity", "folklore", "One bit is enough")
    >>> Outcomes([claim.upper(length=8, inputs=256, exhaustive=True, measured={"bits": 1}, bound={"bits": 1})])
    theorem  side   variant  length  size  measured  bound  inputs  holds
    parity   upper        -       8  bits         1      1     256   True
    """

    def records(self) -> list[dict[str, Any]]:
        """A row for each outcome and quantity; `inputs` counts the inputs tried."""
        return [
            {
                "theorem": outcome.theorem,
                "side": outcome.side,
                "variant": outcome.variant,
                "length": outcome.length,
                "size": name,
                "measured": outcome.measured[name],
                "bound": outcome.bound[name],
                "inputs": outcome.inputs,
                "holds": outcome.holds,
            }
            for outcome in self
            for name in outcome.measured
        ]

    def __repr__(self) -> str:
        return self.table()


class Described(TypedDict):
    """The fields of `Outcome` that describe a run, next to its numbers."""

    length: int
    exhaustive: NotRequired[bool]
    as_printed: NotRequired[Mapping[str, Number | str] | None]
    variant: NotRequired[str | None]
    witness: NotRequired[Mapping[str, Any] | None]


class Reported(Described):
    """The fields of `Outcome` that one run of a check reports, and its claim does not have."""

    inputs: int
    measured: Mapping[str, Number]
    bound: Mapping[str, Number]
    margin: NotRequired[Margin | None]
    saturated: NotRequired[Mapping[str, int] | None]
    holds: NotRequired[bool]
    computed: NotRequired[bool]


class TheoremFails(Exception):
    """The counterexample that a check has found.

    Arguments:
        theorem: name of the theorem.
        counterexample: the input and the numbers that show it.

    >>> print(TheoremFails("parity-state", {"input": [1, 0], "answer": 0}))
    parity-state fails: input = [1, 0], answer = 0
    """

    def __init__(self, theorem: str, counterexample: Mapping[str, Any]) -> None:
        self.theorem = theorem
        self.counterexample = dict(counterexample)
        shown = ", ".join(f"{key} = {value}" for key, value in self.counterexample.items())
        super().__init__(f"{theorem} fails: {shown[:2000]}")


@dataclass(frozen=True)
class Claim:
    """The name, the source and the statement of a theorem.

    Fields:
        name: the public name, as on the command line.
        source: the paper and the number in it.
        statement: the statement, in one sentence.

    >>> claim = Claim("parity-state", "folklore", "One bit of state computes parity")
    >>> outcome = claim.upper(length=8, inputs=256, exhaustive=True, measured={"state_bits": 1}, bound={"state_bits": 1})
    >>> outcome.side, outcome.statement
    ('upper', 'One bit of state computes parity')
    >>> raise claim.fails({"input": [1, 0]})
    Traceback (most recent call last):
    seqsep.theorems.base.TheoremFails: parity-state fails: input = [1, 0]
    """

    name: str
    source: str
    statement: str

    def upper(self, *, statement: str | None = None, **run: Unpack[Reported]) -> Outcome:
        """The outcome of building something; `statement` replaces the claim's if the run shows another one.

        Raises TheoremFails if the least margin met is below the one that is proved.
        """
        return self._outcome("upper", statement, run)

    def lower(self, *, statement: str | None = None, **run: Unpack[Reported]) -> Outcome:
        """The outcome of a reduction or a witness; `statement` replaces the claim's if the run shows another one."""
        return self._outcome("lower", statement, run)

    def _outcome(self, side: Side, statement: str | None, run: Reported) -> Outcome:
        margin = run.get("margin")
        if margin is not None and margin.proved is not None and margin.least < margin.proved:
            raise self.fails({"margin of": margin.of, "least": margin.least, "proved": margin.proved})
        shown = self.statement if statement is None else statement
        return Outcome(theorem=self.name, source=self.source, side=side, statement=shown, **run)

    def fails(self, counterexample: Mapping[str, Any]) -> TheoremFails:
        """The exception to raise for a counterexample."""
        return TheoremFails(self.name, counterexample)

    def within(self, measured: Mapping[str, Number], bound: Mapping[str, Number]) -> dict[str, Number]:
        """The measured sizes that have a bound. Raises TheoremFails if one exceeds its bound."""
        for quantity, most in bound.items():
            if measured[quantity] > most:
                raise self.fails({"quantity": quantity, "measured": measured[quantity], "bound": most})
        return {quantity: measured[quantity] for quantity in bound}


@dataclass(frozen=True)
class Remark:
    """A passage of a paper next to what running it shows; `Erratum` and `Choice` are its two kinds.

    `printed` quotes the words, or the formula, that are at `where`; `found` gives the counterexample or the numbers; `built`
    says what is built here; `test` names the test that shows it, as `path::name`.
    """

    where: str
    printed: str
    found: str
    built: str
    test: str


class Erratum(Remark):
    """A printed text that is false, or a proof with a gap: an entry of docs/reference/errata.md."""


class Choice(Remark):
    """A printed text that holds as its authors mean it; ours is of another form, is sharper, or answers what is left open."""


Predictor = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Theorem:
    """A claim of a paper with the program that checks it.

    Fields:
        claim: name, source and statement.
        check: function that runs inputs and returns the outcomes; its keywords are the theorem's options, each with a default.
        build: function that returns the network of an upper bound, if its models are networks.
        predictor: function that builds the weights and returns a function from one input, in the `readable` form, to its
            answer.
        nothing_to_apply: reason why it has no predictor, and what to use instead.
        verify: the long check of `make verify`.
        certificate_witness: function that returns the content of the certificate.
        nothing_to_certify: reason why it has no certificate.
        bound: function that returns the sizes of the statement with their constants, from lengths only.
        errata: differences from the paper.
        choices: differences from the paper that are not errors of the paper.
        sides: the sides of the outcomes, upper before lower.
        shown: what a run of the check shows, in sentences.
        not_shown: what a run does not show, in sentences that begin with "This does not show".

    >>> from seqsep.theorems import BY_NAME
    >>> theorem = BY_NAME["index-lookup-state"]
    >>> theorem.source, theorem.predictor_options
    ('Bhattamishra et al. 2024, Theorem 3', ('alphabet',))
    """

    claim: Claim
    check: Callable[..., list[Outcome]]
    build: Callable[..., Network] | None = None
    predictor: Callable[..., Predictor] | None = None
    nothing_to_apply: str | None = None
    verify: Callable[[], list[Outcome]] | None = None
    certificate_witness: Callable[..., Evidence] | None = None
    nothing_to_certify: str | None = None
    bound: Callable[..., Mapping[str, Number]] | None = None
    errata: tuple[Erratum, ...] = ()
    choices: tuple[Choice, ...] = ()
    sides: tuple[Side, ...] = ()
    shown: str = ""
    not_shown: str = ""

    @property
    def name(self) -> str:
        """The name on the command line and in `BY_NAME`."""
        return self.claim.name

    @property
    def source(self) -> str:
        """The paper and the number in it."""
        return self.claim.source

    @property
    def statement(self) -> str:
        """The claim, in one sentence."""
        return self.claim.statement

    @property
    def options(self) -> tuple[str, ...]:
        """The keyword arguments of `check`, in the order of its signature."""
        return tuple(option.name for option in self.options_of("check"))

    @property
    def predictor_options(self) -> tuple[str, ...]:
        """The keyword arguments of `predictor` next to `length`; empty without an predictor."""
        return tuple(option.name for option in self.options_of("apply") if option.name != "length")

    @property
    def constants(self) -> Callable[..., Mapping[str, Number]] | None:
        """`bound` with the defaults of `check`; None without one. Nothing is built or run.

        >>> from seqsep.theorems import BY_NAME
        >>> BY_NAME["index-lookup-state"].constants(length=20)
        {'state_bits': 32}
        """
        if self.bound is None:
            return None
        defaults = {option.name: option.default for option in self.options_of("check")}
        missing = [option.name for option in options_of(self.bound) if option.is_required]
        return partial(self.bound, **{name: defaults[name] for name in missing})

    def options_of(self, command: str) -> tuple[Option, ...]:
        """Return the options of a command on this theorem; empty if the theorem has no such function.

        Arguments:
            command: check, apply, certify, build, export-network or bound.

        >>> from seqsep.theorems import BY_NAME
        >>> [str(option.range) for option in BY_NAME["is-tree-state"].options_of("certify")]
        ['2 to 5']
        """
        function = getattr(self, FUNCTIONS[command])
        return () if function is None else options_of(function)

    def call(self, command: str, given: Mapping[str, Any]) -> Any:
        """Call the function of a command with options, as numbers of Python.

        Raises ValueError for an unknown option, a missing one, or a value out of its range, before anything is built.

        >>> from seqsep.theorems import BY_NAME
        >>> BY_NAME["equality-state"].call("check", {"length": 10**7})
        Traceback (most recent call last):
        ValueError: check equality-state: length is 2 to 65,536, found 10,000,000
        """
        plain = plain_options(given)
        options = {option.name: option for option in self.options_of(command)}
        unknown = [name for name in plain if name not in options]
        if unknown:
            raise ValueError(f"{command}({self.name!r}, {unknown[0]}=...): options are {', '.join(options)}")
        missing = [option.name for option in options.values() if option.is_required and option.name not in plain]
        if missing:
            raise ValueError(f"{command}({self.name!r}): expected {missing[0]}=..., found none")
        require_in_range(f"{command} {self.name}", options, plain)
        return getattr(self, FUNCTIONS[command])(**plain)


def plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with Python's numbers and lists in place of NumPy's: an int64 would overflow where an int grows.

    >>> plain_options({"length": np.int64(9), "code": "parabola"})
    {'length': 9, 'code': 'parabola'}
    """
    return {name: value.tolist() if isinstance(value, np.generic | np.ndarray) else value for name, value in options.items()}


def sizes(network: Network) -> dict[str, Number]:
    """Measure from the arrays what every upper bound reports: numbers of coordinates, heads and layers, and sizes in bits."""
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


def whole_numbers(given: Mapping[str, Any], name: str) -> list[int]:
    """A list of whole numbers in a user's input. Raises ValueError with the field's name."""
    value = field_of(given, name)
    if not isinstance(value, list) or not all(type(entry) is int for entry in value):
        raise ValueError(f"{name}: expected a list of whole numbers, found {str(value)[:80]}")
    return value


def whole_number(given: Mapping[str, Any], name: str) -> int:
    """A whole number in a user's input. Raises ValueError with the field's name."""
    value = field_of(given, name)
    if type(value) is not int:
        raise ValueError(f"{name}: expected a whole number, found {str(value)[:80]}")
    return value


def symbols_in(given: Mapping[str, Any], name: str, alphabet: int, *, least: int = 1, most: int) -> list[int]:
    """A list of `least` to `most` numbers out of 0 .. S - 1 in a user's input. Raises ValueError with the field's name.

    >>> symbols_in({"tokens": [2, 0]}, "tokens", 3, most=4)
    [2, 0]
    """
    symbols = whole_numbers(given, name)
    if not least <= len(symbols) <= most:
        wanted = f"{most}" if least == most else f"{least} to {most}"
        raise ValueError(f"{name}: expected {wanted} of them, found {len(symbols)}")
    if symbols and not 0 <= min(symbols) <= max(symbols) < alphabet:
        raise ValueError(f"{name}: expected 0 to {alphabet - 1}, found {min(symbols)} to {max(symbols)}")
    return symbols


def number_in(given: Mapping[str, Any], name: str, least: int, most: int) -> int:
    """A whole number of least .. most in a user's input. Raises ValueError with the field's name.

    >>> number_in({"query": 2}, "query", 0, 3)
    2
    """
    value = whole_number(given, name)
    if not least <= value <= most:
        raise ValueError(f"{name}: expected {least} to {most}, found {value}")
    return value


def field_of(given: Mapping[str, Any], name: str) -> Any:
    """A field of a user's input. Raises ValueError if it is missing."""
    if name not in given:
        raise ValueError(f"{name}: missing; found {', '.join(given) or 'no fields'}")
    return given[name]
