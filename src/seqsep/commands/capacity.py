"""`seqsep capacity`: what a published model keeps between tokens, from its config.json."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from seqsep.commands.command import PUBLISHED, Command, print_json
from seqsep.commands.outputs import require_outputs
from seqsep.commands.status import DONE
from seqsep.core.files import write_file
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.language_models.capacity.answer import Capacity

DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
MEMORY = {"": 1, "b": 1, **{f"{letter}ib": 1 << (10 * power) for power, letter in enumerate("kmgtp", start=1)}}
MEMORY |= {f"{letter}b": 10 ** (3 * power) for power, letter in enumerate("kmgtp", start=1)}
MOST = 10**18


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which files, which widths of numbers, and what is asked besides."""
    parser.add_argument("configs", metavar="CONFIG.json", nargs="+", help="a model's config.json, or the folder it is in")
    parser.add_argument("--compare", action="store_true", help="several files, a row each")
    parser.add_argument("--length", help="tokens, such as 4096, 128k or 1M")
    parser.add_argument("--batch", help="sequences at once (1)", default="1")
    parser.add_argument("--memory", help="bytes for state and cache, such as 80GiB")
    parser.add_argument(
        "--one-layer", action="store_true", help="also from which length on one layer of it, alone, is provably too narrow"
    )
    parser.add_argument("--state-bits", help="bits of a number of a fixed state (16)", default="16")
    parser.add_argument("--cache-bits", help="bits of a number of a cache (16)", default="16")
    parser.add_argument("--chart", type=Path, metavar="FILE.svg", help="with --compare: bytes over length and crossings, drawn")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="one JSON object; a list of them with --compare")
    output.add_argument("--csv", action="store_true", help="the table of --compare as CSV")
    output.add_argument("--latex", action="store_true", help="the table of --compare as LaTeX")


def run(options: argparse.Namespace) -> int:
    """Print the answer. Raises BadInput for what cannot be read, with file and field."""
    length = None if options.length is None else quantity("--length", options.length, DECIMAL)
    memory = None if options.memory is None else quantity("--memory", options.memory, MEMORY)
    batch = quantity("--batch", options.batch, DECIMAL)
    bits = {
        name: quantity(f"--{name.replace('_', '-')}", getattr(options, name), {"": 1}) for name in ("state_bits", "cache_bits")
    }
    if len(options.configs) > 1 and not options.compare:
        raise BadInput(f"expected one CONFIG.json, found {len(options.configs)}; --compare takes several")
    if (options.csv or options.latex) and not options.compare:
        raise BadInput("--csv and --latex: expected --compare with them, found none")
    if options.one_layer and options.compare:
        raise BadInput("--one-layer: expected one model, found --compare; docs/reference/capacity.md compares published models")
    if options.chart is not None and (not options.compare or options.chart.suffix.lower() != ".svg"):
        raise BadInput(f"--chart {options.chart}: expected --compare, and a name that ends in .svg")
    require_outputs([options.chart], read=map(Path, options.configs))
    from seqsep.language_models.capacity.answer import capacity

    found = [capacity(path, **bits) for path in options.configs]
    if options.chart is not None:
        from seqsep.report.page.capacity_chart import capacity_chart

        write_file(options.chart, capacity_chart(found, length), read=map(Path, options.configs))
    if options.json:
        records = [record_of(one, length, memory, batch) for one in found]
        if options.one_layer:
            from seqsep.language_models.capacity.one_layer_text import one_layer_record

            records[0]["one_layer"] = one_layer_record(found[0])
        print_json(records if options.compare else records[0])
    elif options.compare:
        from seqsep.language_models.capacity.compare import Comparison
        from seqsep.language_models.capacity.crossings import LONGEST, crossings_in_words
        from seqsep.language_models.capacity.text import quantized

        table = Comparison(found, length, memory, batch)
        named = [f"{one.where}: {said}" for one in found for said in quantized(one)]
        text = "\n".join([table.table(), *crossings_in_words(found, length or LONGEST), *named, ""])
        print(table.csv() if options.csv else table.latex() if options.latex else text, end="")
    else:
        from seqsep.language_models.capacity.text import sentences

        lines = sentences(found[0], length, memory, batch)
        if options.one_layer:
            from seqsep.language_models.capacity.one_layer_text import one_layer_sentences

            lines += ["", *(f"  {line}" for line in one_layer_sentences(found[0]))]
        print("\n".join(lines))
    return DONE


def record_of(found: "Capacity", length: int | None, memory: int | None, batch: int) -> dict[str, object]:
    """The answer as plain values, with what was asked besides."""
    record = found.record()
    if length is not None:
        read = batch * found.bytes_at(length)
        allocated = batch * found.bytes_at(length, allocated=True)
        record["at_length"] = {"tokens": length, "batch": batch, "bytes_read": read, "bytes_allocated": allocated}
    if memory is not None:
        record["in_memory"] = {"bytes": memory, "batch": batch, "most_tokens": found.longest_in(memory, batch)}
        if length is not None:
            record["in_memory"] |= {"most_sequences_of_the_length": found.batch_in(memory, length)}
    return record


def quantity(flag: str, text: str, units: dict[str, int]) -> int:
    """A positive whole number with a unit. Raises BadInput, which names the flag, for anything else.

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
    if rest or not 1 <= value <= MOST:
        raise BadInput(f"{flag}: expected a whole number from 1 to {MOST:,}, found {text[:60]!r}")
    return value


COMMAND = Command(
    name="capacity",
    purpose="compute from config.json what a model keeps between tokens and what it cannot do",
    example="seqsep capacity examples/falcon-mamba-7b.json --length 128k --memory 80GiB",
    group=PUBLISHED,
    add_flags=add_flags,
    run=run,
    details=(
        "The command downloads nothing. Without --chart it loads NumPy, but neither torch nor transformers: seqsep ships the "
        "defaults of transformers."
    ),
)
