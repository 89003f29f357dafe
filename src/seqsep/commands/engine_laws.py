"""`seqsep check --engine COMMAND`: the laws of state on an inference engine that answers JSON lines."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import Parser, print_json
from seqsep.commands.junit import junit_text
from seqsep.commands.shared_flags import number, seconds, whole_number
from seqsep.commands.status import DONE, REFUTED
from seqsep.core.files import UNLIMITED, open_regular, require_output, write_file
from seqsep.core.names import BadInput
from seqsep.models.plugins.name import PlugIn, names_a_file

if TYPE_CHECKING:
    from seqsep.language_models.engines.pipe import PipeEngine
    from seqsep.language_models.laws.check import ModelVerdict

ADAPTERS = ("transformers", "llama")
"""Before a colon and what the adapter loads, in place of a command."""
SERVE = (sys.executable, "-P", "-W", "ignore", "-m", "seqsep.language_models.engines.serve")


@dataclass(frozen=True)
class EngineFlags:
    """The engines, their inputs and reference, and how verdicts are printed."""

    engine: Sequence[str]
    reference: Path | None
    dtype: str
    tolerance: float | None
    length: int
    batch: int
    seed: int
    stall_seconds: float
    law: Sequence[str]
    junit: Path | None
    json: bool


def name_engines(words: Sequence[str]) -> bool:
    """Return True if the words name an engine."""
    return any(word.split("=", 1)[0] == "--engine" for word in words)


def run_engines(words: Sequence[str]) -> int:
    """Test the laws on each engine that the words name: a line for each law, or JSON at the end."""
    options = _options(words)
    if options.junit is not None:
        require_output(options.junit)
    for engine in options.engine:
        require_engine_file(engine)
    records = [_check(engine, options) for engine in options.engine]
    if options.junit is not None:
        write_file(options.junit, junit_text({record["engine"]: record["laws"] for record in records}))
    if options.json:
        print_json(records[0] if len(records) == 1 else records)
    return DONE if all(record["holds"] for record in records) else REFUTED


def _options(words: Sequence[str]) -> EngineFlags:
    parser = Parser(prog="seqsep check")
    parser.add_argument("--engine", action="append", default=[], metavar="COMMAND", help="a program that answers JSON lines")
    parser.add_argument("--reference", type=Path, metavar="FOLDER", help="the same weights in transformers")
    parser.add_argument("--dtype", default="", help="type that the engine computes in")
    parser.add_argument("--tolerance", type=number, help="difference that is allowed")
    parser.add_argument("--length", type=whole_number, default=24, help="tokens of an input")
    parser.add_argument("--batch", type=whole_number, default=3, help="inputs read together")
    parser.add_argument("--seed", type=whole_number, default=0, help="random seed of the tokens")
    parser.add_argument("--stall-seconds", type=seconds, default=60.0, help="seconds to wait for an answer")
    parser.add_argument("--law", action="append", default=[], metavar="NAME", help="a law to test")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the verdicts as a JUnit file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return EngineFlags(**vars(parser.parse_args(words)))


def command_of(engine: str) -> str | list[str]:
    """Return the command that serves an engine: itself, or that of an adapter or of a class.

    >>> command_of("./my_server --jsonl")
    './my_server --jsonl'
    >>> command_of("transformers:models/mine")[-2:]
    ['transformers', 'models/mine']
    """
    kind, colon, loads = engine.partition(":")
    if colon and kind in ADAPTERS:
        return [*SERVE, kind, loads]
    if names_a_file(engine) and ":" in engine and not any(letter.isspace() for letter in engine):
        return [*SERVE, engine]
    return engine


def require_engine_file(engine: str) -> None:
    """Raise BadInput if an adapter cannot load what is after its colon, before a process is started for it.

    >>> require_engine_file("llama:none.gguf")
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: --engine llama:none.gguf: expected a .gguf file, found no such file
    """
    kind, _, loads = engine.partition(":")
    words = command_of(engine)
    if isinstance(words, str):
        return
    if not loads:
        raise BadInput(f"--engine {engine}: expected a path after the colon, found nothing")
    if kind == "llama":
        _require_gguf(engine, Path(loads))
    elif kind == "transformers":
        from seqsep.language_models.loader.source import find_source
        from seqsep.language_models.model_file import require_model_file

        require_model_file(find_source(loads, {}))
    else:
        PlugIn.parse(engine)


def _require_gguf(engine: str, path: Path) -> None:
    from seqsep.language_models.capacity.gguf import MAGIC

    if not path.exists():
        raise BadInput(f"--engine {engine}: expected a .gguf file, found no such file")
    with open_regular(path, most=UNLIMITED) as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise BadInput(f"--engine {engine}: expected a .gguf file, found another first word")


def own_model_verdicts(model: str, width: int, heads: int, seconds: float, *, laws: Sequence[str]) -> "Iterator[ModelVerdict]":
    """Test laws of engines on a user's own complete model, and yield the verdicts."""
    from seqsep.language_models.engines.check import Inputs, try_engine_laws
    from seqsep.language_models.engines.pipe import PipeEngine

    command = [*SERVE, "model", model, str(width), str(heads)]
    with PipeEngine(command, seconds, shown=f"--model {model}") as served, _Second(served) as second:
        yield from try_engine_laws(served, laws, Inputs(), other=second)


def _check(engine: str, options: EngineFlags) -> dict[str, Any]:
    """Test the laws on one engine, and print each verdict without --json; return the record."""
    from seqsep.language_models.engines.check import (
        ENGINE_LAWS,
        Inputs,
        dtype_of,
        find_reference,
        require_inputs,
        try_engine_laws,
    )
    from seqsep.language_models.engines.pipe import PipeEngine
    from seqsep.language_models.laws.check import choose_laws

    laws = choose_laws(options.law, ENGINE_LAWS)
    inputs = Inputs(options.length, options.batch, seed=options.seed, dtype=options.dtype, tolerance=options.tolerance)
    require_inputs(inputs)
    reference = find_reference(options.reference)
    verdicts = []
    command = command_of(engine)
    with PipeEngine(command, options.stall_seconds, shown=f"--engine {engine}") as served, _Second(served) as second:
        for verdict in try_engine_laws(served, laws, inputs, reference=reference, other=second):
            verdicts.append(verdict)
            if not options.json:
                print(verdict.line(), flush=True)
        dtype = dtype_of(served, inputs)
    failed = sum(verdict.holds is False for verdict in verdicts)
    tried = sum(verdict.holds is not None for verdict in verdicts)
    if not options.json:
        print(f"{engine} with {options.batch} inputs of {options.length} tokens in {dtype}: {outcome(failed, tried)}")
    return {
        "engine": engine,
        "name": served.name,
        "methods": list(served.methods),
        "vocabulary": served.vocabulary,
        "reference": None if options.reference is None else str(options.reference),
        "length": options.length,
        "batch": options.batch,
        "dtype": dtype,
        "holds": not failed,
        "laws": [verdict.record() for verdict in verdicts],
    }


def outcome(failed: int, tested: int) -> str:
    """Return the words about the numbers of laws that failed and that were tested.

    >>> outcome(2, 24), outcome(0, 24), outcome(0, 0)
    ('2 of 24 laws fail', 'all 24 laws that were tested hold', 'no law was tested')
    """
    held = f"all {tested} laws that were tested hold" if tested else "no law was tested"
    return f"{failed} of {tested} laws fail" if failed else held


class _Second:
    """The engine started once more, when it is first asked for, and ended with the block."""

    def __init__(self, first: "PipeEngine") -> None:
        self._first = first
        self._second: PipeEngine | None = None

    def __enter__(self) -> "_Second":
        return self

    def __call__(self) -> "PipeEngine":
        self._second = self._second or self._first.another()
        return self._second

    def __exit__(self, *failure: object) -> None:
        if self._second is not None:
            self._second.close()
