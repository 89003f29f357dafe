"""`seqsep explore`: pages about theorems, languages and models, on this machine only.

A request becomes a `Visit`, a small dataclass. A page turns it into the values of a template, with functions that other
commands call too. No page needs JavaScript.

    serve        the address, its token, and the server on loopback
    application  the routes: requests in, answers out
    guard        the requests that are refused before any page is made, and the headers of every answer
    bounded      a page made in another process, with limits of time and memory
    uploads      a file or a text that a form sends
    visit        what a page is asked for, and what it answers
    pages        the pages, a file each
    links        the addresses of pages, on the server and in a static copy
    forms        the fields of forms, from the annotations of functions
    squares      attention weights and matrices as squares with numbers
    templates    the templates, the style sheet and the script
    static_copy  `seqsep explore --write DIR`
"""

import argparse
from pathlib import Path

from seqsep.commands.command import THEOREMS, Command
from seqsep.commands.status import DONE
from seqsep.core.names import BadInput
from seqsep.lab.store_file import is_store

MOST_PORT = 65_535


def port(text: str) -> int:
    """Read the number of a port; 0 is any free one. Raises ArgumentTypeError for anything else.

    >>> port("8000")
    8000
    """
    if not text.isascii() or not text.isdecimal() or len(text) > 5 or int(text) > MOST_PORT:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to {MOST_PORT}, found {text!r}")
    return int(text)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: the port, the reader's store, and the folder of a static copy."""
    parser.add_argument("--port", type=port, default=0, help="port on 127.0.0.1 and ::1; by default a free one")
    parser.add_argument(
        "--store", type=Path, metavar="FILE", help="also show the runs of this store, and how far they are; it is only read"
    )
    parser.add_argument(
        "--write", type=Path, metavar="DIR", help="write the pages to a folder, to read without a server, and stop"
    )


def run(options: argparse.Namespace) -> int:
    """Serve the pages until Ctrl-C, or write a static copy."""
    if options.write is not None:
        if options.store is not None:
            raise BadInput("explore: expected --store without --write; seqsep report --rows writes a page of a store")
        from seqsep.commands.explore.static_copy import write_pages

        print(write_pages(options.write))
        return DONE
    if options.store is not None and not is_store(options.store):
        raise BadInput(f"explore: --store: expected the file of a store, found none at {options.store}")
    from seqsep.commands.explore.serve import serve

    serve(options.port, options.store)
    return DONE


COMMAND = Command(
    name="explore",
    purpose="open pages about theorems, languages and models in your browser",
    example="seqsep explore --write gallery",
    group=THEOREMS,
    add_flags=add_flags,
    run=run,
    details=(
        "The command prints an address with a secret token. Only programs on this machine that know the token can open it. "
        "The pages load nothing from other machines, and send nothing to them. They work without JavaScript. "
        "Ctrl-C ends the command.\n\n"
        "This needs the packages of the extra web. --write does not need them: it writes the pages to a folder, and "
        "index.html is the first. These files have no forms, so they show the sizes and inputs that we chose."
    ),
)
