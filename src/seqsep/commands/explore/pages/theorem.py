"""One theorem: its statement, a built network on one input, its sizes over N, its checks, and differences from the paper."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

from seqsep.commands.bound import SIZE_WORDS
from seqsep.commands.explore.forms import FormField, fields_of, taken, values_of, whole_between
from seqsep.commands.explore.pages.lengths import DRAWN, LAST_POWER, SizesOverLengths, sizes_over_lengths
from seqsep.commands.explore.pages.one_run import NetworkOnInput, ShownInputs, inputs_of, network_on_input, task_of
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.core.names import BadInput, choose, docstring, text_of
from seqsep.core.options import Option
from seqsep.report.page.proofs import module_of
from seqsep.report.page.theorem_table import StatementTable, statement_tables
from seqsep.theorems import BY_NAME, Theorem, TheoremFails
from seqsep.theorems.evidence import Evidence, GeneratedRun, NetworkRun

START: Mapping[str, Any] = {"length": 6, "alphabet": 8}
"""The sizes at which the page opens, if the theorem takes them: its pictures can be read at once."""
STARTS: Mapping[str, Mapping[str, Any]] = {
    "is-tree-peeling": {"length": 4},
    "is-tree-tour": {"length": 4},
    "is-tree-one-layer": {"length": 4},
    "is-tree-hybrid": {"length": 4},
    "is-tree-walk": {"length": 4},
    "turing-machine-hybrid": {"length": 3, "machine": "binary-increment", "steps": 12},
    "turing-machine-retrieval": {"length": 2, "machine": "binary-increment", "steps": 6},
    "retrieval-by-pattern": {"alphabet": 3},
    "equality-two-layers": {"length": 6, "alphabet": 2},
    "relabelled-equality-two-layers": {"length": 4, "alphabet": 2},
    "two-layer-no-short-protocol": {"length": 4},
    "composition-one-layer": {"length": 3},
    "index-lookup-state": {"length": 5, "alphabet": 2},
    "recall-state": {"length": 4},
    "recall-oracle-state": {"length": 4, "alphabet": 2},
    "equality-state": {"length": 6, "alphabet": 2},
    "is-tree-state": {"length": 4},
    "parity-conditioned-recall-hybrid": {"length": 4, "alphabet": 2},
    "state-based-recall-hybrid": {"cells": 2, "alphabet": 2},
    "circuits-attention": {"length": 2},
    "turing-machine-recurrent": {"length": 2, "cells": 3, "machine": "binary-increment"},
}
CHECKED = "yes"


@dataclass(frozen=True)
class TheoremAnswer:
    """The part of the page that changes with the form; parts that a theorem does not have are None."""

    run: NetworkOnInput | None = None
    inputs: ShownInputs | None = None
    sizes: SizesOverLengths | None = None
    bounds: tuple[tuple[str, str, str], ...] = ()
    checks: tuple[StatementTable, ...] = ()
    margins: tuple[tuple[str, str, str], ...] = ()
    why_no_check: str = ""


def content(visit: Visit) -> PageContent:
    """Return the page of a theorem. Raises BadInput for an unknown name."""
    theorem = BY_NAME[choose("theorem", visit.name, list(BY_NAME))]
    options = shown_options(theorem)
    start = {**START, **STARTS.get(theorem.name, {})}
    given = {option.name: start[option.name] for option in options if option.name in start}
    error = ""
    answer = TheoremAnswer()
    fields = fields_of(options, visit, given)
    try:
        values = values_of(options, replace(visit, query={field.name: field.value for field in fields}))
        answer = _answer(theorem, values, visit)
    except (BadInput, ValueError, TheoremFails) as wrong:
        error = text_of(wrong)
    paragraphs = _paragraphs(theorem)
    return PageContent(
        theorem.name,
        "theorem.html",
        {
            "theorem": theorem,
            "summary": paragraphs[0],
            "idea": next((one.removeprefix("Idea. ") for one in paragraphs if one.startswith("Idea.")), ""),
            "fields": fields,
            "answer": answer,
            "has_run": has_run(theorem),
        },
        error=error,
        command=_command(theorem, fields),
    )


def has_run(theorem: Theorem) -> bool:
    """Return True if the theorem builds a network and has evidence with its inputs."""
    return theorem.build is not None and theorem.certificate_witness is not None


def shown_options(theorem: Theorem) -> list[Option]:
    """Return the options that the form has: those of the network, of its evidence, and of the bound, without draws."""
    found: dict[str, Option] = {}
    for command in ("build", "certify", "bound"):
        for option in theorem.options_of(command):
            found.setdefault(option.name, option)
    return [option for option in found.values() if option.name not in ("seed", "graphs")]


def _answer(theorem: Theorem, values: Mapping[str, Any], visit: Visit) -> TheoremAnswer:
    evidence = _evidence(theorem, values)
    shown = None
    run = None
    if has_run(theorem) and evidence is not None and isinstance(evidence.witness, NetworkRun | GeneratedRun):
        number = whole_between("input", visit.asked("input", "1"), 1, 1 << 16)
        tokens, shown, written = inputs_of(evidence, number, visit.asked("typed"))
        run = network_on_input(theorem, evidence, values, tokens=tokens, written=written)
    power = visit.asked("power")
    sizes = sizes_over_lengths(
        theorem,
        values,
        None if evidence is None else task_of(evidence),
        whole_between("log2 N", power, 1, LAST_POWER) if power else None,
    )
    checks: tuple[StatementTable, ...] = ()
    margins: tuple[tuple[str, str, str], ...] = ()
    if visit.asked("check") == CHECKED or visit.is_static:
        checks, margins = checked(theorem, values)
    return TheoremAnswer(run, shown, sizes, bounds=_bounds(theorem, values), checks=checks, margins=margins)


def _evidence(theorem: Theorem, values: Mapping[str, Any]) -> Evidence | None:
    if not has_run(theorem):
        return None
    found: Evidence = theorem.call("certify", taken(theorem.options_of("certify"), values))
    return found


def _bounds(theorem: Theorem, values: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """Return the sizes that the proof guarantees, with what each counts."""
    options = {option.name: option for option in theorem.options_of("bound")}
    chosen = taken(options.values(), values)
    required = [one.name for one in options.values() if one.is_required]
    if theorem.constants is None or (set(required) - set(chosen) - {one.name for one in theorem.options_of("check")}):
        return ()
    found = theorem.call("bound", {**_defaults(theorem, required), **chosen})
    return tuple((name.replace("_", " "), f"{value:,}", _meaning(name)) for name, value in found.items())


def _meaning(name: str) -> str:
    """Return what a size counts, and the line of the chart that draws it."""
    line = f"; in the chart, “{DRAWN[name].title}”" if name in DRAWN else ""
    return f"{SIZE_WORDS.get(name, '')}{line}"


def _defaults(theorem: Theorem, names: list[str]) -> dict[str, Any]:
    defaults = {option.name: option.default for option in theorem.options_of("check") if not option.is_required}
    return {name: defaults[name] for name in names if name in defaults}


def checked(theorem: Theorem, values: Mapping[str, Any]) -> tuple[tuple[StatementTable, ...], tuple[tuple[str, str, str], ...]]:
    """Check a theorem at the reader's sizes; return its tables, and each margin with the one that is proved."""
    outcomes = theorem.call("check", taken(theorem.options_of("check"), values))
    tables = statement_tables([outcome.record() for outcome in outcomes])
    margins = tuple(
        (
            f"{outcome.margin.of}{f' ({outcome.variant})' if outcome.variant else ''}",
            f"{outcome.margin.least:.4g}",
            "–" if outcome.margin.proved is None else f"{outcome.margin.proved:.4g}",
        )
        for outcome in outcomes
        if outcome.margin is not None
    )
    return tuple(tables), margins


def _paragraphs(theorem: Theorem) -> list[str]:
    return [" ".join(part.split()) for part in docstring(module_of(theorem)).split("\n\n")]


def _command(theorem: Theorem, fields: list[FormField]) -> str:
    """Return the command line that checks the theorem with the options of the form."""
    checked_options = {option.name for option in theorem.options_of("check")}
    words = [
        f"--{field.name.replace('_', '-')} {quote(field.value)}"
        for field in fields
        if field.name in checked_options and field.value and field.kind != "switch"
    ]
    return " ".join(["seqsep check", theorem.name, *words])
