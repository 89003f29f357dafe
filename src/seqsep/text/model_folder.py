"""The folder of a model as `save_pretrained` writes it, or its name on the hub. Only a name makes anything be downloaded.

The weights must be safetensors: other formats are pickles, which can run code, and are never loaded.
"""

import hashlib
import json
import re
import sys
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path

CONFIG = "config.json"
MOST_CONFIG_BYTES = 1 << 20
WEIGHTS = "*.safetensors"
TOKENIZER = ("tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "added_tokens.json", "*.model")
HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")


class HubUnavailable(OSError):
    """A model cannot be had from the hub; the message is one line."""


@dataclass(frozen=True)
class ModelFolder:
    """Where a model lies, what it is called, and the SHA-256 of all that decides what it writes."""

    path: Path
    name: str
    sha256: str


def find_model(given: str) -> ModelFolder:
    """The folder of a path, or of a name on the hub, from where it is then downloaded if it is not there yet.

    Raises ValueError if there is no such folder or a file is missing in it, and HubUnavailable if the hub has no such model or
    does not answer.
    """
    path = Path(given)
    if path.is_dir():
        return _checked(path, path.resolve().name)
    if path.exists() or not HUB_NAME.fullmatch(given):
        found = "a file" if path.exists() else "no such folder"
        raise ValueError(f"{given}: expected the folder of a model, found {found}")
    return _checked(_from_hub(given), given)


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    files = [CONFIG, WEIGHTS, "*.safetensors.index.json", "generation_config.json", *TOKENIZER]
    try:
        return Path(snapshot_download(name, allow_patterns=files, local_files_only=True))
    except (OSError, ValueError):
        pass  # it is not here yet
    try:
        with redirect_stderr(getattr(sys.stderr, "unescaped", sys.stderr)):  # its progress bars move the cursor
            return Path(snapshot_download(name, allow_patterns=files))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError, RuntimeError) as error:
        words = " ".join(str(error).split()) or type(error).__name__
        expected = "expected the folder of a model, or a model of the hub, found no such folder"
        raise HubUnavailable(f"{name}: {expected}, and the hub gave: {words:.160}") from error


def _checked(path: Path, name: str) -> ModelFolder:
    config = path / CONFIG
    if not config.is_file():
        raise ValueError(f"{path}: expected the folder of a model with {CONFIG}, found none")
    if config.stat().st_size > MOST_CONFIG_BYTES:
        raise ValueError(f"{config}: expected at most {MOST_CONFIG_BYTES:,} bytes, found {config.stat().st_size:,}")
    try:
        kind = json.loads(config.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{config}: expected JSON, found: {error}") from error
    if not isinstance(kind, dict) or not isinstance(kind.get("model_type"), str):
        raise ValueError(f"{config}, field model_type: expected the name of an architecture, found none")
    weights = sorted(path.glob(WEIGHTS))
    if not weights:
        pickles = [found.name for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt") for found in sorted(path.glob(pattern))]
        found = f"{pickles[0]}, which may run code and is never loaded" if pickles else "no weights"
        raise ValueError(f"{path}: expected weights as model.safetensors, found {found}")
    tokenizer = sorted({found for pattern in TOKENIZER for found in path.glob(pattern) if found.is_file()})
    if not tokenizer:
        raise ValueError(f"{path}: expected a tokenizer as tokenizer.json, found none")
    return ModelFolder(path, name, _sha256([config, *weights, *tokenizer]))


def _sha256(files: list[Path]) -> str:
    """Of names and contents, in order; where the folder lies does not enter."""
    whole = hashlib.sha256()
    for file in files:
        with file.open("rb") as opened:
            whole.update(f"{file.name} {hashlib.file_digest(opened, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()
