"""The bytes of a model's weights: from the index of its safetensors files, or from the sizes of its files."""

import json
from pathlib import Path

from seqsep.core.files import read_bytes
from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.spellings import is_size

INDEX = "model.safetensors.index.json"
MOST_BYTES = 64 << 20
MOST_FILES = 100_000


def bytes_of_weights(path: Path) -> int:
    """Return the bytes of the weights in a folder, in the folder of a config.json, or in a file of weights.

    An index is taken at its word (`total_size`); without one, the sizes of the files are added up.
    Raises BadInput, which names the folder, if there are no weights.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / INDEX).write_text('{"metadata": {"total_size": 1024}}') and bytes_of_weights(folder)
    1024
    """
    if path.suffix in (".gguf", ".safetensors", ".bin") and path.is_file():
        return path.stat().st_size
    folder = path if path.is_dir() else path.parent
    index = path if path.name.endswith(".index.json") else folder / INDEX
    if index.is_file():
        return _of_index(index)
    for suffix in ("safetensors", "gguf", "bin"):
        sizes = [file.stat().st_size for _, file in zip(range(MOST_FILES), folder.glob(f"*.{suffix}"), strict=False)]
        if sizes:
            return sum(sizes)
    raise BadInput(f"--weights: {folder}: expected {INDEX} or files of weights beside the config.json, found none; give a size")


def _of_index(index: Path) -> int:
    where = printable(str(index))
    try:
        read = json.loads(read_bytes(index, most=MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: expected a JSON object, found: {excerpt(' '.join(str(error).split()), 120)}") from error
    metadata = read.get("metadata") if isinstance(read, dict) else None
    size = metadata.get("total_size") if isinstance(metadata, dict) else None
    size = int(size) if isinstance(size, float) and size.is_integer() else size
    if not is_size(size) or not isinstance(size, int):
        raise BadInput(f"{where}: metadata: total_size: expected a number of bytes, found {excerpt(printable(repr(size)))}")
    return size
