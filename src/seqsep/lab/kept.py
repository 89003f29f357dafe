"""Trained models that are kept with the run that made them: one safetensors file, which `seqsep generate` reads.

The file is that of `model.weights`, with one more string of metadata, `run`, the run's canonical JSON. Nothing is unpickled and
no code is run: a run with a user's own layer, model or task is not kept, for its file would have to name code to load.
"""

import json
from pathlib import Path

import torch
from safetensors.torch import save as to_bytes

from seqsep.files import write_file
from seqsep.lab.run import Run, canonical_json
from seqsep.model.model import Model
from seqsep.model.weights import describe, load_model, metadata_of


def save(path: Path | str, model: Model, run: Run) -> None:
    """Write the model and its run to `path`; a file that is there is replaced once the new one is whole.

    Raises ValueError for a run with a user's own parts, a task on vectors or a model that is not of the run; OSError if the
    file cannot be written.

    >>> import tempfile
    >>> from seqsep.tasks import IndexLookup
    >>> run = Run(IndexLookup(length=5, alphabet=4), ("lstm",), width=8)
    >>> path = Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> save(path, run.model(), run)
    >>> load(path)[1] == run
    True
    """
    if run.task.coordinates:
        raise ValueError(f"save({str(path)!r}): expected a task on tokens, found {run.task.name}, whose inputs are vectors")
    own = [str(plug_in) for plug_in in run.plug_ins()]
    if own:
        raise ValueError(f"save({str(path)!r}): expected a run of built-in parts, found {', '.join(own)}")
    _require_of_run(f"save({str(path)!r})", model, run)
    tensors = {f"model.{name}": value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
    write_file(path, to_bytes(tensors, metadata=describe(model) | {"run": canonical_json(run.configuration())}))


def load(path: Path | str) -> tuple[Model, Run]:
    """The model of a file that `save` wrote, for evaluation, and its run.

    Raises FileNotFoundError, and ValueError with the path for a file of another kind, or one whose run and tensors disagree.

    >>> load("/no/such/file")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] no such checkpoint: '/no/such/file'
    """
    path = Path(path)
    written = metadata_of(path).get("run")
    if written is None:
        raise ValueError(f"{path}: expected a model kept with its run (seqsep.save, or keep= of seqsep.train), found no run")
    try:
        run = Run.from_configuration(json.loads(written))
    except (ValueError, TypeError, AttributeError, OSError, OverflowError, RecursionError) as error:
        raise ValueError(f"{path}: metadata run: {' '.join(str(error).split())[:300]}") from None
    if run.plug_ins():
        raise ValueError(f"{path}: metadata run: expected built-in parts, found {run.plug_ins()[0]}")
    model = load_model(path)
    _require_of_run(str(path), model, run)
    return model, run


def _require_of_run(where: str, model: Model, run: Run) -> None:
    """Raise ValueError unless the model has the tensors and the description of the run's; no memory is taken."""
    mixers = [block.mixer.name for block in model.residuals()]
    if mixers != list(run.layers):
        raise ValueError(f"{where}: expected a model of {list(run.layers)} for its run, found {mixers}")
    try:
        with torch.device("meta"):
            expected = run.model()
    except RuntimeError as error:
        raise ValueError(f"{where}: expected sizes that a model can have: {' '.join(str(error).split())[:200]}") from None
    if describe(model) != describe(expected):
        raise ValueError(f"{where}: expected a model with {describe(expected)} for its run, found {describe(model)}")
    shapes = {name: tuple(part.shape) for name, part in model.state_dict().items()}
    for name, part in expected.state_dict().items():
        if shapes.get(name) != tuple(part.shape):
            raise ValueError(f"{where}: {name}: expected shape {tuple(part.shape)} for its run, found {shapes.get(name)}")
