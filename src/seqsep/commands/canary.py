"""`seqsep canary`: models whose every answer is known, and whether an engine gives these answers."""

import argparse
import json
from pathlib import Path

from seqsep.commands.canary_check import CanaryFlags, add_check_flags, run_check
from seqsep.commands.command import PUBLISHED, Command, flags
from seqsep.commands.shared_flags import whole_number
from seqsep.commands.status import DONE
from seqsep.core.names import BadInput, choose

ACTIONS = {
    "write": ("write the model as a folder that transformers, vLLM and converters load", "write llama -o canary"),
    "ask": ("print prompts with their right answers, a JSON object on each line", "ask canary --scenario twins"),
    "check": ("ask an engine that holds the model, and count wrong answers", "check canary --url http://127.0.0.1:8000/v1"),
}
TYPES = {"float32": 2**-24, "bfloat16": 2**-8, "float16": 2**-11}
"""Type of numbers -> the relative error of one rounding."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of each action."""
    from seqsep.theorems.canary import CANARIES

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, (purpose, example) in ACTIONS.items():
        status = "; exit status 1: an answer is wrong, or the engine failed" if name == "check" else ""
        action = actions.add_parser(name, help=purpose, description=purpose, epilog=f"Example: seqsep canary {example}{status}")
        if name == "write":
            action.add_argument("name", metavar="NAME", help=f"one of {', '.join(CANARIES)}")
            action.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="a new or an empty folder")
            action.add_argument(
                "--gguf", action="store_true", help="also write DIR/model.gguf for llama.cpp, in float32; of llama and mamba2"
            )
            action.add_argument("--dtype", choices=TYPES, default="float32", help="type of the weights; by default float32")
        else:
            action.add_argument("folder", type=Path, metavar="DIR", help="folder that seqsep canary write made")
            action.add_argument(
                "--scenario",
                action="append",
                default=[],
                metavar="NAME",
                help="only this scenario; may be given several times",
            )
            action.add_argument("--seed", type=whole_number, default=0, help="random seed of the prompts; by default 0")
        if name == "check":
            add_check_flags(action)
        action.set_defaults(parser=action)


def run(options: argparse.Namespace) -> int:
    """Write a canary, print its prompts, or check an engine."""
    if options.action == "write":
        return write(options.name, options.output, options.dtype, gguf=options.gguf)
    if options.action == "ask":
        return ask(options.folder, options.scenario, options.seed)
    return run_check(flags(CanaryFlags, vars(options)))


def write(name: str, folder: Path, dtype: str, *, gguf: bool) -> int:
    """Write the folder, and the .gguf file if it is asked for; print what the model does."""
    from seqsep.language_models.canary.folder import canary_of, write_canary
    from seqsep.language_models.canary.gguf_file import require_gguf, write_gguf

    _require_lead(name, dtype)
    if gguf:
        require_gguf(name)
    written = write_canary(name, folder, dtype)
    if gguf:
        write_gguf(name, written / "model.gguf")
    print(f"{written}: {canary_of(written).statement}")
    return DONE


def _require_lead(name: str, dtype: str) -> None:
    """Raise BadInput for a type of numbers in which the canary's answers are not proved."""
    from seqsep.theorems.canary import CANARIES

    canary = CANARIES[choose("canary", name, list(CANARIES))]
    if not canary.proved_lead(canary.longest, TYPES[dtype]):
        proved = [known for known, unit in TYPES.items() if canary.proved_lead(canary.longest, unit)]
        raise BadInput(f"--dtype {dtype}: the answers of {name} are proved in {', '.join(proved)} only")


def ask(folder: Path, scenarios: list[str], seed: int) -> int:
    """Print each prompt as a line of JSON: token numbers, words, and the tokens that must follow."""
    from seqsep.language_models.canary.folder import canary_of
    from seqsep.language_models.canary.scenarios import chosen_scenarios, prompts
    from seqsep.theorems.canary.vocabulary import words

    canary = canary_of(folder)
    for asked in prompts(canary, seed, chosen_scenarios(scenarios)):
        line = {
            "scenario": asked.scenario,
            "conversation": asked.conversation,
            "batch": asked.batch,
            "prompt": list(asked.prompt),
            "answers": list(asked.answers),
            "words": words(asked.prompt, canary.words),
            "answered": words(asked.answers, canary.words),
        }
        print(json.dumps(line))
    return DONE


COMMAND = Command(
    name="canary",
    purpose="write a model whose every answer is known, and ask an engine for these answers",
    example="seqsep canary write llama -o canary",
    group=PUBLISHED,
    add_flags=add_flags,
    run=run,
    details=(
        "A canary is a small model whose right greedy answer after each token is known. If an inference engine that holds its "
        "weights gives another answer, the engine reads its state, its cache or its positions wrongly. "
        "docs/how-to/canary.md has the steps.\n\n"
        "A scenario is a kind of prompts, such as twins: two prompts that differ only in the last token of a block. "
        "If the engine's own counters do not show that a scenario happened, the verdict is not exercised, never right."
    ),
)
