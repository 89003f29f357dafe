"""`seqsep export-network`: a theorem's hand-built weights in a file, every matrix named and exact."""

import argparse
from pathlib import Path

from seqsep.commands.command import THEOREMS, Command
from seqsep.commands.named_theorems import known_theorem, theorem_named
from seqsep.commands.outputs import files_among, require_outputs
from seqsep.commands.status import DONE
from seqsep.commands.theorem_options import help_text, options_from_flags
from seqsep.core.names import BadInput


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorem, and where the network goes. Its sizes are further flags."""
    parser.add_argument("theorem", metavar="THEOREM", help="a name of seqsep list theorems, or your own FILE.py:NAME")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="file to write; its name ends in .safetensors, .npz or .json, which chooses the format; required",
    )


def run(options: argparse.Namespace) -> int:
    """Write the network, and say how large it is. Raises BadInput for a theorem whose network flags cannot describe."""
    name = known_theorem(options.theorem)
    from seqsep.models.network_file import save_network
    from seqsep.theorems import BY_NAME, build

    theorem = theorem_named(name)
    if theorem.build is None:
        known = [other.name for other in BY_NAME.values() if other.build is not None]
        raise BadInput(f"{name}: builds no network; these have one: {', '.join(known)}")
    if options.output is None:
        raise BadInput(f"{name}: expected -o FILE, the file to write the network to; found none")
    chosen = options_from_flags("export-network", [name], options.further)
    require_outputs([options.output], read=files_among(options.further))
    network = build(theorem, **chosen)
    save_network(options.output, network)
    entries = sum(array.integers.size for _, array in network.arrays())
    layers = f"{len(network.layers)} layer{'s' if len(network.layers) != 1 else ''}"
    sizes = f"{layers}, width {network.width}, {network.precision} bits a number, {entries:,} numbers"
    print(f"{network.name}: {sizes}, to {options.output}")
    return DONE


COMMAND = Command(
    name="export-network",
    purpose="write the weights of a theorem's network, exactly",
    example="seqsep export-network index-lookup-attention --length 64 -o lookup.safetensors",
    group=THEOREMS,
    add_flags=add_flags,
    run=run,
    details=(
        "The file has the exact numbers: each array contains integers, and the file gives the unit by which they are "
        "multiplied (docs/reference/networks.md).\n\n"
        "In Python, seqsep.Model.load(seqsep.load_network(FILE)) returns a torch.nn.Module."
    ),
    takes_further=True,
    help_of=lambda words: help_text("export-network", words, "-o FILE"),
)
