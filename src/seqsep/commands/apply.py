"""`seqsep apply`: the built weights of a theorem on the user's own inputs."""

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from seqsep.commands.command import THEOREMS, Command, print_json
from seqsep.commands.named_theorems import known_theorem, theorem_named
from seqsep.commands.shared_flags import seconds
from seqsep.commands.status import DONE
from seqsep.commands.theorem_lines import ProgressLines
from seqsep.commands.theorem_options import help_text, options_from_flags
from seqsep.core.files import UNLIMITED, read_lines
from seqsep.core.names import BadInput


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorem, and where the inputs are."""
    parser.add_argument("theorem", metavar="THEOREM", help="a name of seqsep list theorems, or your own FILE.py:NAME")
    parser.add_argument(
        "--input", type=Path, default=Path("-"), help="file of JSON lines; by default, or for -, standard input"
    )
    parser.add_argument(
        "--seconds",
        type=seconds,
        metavar="S",
        help="stop with an error if an answer takes longer than S seconds; by default, no limit",
    )


def run(options: argparse.Namespace) -> int:
    """Print one answer a line, as each is computed: {"answer": ..}, or an object with a predictor's own names."""
    name = known_theorem(options.theorem)
    from seqsep.theorems import apply

    theorem = theorem_named(name)
    if theorem.predictor is None:
        raise BadInput(f"{name}: {theorem.nothing_to_apply}")
    chosen = options_from_flags("apply", [name], options.further)
    source = "standard input" if str(options.input) == "-" else str(options.input)
    answers = apply(theorem, read_lines(options.input, most=UNLIMITED), source, **chosen)
    for answer in in_time(answers, name, options.seconds):
        print_json(answer if isinstance(answer, dict) else {"answer": answer})
    return DONE


def in_time(answers: Iterator[Any], name: str, most_seconds: float | None) -> Iterator[Any]:
    """Yield the answers of a theorem. A line on stderr says which one is being computed if it takes long.

    Raises BadInput for an answer that takes longer than `most_seconds`.
    """
    from seqsep.tasks.retriever.bounded import TimeoutCall, TookTooLong

    end = object()
    following = partial(next, answers, end)
    count = 0
    with ProgressLines(1, doing="being computed") as heartbeat:
        while True:
            heartbeat.begin(f"{name}, answer {count + 1:,}")
            try:
                answer = following() if most_seconds is None else TimeoutCall(following, most_seconds)()
            except TookTooLong:
                advice = "choose more seconds, or smaller sizes, such as fewer --steps of a machine"
                raise BadInput(f"{name}: --seconds {most_seconds:g}: answer {count + 1:,} takes longer; {advice}") from None
            heartbeat.end()
            if answer is end:
                return
            count += 1
            yield answer


COMMAND = Command(
    name="apply",
    purpose="run the built weights of a theorem on your own inputs",
    example="seqsep sample index-lookup --length 20 --json | seqsep apply index-lookup-attention --length 20",
    group=THEOREMS,
    add_flags=add_flags,
    run=run,
    details=(
        "Each line of the input is a JSON object: a line that `seqsep sample --json` writes, or only the object in its field "
        "`readable`. Each line of the output is an answer.\n\n"
        "seqsep apply THEOREM --help shows the options of a theorem."
    ),
    takes_further=True,
    help_of=lambda words: help_text("apply", words, "[--input FILE] [--seconds S]"),
)
