"""`seqsep text`: a causal language model of `transformers` answers questions in plain words."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from seqsep.commands.command import PUBLISHED, Command, flags, path_text, print_json
from seqsep.commands.kept import saying_what_is_kept
from seqsep.commands.now_and_then import now_and_then
from seqsep.commands.shared_flags import positive, whole_number
from seqsep.commands.status import DONE
from seqsep.core.names import BadInput, install

if TYPE_CHECKING:
    from seqsep.language_models.text.accuracy import LengthAccuracy
    from seqsep.language_models.text.evaluation import Evaluation
    from seqsep.language_models.text.hotpotqa import Order
    from seqsep.language_models.text.language_model import Facts
    from seqsep.language_models.text.question import Question
    from seqsep.language_models.text.reply import Reply

LENGTHS = {"phonebook": (8, 16, 32, 64), "index": (8, 16, 32, 64), "hotpotqa": (2, 4, 6, 8)}
COUNTS = {"phonebook": 100, "index": 100, "hotpotqa": 350}
SHOTS = {"phonebook": 2, "index": 2, "hotpotqa": 4}
OF_ONE_TASK = {"data": "hotpotqa", "order": "hotpotqa", "candidates": "hotpotqa", "digits": "phonebook"}
DIGITS = 7
CANDIDATES = 2000


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which task and model, which questions, and where replies are kept."""
    parser.add_argument("task", choices=tuple(LENGTHS), metavar="|".join(LENGTHS), help="kind of questions")
    parser.add_argument(
        "--model",
        type=path_text,
        action="append",
        default=[],
        metavar="PATH_OR_NAME",
        help="folder with config.json, tokenizer.json and model.safetensors, or a name on the hub, which is downloaded; "
        "for hotpotqa, repeat --model for each model",
    )
    parser.add_argument("--n", type=positive, nargs="+", metavar="N", help="entries, words or paragraphs; one or more lengths")
    parser.add_argument("--count", type=positive, help="questions at each length; by default 100, and 350 for hotpotqa")
    parser.add_argument(
        "--shots", type=whole_number, metavar="K", help="examples in a prompt; by default 2, and 4 for hotpotqa"
    )
    parser.add_argument("--digits", type=positive, help=f"phonebook: digits of a number, 1 to 9; by default {DIGITS}")
    parser.add_argument(
        "--data", type=Path, metavar="FILE", help="hotpotqa: JSON file of the questions, such as hotpot_dev_distractor_v1.json"
    )
    parser.add_argument("--order", choices=("random", "needed-last"), help="hotpotqa: order of the paragraphs; by default both")
    parser.add_argument(
        "--candidates",
        type=positive,
        help="hotpotqa: greatest number of questions that are first asked with only the 2 paragraphs needed; by default "
        f"{CANDIDATES:,}",
    )
    parser.add_argument("--seed", type=whole_number, default=0, help="random seed of the questions; by default 0")
    parser.add_argument(
        "--store",
        type=Path,
        default=Path("runs/store.sqlite"),
        help="file of replies; a question with a reply in the file is not asked again",
    )
    parser.add_argument(
        "--batch",
        type=positive,
        default=1,
        help="number of prompts of the same length that are answered together; by default 1",
    )
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="device that the model runs on; by default cpu"
    )
    parser.add_argument(
        "--dtype", choices=("float32", "bfloat16", "float16"), default="float32", help="type of the weights; by default float32"
    )
    parser.add_argument("--show", action="store_true", help="print the first prompt and its answer, and ask no model")
    parser.add_argument("--json", action="store_true", help="print a JSON object per line: first the model, then each accuracy")


@dataclass(frozen=True)
class TextFlags:
    """The flags that say what is asked, of which models, and where replies are kept."""

    task: str
    model: Sequence[str]
    count: int | None
    shots: int | None
    digits: int | None
    data: Path | None
    order: "Order | None"
    candidates: int | None
    seed: int
    store: Path
    batch: int
    device: str
    dtype: str
    show: bool
    json: bool


def run(options: argparse.Namespace) -> int:
    """Ask the questions that the store does not hold answered, and print accuracies by length.

    Raises ValueError for bad input, and OSError if `transformers` or a model of the hub cannot be had.
    """
    for name, task in OF_ONE_TASK.items():
        if getattr(options, name) is not None and options.task != task:
            raise BadInput(f"text {options.task}: --{name} is only for seqsep text {task}")
    lengths = tuple(sorted(set(options.n or LENGTHS[options.task])))
    if options.task == "hotpotqa":
        return _hotpotqa(flags(TextFlags, vars(options)), lengths)
    return _lookup(flags(TextFlags, vars(options)), lengths)


def _lookup(asked: TextFlags, lengths: tuple[int, ...]) -> int:
    questions = {length: lookup_questions(asked, length) for length in lengths}
    first = questions[lengths[0]](0)
    if asked.show:
        return _show(first)
    if len(asked.model) != 1:
        raise BadInput(f"text {asked.task}: expected one --model PATH_OR_NAME, found {len(asked.model)}")
    count = asked.count or COUNTS[asked.task]
    with OpenModels(asked) as opened:
        evaluation = opened(asked.model[0])
        _print_model(evaluation.model.facts, asked.json)
        for length in lengths:
            batch = [questions[length](index) for index in range(count)]
            replies = evaluation.replies(batch, _progress(f"{asked.task}, n = {length}", count))
            _print_accuracies(asked.task, replies, asked.json)
    return DONE


def lookup_questions(asked: TextFlags, length: int) -> "Callable[[int], Question]":
    """Return the questions of one length, by index. Raises ValueError for an impossible length or number of digits."""
    from seqsep.language_models.text.index import index_question
    from seqsep.language_models.text.lookup import Lookups
    from seqsep.language_models.text.phonebook import phonebook_question

    lookups = Lookups(length, SHOTS[asked.task] if asked.shots is None else asked.shots, asked.seed)
    digits = DIGITS if asked.digits is None else asked.digits

    def question(index: int) -> "Question":
        return index_question(lookups, index) if asked.task == "index" else phonebook_question(lookups, index, digits)

    return question


def _hotpotqa(asked: TextFlags, lengths: tuple[int, ...]) -> int:
    from seqsep.language_models.text.hotpotqa import ORDERS, Benchmark
    from seqsep.language_models.text.hotpotqa_file import NEEDED, read_hotpotqa
    from seqsep.language_models.text.hotpotqa_run import HotpotRun

    if asked.data is None:
        raise BadInput("text hotpotqa: expected --data FILE, HotpotQA's JSON such as hotpot_dev_distractor_v1.json")
    if lengths[0] < NEEDED:
        raise BadInput(f"text hotpotqa --n {lengths[0]}: expected {NEEDED} paragraphs or more")
    shots = SHOTS["hotpotqa"] if asked.shots is None else asked.shots
    benchmark = Benchmark.of(read_hotpotqa(asked.data), max(lengths), shots, asked.seed)
    orders = (asked.order,) if asked.order else ORDERS
    if asked.show:
        return _show(benchmark.question(benchmark.asked[0], lengths[0], orders[0]))
    models = tuple(dict.fromkeys(asked.model))
    if not models:
        raise BadInput("text hotpotqa: expected --model PATH_OR_NAME, found none")
    hotpot = HotpotRun(
        benchmark=benchmark,
        models=models,
        lengths=lengths,
        orders=orders,
        count=asked.count or COUNTS["hotpotqa"],
        candidates=asked.candidates or CANDIDATES,
    )
    with OpenModels(asked) as opened:
        alone, replies = hotpot.run(opened, _progress)
    _print_subset(alone, replies, asked.json)
    return DONE


class OpenModels:
    """The evaluations of the models that the flags name, one open at a time, and the store that they share.

    Every model is found before anything is opened. Entering it raises ValueError for a folder that is not a model, and OSError.
    """

    def __init__(self, asked: TextFlags) -> None:
        self.asked = asked
        self._context = ExitStack()
        self._open: tuple[str, Evaluation] | None = None

    def __enter__(self) -> "OpenModels":
        from seqsep.lab.device import kind_of_gpu
        from seqsep.lab.store.store import Store
        from seqsep.language_models.loader.library import transformers
        from seqsep.language_models.text.model_folder import find_model
        from seqsep.language_models.text.tokenizer import start

        start()
        transformers(offline=all(Path(model).is_dir() for model in self.asked.model))
        if self.asked.device == "cuda":
            kind_of_gpu()
        self.folders = {model: find_model(model) for model in self.asked.model}
        with ExitStack() as stack:
            self.store = stack.enter_context(Store(self.asked.store))
            stack.enter_context(self.store.driving())
            stack.enter_context(saying_what_is_kept(self._kept))
            self._context = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._context.__exit__(kind, error, trace)

    def _kept(self) -> str:
        """Return the words for an interrupted command: the number of kept replies and their store."""
        replies = len(self.store.rows(f"text-{self.asked.task}"))
        return f"{replies:,} replies are kept in {self.asked.store}; the same command asks the remaining questions"

    def __call__(self, model: str) -> "Evaluation":
        """Return the evaluation of a model. The evaluation of another model is closed first."""
        from seqsep.language_models.text.evaluation import Evaluation
        from seqsep.language_models.text.language_model import LanguageModel

        if self._open is None or self._open[0] != model:
            self._open = None
            loaded = LanguageModel(self.folders[model], self.asked.dtype, self.asked.device)
            self._open = model, Evaluation(loaded, self.store, self.asked.task, self.asked.device, batch=self.asked.batch)
        return self._open[1]


def _progress(what: str, count: int) -> "Callable[[Reply], None]":
    """Return a function that prints the number of answered questions on stderr now and then."""
    answered = 0
    say = now_and_then()

    def on_reply(reply: "Reply") -> None:
        nonlocal answered
        answered += 1
        say(f"{what}: {answered:,} new of at most {count:,}")

    return on_reply


def _show(question: "Question") -> int:
    print(question.prompt)
    print(f"--- expected: {question.expected}")
    return DONE


def _print_model(facts: "Facts", as_json: bool) -> None:
    if not as_json:
        context = "no limit named" if facts.context is None else f"{facts.context:,} tokens"
        print(f"{facts.name}: {facts.architecture}, {facts.parameters:,} parameters, {facts.dtype}; context: {context}")


def _print_accuracies(task: str, replies: "Sequence[Reply]", as_json: bool) -> None:
    from seqsep.language_models.text.accuracy import accuracies

    for accuracy in accuracies(replies):
        if as_json:
            print_json(record(task, accuracy))
        else:
            print(f"  {in_words(accuracy)}", flush=True)


def _print_subset(alone: "Sequence[Reply]", replies: "Sequence[Reply]", as_json: bool) -> None:
    """Print what each model answers from two paragraphs, and its accuracies on the subset."""
    from seqsep.language_models.text.accuracy import accuracies

    tried = {cell.model: cell for cell in accuracies(alone)}
    size = len({reply.question["id"] for reply in replies})
    if not as_json:
        print(f"subset: {size:,} questions that every model answers from the 2 paragraphs needed, so accuracy at n = 2 is 1")
    for model, cell in tried.items():
        _print_model(model, as_json)
        right = sum(reply.right for reply in cell.replies)
        if not as_json:
            print(f"  exact match from the 2 paragraphs: {right:,} of {len(cell.replies):,} tested")
        _print_accuracies("hotpotqa", [reply for reply in replies if reply.model == model], as_json)


def record(task: str, accuracy: "LengthAccuracy") -> dict[str, object]:
    """Return an accuracy as JSON."""
    names = ("order", "length", "accuracy", "standard_error", "tokens_right", "chance", "prompt_tokens", "state_bits")
    values = {name: getattr(accuracy, name) for name in names}
    return {"task": task, "model": asdict(accuracy.model), **values, "questions": len(accuracy.replies)}


def in_words(accuracy: "LengthAccuracy") -> str:
    """Return an accuracy in a line: with its standard error, the answers' tokens, chance, the longest prompt, and the state."""
    percent = f"{100 * accuracy.accuracy:.1f} % (standard error {100 * accuracy.standard_error:.1f})"
    parts = [f"n = {accuracy.length:<4} {accuracy.order + ' ' if accuracy.order else ''}{percent} of {len(accuracy.replies):,}"]
    if accuracy.tokens_right is not None:
        parts.append(f"of the answers' tokens {100 * accuracy.tokens_right:.1f} %")
    chance = "not defined" if accuracy.chance is None else f"{100 * accuracy.chance:.1f} %"
    bits = "not counted" if accuracy.state_bits is None else f"{accuracy.state_bits:,} bits"
    parts += [f"chance {chance}", f"prompt up to {accuracy.prompt_tokens:,} tokens", f"state {bits}"]
    return "; ".join(parts)


COMMAND = Command(
    name="text",
    purpose="ask any causal language model of transformers to retrieve from text",
    example="seqsep text phonebook --n 8 --show",
    group=PUBLISHED,
    add_flags=add_flags,
    run=run,
    details=(
        "The model retrieves a number from a phonebook, a word from a list, or an answer from n paragraphs of HotpotQA. For "
        "hotpotqa, the command counts only questions that every model answers if it gets only the 2 paragraphs needed.\n\n"
        f"The command needs transformers: {install('hf')}"
    ),
)
