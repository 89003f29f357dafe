"""The folder of a model as `save_pretrained` writes it, or its name on the hub. Only a name makes anything be downloaded.

The weights must be safetensors: other formats are pickles, which can run code, and are never loaded.
"""

import re
import sys
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path

from seqsep.core.names import BadInput
from seqsep.language_models.capacity.config import model_path
from seqsep.language_models.capacity.quantized import FIELD, unknown_method
from seqsep.language_models.loader.configuration import require_few_layers, require_model_type
from seqsep.language_models.loader.folder import CHAT, CONFIG, GENERATION, INDEX, TOKENIZER, Folder, read_folder

HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")


class HubUnavailable(OSError):
    """A model cannot be had from the hub; the message is one line."""


@dataclass(frozen=True)
class ModelFolder:
    """The files of a model, its name, and the SHA-256 of all that decides what it writes: of every file that is read."""

    files: Folder
    name: str
    sha256: str

    @property
    def path(self) -> Path:
        """The folder."""
        return self.files.path


def find_model(given: str) -> ModelFolder:
    """Find the folder of a path, or of a name on the hub, from where it is then downloaded if it is not there yet.

    Raises BadInput if the folder does not exist or a file is missing in it, and HubUnavailable if the hub has no such model or
    does not answer.
    """
    path = model_path(given)
    if path.is_dir():
        return _checked(path, path.resolve().name)
    if path.exists() or not HUB_NAME.fullmatch(given):
        found = "a file" if path.exists() else "no such folder"
        raise BadInput(f"{given}: expected the folder of a model, found {found}")
    return _checked(_from_hub(given), given)


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    files = [CONFIG, "*.safetensors", INDEX, GENERATION, CHAT, *TOKENIZER]
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
    if not (path / CONFIG).exists():
        raise BadInput(f"{path}: expected the folder of a model with {CONFIG}, found none")
    folder = read_folder(path)
    where = str(path / CONFIG)
    require_model_type(where, folder.config)
    require_few_layers(where, folder.config)
    unknown = unknown_method(where, folder.config)
    if unknown is not None:
        expected = "expected a method of quantization that transformers knows, or none"
        raise BadInput(f"{where}: {FIELD}: {expected}, found {unknown}: its packed numbers would be read as weights")
    folder.require_weights()
    folder.require_tokenizer()
    return ModelFolder(folder, name, folder.sha256())
