"""`seqsep ask`: put your own inputs to a trained model."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import TRAINING, Command, json_object, print_json
from seqsep.commands.shared_flags import add_kept_model, kept_file
from seqsep.commands.status import DONE
from seqsep.core.files import UNLIMITED, read_lines
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.models.model import Model
    from seqsep.tasks import Task


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which model, and the inputs."""
    add_kept_model(parser)
    parser.add_argument(
        "--input", type=Path, required=True, metavar="FILE", help="file of JSON lines; - is standard input; required"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print a JSON object for each input: the input as read, answer, probability, expected answer",
    )


def run(options: argparse.Namespace) -> int:
    """Print the model's answer after the last token of each input, and the answer by the task's definition."""
    from seqsep.lab.kept import load
    from seqsep.tasks.base import GeneratedTask

    path = kept_file(options.model, options.key)
    model, trained = load(path, options.part)
    if isinstance(trained.task, GeneratedTask):
        raise BadInput(f"{path}: expected a task without a thought, found {trained.task.name}; use seqsep generate {path}")
    name = "standard input" if str(options.input) == "-" else str(options.input)
    for number, line in enumerate(read_lines(options.input, most=UNLIMITED), start=1):
        if line.strip():
            shown = _answered(model, trained.task, _tokens(trained.task, f"{name}, line {number}", line))
            print_json(shown) if options.json else print(_in_words(shown))
    return DONE


def _tokens(task: "Task", where: str, text: str) -> tuple[int, ...]:
    """Return the tokens of a line. Raises BadInput with the place and the field."""
    from seqsep.tasks.reading import read_input

    given = json_object(where, text)
    try:
        return read_input(task, given)
    except ValueError as error:
        raise BadInput(f"{where}: {error}") from None


def _answered(model: "Model", task: "Task", tokens: tuple[int, ...]) -> dict[str, Any]:
    """Return the input, the answer after its last token with its probability, and the answer by definition or None."""
    import torch

    from seqsep.lab.step import predicted

    with torch.no_grad():
        logits = model(torch.tensor([tokens]))[:, -1].float()
    if not bool(logits.isfinite().all()):
        raise BadInput(
            f"{list(tokens)[:20]}: expected finite numbers from the model, found NaN or infinity in its weights or state"
        )
    answer = int(predicted(task, logits)[0])
    chances = logits.softmax(-1) if task.loss == "cross-entropy" else logits.sigmoid()
    try:
        expected = int(task.solve(tokens))
    except ValueError:
        expected = None
    chance = float(chances[0, answer]) if 0 <= answer < chances.shape[1] else None
    return {"inputs": list(tokens), "answer": answer, "probability": chance, "expected": expected}


def _in_words(shown: dict[str, Any]) -> str:
    probability = "" if shown["probability"] is None else f" ({shown['probability']:.1%})"
    if shown["expected"] is None:
        return f"answer: {shown['answer']}{probability}"
    verdict = "right" if shown["answer"] == shown["expected"] else f"wrong, it is {shown['expected']}"
    return f"answer: {shown['answer']}{probability}, {verdict}"


COMMAND = Command(
    name="ask",
    purpose="put your own inputs to a trained model",
    example="seqsep sample equality --length 20 --json | seqsep ask results/audit/lstm.safetensors --input -",
    group=TRAINING,
    add_flags=add_flags,
    run=run,
    details='Each line of the input is a JSON object, as `seqsep sample --json` writes it, or {"inputs": [tokens]}.',
)
