"""`seqsep bound`: the constants of a theorem at a length, computed from formulas alone."""

import argparse

from seqsep.commands.command import THEOREMS, Command, print_json
from seqsep.commands.named_theorems import known_theorem, theorem_named
from seqsep.commands.status import DONE
from seqsep.commands.theorem_options import help_text, options_from_flags
from seqsep.core.names import BadInput

SIZE_WORDS: dict[str, str] = {
    "built_state_bits": "bits of the state of the model that seqsep builds; no model has fewer than state_bits",
    "core_bits": "bits of the query, key and value matrices, each filled up to m coordinates a head: 3 m d p H",
    "distance": "distance from which on a token has no weight",
    "eta": "eta, the whole number by which a head multiplies its scores",
    "gap": "most by which the score of the token before can lead, beside a head of size 1 a pair",
    "heads": "most heads that a layer has",
    "layers": "number of layers",
    "least_width": "m, coordinates of a head: a layer with fewer answers some input wrongly",
    "least_width_exact": "m, if a head has exact weights and rounded means: a layer with fewer answers some input wrongly",
    "least_width_sums": "m, if a head has rounded sums: a layer with fewer answers some input wrongly",
    "letters": "equal letters after which one more of them changes no answer",
    "live_states": "states from which the automaton can still accept",
    "message_bits": "least bits of the message",
    "ones": "ones after which a state returns at the latest",
    "period": "most states that a run of one letter repeats",
    "phases": "number of phases, each a root of unity",
    "precision": "p, bits of each number",
    "program_bits": "bits of all stored arrays, without embeddings: these are computed from the index, as in the paper",
    "recurrent_bits": "bits of the state that a recurrent model without attention needs",
    "reflections": "least reflections a token",
    "state_bits": "bits of the state",
    "state_bits_by_range": "bits of the state, if each number takes only the bits that its range needs",
    "state_numbers": "numbers that the state holds",
    "states": "states of the smallest automaton",
    "steps": "L, the steps of the grid: its numbers are multiples of 1/L",
    "tables_bits": "bits of all stored arrays, with the embedding of each index",
    "tensor_bits": "bits of the smallest tensor that holds a state, in whole bytes",
    "thought_tokens": "tokens of the longest chain of thought",
    "values": "values that each number of the state takes",
    "vocabulary": "number of different tokens",
    "width": "d, coordinates of the residual stream",
}
"""For each size of a theorem's `bound`: the things that it counts and their unit."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorem. Its sizes are further flags."""
    parser.add_argument("theorem", metavar="THEOREM", help="a name of seqsep list theorems, or your own FILE.py:NAME")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print each size with its number and what it counts, a line each. Raises BadInput for a theorem without any."""
    name = known_theorem(options.theorem)
    from seqsep.theorems import BY_NAME, bound

    theorem = theorem_named(name)
    if theorem.constants is None:
        having = ", ".join(other.name for other in BY_NAME.values() if other.bound is not None)
        raise BadInput(f"{name}: its sizes depend on more than its options; these theorems have formulas: {having}")
    chosen = options_from_flags("bound", [name], options.further)
    constants = bound(theorem, **chosen)
    if options.json:
        print_json({"theorem": theorem.name, "source": theorem.source, "options": chosen, "bound": dict(constants)})
        return DONE
    print(f"{theorem.name} ({theorem.source}): {theorem.statement}")
    longest = max(map(len, constants))
    digits = max(len(f"{value:,}") for value in constants.values())
    for size, value in constants.items():
        print(f"    {size:{longest}} {value:>{digits},}  {SIZE_WORDS.get(size, '')}".rstrip())
    return DONE


COMMAND = Command(
    name="bound",
    purpose="print the sizes that a theorem proves at a length, without running it",
    example="seqsep bound index-lookup-attention --length 1000 --alphabet 64",
    group=THEOREMS,
    add_flags=add_flags,
    run=run,
    details=(
        "`seqsep check THEOREM` compares the sizes that it measures with these numbers.\n\n"
        "seqsep bound THEOREM --help shows the options of a theorem."
    ),
    takes_further=True,
    help_of=lambda words: help_text("bound", words, "[--json]"),
)
