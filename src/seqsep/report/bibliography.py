"""The papers of what a report shows, as BibTeX: references.bib holds every entry, this file says whose method each is."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from seqsep.core.files import write_file
from seqsep.models.plugins.name import PlugIn

STATEMENTS = ("bhattamishra2024separations", "wen2025rnns")
"""The two papers whose numbers and statements the report compares with."""

METHODS = {
    "attention": "vaswani2017attention",
    "lstm": "hochreiter1997long",
    "linear-attention": "katharopoulos2020transformers",
    "retention": "sun2023retentive",
    "dss": "gupta2022diagonal",
    "mamba": "gu2023mamba",
    "mamba2": "dao2024transformers",
    "gated-delta": "yang2025gated",
    "rwkv7": "peng2025rwkv7",
    "sliding-attention": "beltagy2020longformer",
    "rotation": "lahoti2026mamba3",
    "mlstm": "beck2024xlstm",
    "slstm": "beck2024xlstm",
    "kda": "zhang2025kimi",
}
"""The paper of each mixer, by the entry's key."""


@cache
def entries() -> dict[str, str]:
    """Return every entry by its key, unchanged from the file."""
    text = files("seqsep.report").joinpath("references.bib").read_text(encoding="utf-8")
    with_keys = re.findall(r"^(@\w+{([\w-]+),\n.*?\n})$", text, flags=re.DOTALL | re.MULTILINE)
    return {key: entry.strip() for entry, key in with_keys}


def bibliography(mixers: Iterable[str | PlugIn]) -> str:
    """Return the two papers, and the papers of these mixers. A user's own layer has none.

    >>> bibliography(["mamba"]).count("@")
    3
    """
    named = set(mixers)
    keys = dict.fromkeys([*STATEMENTS, *(key for name, key in METHODS.items() if name in named)])
    return "\n\n".join(entries()[key] for key in keys) + "\n"


def write_bibliography(folder: Path, mixers: Iterable[str | PlugIn]) -> Path:
    """Write `folder`/references.bib and return its path."""
    path = folder / "references.bib"
    write_file(path, bibliography(mixers))
    return path
