"""`seqsep capacity`: what a published model keeps between tokens, from its config.json."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import PUBLISHED, Command, flags, path_text, print_json
from seqsep.commands.outputs import require_outputs
from seqsep.commands.status import DONE
from seqsep.core.files import write_file
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.language_models.capacity.answer import Capacity
    from seqsep.language_models.capacity.text import CapacityQuery

DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20}
MEMORY = {"": 1, "b": 1, **{f"{letter}ib": 1 << (10 * power) for power, letter in enumerate("kmgtp", start=1)}}
MEMORY |= {f"{letter}b": 10 ** (3 * power) for power, letter in enumerate("kmgtp", start=1)}
MOST_NUMBER = 10**18


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which files, which widths of numbers, and what is asked besides."""
    configs = "a model's config.json, the folder it is in, a .gguf file, or - for standard input"
    parser.add_argument("configs", type=path_text, metavar="CONFIG.json", nargs="+", help=configs)
    parser.add_argument("--compare", action="store_true", help="print a table with a row for each file")
    parser.add_argument(
        "--pairs",
        action="store_true",
        help="with --compare: for each two models, also print the lengths from which one keeps more bytes than the other",
    )
    parser.add_argument("--length", help="tokens, such as 4096, 128k (128,000), 128Ki (131,072) or 1M")
    parser.add_argument("--source-length", help="tokens of an encoder-decoder's source, or positions of images")
    parser.add_argument("--batch", help="number of sequences at once; by default 1", default="1")
    parser.add_argument("--memory", help="bytes for state and cache, such as 80GiB")
    parser.add_argument(
        "--weights",
        type=path_text,
        metavar="SIZE",
        help="bytes of the weights, which are subtracted from --memory: a size, a file or a folder, or auto for the folder of "
        "CONFIG.json",
    )
    parser.add_argument(
        "--tensor-parallel",
        metavar="N",
        help="number of devices that share the heads; all bytes are those of one device; by default 1",
    )
    parser.add_argument("--block-size", metavar="TOKENS", help="tokens in one block of a paged cache; by default 1")
    parser.add_argument(
        "--one-layer",
        action="store_true",
        help="also print the lengths at which one layer of the model, without the others, provably fails at two tasks: to "
        "compose two functions, and induction heads",
    )
    widths = "bits of each number in a fixed state, or a format such as fp8; by default 16"
    parser.add_argument("--state-bits", help=widths, default="16")
    widths = (
        "bits of each number in a cache, such as 8.5, or a format such as q8_0; one for keys and one for values with a slash, "
        "such as q8_0/q4_0; by default 16, or what the file says"
    )
    parser.add_argument("--cache-bits", help=widths)
    parser.add_argument(
        "--defaults", action="store_true", help="if the file lacks depth or width, use the defaults of the library"
    )
    parser.add_argument(
        "--chart", type=Path, metavar="FILE.svg", help="with --compare: draw a chart of bytes over length, with crossings"
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="one JSON object; a list of them with --compare")
    output.add_argument("--csv", action="store_true", help="the table of --compare as CSV")
    output.add_argument("--latex", action="store_true", help="the table of --compare as LaTeX")


@dataclass(frozen=True)
class CapacityFlags:
    """The flags that say which files are read, how, and what is printed of them."""

    configs: Sequence[str]
    source_length: str | None
    memory: str | None
    weights: str | None
    tensor_parallel: str | None
    block_size: str | None
    state_bits: str
    cache_bits: str | None
    defaults: bool
    one_layer: bool
    compare: bool
    pairs: bool
    chart: Path | None
    json: bool
    csv: bool
    latex: bool


def run(options: argparse.Namespace) -> int:
    """Print the answer. Raises BadInput for what cannot be read, with file and field."""
    length = None if options.length is None else quantity("--length", options.length, DECIMAL)
    memory = None if options.memory is None else quantity("--memory", options.memory, MEMORY)
    batch = quantity("--batch", options.batch, DECIMAL)
    asked = flags(CapacityFlags, vars(options))
    _require_flags_that_fit(asked)
    require_outputs([options.chart], read=_files(asked.configs))
    found = _read(asked)
    from seqsep.language_models.capacity.text import CapacityQuery

    question = CapacityQuery(length, memory, batch, weights=_weights(asked), written=options.length or "")
    if options.compare:
        _compare(asked, found, question)
        return DONE
    (one,) = found
    if isinstance(one, BadInput):
        raise one
    if options.json:
        record = record_of(one, question)
        if options.one_layer:
            from seqsep.language_models.capacity.one_layer_text import one_layer_record

            record["one_layer"] = one_layer_record(one)
        print_json(record)
        return DONE
    from seqsep.language_models.capacity.text import sentences

    lines = sentences(one, question)
    if options.one_layer:
        from seqsep.language_models.capacity.one_layer_text import one_layer_sentences

        lines += ["", *(f"  {line}" for line in one_layer_sentences(one))]
    print("\n".join(lines))
    return DONE


def _require_flags_that_fit(asked: CapacityFlags) -> None:
    if len(asked.configs) > 1 and not asked.compare:
        raise BadInput(f"expected one CONFIG.json, found {len(asked.configs)}; --compare takes several")
    if asked.configs.count("-") > 1:
        raise BadInput("-: expected standard input once, found it twice")
    if (asked.csv or asked.latex) and not asked.compare:
        raise BadInput("--csv and --latex: expected --compare with them, found none")
    if asked.pairs and not asked.compare:
        raise BadInput("--pairs: expected --compare with it, found none")
    if asked.one_layer and asked.compare:
        raise BadInput("--one-layer: expected one model, found --compare; docs/reference/capacity.md compares published models")
    if asked.chart is not None and (not asked.compare or asked.chart.suffix.lower() != ".svg"):
        raise BadInput(f"--chart {asked.chart}: expected --compare, and a name that ends in .svg")
    if asked.weights is not None and asked.memory is None:
        raise BadInput("--weights: expected --memory with it, found none")


def _files(configs: Sequence[str]) -> list[Path]:
    return [Path(name) for name in configs if name != "-"]


def _read(asked: CapacityFlags) -> list["Capacity | BadInput"]:
    """Read every file; with --compare, an error takes the place of a file that cannot be read."""
    from seqsep.language_models.capacity.answer import capacity
    from seqsep.language_models.capacity.widths import keys_and_values, width

    named: dict[str, Any] = {
        "source_length": None if asked.source_length is None else quantity("--source-length", asked.source_length, DECIMAL),
        "tensor_parallel": quantity("--tensor-parallel", asked.tensor_parallel or "1", {"": 1}),
        "block_size": quantity("--block-size", asked.block_size or "1", {"": 1}),
    }
    width("--state-bits", asked.state_bits)
    keys_and_values("--cache-bits", asked.cache_bits or "16")
    widths: dict[str, Any] = {"state_bits": asked.state_bits, "cache_bits": asked.cache_bits}
    found: list[Capacity | BadInput] = []
    for path in asked.configs:
        try:
            found.append(capacity(path, **widths, **named, defaults=asked.defaults))
        except BadInput as error:
            found.append(error)
        except OSError as error:
            if not asked.compare:
                raise
            found.append(BadInput(f"{path}: {error.strerror}"))
    if asked.compare and all(isinstance(one, BadInput) for one in found):
        raise next(one for one in found if isinstance(one, BadInput))
    return found


def _weights(asked: CapacityFlags) -> int | None:
    """Return the bytes of weights on one device."""
    if asked.weights is None:
        return None
    if re.match(r"\d", asked.weights) and not Path(asked.weights).exists():
        total = quantity("--weights", asked.weights, MEMORY)
    else:
        from seqsep.language_models.capacity.weights import bytes_of_weights

        if asked.weights == "auto" and (len(asked.configs) > 1 or asked.configs[0] == "-"):
            raise BadInput("--weights auto: expected one CONFIG.json in the folder of its weights")
        total = bytes_of_weights(Path(asked.configs[0] if asked.weights == "auto" else asked.weights))
    return -(-total // quantity("--tensor-parallel", asked.tensor_parallel or "1", {"": 1}))


def _compare(asked: CapacityFlags, found: Sequence["Capacity | BadInput"], question: "CapacityQuery") -> None:
    from seqsep.language_models.capacity.compare import CapacityComparison, Unknown

    models = [one for one in found if not isinstance(one, BadInput)]
    if asked.chart is not None:
        from seqsep.report.page.capacity_chart import capacity_chart

        write_file(asked.chart, capacity_chart(models, question.length), read=_files(asked.configs))
    pairs = list(zip(asked.configs, found, strict=True))
    if asked.json:
        print_json(
            [
                {"file": path, "unknown": str(one)} if isinstance(one, BadInput) else record_of(one, question)
                for path, one in pairs
            ]
        )
        return
    table = CapacityComparison(
        [Unknown(path, str(one).removeprefix(f"{path}: ")) if isinstance(one, BadInput) else one for path, one in pairs],
        question,
    )
    if asked.csv or asked.latex:
        print(table.csv() if asked.csv else table.latex(), end="")
        return
    from seqsep.language_models.capacity.crossings import LONGEST, crossings_in_words
    from seqsep.language_models.capacity.notes import notes

    lines = crossings_in_words(models, question.length or LONGEST) if asked.pairs else []
    unread = [f"{path}: unknown: {str(one).removeprefix(f'{path}: ')}" for path, one in pairs if isinstance(one, BadInput)]
    named = [f"{one.where}: {said}" for one in models for said in notes(one)]
    print("\n".join([table.table(), *lines, *unread, *named]))


def record_of(found: "Capacity", question: "CapacityQuery") -> dict[str, Any]:
    """Return the answer as plain values, with the lengths and memory of the query."""
    record = found.record()
    length = question.length
    batch = question.batch
    if length is not None:
        read = batch * found.bytes_at(length)
        allocated = batch * found.bytes_at(length, allocated=True)
        record["at_length"] = {"tokens": length, "batch": batch, "bytes_read": read, "bytes_allocated": allocated}
    if question.memory is not None and question.left is not None:
        weights = {} if question.weights is None else {"bytes_of_weights": question.weights}
        most = found.longest_in(question.left, batch)
        record["in_memory"] = {"bytes": question.memory, **weights, "batch": batch, "most_tokens": most}
        if length is not None:
            record["in_memory"] |= {"most_sequences_of_the_length": found.batch_in(question.left, length)}
    return record


def quantity(flag: str, text: str, units: dict[str, int]) -> int:
    """Return a positive whole number with a unit. Raises BadInput, which names the flag, for anything else.

    >>> quantity("--memory", "80GiB", MEMORY), quantity("--length", "1.5k", DECIMAL)
    (85899345920, 1500)
    """
    match = re.fullmatch(r"(\d{1,18})(?:\.(\d{1,9}))?\s*([A-Za-z]*)", text.strip(), flags=re.ASCII)
    unit = units.get(match[3].lower()) if match else None
    if match is None or unit is None:
        known = ", ".join(name for name in units if name)
        raise BadInput(f"{flag}: expected a number{f' with {known} or no unit' if known else ''}, found {text[:60]!r}")
    fraction = match[2] or ""
    value, rest = divmod(int(match[1] + fraction) * unit, 10 ** len(fraction))
    if rest or not 1 <= value <= MOST_NUMBER:
        raise BadInput(f"{flag}: expected a whole number from 1 to {MOST_NUMBER:,}, found {text[:60]!r}")
    return value


COMMAND = Command(
    name="capacity",
    purpose="compute from config.json what a model keeps between tokens and what it cannot do",
    example="seqsep capacity examples/falcon-mamba-7b.json --length 128k --memory 80GiB",
    group=PUBLISHED,
    add_flags=add_flags,
    run=run,
    details=(
        "The command downloads nothing. It loads neither torch nor transformers: seqsep ships the defaults of transformers."
    ),
)
