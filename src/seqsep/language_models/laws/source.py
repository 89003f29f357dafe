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

from seqsep.core.names import BadInput, excerpt, install, nearest, printable, text_of
from seqsep.language_models.capacity.config import read_config
from seqsep.language_models.capacity.flash_linear import is_flash_linear
from seqsep.language_models.capacity.quantized import FIELD, quantization
from seqsep.language_models.laws.double import in_float64
from seqsep.language_models.laws.flash_linear import import_models
from seqsep.language_models.laws.folder import CONFIG, Folder, read_folder, without_code

MOST_PARAMETERS = 200_000_000
MOST_NUMBERS_A_BYTE = 8
"""Of weights that are quantized to single bits."""
MOST_LAYERS = 1_000
"""To build a layer takes milliseconds, so a million of them would take an hour."""
FLOATS = ("F64", "F32", "BF16", "F16")
"""Types of weights in a safetensors file that are numbers as they are; others stand for numbers by a code."""
MOST_LABELS = 100_000
"""The library gives each label of a classifier a name."""
INSTALL = install("hf")
LEAST_VERSION = (4, 57)
"""Of `transformers`; older ones name what a model is built with otherwise."""
NEEDED = "a language model needs transformers 4.57 or later"
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
    folder = path if path.is_dir() else None
    where = printable(str(path))
    config = read_config(path)
    require_model_type(where, config)
    if config.get(FIELD) is not None or quantization(where, config) is not None:
        raise BadInput(f"{where}: {FIELD}: expected weights that are not quantized")
    if folder is not None:
        read_folder(folder)
    return Source(where, {**config, **changes}, folder, seed)


def require_model_type(where: str, config: Mapping[str, Any]) -> None:
    """Raise BadInput unless a configuration names its model_type."""
    if not isinstance(config.get("model_type"), str):
        found = "none" if "model_type" not in config else "another kind"
        raise BadInput(f"{where}: model_type: expected a text, found {found}")


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
    require_few_layers(source.where, source.config)
    transformers()
    known = import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    name = source.config["model_type"]
    if is_flash_linear(name, source.config):
        import_models(source.where, name)
    if name not in known:
        raise BadInput(
            f"{source.where}: model_type {excerpt(printable(name))!r} is not one of transformers{nearest(name, known)}"
        )
    given = {key: _as_float(value) for key, value in without_code(source.config).items() if key != "model_type"}
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
    plain: dict[str, Any] = {"attn_implementation": "eager", "dtype": dtype}
    with torch.random.fork_rng(devices=[]), in_float64() if dtype == torch.float64 else nullcontext():
        torch.manual_seed(source.seed)
        try:
            if source.folder is None:
                _require_few_parameters(library, config, source)
                model = _of_configuration(library, config, plain)
                _move_off_defaults(model)
            else:
                model = of_folder(library, read_folder(source.folder), config, **plain)
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
        return library.AutoModelForCausalLM.from_config(deepcopy(config), trust_remote_code=False, **plain)
    except ValueError as error:
        if "Unrecognized configuration" not in str(error):
            raise
        return library.AutoModel.from_config(deepcopy(config), trust_remote_code=False, **plain)


def of_folder(library: Any, folder: Folder, config: Any = None, **options: Any) -> Any:
    """Load the model of a folder; `config` is the library's object if it is not that of the folder.

    Raises BadInput, one line that names the folder, if the library cannot load it, if weights are missing, or if the
    configuration has more than MOST_NUMBERS_A_BYTE numbers for each byte of the weights.
    """
    size = folder.require_weights()
    only_here: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with folder.staged() as staged:
        config = library.AutoConfig.from_pretrained(staged, **only_here) if config is None else config
        parameters, buffers = _counts(library, config)
        most = MOST_NUMBERS_A_BYTE * size
        if parameters > most or buffers > max(most, MOST_PARAMETERS):
            expected = f"expected at most {most:,} parameters, {MOST_NUMBERS_A_BYTE} for each byte of its weights"
            raise BadInput(f"{folder.path}: {expected}, found {max(parameters, buffers):,} in {CONFIG}")
        model, loading = library.AutoModelForCausalLM.from_pretrained(
            staged, config=config, use_safetensors=True, output_loading_info=True, **only_here, **options
        )
    missing = sorted(loading["missing_keys"])
    if missing:
        raise BadInput(f"{folder.path}: expected weights of all layers, found none of {', '.join(missing[:3])}")
    if quantization(str(folder.path), folder.config) is None:
        stored = folder.dtypes()
        coded = sorted(name for name, _ in model.named_parameters() if stored.get(name, "F32") not in FLOATS)
        if coded:
            expected = f"expected weights of {', '.join(FLOATS)} without a {FIELD}"
            raise BadInput(f"{folder.path}: {expected}, found {printable(coded[0])} of {stored[coded[0]]}")
    further = sorted(map(str, loading["unexpected_keys"]))
    if further:
        shown = excerpt(printable(", ".join(further[:3])), 200)
        raise BadInput(f"{folder.path}: expected the weights of the model in {CONFIG} only, found also {shown}")
    return model


def require_few_layers(where: str, config: Mapping[str, Any]) -> None:
    """Raise BadInput for a configuration of more than MOST_LAYERS layers, whatever the field is called.

    >>> require_few_layers("config.json", {"text_config": {"n_layer": 1_000_000}})
    Traceback (most recent call last):
    seqsep.core.names.BadInput: config.json: n_layer: expected at most 1,000 layers to build, found 1,000,000
    >>> require_few_layers("config.json", {"attention_types": [[["global"], 900_000_000]]})
    Traceback (most recent call last):
    seqsep.core.names.BadInput: config.json: attention_types: expected at most 1,000 layers to build, found 900,000,000
    """
    for key, value in config.items():
        name = str(key)
        if isinstance(value, Mapping):
            require_few_layers(where, value)
        if name == "num_labels" and isinstance(value, int) and value > MOST_LABELS:
            raise BadInput(f"{where}: num_labels: expected at most {MOST_LABELS:,}, found {excerpt(f'{value:,}')}")
        count = 0
        if isinstance(value, int) and name.endswith(("layer", "layers", "blocks")):
            count = value
        elif isinstance(value, list | str) and any(part in name for part in ("layer", "block", "pattern")):
            count = len(value)
        elif isinstance(value, list):
            count = sum(pair[1] for pair in value if _repeats(pair))
        if count > MOST_LAYERS:
            expected = f"expected at most {MOST_LAYERS:,} layers to build"
            raise BadInput(f"{where}: {excerpt(printable(name))}: {expected}, found {excerpt(f'{count:,}')}")


def _repeats(pair: Any) -> bool:
    """Return True for kinds of layers with the number of their repetitions, as in attention_types of GPT-Neo.

    >>> _repeats([["global", "local"], 12]), _repeats([1, 2])
    (True, False)
    """
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], list) and type(pair[1]) is int


def _counts(library: Any, config: Any) -> tuple[int, int]:
    """Count the numbers in the parameters and the buffers of a configuration; nothing is allocated for them."""
    with torch.device("meta"):
        model = _of_configuration(library, config, {})
    return sum(weight.numel() for weight in model.parameters()), sum(part.numel() for part in model.buffers())


def _require_few_parameters(library: Any, config: Any, source: Source) -> None:
    """Random weights say as much of the code in a small model; a large one would only wait."""
    count = max(_counts(library, config))
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
