"""A model's file, whatever its kind: a config.json, a folder with one, a .gguf file, or standard input."""

import sys
from pathlib import Path
from typing import Any

from seqsep.core.files import open_regular
from seqsep.core.names import BadInput
from seqsep.language_models.capacity.config import MOST_BYTES, config_of, model_path, read_config
from seqsep.language_models.capacity.gguf import MAGIC, read_gguf

STANDARD_INPUT = "-"
CONFIG = "config.json"
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
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise BadInput(f"standard input: expected at most {MOST_BYTES:,} bytes, found more")
        return config_of("standard input", data)
    path = model_path(path)
    if path.is_file():
        with open_regular(path, most=1 << 50) as file:
            if file.read(len(MAGIC)) == MAGIC:
                return read_gguf(path)
    found = read_config(path)
    beside = (path if path.is_dir() else path.parent) / f"{BESIDE}.json"
    if (path.is_dir() or path.name == CONFIG) and beside.is_file():
        found.setdefault(BESIDE, read_config(beside))
    return found
