"""The model of a source: loaded from a folder, or with random weights; no code of a folder is run."""

from collections.abc import Mapping
from contextlib import nullcontext
from copy import deepcopy
from math import sqrt
from typing import Any

import torch

from seqsep.core.names import BadInput, excerpt, printable, text_of
from seqsep.language_models.capacity.quantized import FIELD, quantization
from seqsep.language_models.loader.configuration import path_to_text
from seqsep.language_models.loader.double import in_float64
from seqsep.language_models.loader.folder import CONFIG, Folder, read_folder
from seqsep.language_models.loader.library import transformers
from seqsep.language_models.loader.places import value_at
from seqsep.language_models.loader.source import ModelSource

MOST_PARAMETERS = 200_000_000
MOST_NUMBERS_A_BYTE = 8
"""Of weights that are quantized to single bits."""
FLOATS = ("F64", "F32", "BF16", "F16")
"""Types of weights in a safetensors file that are numbers as they are; others stand for numbers by a code."""
DTYPE = "dtype"
SPREAD = 0.1
"""Random weights are moved by this much from the library's, which leave biases and gates at 0 or 1."""


def built(source: ModelSource, dtype: torch.dtype = torch.float64) -> Any:
    """Return the model, ready to be asked: no dropout, its own plain code. Torch's random state stays as it is.

    In float64 its constants are computed in float64 too; in fewer bits it is what the library builds in that type.

    Raises BadInput, one line, if the library cannot build or load it.
    """
    library = transformers()
    config = source.library_config()
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
    _require_fields_kept(source, config, model)
    if hasattr(model.config.get_text_config(), "_experts_implementation"):
        model.set_experts_implementation("eager")
    model.generation_config = library.GenerationConfig()
    return model.eval()


def _require_fields_kept(source: ModelSource, config: Any, model: Any) -> None:
    """Raise BadInput if the model that was built has another value of a field than the configuration that it was built from."""
    expected = config.get_text_config().to_dict()
    found = model.config.get_text_config().to_dict()
    for name, given in (value_at(source.config, path_to_text(config)) or {}).items():
        if name in expected and name != DTYPE and _differ(given, expected[name], found.get(name)):
            values = f"{excerpt(repr(expected[name]))}, found {excerpt(repr(found.get(name)))} in the model that is built"
            raise BadInput(f"{source.where}: {name}: expected {values}")


def _differ(given: Any, expected: Any, found: Any) -> bool:
    """Tell if two values differ; of objects, in a field that the file gives."""
    if isinstance(given, Mapping) and isinstance(expected, Mapping) and isinstance(found, Mapping):
        return any(name in expected and _differ(part, expected[name], found.get(name)) for name, part in given.items())
    return bool(expected != found)


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


def built_without_numbers(source: ModelSource) -> Any:
    """Return the model on torch's meta device: shapes of weights without numbers. Raises BadInput as `built` does."""
    library = transformers()
    config = source.library_config()
    try:
        with torch.device("meta"):
            return _of_configuration(library, config, {})
    except Exception as error:
        raise BadInput(f"{source.where}: transformers cannot build it: {text_of(error)}") from error


def _counts(library: Any, config: Any) -> tuple[int, int]:
    """Count the numbers in the parameters and the buffers of a configuration; nothing is allocated for them."""
    with torch.device("meta"):
        model = _of_configuration(library, config, {})
    return sum(weight.numel() for weight in model.parameters()), sum(part.numel() for part in model.buffers())


def _require_few_parameters(library: Any, config: Any, source: ModelSource) -> None:
    """Raise BadInput for a large model of random weights: a small one says as much of the code, and a large one takes
    longer.
    """
    count = max(_counts(library, config))
    if count > MOST_PARAMETERS:
        words = f"expected at most {MOST_PARAMETERS:,} parameters to draw at random, found {count:,}"
        raise BadInput(f"{source.where}: {words}; --tiny divides every size, --set FIELD=VALUE sets one")


@torch.no_grad()
def _move_off_defaults(model: torch.nn.Module) -> None:
    """Add random numbers that make every part visible: with the library's own weights, a wrong state changes the 8th digit."""
    for weight in model.parameters():
        if weight.is_floating_point():
            scale = SPREAD if weight.dim() < 2 else 0.5 / sqrt(weight.shape[-1])
            weight.add_(torch.randn_like(weight) * scale)
