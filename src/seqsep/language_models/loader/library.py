"""The package `transformers`: the one place that imports it, and the one message if it is missing or too old."""

import os
import re
from importlib import import_module
from typing import Any

from seqsep.core.names import excerpt, install, printable

INSTALL = install("hf")
LEAST_VERSION = (4, 57)
"""The oldest version of `transformers`; older ones have other names for what a model is built with."""
NEEDED = "a language model needs transformers 4.57 or later"


class TransformersMissing(OSError):
    """The package `transformers` is not installed, or too old; the message is one line, with the command that installs it."""


def transformers(offline: bool = True) -> Any:
    """Return the library. Raises TransformersMissing if it is not installed, or too old.

    If `offline`, nothing that the library does asks the network.
    """
    if offline:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        library: Any = import_module("transformers")
    except ImportError as error:
        raise TransformersMissing(f"{NEEDED}, which is not installed ({error}); {INSTALL}") from error
    _require_version(library.__version__)
    library.logging.set_verbosity_error()
    library.logging.disable_progress_bar()
    return library


def _require_version(found: str) -> None:
    parts = re.match(r"(\d+)\.(\d+)", found)
    if parts is None or (int(parts[1]), int(parts[2])) < LEAST_VERSION:
        raise TransformersMissing(f"{NEEDED}, found {excerpt(printable(found))}; {INSTALL}")


def version() -> str:
    """Return the version of the library."""
    return str(transformers().__version__)
