"""Trained models that are kept with the run that made them: one safetensors file, which `seqsep generate` reads.

The file is that of `models.weights`, with one more string of metadata, `run`, the run's canonical JSON. Nothing is unpickled. A
user's own layers, model and task are in it as CLASS and the digest of their file (`models.plugins.sources`): no code is run but
that of files which `load` is given and which have these digests, and of what they import.
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from safetensors.torch import save as to_bytes

from seqsep.core.files import write_file
from seqsep.lab.run import Run, canonical_json
from seqsep.models.model import Model
from seqsep.models.plugins.model import UserModel
from seqsep.models.plugins.sources import digest_of, read_source
from seqsep.models.weights import describe, load_model, metadata_and_tensors, metadata_of

KEY = re.compile("[0-9a-f]{64}")
"""The key of a run, which is the name of its file next to a store."""


def save(path: Path | str, model: Model, run: Run) -> None:
    """Write a model and its run to a file; an existing file is replaced when the new one is complete.

    Arguments:
        path: the file to write, in safetensors.
        model: the model that was trained by the run.
        run: the run; `load` uses it to build the model again.

    Raises ValueError if the inputs of the task are vectors, or if the model does not fit the run. Raises OSError if the file
    cannot be written.

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
    _require_of_run(f"save({str(path)!r})", model, run)
    tensors = {f"model.{name}": value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
    write_file(path, to_bytes(tensors, metadata=describe(model) | {"run": canonical_json(run.configuration())}))


def load(path: Path | str, files: Path | str | Iterable[Path | str] = ()) -> tuple[Model, Run]:
    """Read a file that `save` wrote; return its model, ready for evaluation, and its run.

    Arguments:
        path: the file, in safetensors.
        files: one or more Python files with your own layers, models or task. The run stores a digest of each file that it
            used; a file with another digest is not run.

    Raises FileNotFoundError if the file does not exist. Raises ValueError with the path if `save` did not write the file,
    or if its tensors do not fit the run. Raises ValueError if the file is named KEY.safetensors, but KEY is not the key of its
    run. Raises ValueError if the run used your own layer, model or task, and `files` does not have it. Raises PlugInFails if
    your own layer, model or task cannot be built.

    >>> load("/no/such/file")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file'
    """
    path = Path(path)
    several = [files] if isinstance(files, Path | str) else list(files)
    run = _run_of(path, several)
    if run.plug_ins():
        return _with_own_parts(path, run), run
    model = load_model(path)
    _require_of_run(str(path), model, run)
    return model, run


def require_named_run(path: Path) -> None:
    """Raise ValueError unless the file KEY.safetensors has the run with this key; its tensors are not looked at.

    Raises FileNotFoundError, and ValueError for a file of another kind, as `load` does.

    >>> require_named_run(Path("/no/such/file"))
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file'
    """
    _run_of(path, None)


def _run_of(path: Path, files: Sequence[Path | str] | None) -> Run:
    """Return the run in a file, with its own parts from `files`. If these are None, the parts stay unloaded. Raises ValueError
    as `load` does.
    """
    written = metadata_of(path).get("run")
    if written is None:
        raise ValueError(f"{path}: expected a model kept with its run (seqsep.save, or keep= of seqsep.train), found no run")
    try:
        run = Run.from_configuration(json.loads(written))
        key = run.key()
        if run.plug_ins() and files is not None:
            run = Run.from_configuration(json.loads(written), _files_of(run, files))
    except (ValueError, TypeError, AttributeError, OSError, OverflowError, RecursionError) as error:
        raise ValueError(f"{path}: metadata run: {' '.join(str(error).split())[:300]}") from None
    if KEY.fullmatch(path.stem) and path.stem != key:
        found = f"found that of run {key} (by its key in this version)"
        raise ValueError(f"{path}: expected the model of run {path.stem}, {found}; a file of another name has no such key")
    return run


def _files_of(run: Run, files: Sequence[Path | str]) -> dict[str, str]:
    """Return the files of the run's own parts, by canonical name. Raises ValueError for a part that is in none of the files."""
    by_digest = {digest_of(Path(file), read_source(Path(file))): str(Path(file).absolute()) for file in files}
    for plug_in in run.plug_ins():
        if plug_in.digest not in by_digest:
            given = ", ".join(map(str, files)) or "none"
            expected = f"expected the file of {plug_in.words} as it was then among the files given"
            raise ValueError(f"{expected} (--part FILE.py; load(path, [FILE])), found {given}")
    return {str(plug_in): by_digest[plug_in.digest] for plug_in in run.plug_ins()}


def _with_own_parts(path: Path, run: Run) -> Model:
    """Return the run's model with the tensors of the file. Raises ValueError if they are not those of the model.

    The sizes of the run are compared with those of the tensors before a model of these sizes takes memory.
    """
    _, tensors = metadata_and_tensors(path)
    if not isinstance(run.layers[0], UserModel):
        for name, rows in {"tokens.weight": run.task.vocabulary, "readout.weight": run.task.classes}.items():
            found = tuple(tensors[name].shape) if name in tensors else None
            if found != (rows, run.width):
                raise ValueError(f"{path}: {name}: expected shape {(rows, run.width)} for {run.label()}, found {found}")
    with torch.random.fork_rng(devices=[]):
        model = run.model()
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise ValueError(f"{path}: expected the tensors of {run.label()}: {' '.join(str(error).split())[:300]}") from None
    return model.eval().requires_grad_(False)


def _require_of_run(where: str, model: Model, run: Run) -> None:
    """Raise ValueError unless the model has the tensors and the description of the run's; no memory is taken."""
    mixers = [block.mixer.name for block in model.residuals()]
    layers = [str(layer) for layer in run.layers if not isinstance(layer, UserModel)]
    if mixers != layers:
        raise ValueError(f"{where}: expected a model of {layers} for its run, found {mixers}")
    if run.plug_ins():
        return  # how a user's part looks is only known by running its code once more
    try:
        with torch.device("meta"):
            expected = run.model()
    except (RuntimeError, TypeError, OverflowError) as error:  # what torch raises for sizes that are too large, or no sizes
        raise ValueError(f"{where}: expected sizes that a model can have: {' '.join(str(error).split())[:200]}") from None
    if describe(model) != describe(expected):
        raise ValueError(f"{where}: expected a model with {describe(expected)} for its run, found {describe(model)}")
    shapes = {name: tuple(part.shape) for name, part in model.state_dict().items()}
    for name, part in expected.state_dict().items():
        if shapes.get(name) != tuple(part.shape):
            raise ValueError(f"{where}: {name}: expected shape {tuple(part.shape)} for its run, found {shapes.get(name)}")
