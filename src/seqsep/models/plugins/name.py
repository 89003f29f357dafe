"""A user's class as a value: FILE.py:CLASS on the command line, CLASS@SHA-256 in the configuration of a run.

The file is read, not run: the class and the digest of the file, with those beside it that it imports, enter the key of a run.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeVar

from seqsep.core.names import excerpt
from seqsep.models.plugins.sources import NOT_PARSED, digest_of, read_source

CANONICAL = re.compile(r"(model:)?[^\W\d]\w*(\([\w=,.+-]*\))?@[0-9a-f]{64}")
SETTING = re.compile(r"([^\W\d]\w*)=([\w.+-]{1,40})")


Kind = TypeVar("Kind", bound="PlugIn")
_FOLDER = ContextVar("_FOLDER", default=Path())


@contextmanager
def relative_to(folder: Path) -> Iterator[None]:
    """Read relative paths of FILE.py:CLASS from this folder, in place of the one that the program was started in.

    >>> with relative_to(Path("mine")):
    ...     PlugIn.parse("layer.py:Layer")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'mine/layer.py'
    """
    before = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(before)


@dataclass(frozen=True)
class PlugIn:
    """A class in a user's file: its name, the file's digest (`digest_of`), and where the file is, if that is known.

    Two are equal if their names, digests and settings are, wherever the files are. `str` gives the canonical text,
    CLASS@SHA-256 after the prefix of its kind. `settings` are those of a layer in brackets, sorted, as in (states=8); they
    follow the class.
    """

    class_name: str
    digest: str
    path: Path | None = field(default=None, compare=False)
    settings: str = ""

    PREFIX: ClassVar[str] = ""
    HAS_SETTINGS: ClassVar[bool] = False
    KIND: ClassVar[str] = "class"
    EXAMPLE: ClassVar[str] = "MyLayer"

    def __str__(self) -> str:
        return f"{self.PREFIX}{self.class_name}{self.settings}@{self.digest}"

    @property
    def words(self) -> str:
        """As a person names it: file.py:CLASS, or CLASS and the first digits of the digest if the file is not known."""
        named = f"{self.class_name}{self.settings}"
        return f"{self.path.name}:{named}" if self.path else f"{named}@{self.digest[:8]}"

    @classmethod
    def parse(cls: type[Kind], text: str) -> Kind:
        """Return the class of FILE.py:CLASS. The file is parsed, not run; `relative_to` says where a relative path begins.

        Raises ValueError, in one line, if the file is not Python or does not bind CLASS; FileNotFoundError if it is not there.
        """
        text, settings = cls._settings_of(text)
        place, colon, name = text.removeprefix(cls.PREFIX).rpartition(":")
        text = cls.PREFIX + text.removeprefix(cls.PREFIX)
        if not colon or not name.isidentifier():
            wanted = "FILE.py:CLASS" if cls.KIND == "class" else "FILE.py:NAME"
            raise ValueError(f"{text}: expected {wanted}, as in {place or text}:{cls.EXAMPLE}")
        path = _FOLDER.get() / place
        data = read_source(path)
        try:
            tree = ast.parse(data)
        except NOT_PARSED as error:
            line = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            raise ValueError(f"{text}: expected a Python file, found{line}: {getattr(error, 'msg', error)}") from None
        bound = _bound_names(tree)
        if name not in bound and "*" not in bound:
            found = f"the classes {', '.join(_classes(tree)) or 'none'}" if cls.KIND == "class" else "no such name"
            raise ValueError(f"{text}: expected a {cls.KIND} {name} in {place}, found {found}")
        return cls(name, digest_of(path, data), path.absolute(), settings)

    @classmethod
    def _settings_of(cls, text: str) -> tuple[str, str]:
        """Return the text without settings in brackets, and these in their canonical form. Only a layer has settings."""
        name, bracket, inside = text.removesuffix(")").partition("(") if text.endswith(")") else (text, "", "")
        if not bracket or not cls.HAS_SETTINGS:
            return text, ""
        found = [SETTING.fullmatch(part.strip()) for part in inside.split(",")]
        named = {one[1]: one[2] for one in found if one}
        if not all(found) or len(named) < len(found):
            raise ValueError(f"{text}: expected each setting once as name=value, as in {name}(states=8)")
        return name.strip(), f"({','.join(f'{key}={named[key]}' for key in sorted(named))})"

    @classmethod
    def restore(cls: type[Kind], text: str, files: Mapping[str, str]) -> Kind:
        """Return the class of a canonical text; `files` has the known paths, by canonical text."""
        named, _, digest = text.removeprefix(cls.PREFIX).partition("@")
        name, bracket, inside = named.partition("(")
        return cls(name, digest, Path(files[text]) if text in files else None, f"{bracket}{inside}")


def setting_values(settings: str) -> dict[str, int | float | bool | str]:
    """Return the settings of a layer by name: numbers, true and false, and words.

    >>> setting_values("(gated=true,states=8)")
    {'gated': True, 'states': 8}
    """
    parts = (part.partition("=") for part in settings.strip("()").split(",") if part)
    return {name: _value(text) for name, _, text in parts}


def names_a_file(text: str) -> bool:
    """Return True if a name means a class in a file: FILE.py:CLASS, or FILE.py with the class forgotten.

    >>> [names_a_file(text) for text in ("layer.py:MyLayer", "model:model.py:MyModel", "layer.py", "mamba")]
    [True, True, True, False]
    """
    text = text.partition("(")[0] if text.endswith(")") else text
    return text.rpartition(":")[0].endswith(".py") or text.endswith(".py")


def _value(text: str) -> int | float | bool | str:
    """Return the value of a setting's text."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def shown(layer: str | PlugIn) -> str:
    """Return a layer of a run in the words of a person; the name of a mixer is returned unchanged.

    Raises ValueError for something else, such as a partial or an object, which no worker could load.

    >>> shown(print)
    Traceback (most recent call last):
    ValueError: layer <built-in function print>: expected the name of a mixer, FILE.py:CLASS, or a class at the top of a file
    """
    if not isinstance(layer, str | PlugIn):
        found = f"layer {excerpt(repr(layer))}"
        raise ValueError(f"{found}: expected the name of a mixer, FILE.py:CLASS, or a class at the top of a file")
    return layer if isinstance(layer, str) else layer.words


def is_canonical(text: str) -> bool:
    """Return True if a name in a run's configuration is that of a user's class."""
    return CANONICAL.fullmatch(text) is not None


def _classes(tree: ast.Module) -> list[str]:
    """Return the classes at the top of the file, sorted."""
    return sorted(node.name for node in tree.body if isinstance(node, ast.ClassDef))


def _bound_names(tree: ast.Module) -> set[str]:
    """Return the names that some statement of the file may bind."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return names
