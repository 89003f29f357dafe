"""`seqsep bound`: the constants of a theorem at a length, computed from formulas alone."""

import argparse

from seqsep.commands.command import Command, print_json
from seqsep.commands.members import names
from seqsep.commands.shared_flags import options_from_flags
from seqsep.commands.status import DONE
from seqsep.commands.theorem_options import help_text, refuse_unknown_options
from seqsep.names import BadInput, choose


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorem. Its sizes are further flags."""
    parser.add_argument("theorem", metavar="THEOREM", help="a name; seqsep list theorems has them")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print each size of the statement with its number, a line each. Raises BadInput for a theorem without any."""
    name = choose("theorem", options.theorem, names("theorems"))
    refuse_unknown_options("bound", [name], options.further, "bound")
    from seqsep.theorems import BY_NAME, bound

    theorem = BY_NAME[name]
    if theorem.constants is None:
        having = ", ".join(other.name for other in BY_NAME.values() if other.bound is not None)
        raise BadInput(f"bound {name}: its sizes follow from more than lengths; these have such formulas: {having}")
    chosen = options_from_flags("bound", [name], [theorem.constants], options.further)
    constants = bound(name, **chosen)
    if options.json:
        print_json({"theorem": name, "source": theorem.source, "options": chosen, "bound": dict(constants)})
        return DONE
    print(f"{name} ({theorem.source}): {theorem.statement}")
    for size, value in constants.items():
        print(f"    {size} {value:,}")
    return DONE


COMMAND = Command(
    name="bound",
    purpose="print the constants of a theorem at a length, without running anything",
    example="seqsep bound index-lookup-attention --length 1000 --alphabet 64",
    add_flags=add_flags,
    run=run,
    details="; they are the bounds that seqsep check THEOREM compares with; options of a theorem: seqsep bound THEOREM --help",
    read_further=list,
    help_of=lambda words: help_text("bound", "bound", words, "[--json]"),
)
