"""`seqsep check --model PATH`: the laws of state, tried on a causal language model of `transformers`."""

import argparse
import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from seqsep.commands.command import Parser, print_json
from seqsep.commands.shared_flags import whole_number
from seqsep.commands.status import DONE, REFUTED
from seqsep.core.names import BadInput

LEAST_TIME = 9
LEAST_BATCH = 2
TIME = 24
BATCH = 3
TYPES = ("float64", "float32", "bfloat16")


def name_language_models(words: Sequence[str]) -> bool:
    """Whether --model names a folder or a config.json, and no FILE.py:CLASS of the user's."""
    parts = [part for word in words for part in word.split("=", 1)]
    return any(flag == "--model" and ".py" not in value for flag, value in pairwise(parts))


def run_language_models(words: Sequence[str]) -> int:
    """Try every law of state on each model that the words name: a line a law, or JSON at the end."""
    options = _options(words)
    changes = dict(map(_change, options.set))
    records = [_check(path, changes, options) for path in options.model]
    if options.json:
        print_json(records[0] if len(records) == 1 else records)
    return DONE if all(record["holds"] for record in records) else REFUTED


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="seqsep check")
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="PATH",
        help="a folder with config.json and model.safetensors, or a config.json alone, with random weights",
    )
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="a field of config.json as JSON")
    parser.add_argument("--length", type=whole_number, default=TIME, help=f"tokens of an input, from {LEAST_TIME}")
    parser.add_argument("--batch", type=whole_number, default=BATCH, help=f"inputs read together, from {LEAST_BATCH}")
    parser.add_argument("--seed", type=whole_number, default=0, help="random seed of tokens and weights")
    parser.add_argument(
        "--dtype", choices=TYPES, default=TYPES[0], help="type to compute in; the results are compared with float64"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object for each model; a list if there are several")
    options = parser.parse_args(words)
    for flag, least in (("length", LEAST_TIME), ("batch", LEAST_BATCH)):
        if getattr(options, flag) < least:
            raise BadInput(f"--{flag}: expected a whole number from {least}, found {getattr(options, flag)}")
    return options


def _change(text: str) -> tuple[str, Any]:
    """A field and its value. Raises BadInput for what is no FIELD=VALUE."""
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


def _check(path: str, changes: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Try every law on one model, printing each verdict without --json; the record says what holds."""
    import torch

    from seqsep.language_models.laws.check import LANGUAGE_MODEL_LAWS, try_law
    from seqsep.language_models.laws.receiver import Receiver
    from seqsep.language_models.laws.source import find_source, require_fields, version
    from seqsep.language_models.laws.trial import Trial

    source = find_source(path, changes, options.seed)
    require_fields(source, changes)
    dtype = getattr(torch, options.dtype)
    verdicts = []
    with Receiver() as receiver:
        trial = Trial(source, time=options.length, batch=options.batch, seed=options.seed, dtype=dtype, receiver=receiver)
        for name in LANGUAGE_MODEL_LAWS:
            verdicts.append(try_law(name, trial))
            if not options.json:
                print(verdicts[-1].line(), flush=True)
    failed = sum(verdict.holds is False for verdict in verdicts)
    tried = sum(verdict.holds is not None for verdict in verdicts)
    if not options.json:
        print(_last_line(path, trial.shortened, options, (failed, tried)))
    return {
        "model": path,
        "model_type": source.config["model_type"],
        "transformers": version(),
        "weights": "random" if source.folder is None else "of the folder",
        "fields_set": {**changes, **trial.shortened},
        "length": options.length,
        "batch": options.batch,
        "dtype": options.dtype,
        "holds": not failed,
        "laws": [verdict.record() for verdict in verdicts],
    }


def _last_line(path: str, shortened: dict[str, Any], options: argparse.Namespace, counts: tuple[int, int]) -> str:
    """What was tried on what: `shortened` are the fields that were cut, `counts` the laws that fail and that were tried."""
    failed, tried = counts
    fields = "".join(f", {name} {value}" for name, value in shortened.items())
    verdict = f"{failed} of {tried} laws fail" if failed else f"all {tried} laws that were tried hold"
    return f"{path} with {options.batch} inputs of {options.length} tokens in {options.dtype}{fields}: {verdict}"
