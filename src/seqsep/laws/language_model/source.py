"""Where a model is from: a folder with config.json and weights, or a config.json alone, whose weights are drawn at random."""

import os
import re
from collections.abc import Mapping
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module
from math import sqrt
from pathlib import Path
from typing import Any

import torch

from seqsep.capacity.config import read_config
from seqsep.capacity.flash_linear import is_flash_linear
from seqsep.laws.language_model.double import in_float64
from seqsep.laws.language_model.flash_linear import import_models
from seqsep.names import BadInput, excerpt, nearest, printable, text_of

CONFIG = "config.json"
MOST_PARAMETERS = 200_000_000
INSTALL = "pip install 'seqsep[hf]'"
LEAST_VERSION = (4, 57)
"""Of `transformers`; older ones name what a model is built with otherwise."""
NEEDED = "a language model needs transformers 4.57 or later"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
FLOAT = "__float__"
NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
SPREAD = 0.1
"""How far random weights are moved from what the library draws, which leaves biases and gates at 0 or 1."""


class TransformersMissing(OSError):
    """The package `transformers` is not installed, or too old; the message is one line, with the command that installs it."""


@dataclass(frozen=True)
class Source:
    """A configuration, and the folder of its weights, if there is one; else a seed that draws them.

    >>> Source("config.json", {"model_type": "llama"}).but({"hidden_size": 8}).config
    {'model_type': 'llama', 'hidden_size': 8}
    """

    where: str
    config: Mapping[str, Any] = field(repr=False)
    folder: Path | None = None
    seed: int = 0

    def but(self, changes: Mapping[str, Any]) -> "Source":
        """The same weights under a configuration with other fields."""
        return Source(self.where, {**self.config, **changes}, self.folder, self.seed)

    def as_json(self) -> dict[str, Any]:
        """What `Source(**...)` takes, for another process."""
        folder = None if self.folder is None else str(self.folder)
        return {"where": self.where, "config": dict(self.config), "folder": folder, "seed": self.seed}


def find_source(path: Path | str, changes: Mapping[str, Any], seed: int = 0) -> Source:
    """The model of a folder or of a config.json; `changes` are put in place of fields of its configuration.

    Raises BadInput where there is none, or where its weights are not safetensors: other formats can run code.
    """
    path = Path(path)
    config = read_config(path)
    where = printable(str(path))
    if not isinstance(config.get("model_type"), str):
        raise BadInput(
            f"{where}: model_type: expected a text, found {'none' if 'model_type' not in config else 'another kind'}"
        )
    if config.get("quantization_config") is not None:
        raise BadInput(f"{where}: quantization_config: expected weights that are not quantized")
    if not path.is_dir():
        return Source(where, {**config, **changes}, None, seed)
    if not any(path.glob("*.safetensors")):
        pickles = sorted(found.name for pattern in PICKLES for found in path.glob(pattern))
        found = f"{pickles[0]}, which may run code and is never loaded" if pickles else "no weights"
        raise BadInput(f"{where}: expected weights as model.safetensors, or {CONFIG} itself for random ones, found {found}")
    return Source(where, {**config, **changes}, path, seed)


def require_fields(source: Source, changes: Mapping[str, Any]) -> None:
    """Raise BadInput for a change that is no field of the configuration: the library keeps such a value and never reads it.

    `source` is the one with the changes. What the library turns into another field, as it does rope_theta, is a field.
    """
    for name, value in changes.items():
        without = Source(source.where, {key: kept for key, kept in source.config.items() if key != name}, source.folder)
        try:
            before = configuration(without)
        except BadInput:  # the file needs this field
            continue
        fields = before.to_dict()
        if name in fields or name in type(before).attribute_map or name == "model_type":
            continue
        if configuration(source).to_dict() == {**fields, name: value}:
            known = [*fields, *type(before).attribute_map]
            raise BadInput(
                f"{source.where}: --set {name}: expected a field of {source.config['model_type']}{nearest(name, known)}"
            )


def transformers() -> Any:
    """The library, asked for nothing that is not here. Raises TransformersMissing if it is not installed, or too old."""
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
    """Of the library."""
    return str(transformers().__version__)


def configuration(source: Source) -> Any:
    """The library's object for the configuration. Raises BadInput, one line, for what it does not take."""
    transformers()
    known = import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    name = source.config["model_type"]
    if is_flash_linear(name, source.config):
        import_models(source.where, name)
    if name not in known:
        raise BadInput(
            f"{source.where}: model_type {excerpt(printable(name))!r} is not one of transformers{nearest(name, known)}"
        )
    given = {key: _as_float(value) for key, value in source.config.items() if key not in ("auto_map", "model_type")}
    try:
        return known[name].from_dict(deepcopy(given))
    except Exception as error:
        raise BadInput(f"{source.where}: transformers does not take it: {text_of(error)}") from error


def _as_float(value: Any) -> Any:
    """The value with what the library writes for NaN and Infinity, as {"__float__": "Infinity"}, as these floats."""
    if isinstance(value, dict):
        only = value.get(FLOAT) if len(value) == 1 else None
        return float(only) if only in NO_NUMBERS else {name: _as_float(part) for name, part in value.items()}
    return [_as_float(part) for part in value] if isinstance(value, list) else value


def all_fields(source: Source) -> dict[str, Any]:
    """The fields of the text model, with the library's defaults for those that the file leaves out."""
    found: dict[str, Any] = configuration(source).get_text_config().to_dict()
    return found


def built(source: Source, dtype: torch.dtype = torch.float64) -> Any:
    """The model, ready to be asked: no dropout, its own plain code. torch's random state stays as it is.

    In float64 its constants are computed in float64 too; in fewer bits it is what the library builds in that type.

    Raises BadInput, one line, if the library cannot build or load it.
    """
    library = transformers()
    config = configuration(source)
    plain: dict[str, Any] = {"attn_implementation": "eager", "trust_remote_code": False, "dtype": dtype}
    with torch.random.fork_rng(devices=[]), in_float64() if dtype == torch.float64 else nullcontext():
        torch.manual_seed(source.seed)
        try:
            if source.folder is None:
                _require_few_parameters(library, config, source)
                model = _of_configuration(library, config, plain)
                _move_off_defaults(model)
            else:
                model = _of_folder(library, config, source.folder, plain)
        except (BadInput, MemoryError):
            raise
        except Exception as error:
            raise BadInput(f"{source.where}: transformers cannot build it: {text_of(error)}") from error
    if hasattr(model.config.get_text_config(), "_experts_implementation"):
        model.set_experts_implementation("eager")
    model.generation_config = library.GenerationConfig()
    return model.eval()


def _of_configuration(library: Any, config: Any, plain: dict[str, Any]) -> Any:
    try:
        return library.AutoModelForCausalLM.from_config(deepcopy(config), **plain)
    except ValueError as error:
        if "Unrecognized configuration" not in str(error):
            raise
        return library.AutoModel.from_config(deepcopy(config), **plain)


def _of_folder(library: Any, config: Any, folder: Path, plain: dict[str, Any]) -> Any:
    model, loading = library.AutoModelForCausalLM.from_pretrained(
        folder,
        config=config,
        use_safetensors=True,
        output_loading_info=True,
        local_files_only=True,
        **plain,
    )
    missing = sorted(loading["missing_keys"])
    if missing:
        raise BadInput(f"{folder}: expected weights of all layers, found none of {', '.join(missing[:3])}")
    return model


def _require_few_parameters(library: Any, config: Any, source: Source) -> None:
    """Random weights say as much of the code in a small model; a large one would only wait."""
    with torch.device("meta"):
        model = _of_configuration(library, config, {"trust_remote_code": False})
    count = sum(weight.numel() for weight in model.parameters())
    if count > MOST_PARAMETERS:
        words = f"expected at most {MOST_PARAMETERS:,} parameters to draw at random, found {count:,}"
        raise BadInput(f"{source.where}: {words}; --set num_hidden_layers=2 --set vocab_size=256 takes other sizes")


@torch.no_grad()
def _move_off_defaults(model: torch.nn.Module) -> None:
    """Random weights large enough for every part to be seen: at the library's own, a wrong state changes the 8th digit."""
    for weight in model.parameters():
        if weight.is_floating_point():
            scale = SPREAD if weight.dim() < 2 else 0.5 / sqrt(weight.shape[-1])
            weight.add_(torch.randn_like(weight) * scale)
