"""`seqsep certify`: a certificate that seqsep_check.py checks without seqsep."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.commands.command import THEOREMS, Command
from seqsep.commands.named_theorems import known_theorem, theorem_named
from seqsep.commands.outputs import files_among, require_outputs
from seqsep.commands.status import DONE
from seqsep.commands.theorem_options import help_text, options_from_flags
from seqsep.core.files import write_file
from seqsep.core.names import BadInput

if TYPE_CHECKING:
    from seqsep.theorems import Theorem


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which theorem, and where the certificate goes."""
    parser.add_argument("theorem", metavar="THEOREM", help="a name of seqsep list theorems, or your own FILE.py:NAME")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="file to write the certificate to; required")


def run(options: argparse.Namespace) -> int:
    """Write the certificate, and say how long it is."""
    name = known_theorem(options.theorem)
    theorem = theorem_named(name)
    if theorem.certificate_witness is None:
        from seqsep.theorems import BY_NAME

        having = ", ".join(other.name for other in BY_NAME.values() if other.certificate_witness is not None)
        raise BadInput(f"{name}: no certificate: {theorem.nothing_to_certify}; these have one: {having}")
    if options.output is None:
        raise BadInput(f"{name}: expected -o FILE, the file to write the certificate to; found none")
    chosen = options_from_flags("certify", [name], options.further)
    read = files_among(options.further)
    require_outputs([options.output], read)
    data = certify(theorem, **chosen)
    write_file(options.output, data, read=read)
    print(f"{len(data):,} bytes to {options.output}")
    return DONE


def certify(name: "str | Theorem", **options: Any) -> bytes:
    """Return the certificate of a theorem: the bytes of a file that `seqsep_check.py` checks without seqsep.

    Arguments:
        name: name of a theorem that has a certificate, or your own `Theorem`.
        options: sizes of the certificate, as `seqsep certify THEOREM --help` explains them.

    Raises ValueError for a theorem without a certificate, an unknown option, a value out of its range, or a certificate that
    is too large.

    >>> certify("index-lookup-state", length=2, alphabet=2)[:44]
    b'{"claims":{"rows":4,"state_bits":2},"digest"'
    """
    from seqsep.theorems.certificate import certify as written

    return written(name, **options)


COMMAND = Command(
    name="certify",
    purpose="write a certificate that seqsep_check.py checks without seqsep",
    example="seqsep certify bounded-dyck-state --depth 3 -o dyck.json",
    group=THEOREMS,
    add_flags=add_flags,
    run=run,
    details=(
        "To check a certificate: python -I -S seqsep_check.py FILE\n\n"
        "seqsep certify THEOREM --help shows the options of a theorem. docs/reference/certificates.md explains what is proved."
    ),
    takes_further=True,
    help_of=lambda words: help_text("certify", words, "-o FILE"),
)
