"""The bytes of a model's weights: from the index of its safetensors files, or from the sizes of its files."""

import json
import re
from pathlib import Path

from seqsep.core.files import read_bytes
from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.spellings import is_size

INDEX = "model.safetensors.index.json"
MOST_BYTES = 64 << 20
MOST_FILES = 100_000
SHARD = re.compile(r"(.+)-(\d{1,9})-of-(\d{1,9})", flags=re.ASCII)
"""The name of one of several files, without its suffix."""
Name = tuple[str, str]
"""The name of a model, and the number of its files as it is written; empty if it is one file."""
SUFFIXES = {".safetensors": "model", ".gguf": None, ".bin": "pytorch_model"}
"""The suffixes of weights, and the name that `transformers` loads if a folder has more than one model."""


def bytes_of_weights(path: Path) -> int:
    """Return the bytes of the weights in a folder, in the folder of a config.json, or in a file of weights.

    An index is taken at its word (`total_size`); without one, the sizes of the files are added up. One of several files stands
    for all of them. Raises BadInput, which names the path, if there are no weights, if a file is missing, or if a folder
    contains several .gguf models.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / INDEX).write_text('{"metadata": {"total_size": 1024}}') and bytes_of_weights(folder)
    1024
    """
    where = printable(str(path))
    if path.is_file() and path.suffix in SUFFIXES:
        own = _model_of(path)
        return _sum(path.parent, own, _models(path.parent, path.suffix).get(own, [path]))
    if not path.is_dir() and not (path.is_file() and path.suffix == ".json"):
        found = "another file" if path.exists() else "none of them"
        raise BadInput(f"--weights: {where}: expected a size such as 16GiB, a folder, a config.json or weights, found {found}")
    folder = path if path.is_dir() else path.parent
    index = path if path.name.endswith(".index.json") else folder / INDEX
    if index.is_file():
        return _of_index(index)
    for suffix in SUFFIXES:
        models = _models(folder, suffix)
        if models:
            return sum(_sum(folder, name, models[name]) for name in _chosen(folder, suffix, sorted(models)))
    raise BadInput(f"--weights: {folder}: expected {INDEX} or files of weights beside the config.json, found none; give a size")


def _models(folder: Path, suffix: str) -> dict[Name, list[Path]]:
    """The files of each model in a folder."""
    found: dict[Name, list[Path]] = {}
    for _, file in zip(range(MOST_FILES), folder.glob(f"*{suffix}"), strict=False):
        if file.is_file():
            found.setdefault(_model_of(file), []).append(file)
    return found


def _model_of(file: Path) -> Name:
    shard = SHARD.fullmatch(file.stem)
    return (shard[1], shard[3]) if shard else (file.stem, "")


def _chosen(folder: Path, suffix: str, names: list[Name]) -> list[Name]:
    """The model that the library loads, else all of them. Raises BadInput for several .gguf models, which are alternatives."""
    if suffix == ".gguf" and len(names) > 1:
        first = excerpt(printable(names[0][0]))
        where = printable(str(folder))
        raise BadInput(f"--weights: {where}: expected one .gguf model, found {len(names):,}, such as {first}; give its file")
    usual = [name for name in names if name[0] == SUFFIXES[suffix]]
    return usual[:1] or names


def _sum(folder: Path, name: Name, files: list[Path]) -> int:
    """Return the bytes of a model's files. Raises BadInput if one of several is missing."""
    model, count = name
    shards = sorted(int(shard[2]) for file in files if (shard := SHARD.fullmatch(file.stem)))
    if count and (len(shards) != int(count) or shards != list(range(1, len(shards) + 1))):
        where = printable(str(folder / model))
        raise BadInput(f"--weights: {where}: expected {int(count):,} files, -of-{count}, found {len(shards):,} of them")
    return sum(file.stat().st_size for file in files)


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
