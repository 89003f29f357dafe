"""A model's file, whatever its kind: a config.json, a folder with one, a .gguf file, or standard input."""

import io
import sys
from pathlib import Path
from typing import Any

from seqsep.core.files import open_regular
from seqsep.core.names import BadInput
from seqsep.language_models.capacity.config import MOST_BYTES, config_of, model_path, read_config
from seqsep.language_models.capacity.gguf import MAGIC, MOST_HEADER, config_of_header, header_of, read_gguf

STANDARD_INPUT = "-"
CONFIG = "config.json"
SUFFIX = ".gguf"
WHERE = "standard input"
BESIDE = "hf_quant_config"
"""The file beside a config.json, and the field, with what NVIDIA's ModelOpt says about quantization."""


def read_model(path: Path | str) -> dict[str, Any]:
    """Return the configuration in a file, with the content of the hf_quant_config.json beside a config.json.

    Raises BadInput, which names the file, for anything else.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "config.json"
    >>> path.write_text('{"model_type": "mamba"}') and read_model(path)
    {'model_type': 'mamba'}
    """
    if str(path) == STANDARD_INPUT:
        return _read_standard_input()
    path = model_path(path)
    if path.is_file():
        with open_regular(path, most=1 << 50) as file:
            is_gguf = file.read(len(MAGIC)) == MAGIC
        if is_gguf or path.suffix.lower() == SUFFIX:
            return read_gguf(path)
    found = read_config(path)
    beside = (path if path.is_dir() else path.parent) / f"{BESIDE}.json"
    if (path.is_dir() or path.name == CONFIG) and beside.is_file():
        found.setdefault(BESIDE, read_config(beside))
    return found


def _read_standard_input() -> dict[str, Any]:
    """Return the configuration on standard input, which is a config.json or begins with the header of a .gguf file."""
    given = sys.stdin.buffer
    data = given.read(MOST_BYTES + 1)
    if data.startswith(MAGIC):
        # A header with a large tokenizer is longer; the weights after it are not read.
        data += given.read(MOST_HEADER - MOST_BYTES) if len(data) > MOST_BYTES else b""
        return config_of_header(WHERE, header_of(WHERE, io.BytesIO(data)))
    if len(data) > MOST_BYTES:
        raise BadInput(f"{WHERE}: expected at most {MOST_BYTES:,} bytes, found more")
    return config_of(WHERE, data)
