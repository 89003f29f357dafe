"""The folder of a model: which of its files `transformers` gets to read, and that none of them can run code.

`transformers` never sees the folder itself. It gets a temporary folder with links to these files of the model's folder:

    config.json                    an edited copy, without the fields (`LEFT_OUT`) that load other files or code
    generation_config.json         if there is one
    model.safetensors              or else model.safetensors.index.json and the shards that it names, also in subfolders
    the tokenizer's files          names that match `TOKENIZER`; tokenizer_config.json without the fields that name other files

So it finds no pickle, no code, no adapter and no distributed checkpoint. `Folder.sha256` is over exactly these files.

Names in an index are relative and have no `..`. The file of that name may be a link to somewhere else, as in the cache of the
hub: a link is the choice of whoever owns the folder, a name in an index is that of whoever wrote the model.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.core.files import LARGEST_FILE, open_regular, write_file
from seqsep.core.names import BadInput, excerpt, printable, text_of
from seqsep.language_models.capacity.config import read_config, require_shallow

CONFIG = "config.json"
GENERATION = "generation_config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
TOKENIZER = (
    "tokenizer*",
    "vocab*",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    "tekken.json",
    "*.model",
    "*.tiktoken",
)
CHAT = "chat_template*"
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
MOST_WEIGHTS = 1 << 50
LEFT_OUT = frozenset(
    {"return_dict", "auto_map", "transformers_weights", "distributed_config", "fusion_config", "_name_or_path", "name_or_path"}
    | {f"{kept}{part}_implementation{end}" for kept in ("", "_") for part in ("attn", "experts") for end in ("", "_internal")}
)
"""Fields of a configuration that make the library import code, or kernels of the hub, or read other files, and `return_dict`,
without which a model returns tuples."""


@dataclass(frozen=True)
class Folder:
    """The files of a model's folder that `transformers` gets to read, by their names in it."""

    path: Path
    config: Mapping[str, Any] = field(repr=False)
    weights: tuple[str, ...]
    tokenizer: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All names, in alphabetical order."""
        return sorted({CONFIG, *self.weights, *self.tokenizer, *self.others})

    def sha256(self) -> str:
        """Return the digest of names and contents. Raises BadInput for what is not a regular file."""
        digest = hashlib.sha256()
        for name in self.names:
            with _opened(self.path / name) as file:
                digest.update(f"{name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
        return digest.hexdigest()

    def has_tokenizer(self) -> bool:
        """Tell if there are files of a tokenizer, of whatever kind."""
        return bool(self.tokenizer or _pickle_in(self.path, TOKENIZER))

    def require_tokenizer(self) -> None:
        """Raise BadInput if the folder has no tokenizer, or only pickles of one."""
        if not self.tokenizer:
            found = _pickle_in(self.path, TOKENIZER) or "none"
            raise BadInput(f"{printable(str(self.path))}: expected a tokenizer as tokenizer.json, found {found}")

    def require_weights(self) -> int:
        """Return the bytes of the weights. Raises BadInput unless they are safetensors with every tensor of the index."""
        shards = _shards(self.path) if INDEX in self.weights else {WEIGHTS: set()}
        size = 0
        for name, tensors in shards.items():
            with _opened(self.path / name) as file:
                size += os.fstat(file.fileno()).st_size
            missing = sorted(tensors - _tensors(self.path / name).keys())
            if missing:
                expected = f"expected the tensors that {INDEX} names, found none of"
                raise BadInput(f"{self.path / name}: {expected} {excerpt(printable(', '.join(missing[:3])), 200)}")
        return size

    def dtypes(self) -> dict[str, str]:
        """Return the type of each tensor of the weights, as safetensors calls it."""
        files = [name for name in self.weights if name != INDEX]
        return {tensor: kind for name in files for tensor, kind in _tensors(self.path / name).items()}

    @contextmanager
    def staged(self) -> Iterator[Path]:
        """Make the temporary folder that `transformers` reads in place of this one.

        Whatever is raised inside, other than BadInput and MemoryError, becomes a BadInput of one line that names this folder.
        """
        with TemporaryDirectory(prefix="seqsep-") as place:
            for name in self.names:
                with _opened(self.path / name):
                    link = Path(place, name)
                link.parent.mkdir(parents=True, exist_ok=True)
                if name == CONFIG:
                    write_file(link, json.dumps(without_code(self.config)))
                elif name == TOKENIZER_CONFIG:
                    write_file(link, json.dumps(_without_files(self.path / name)))
                else:
                    link.symlink_to((self.path / name).absolute())
            try:
                yield Path(place)
            except (BadInput, MemoryError):
                raise
            except Exception as error:
                said = f"{type(error).__name__}: {text_of(error)}"
                raise BadInput(cannot_be_loaded(self.path, said.replace(place, str(self.path)))) from error


def cannot_be_loaded(path: Path, said: str) -> str:
    """Return the line that says why the library cannot load what is in a folder.

    >>> cannot_be_loaded(Path("mine"), "ValueError: please set trust_remote_code=True")
    'mine: cannot be loaded by transformers: it needs code of its own, which is never run'
    """
    why = "it needs code of its own, which is never run" if "trust_remote_code" in said else excerpt(said, 240)
    return f"{printable(str(path))}: cannot be loaded by transformers: {why}"


def read_folder(path: Path) -> Folder:
    """Find the files of a model's folder. Raises BadInput, in one line, if weights or config.json are missing or wrong."""
    config = read_config(path)
    tokenizer = _matching(path, TOKENIZER)
    others = _matching(path, (GENERATION, CHAT))
    return Folder(path, config, weights=_weights(path), tokenizer=tokenizer, others=others)


def without_code(config: Any) -> Any:
    """Return a configuration without the fields of LEFT_OUT, also without those of the configurations inside.

    >>> without_code({"model_type": "llama", "auto_map": {}, "text_config": {"_name_or_path": "x", "vocab_size": 8}})
    {'model_type': 'llama', 'text_config': {'vocab_size': 8}}
    """
    if isinstance(config, Mapping):
        return {name: without_code(value) for name, value in config.items() if name not in LEFT_OUT}
    return [without_code(value) for value in config] if isinstance(config, list) else config


def _weights(path: Path) -> tuple[str, ...]:
    """Return the names of the files of weights, with that of their index."""
    if os.path.lexists(path / WEIGHTS):
        return (WEIGHTS,)
    if os.path.lexists(path / INDEX):
        return (INDEX, *_shards(path))
    other = next((name for name in _matching(path, ("*.safetensors",))), "no weights")
    found = _pickle_in(path, ("*",)) or other
    raise BadInput(f"{printable(str(path))}: expected weights as {WEIGHTS}, found {found}")


def _shards(path: Path) -> dict[str, set[str]]:
    """Return the tensors of each shard in the index. Raises BadInput for an index with other names than plain ones."""
    where = printable(str(path / INDEX))
    index = _object(path / INDEX)
    placed = index.get("weight_map")
    if not isinstance(placed, dict) or not placed:
        raise BadInput(f"{where}, field weight_map: expected an object from tensors to files, found none")
    shards: dict[str, set[str]] = {}
    for tensor, name in placed.items():
        if not _is_plain(name) or not name.endswith(".safetensors"):
            expected = "expected the name of a safetensors file inside of the folder"
            raise BadInput(f"{where}, field weight_map: {expected}, found {excerpt(printable(repr(name)))}")
        shards.setdefault(name, set()).add(tensor)
    return dict(sorted(shards.items()))


def _is_plain(name: Any) -> bool:
    """Tell if a name stays inside of the folder: relative, without `..`, printable.

    >>> [_is_plain(name) for name in ("shards/a.safetensors", "../a.safetensors", "/a.safetensors", 3)]
    [True, False, False, False]
    """
    if not isinstance(name, str) or not name.isprintable() or "\\" in name:
        return False
    parts = PurePosixPath(name).parts
    return name == "/".join(parts) and ".." not in parts and not name.startswith("/")


def _tensors(path: Path) -> dict[str, str]:
    """Return the tensors in the header of a safetensors file, with their types. Raises BadInput for another kind of file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            return {name: file.get_slice(name).get_dtype() for name in file.keys()}  # noqa: SIM118 (not a mapping)
    except SafetensorError as error:
        raise BadInput(f"{printable(str(path))}: expected a safetensors file, found: {text_of(error)}") from error


def _without_files(path: Path) -> dict[str, Any]:
    """Return a tokenizer's configuration without the fields that name files: `transformers` finds them by their usual names."""
    return {name: value for name, value in _object(path).items() if not name.endswith(("_file", "_files"))}


def _object(path: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds."""
    where = printable(str(path))
    with _opened(path, most=LARGEST_FILE) as file:
        try:
            value = json.loads(file.read())
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{where}: expected a JSON object, found: {excerpt(text_of(error), 120)}") from error
    if not isinstance(value, dict):
        raise BadInput(f"{where}: expected a JSON object, found another kind of JSON")
    require_shallow(where, value)
    return value


def _matching(path: Path, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of files directly in the folder, without those of pickles."""
    found = {one.name for pattern in patterns for one in path.glob(pattern) if not one.is_dir()}
    return tuple(sorted(name for name in found if not name.endswith(PICKLES)))


def _pickle_in(path: Path, patterns: tuple[str, ...]) -> str:
    """Return the first pickle in the folder with advice about it; empty if there is none."""
    found = sorted({one.name for pattern in patterns for one in path.glob(pattern) if one.name.endswith(PICKLES)})
    advice = "convert weights to safetensors, a tokenizer to tokenizer.json"
    return f"{printable(found[0])}, which may run code and is never loaded; {advice}" if found else ""


@contextmanager
def _opened(path: Path, most: int = MOST_WEIGHTS) -> Iterator[Any]:
    """Open a regular file, also through links. Raises BadInput for what is none, and for a link to nothing."""
    if not path.exists():
        raise BadInput(f"{printable(str(path))}: expected a regular file, found none")
    with open_regular(path, most=most) as file:
        yield file
