"""Trained models in safetensors files: what the file must say of its model, and the model back from it.

A file holds the tensors of `Model.state_dict()` under the prefix `model.` and two strings of metadata: `layers`, a JSON list
of mixer names, and `heads`; then `positions` and the choices of its `Design` that are not the defaults. Vocabulary, width,
classes and the number of positions are the shapes of the tensors. Checkpoints of the lab are such files. Nothing is unpickled,
and no memory is taken before the shapes in the file agree with those of the model described.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from seqsep.core.files import UNLIMITED, open_regular
from seqsep.core.names import BadInput
from seqsep.models.design import Design
from seqsep.models.model import Model

PREFIX = "model."
PRECISIONS = (torch.float32, torch.float64)


def describe(model: Model) -> dict[str, str]:
    """Return the metadata from which `load_model` rebuilds the blocks of a model that `Model.build` made.

    >>> describe(Model.build(vocabulary=5, classes=2, longest=9, layers=("lstm", "attention"), width=8, heads=2))
    {'layers': '["lstm", "attention"]', 'heads': '2'}
    """
    mixers = [block.mixer for block in model.residuals()]
    heads = max((int(getattr(mixer, "heads", 1)) for mixer in mixers), default=1)
    metadata = {"layers": json.dumps([mixer.name for mixer in mixers]), "heads": str(heads)}
    if model.chosen_positions != "default":
        metadata["positions"] = model.chosen_positions
    return metadata | model.design.metadata()


def load_model(path: Path) -> Model:
    """Return the model of a safetensors file, in the file's own precision, for evaluation.

    Arguments:
        path: the file.

    Raises FileNotFoundError if the file does not exist. Raises ValueError with the path for another kind of file, a file
    without the metadata, or tensors that are not those of the described model.

    >>> import tempfile
    >>> from safetensors.torch import save_file
    >>> model = Model.build(vocabulary=5, classes=2, longest=9, layers=("lstm",), width=8)
    >>> path = Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> save_file({f"model.{name}": part for name, part in model.state_dict().items()}, path, describe(model))
    >>> torch.equal(load_model(path)(torch.tensor([[0, 3]])), model(torch.tensor([[0, 3]])))
    True
    """
    metadata, tensors = metadata_and_tensors(path)
    description = _described(path, metadata, tensors)
    try:
        with torch.device("meta"):
            expected = {name: part.shape for name, part in description.build().state_dict().items()}
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    _require_shapes(path, tensors, expected, description)
    precisions = {part.dtype for part in tensors.values()}
    if len(precisions) != 1 or not precisions <= set(PRECISIONS):
        raise ValueError(f"{path}: expected tensors of one precision, float32 or float64, found {sorted(map(str, precisions))}")
    with torch.random.fork_rng(devices=[]):
        model = description.build().to(precisions.pop())
    model.load_state_dict(tensors)
    return model.eval().requires_grad_(False)


def metadata_of(path: Path) -> dict[str, str]:
    """Return the strings of metadata in a safetensors file. Raises as `load_model` does for any other file.

    >>> metadata_of(Path("/no/such/file"))
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file'
    """
    return metadata_and_tensors(path)[0]


@dataclass(frozen=True)
class Description:
    """A file's description of its model: enough to build one of the same shapes."""

    vocabulary: int
    classes: int
    longest: int
    layers: tuple[str, ...]
    width: int
    heads: int
    positions: str
    design: Design

    def build(self) -> Model:
        """Return a model of these shapes with drawn weights. Raises ValueError as `Model.build` does."""
        return Model.build(
            vocabulary=self.vocabulary,
            classes=self.classes,
            longest=self.longest,
            layers=self.layers,
            width=self.width,
            heads=self.heads,
            positions=self.positions,
            design=self.design,
        )


def metadata_and_tensors(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Return the metadata of a safetensors file, and the tensors of its model by name.

    The tensors are mapped from the file and take no memory until they are used. Raises as `load_model` does for another file.
    """
    with open_regular(path, most=UNLIMITED) as opened:
        try:
            with safe_open(f"/dev/fd/{opened.fileno()}", framework="pt") as file:
                metadata: dict[str, str] = file.metadata() or {}
                names = [name for name in list(file.keys()) if name.startswith(PREFIX)]
                return metadata, {name.removeprefix(PREFIX): file.get_tensor(name) for name in names}
        except SafetensorError as error:
            raise BadInput(f"{path}: expected a safetensors file, found: {error}") from None


def _described(path: Path, metadata: dict[str, str], tensors: dict[str, Tensor]) -> Description:
    """Return the model that the metadata and the shapes of embedding and read-out describe. Raises ValueError if they do not
    describe one.
    """
    try:
        layers = json.loads(metadata["layers"])
        heads = int(metadata["heads"])
    except (KeyError, ValueError, RecursionError):
        known = ", ".join(sorted(metadata)) or "none"
        raise ValueError(
            f"{path}: expected metadata layers (a JSON list of mixers) and heads (a number), found {known}"
        ) from None
    if not isinstance(layers, list) or not all(isinstance(name, str) for name in layers) or len(layers) > len(tensors):
        raise ValueError(f"{path}: layers: expected a JSON list of mixers, found {metadata['layers'][:80]}")
    of_files = [name.partition("@")[0] for name in layers if "@" in name]
    if of_files:
        expected = "expected only mixers of seqsep; ask, generate, audit and seqsep.load take the file of others"
        raise ValueError(f"{path}: layers: {expected}, found {of_files[0][:40]}, a layer of a file")
    try:
        design = Design.of_metadata(metadata)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    vocabulary, _ = _axes(path, tensors, "tokens.weight")
    classes, width = _axes(path, tensors, "readout.weight")
    longest = _axes(path, tensors, "positions.weight")[0] if "positions.weight" in tensors else 0
    return Description(
        vocabulary=vocabulary,
        classes=classes,
        longest=longest,
        layers=tuple(layers),
        width=width,
        heads=heads,
        positions=metadata.get("positions", "default"),
        design=design,
    )


def _axes(path: Path, tensors: dict[str, Tensor], name: str) -> tuple[int, int]:
    """Return rows and columns of a matrix. Raises ValueError if it is missing or not a matrix."""
    if name not in tensors or tensors[name].dim() != 2:
        raise ValueError(f"{path}: {PREFIX}{name}: expected a matrix, found {'another shape' if name in tensors else 'none'}")
    rows, columns = tensors[name].shape
    return rows, columns


def _require_shapes(path: Path, tensors: dict[str, Tensor], expected: dict[str, torch.Size], description: Description) -> None:
    """Raise ValueError unless the file has the tensors of the model, in their shapes."""
    for name in sorted(expected.keys() | tensors.keys()):
        actual = tensors[name].shape if name in tensors else None
        if actual != expected.get(name):
            blocks = f"{description.heads} heads of {list(description.layers)}"
            raise ValueError(
                f"{path}: {PREFIX}{name}: expected {_in_words(expected.get(name))} for {blocks}, found {_in_words(actual)}"
            )


def _in_words(shape: torch.Size | None) -> str:
    return "no tensor" if shape is None else f"shape {tuple(shape)}"
