"""`seqsep generate`: the tokens that a trained model writes after the user's own inputs, its chain of thought and its
answer.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import TRAINING, Command, json_object, print_json
from seqsep.commands.shared_flags import add_kept_model, kept_file, positive, seconds
from seqsep.commands.status import DONE
from seqsep.core.files import read_lines
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.models.decode import Generated
    from seqsep.models.model import Model
    from seqsep.tasks.base import GeneratedTask

AT_ONCE = 64
"""Inputs that are answered together; their answers are printed before the next ones are begun."""
MOST_NAMED = 5


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which model, and the inputs."""
    add_kept_model(parser)
    parser.add_argument(
        "--prompt",
        action="append",
        default=[],
        metavar="JSON",
        help="an input as seqsep sample --json writes it; may be repeated",
    )
    parser.add_argument("--input", type=Path, help="file of JSON lines with further inputs; - is standard input")
    parser.add_argument(
        "--most",
        type=positive,
        help="greatest number of tokens to write; by default the length of the longest correct chain of thought",
    )
    parser.add_argument(
        "--retriever", metavar="FILE.py:FUNCTION", help="FUNCTION(tokens, prompt) answers queries; by default the task's own"
    )
    parser.add_argument(
        "--seconds", type=seconds, default=30.0, help="seconds that the retriever may take for one query; by default 30"
    )
    parser.add_argument(
        "--json", action="store_true", help="print a JSON object for each input, with chain of thought and answer"
    )


def run(options: argparse.Namespace) -> int:
    """Print one line an input, with thought and answer. Raises BadInput once all others are answered, if some cannot be."""
    from seqsep.lab.kept import load
    from seqsep.models.plugins.retriever import own_retriever
    from seqsep.tasks.base import GeneratedTask

    lines = [(f"--prompt {number}", text) for number, text in enumerate(options.prompt, start=1)]
    lines += _lines(options.input) if options.input is not None else []
    if not lines:
        raise BadInput("expected --prompt JSON or --input FILE, found neither")
    path = kept_file(options.model, options.key)
    model, trained = load(path, options.part)
    task = trained.task
    if not isinstance(task, GeneratedTask):
        raise BadInput(f"{path}: expected a task whose answer is written, such as is-tree, found {task.name}")
    prompts = [_prompt(task, where, text) for where, text in lines]
    most = task.most_generated if options.most is None else options.most
    retriever = task.retriever() if options.retriever is None else own_retriever(options.retriever, task)
    failures: dict[str, str] = {}
    for first in range(0, len(prompts), AT_ONCE):
        chosen = prompts[first : first + AT_ONCE]
        written, reasons = _written(model, chosen, task.stops, most, retriever=retriever, seconds=options.seconds)
        failures |= {lines[first + number][0]: reason for number, reason in reasons.items()}
        for prompt, generated in zip(chosen, written, strict=True):
            if generated is not None:
                shown = _readable(task, prompt, generated)
                print_json(shown) if options.json else print(_in_words(shown))
    if failures:
        raise BadInput(_in_one_line(failures))
    return DONE


def _written(
    model: "Model", prompts: Sequence[tuple[int, ...]], stops: Sequence[int], most: int, **further: Any
) -> tuple[Sequence["Generated | None"], dict[int, str]]:
    """Return the tokens that the model writes after each prompt, None where it fails, and the reason by the prompt's number."""
    from seqsep.models.decode import GenerationFails, generate

    try:
        return generate(model, prompts, stops, most, **further), {}
    except GenerationFails as failure:
        return failure.generated, failure.reasons


def _in_one_line(failures: dict[str, str]) -> str:
    """Return one line: the place and the reason of the first input without an answer, and the places of the others.

    >>> _in_one_line({"--prompt 2": "no time"})
    '--prompt 2: no time'
    >>> _in_one_line({"--prompt 2": "no time", "--prompt 4": "no token", "a, line 1": "no time"})
    '--prompt 2: no time; no answer either to --prompt 4; a, line 1'
    """
    first, *others = failures
    places = others[:MOST_NAMED] + ["..."] * (len(others) > MOST_NAMED)
    return f"{first}: {failures[first]}" + (f"; no answer either to {'; '.join(places)}" if others else "")


def _lines(path: Path) -> list[tuple[str, str]]:
    """Return the lines of a file that are not blank, and their places."""
    name = "standard input" if str(path) == "-" else str(path)
    lines = enumerate(read_lines(path), start=1)
    return [(f"{name}, line {number}", line) for number, line in lines if line.strip()]


def _prompt(task: "GeneratedTask", where: str, text: str) -> tuple[int, ...]:
    """Return the prompt that a JSON object or a line of `sample --json` describes. Raises BadInput with the place and the
    field.
    """
    from seqsep.tasks.reading import readable_form

    given = json_object(where, text)
    try:
        return task.prompt(readable_form(given))
    except ValueError as error:
        raise BadInput(f"{where}: {error}") from None


def _readable(task: "GeneratedTask", prompt: tuple[int, ...], generated: "Generated") -> dict[str, Any]:
    """Return the input in the task's own format with the answer, or null without one, and the chain of thought.

    `inserted` are the places of the thought, from 0, that a retriever wrote.
    """
    is_answered = bool(generated.tokens) and generated.tokens[-1] in task.stops
    thought = generated.tokens[:-1] if is_answered else generated.tokens
    answer = generated.tokens[-1] if is_answered else task.stops[0]
    readable = task.readable((*prompt, *thought), answer)
    inserted = [place for place, is_inserted in enumerate(generated.inserted) if is_inserted]
    return readable | {"answer": readable["answer"] if is_answered else None, "inserted": inserted}


def _in_words(shown: dict[str, Any]) -> str:
    """Return the chain of thought with a retriever's tokens in round brackets, and the answer after it."""
    inserted = set(shown["inserted"])
    thought = [f"({token})" if place in inserted else str(token) for place, token in enumerate(shown["thought"])]
    answer = "none came" if shown["answer"] is None else shown["answer"]
    return f"thought: {' '.join(thought)}  answer: {answer}"


COMMAND = Command(
    name="generate",
    purpose="show the chain of thought and the answer that a trained model writes",
    example="seqsep generate runs/store.sqlite --prompt '{\"edges\": [[1, 2], [2, 3], [1, 4]]}'",
    group=TRAINING,
    add_flags=add_flags,
    run=run,
    details="Round brackets mark the tokens that a retriever found.",
)
