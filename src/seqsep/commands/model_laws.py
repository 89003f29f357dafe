"""`seqsep check --model PATH`: the laws of state, tried on a causal language model of `transformers`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from seqsep.commands.command import Parser, path_text, print_json
from seqsep.commands.engine_laws import outcome
from seqsep.commands.junit import junit_text
from seqsep.commands.shared_flags import whole_number
from seqsep.commands.status import DONE, REFUTED
from seqsep.core.files import require_output, write_file
from seqsep.core.names import BadInput

LEAST_TIME = 9
LEAST_BATCH = 2
TIME = 24
BATCH = 3
TYPES = ("float64", "float32", "bfloat16")


def name_language_models(words: Sequence[str]) -> bool:
    """Return True if --model specifies a folder or a config.json instead of a user's FILE.py:CLASS."""
    parts = [part for word in words for part in word.split("=", 1)]
    return any(flag == "--model" and ".py" not in value for flag, value in pairwise(parts))


def run_language_models(words: Sequence[str]) -> int:
    """Try every law of state on each model that the words name: a line a law, or JSON at the end."""
    asked = _asked(words)
    changes = dict(map(_change, asked.set))
    if asked.junit is not None:
        require_output(asked.junit, read=map(Path, asked.model))
    records = [_check(path, changes, asked) for path in asked.model]
    if asked.junit is not None:
        write_file(asked.junit, junit_text({record["model"]: record["laws"] for record in records}))
    if asked.json:
        print_json(records[0] if len(records) == 1 else records)
    return DONE if all(record["holds"] for record in records) else REFUTED


@dataclass(frozen=True)
class ModelLawsFlags:
    """The models, what is changed in them, the inputs, and how verdicts are printed."""

    model: Sequence[str]
    set: Sequence[str]
    tiny: bool
    length: int
    batch: int
    seed: int
    dtype: str
    law: Sequence[str]
    junit: Path | None
    json: bool


def _asked(words: Sequence[str]) -> ModelLawsFlags:
    parser = Parser(prog="seqsep check")
    parser.add_argument(
        "--model",
        type=path_text,
        action="append",
        default=[],
        metavar="PATH",
        help="a folder with config.json and model.safetensors, or only a config.json, with random weights",
    )
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="a field of config.json as JSON")
    parser.add_argument("--tiny", action="store_true", help="divide every size, keep the pattern of layers, draw the weights")
    parser.add_argument("--length", type=whole_number, default=TIME, help=f"tokens of an input, from {LEAST_TIME}")
    parser.add_argument("--batch", type=whole_number, default=BATCH, help=f"inputs read together, from {LEAST_BATCH}")
    parser.add_argument("--seed", type=whole_number, default=0, help="random seed of tokens and weights")
    parser.add_argument(
        "--dtype", choices=TYPES, default=TYPES[0], help="type to compute in; the results are compared with float64"
    )
    parser.add_argument("--law", action="append", default=[], metavar="NAME", help="a law to test; by default all of them")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the verdicts as a JUnit file, for CI")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each model; a list if there are several")
    options = parser.parse_args(words)
    for flag, least in (("length", LEAST_TIME), ("batch", LEAST_BATCH)):
        if getattr(options, flag) < least:
            raise BadInput(f"--{flag}: expected a whole number from {least}, found {getattr(options, flag)}")
    return ModelLawsFlags(**vars(options))


def _change(text: str) -> tuple[str, Any]:
    """Return a field and its value. Raises BadInput for a text other than FIELD=VALUE."""
    from seqsep.language_models.capacity.config import require_shallow

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput(f"--set {text}: expected FIELD=VALUE, such as num_hidden_layers=2")
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return name, value
    require_shallow(f"--set {name}", read)
    return name, read


def _check(path: str, changes: dict[str, Any], asked: ModelLawsFlags) -> dict[str, Any]:
    """Try every law on one model, printing each verdict without --json; the record says what holds."""
    import torch

    from seqsep.language_models.laws.check import choose_laws, try_law
    from seqsep.language_models.laws.receiver import Receiver
    from seqsep.language_models.laws.trial import LawTrial
    from seqsep.language_models.loader.library import version
    from seqsep.language_models.loader.source import find_source, require_fields
    from seqsep.language_models.loader.tiny import tiny
    from seqsep.language_models.model_file import require_model_file

    laws = choose_laws(asked.law)
    source = find_source(path, {} if asked.tiny else changes, asked.seed, only_config=asked.tiny)
    require_model_file(source, changes)
    if asked.tiny:
        source = tiny(source).but(changes)
    require_fields(source, changes)
    dtype = getattr(torch, asked.dtype)
    verdicts = []
    with Receiver() as receiver:
        trial = LawTrial(source, time=asked.length, batch=asked.batch, seed=asked.seed, dtype=dtype, receiver=receiver)
        for name in laws:
            verdicts.append(try_law(name, trial))
            if not asked.json:
                print(verdicts[-1].line(), flush=True)
    failed = sum(verdict.holds is False for verdict in verdicts)
    tried = sum(verdict.holds is not None for verdict in verdicts)
    if not asked.json:
        print(_last_line(path, trial.shortened, asked, (failed, tried)))
    return {
        "model": path,
        "model_type": source.config["model_type"],
        "transformers": version(),
        "tiny": asked.tiny,
        "weights": "random" if source.folder is None else "of the folder",
        "fields_set": {**changes, **trial.shortened},
        "length": asked.length,
        "batch": asked.batch,
        "dtype": asked.dtype,
        "holds": not failed,
        "laws": [verdict.record() for verdict in verdicts],
    }


def _last_line(path: str, shortened: dict[str, Any], asked: ModelLawsFlags, counts: tuple[int, int]) -> str:
    """Return the last line: the test and its model. `shortened` are the fields that were cut; `counts` are the failed and the
    tested laws.
    """
    failed, tried = counts
    fields = "".join(f", {name} {value}" for name, value in shortened.items())
    return f"{path} with {asked.batch} inputs of {asked.length} tokens in {asked.dtype}{fields}: {outcome(failed, tried)}"
