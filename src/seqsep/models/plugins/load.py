"""The one place that runs a user's file; an error inside it names that file and line."""

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from seqsep.core.interrupts import is_interrupt
from seqsep.core.names import BadInput, text_of
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.sources import digest_of, imported_files, read_source

PREFIX = "seqsep plug-in "
"""Begins the names of modules that are users' files."""


class PlugInFails(BadInput):
    """A user's file, layer, model or task does what it must not; the message, one line, says which and what."""


def load(plug_in: PlugIn) -> Callable[..., Any]:
    """Run the file of a user's class, and return the class.

    Raises PlugInFails, in one line, if the path is not known, the file has another digest, or it does not load.
    """
    if plug_in.path is None:
        raise PlugInFails(
            f"{plug_in}: expected the file of {plug_in.class_name}; a run read from rows does not know where it is"
        )
    value = attribute(run_file(plug_in.path, plug_in.digest), plug_in.path, plug_in.class_name)
    if not callable(value):
        raise PlugInFails(f"{plug_in.path}: expected a class {plug_in.class_name}, found a {type(value).__name__}")
    return value


def load_and_compare(plug_in: PlugIn) -> None:
    """Load a plug-in. Raises PlugInFails also if that changes threads or settings; a file may seed what it likes."""
    from seqsep.models.plugins.global_state import GlobalState  # brings torch

    global_state = GlobalState()
    load(plug_in)
    changed = global_state.changed(random_states=False)
    if changed is not None:
        raise PlugInFails(f"{plug_in.words}: {changed}")


def run_file(path: Path, expected_digest: str | None = None) -> ModuleType:
    """Run a user's file, which is trusted, and return its module. The same bytes at the same place run once a process.

    What the file prints goes to stderr; its folder is searched for what it imports. `expected_digest` is the `digest_of` that
    it must have. Raises PlugInFails if it has another, or if the file does not load; FileNotFoundError.
    """
    known = sys.modules.get(_module_name(path, expected_digest))
    if known is not None:
        return known
    data = read_source(path)
    digest = digest_of(path, data)
    if expected_digest not in (None, digest):
        what = "the file" if not imported_files(path, data) else "the file, or one that it imports,"
        raise PlugInFails(f"{path}: expected SHA-256 {expected_digest}, found {digest}: {what} has changed meanwhile")
    name = _module_name(path, digest)
    if name not in sys.modules:
        _run(path, data, name)
    return sys.modules[name]


def _module_name(path: Path, digest: str | None) -> str:
    return f"{PREFIX}{digest} {path.absolute()}"


def _run(path: Path, data: bytes, name: str) -> None:
    """Run the bytes of a file as the module `name`; only a module that loads stays in `sys.modules`."""
    module = ModuleType(name)
    module.__file__ = str(path.absolute())
    folder = str(path.absolute().parent)
    _forget_imports(path, data)
    sys.modules[name] = module
    sys.path.insert(0, folder)
    current = Path.cwd()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(data, module.__file__, "exec"), module.__dict__)
    except BaseException as error:  # GeneratorExit, SystemExit, or a class of the user's own
        del sys.modules[name]
        if is_interrupt(error):
            raise
        raise PlugInFails(f"{path}: expected a file that loads, found {in_words(error, path)}") from error
    finally:
        sys.path.remove(folder)
        os.chdir(current)  # relative paths of the command stay those of its folder


def _forget_imports(path: Path, data: bytes) -> None:
    """Let a file import the files next to it again: an earlier version of them may be loaded."""
    files = {str(file) for file in imported_files(path, data).values()}
    for name, module in list(sys.modules.items()):
        if not name.startswith((PREFIX, "__main__")) and getattr(module, "__file__", None) in files:
            del sys.modules[name]


@contextlib.contextmanager
def naming_its_line(path: Path, passing: tuple[type[Exception], ...] | type[Exception] = ()) -> Iterator[None]:
    """Turn an exception of the user's code in `path` into PlugInFails, with the line that it came through.

    Exceptions of the types `passing` say enough, and pass unchanged.
    """
    try:
        yield
    except passing:
        raise
    except BaseException as error:  # GeneratorExit, SystemExit, or a class of the user's own
        if is_interrupt(error):
            raise
        raise fault(error, path) from error


def fault(error: BaseException, path: Path) -> PlugInFails:
    """Return the exception to raise for one that the user's code in `path` raised: it names the file and the line."""
    return PlugInFails(f"{path}: {in_words(error, path)}")


def in_words(error: BaseException, *paths: Path | None) -> str:
    """Return an exception in one line, with the last line of the user's files, at `paths`, that it came through."""
    names = {str(path.absolute()) for path in paths if path is not None}
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in names]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text_of(error)}{where}"


def attribute(module: ModuleType, path: Path, name: str) -> Any:
    """Return a user's module's attribute of this name, or None. Raises PlugInFails if a `__getattr__` of its own raises."""
    with naming_its_line(path):
        return getattr(module, name, None)
