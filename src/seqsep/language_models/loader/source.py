"""The source of a model: a folder with config.json and weights, or a config.json with weights that are drawn at random.

Fields of a text model may be inside of another configuration, as in `text_config`. `ModelSource.but` puts a change where the
library reads it, and refuses a change that the library does not take.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqsep.core.names import BadInput, excerpt, printable
from seqsep.language_models.capacity.config import read_config
from seqsep.language_models.capacity.quantized import FIELD, quantization
from seqsep.language_models.loader.configuration import library_config, require_model_type
from seqsep.language_models.loader.folder import read_folder
from seqsep.language_models.loader.places import find_places, put, read_or_none, require_read, takes


@dataclass(frozen=True)
class ModelSource:
    """A configuration, and the folder of its weights; without a folder, a seed that draws them.

    >>> ModelSource("config.json", {"model_type": "llama"}).but({"hidden_size": 8}).config
    {'model_type': 'llama', 'hidden_size': 8}
    >>> ModelSource("config.json", {"model_type": "gemma3", "text_config": {}}).but({"hidden_size": 8}).config
    {'model_type': 'gemma3', 'text_config': {'hidden_size': 8}}
    """

    where: str
    config: Mapping[str, Any] = field(repr=False)
    folder: Path | None = None
    seed: int = 0

    def but(self, changes: Mapping[str, Any]) -> "ModelSource":
        """Return the same weights under a configuration with other fields of its text model, wherever these are.

        A name may have a path before it, as in `text_config.hidden_size`. Raises BadInput if the library does not take a
        change.
        """
        config = self.config
        for name, value in changes.items():
            config = self._changed(config, name, value)
        return ModelSource(self.where, config, self.folder, self.seed)

    def library_config(self) -> Any:
        """Return the library's object for the configuration. Raises BadInput, one line, for what the library does not take."""
        return library_config(self.where, self.config)

    def as_json(self) -> dict[str, Any]:
        """Return what `ModelSource(**...)` takes, for another process."""
        folder = None if self.folder is None else str(self.folder)
        return {"where": self.where, "config": dict(self.config), "folder": folder, "seed": self.seed}

    def _changed(self, config: Mapping[str, Any], name: str, value: Any) -> Mapping[str, Any]:
        """Return a configuration with one change, at the first place where the library takes it."""
        before = read_or_none(self.where, config)
        for places in find_places(config, before, name):
            changed = put(config, places, value)
            after = read_or_none(self.where, changed)
            if after is None or before is None or takes(before, after, name, value):
                return changed
        raise BadInput(f"{self.where}: {name}: transformers does not take {excerpt(printable(repr(value)))}")


def find_source(path: Path | str, changes: Mapping[str, Any], seed: int = 0, only_config: bool = False) -> ModelSource:
    """Find the model of a folder or of a config.json; `changes` replace fields of its configuration.

    If `only_config`, the weights of a folder are not used, and not looked for.

    Raises BadInput if there is none, if its weights are not safetensors, because other formats can run code, and if they are
    quantized. Random weights are never quantized, so a config.json without weights may say that its own are.
    """
    path = Path(path)
    folder = path if path.is_dir() and not only_config else None
    where = printable(str(path))
    config = read_config(path)
    require_model_type(where, config)
    if folder is None:
        config = _without_quantization(config)
    else:
        if config.get(FIELD) is not None or quantization(where, config) is not None:
            raise BadInput(f"{where}: {FIELD}: expected weights that are not quantized")
        read_folder(folder)
    return ModelSource(where, config, folder, seed).but(changes)


def _without_quantization(config: Mapping[str, Any]) -> dict[str, Any]:
    parts = {name: value for name, value in config.items() if name != FIELD}
    return {name: _without_quantization(part) if isinstance(part, Mapping) else part for name, part in parts.items()}


def require_fields(source: ModelSource, changes: Mapping[str, Any]) -> None:
    """Raise BadInput for a change that is not a field of the configuration: the library keeps such a value and never reads it.

    `source` is the one with the changes. What the library turns into another field, as it does rope_theta, is a field.
    """
    for name in changes:
        require_read(source.where, source.config, name)


def all_fields(source: ModelSource) -> dict[str, Any]:
    """Return the fields of the text model, with the library's defaults for those that the file leaves out."""
    found: dict[str, Any] = source.library_config().get_text_config().to_dict()
    return found
