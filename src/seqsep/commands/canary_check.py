"""`seqsep canary check`: the prompts of a canary, put to `transformers`, to a server or to a command."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import print_json
from seqsep.commands.engine_laws import command_of, require_engine_file
from seqsep.commands.junit import junit_text
from seqsep.commands.kept import saying_what_is_kept
from seqsep.commands.now_and_then import now_and_then
from seqsep.commands.outputs import require_outputs
from seqsep.commands.shared_flags import positive, seconds
from seqsep.commands.status import DONE, REFUTED
from seqsep.core.files import write_file
from seqsep.core.names import BadInput, text_of

if TYPE_CHECKING:
    from seqsep.language_models.canary.diagnosis import LikeFault
    from seqsep.language_models.canary.exam import Asked, CanaryReport, ScenarioVerdict
    from seqsep.language_models.canary.smaller import SmallPrompt
    from seqsep.theorems.canary import Canary

REQUESTS = 1000
SECONDS = 600.0
WAIT = 120.0


@dataclass(frozen=True)
class CanaryFlags:
    """The engine, the limits, and the form of the verdicts."""

    folder: Path
    scenario: Sequence[str]
    seed: int
    transformers: bool
    vllm: bool
    url: str | None
    engine: str | None
    allow_host: Sequence[str]
    requests: int
    seconds: float
    stall_seconds: float
    junit: Path | None
    json: bool


def add_check_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which engine is asked, with which limits, and how verdicts are printed."""
    engine = parser.add_mutually_exclusive_group(required=True)
    engine.add_argument("--transformers", action="store_true", help="ask transformers, in this process")
    engine.add_argument("--vllm", action="store_true", help="ask vLLM, in this process")
    engine.add_argument("--url", metavar="URL", help="a server of the completions protocol, such as http://127.0.0.1:8000/v1")
    engine.add_argument(
        "--engine", metavar="COMMAND", help="an engine as for seqsep check --engine: a program that answers JSON lines"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="HOST",
        help="a host that --url may name besides this machine; may be given several times",
    )
    parser.add_argument(
        "--requests", type=positive, default=REQUESTS, metavar="N", help=f"most prompts; by default {REQUESTS:,}"
    )
    parser.add_argument(
        "--seconds", type=seconds, default=SECONDS, metavar="S", help=f"most seconds for prompts; by default {SECONDS:g}"
    )
    parser.add_argument(
        "--stall-seconds", type=seconds, default=WAIT, metavar="S", help=f"wait S seconds for an answer; by default {WAIT:g}"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the verdicts as a JUnit file, before the diagnosis")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_check(options: CanaryFlags) -> int:
    """Ask the engine; print the table, the first wrong prompt made small, and the faults that give the same answers.

    Each part is printed as soon as it is known, since the later ones take minutes.
    """
    from seqsep.language_models.canary.exam import Budget, examine
    from seqsep.language_models.canary.folder import canary_of
    from seqsep.language_models.canary.scenarios import chosen_scenarios, prompts

    canary = canary_of(options.folder)
    scenarios = chosen_scenarios(options.scenario)
    require_outputs([options.junit], read=[])
    budget = Budget(options.requests, options.seconds)
    say = now_and_then()
    with saying_what_is_kept(lambda: f"{budget.sent} prompts were asked; no verdict is kept"), _asked(options) as engine:
        report = examine(engine, prompts(canary, options.seed, scenarios), budget, say)
        if options.junit is not None:
            write_file(options.junit, junit_text({f"canary {canary.name}": [_case(verdict) for verdict in report]}))
        if not options.json:
            print("\n".join(_lines(canary, options, report)), flush=True)
        small = _made_small(engine, canary, report, say)
        if report.wrong and not options.json:
            print(f"made small: {small.line()}" if small else "asked again, this prompt was not wrong", flush=True)
    alike, missing = ([], "") if report.holds else _diagnosis(options, report, say)
    if options.json:
        print_json(_record(canary, options, report, small) | {"alike": [asdict(fault) for fault in alike]})
    else:
        print("".join(f"{fault.line()}\n" for fault in alike), end="")
        if missing:
            print(missing, file=sys.stderr)
    return DONE if report.holds else REFUTED


@contextmanager
def _asked(options: CanaryFlags) -> "Iterator[Asked]":
    """Connect to the engine."""
    from seqsep.language_models.canary.through_engine import EngineAsked

    if options.url is not None:
        from seqsep.language_models.canary.over_http import ServerAsked
        from seqsep.language_models.engines.protocol import EngineFails

        try:
            server = ServerAsked(options.url, options.allow_host, options.stall_seconds)
        except EngineFails as error:
            raise BadInput(f"--url {text_of(error)}") from error
        yield server
    elif options.engine is not None:
        from seqsep.language_models.engines.pipe import PipeEngine

        require_engine_file(options.engine)
        with PipeEngine(command_of(options.engine), options.stall_seconds) as served:
            yield EngineAsked(served)
    elif options.vllm:
        from seqsep.language_models.canary.folder import dtype_of
        from seqsep.language_models.canary.in_vllm import VllmAsked

        yield VllmAsked(options.folder, dtype_of(options.folder))
    else:
        from seqsep.language_models.canary.folder import dtype_of
        from seqsep.language_models.engines.with_transformers import TransformersEngine

        yield EngineAsked(TransformersEngine(options.folder, dtype_of(options.folder)))


def _made_small(engine: "Asked", canary: "Canary", report: "CanaryReport", say: Callable[[str], None]) -> "SmallPrompt | None":
    """Return the first wrong prompt, made small; None if none is wrong, or none is wrong a second time."""
    from seqsep.language_models.canary.smaller import made_small

    for verdict in report:
        for wrong in verdict.wrong:
            same = [other for other in verdict.asked if other.conversation == wrong.prompt.conversation]
            others = [other.prompt for other in same if other is not wrong.prompt]
            return made_small(engine, canary, wrong, others, say=say)
    return None


def _diagnosis(options: CanaryFlags, report: "CanaryReport", say: Callable[[str], None]) -> "tuple[list[LikeFault], str]":
    """Return the injected faults with the same answers, or why there are none."""
    if not report.wrong:
        return [], ""
    import torch

    from seqsep.language_models.canary.diagnosis import diagnose
    from seqsep.language_models.canary.exam import Budget
    from seqsep.language_models.canary.folder import dtype_of
    from seqsep.language_models.loader.library import TransformersMissing
    from seqsep.language_models.loader.source import find_source
    from seqsep.language_models.loader.weights import built

    try:
        model = built(find_source(options.folder, {}), getattr(torch, dtype_of(options.folder)))
        alike = diagnose(model, report, Budget(seconds=options.seconds), say)
    except (BadInput, TransformersMissing) as error:
        return [], f"no injected fault was compared: {text_of(error)}"
    return alike, "" if alike else "no injected fault gives these answers"


def _lines(canary: "Canary", options: CanaryFlags, report: "CanaryReport") -> list[str]:
    """Return the table, the reasons in it, the first wrong answer, and a line that sums up."""
    lines = [report.table()]
    lines += [f"{verdict.scenario}: {verdict.words()}" for verdict in report if verdict.holds is None]
    lines += [f"{verdict.scenario}: FAILED: {verdict.failed}" for verdict in report if verdict.failed]
    asked = sum(len(verdict.asked) for verdict in report)
    exercised = sum(verdict.holds is not None for verdict in report)
    right = f"all answers to {asked} prompts are right" if asked else "no prompt was answered"
    told = f"{len(report.wrong)} of {asked} prompts wrong" if report.wrong else right
    lines.append(f"{canary.name} with seed {options.seed}: {told}; {exercised} of {len(report)} scenarios exercised")
    if report.wrong:
        first = report.wrong[0]
        lines.append(f"first wrong: {first.prompt.scenario}: {first.line()}")
    return lines


def _record(canary: "Canary", options: CanaryFlags, report: "CanaryReport", small: "SmallPrompt | None") -> dict[str, Any]:
    """Return what was found, for JSON."""
    return {
        "canary": canary.name,
        "engine": options.url or options.engine or ("vllm" if options.vllm else "transformers"),
        "seed": options.seed,
        "holds": report.holds,
        "scenarios": [verdict.record() for verdict in report],
        "small": None if small is None else small.record(),
    }


def _case(verdict: "ScenarioVerdict") -> dict[str, Any]:
    """Return a test case of a JUnit file."""
    wrong = verdict.wrong[0].line() if verdict.wrong else ""
    where = wrong or verdict.failed or verdict.not_exercised or ""
    return {"law": verdict.scenario, "holds": verdict.holds, "where": where}
