"""Public Python objects as they are written in the source: signature, parameters with their meanings, errors, example.

Everything is read from the text of the source, so that a page does not depend on the version of Python.
The parameters of a docstring are the lines after `Arguments:` (of a function) or `Fields:` (of a class):

    name: meaning, which may continue on lines that are indented further.
"""

import ast
import builtins
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from seqsep.core.options import option_of

BLOCK = re.compile(r"^(?:Arguments|Fields):\n((?:[ ]{4}.*(?:\n|$))+)", re.MULTILINE)
RAISES = re.compile(r"Raises\s+[A-Z]\w+(?:\s+and\s+[A-Z]\w+)*\b(?:[^.`]|`[^`]*`|\.(?=\S))*\.")
WRONG_VALUE = ("ValueError", "BadInput")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function, or a field of a class."""

    name: str
    kind: str
    default: str


@dataclass(frozen=True)
class Member:
    """A public function or class: the module that a user imports it from, and its name there, such as Model.build."""

    module: str
    name: str

    @cached_property
    def value(self) -> Any:
        """The function or class itself."""
        from seqsep import _HOMES

        root, *further = self.name.split(".")
        home = _HOMES[root] if self.module == "seqsep" else self.module
        found = getattr(import_module(home), root)
        for name in further:
            found = getattr(found, name)
        return inspect.unwrap(getattr(found, "__func__", found))

    @property
    def home(self) -> ModuleType:
        """The module that defines it."""
        return import_module(self.value.__module__)

    @cached_property
    def node(self) -> ast.FunctionDef | ast.ClassDef:
        """Its definition in the source."""
        return _definition(self.value)

    @property
    def docstring(self) -> str:
        """Its docstring as the source has it."""
        return ast.get_docstring(self.node) or ""

    @property
    def parameters(self) -> list[Parameter]:
        """Its parameters without `self` and `cls`; those of a class are its fields, or the parameters of `__init__`."""
        if isinstance(self.node, ast.FunctionDef):
            return list(_of_function(self.node, self.home))
        if is_dataclass(self.value) or hasattr(self.value, "_fields"):
            return list(_of_fields(self.value))
        made = [one for one in self.node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        if made:
            return list(_of_function(made[0], self.home))
        return [Parameter("iterable", f"Iterable[{items}]", "()") for items in _items_of_list(self.node)]

    def spelt_out(self, kind: str) -> str:
        """Return a type as a reader's table has it: a name for some choices is replaced by the choices.

        >>> Member("seqsep", "Run").spelt_out("Decay")
        "'constant' | 'linear' | 'cosine'"
        """
        value = getattr(self.home, kind, None)
        return " | ".join(map(repr, get_args(value))) if get_origin(value) is Literal else kind

    @property
    def keyword_only(self) -> str:
        """The first parameter that is given by its name only; nothing if there is none."""
        if is_dataclass(self.value):
            return next((one.name for one in fields(self.value) if one.kw_only), "")
        given = self.node.args.kwonlyargs if isinstance(self.node, ast.FunctionDef) else []
        return given[0].arg if given else ""

    @property
    def options(self) -> str:
        """The name of a function's further keywords; nothing if it takes none."""
        further = self.node.args.kwarg if isinstance(self.node, ast.FunctionDef) else None
        return further.arg if further else ""

    @property
    def returns(self) -> str:
        """The type of what a function returns; nothing for a class."""
        if isinstance(self.node, ast.FunctionDef) and self.node.returns is not None:
            return ast.unparse(self.node.returns).strip("'")
        return ""

    @property
    def meanings(self) -> dict[str, str]:
        """The meaning of each parameter, as its annotation or the docstring describes it.

        >>> Member("seqsep", "ceiling").meanings["state_bits"]
        "B, bits of one example's state; from 0."
        """
        declared = get_type_hints(self.value, include_extras=True) if is_dataclass(self.value) else {}
        options = [option_of(name, kind) for name, kind in declared.items()]
        found = {option.name: f"{option.explained}." for option in options if option.meaning}
        for block in BLOCK.findall(self.docstring):
            for line in textwrap.dedent(block).splitlines():
                if line.startswith(" "):
                    found[next(reversed(found))] += f" {line.strip()}"
                else:
                    name, _, meaning = line.partition(": ")
                    found[name] = meaning
        return found

    @property
    def text(self) -> str:
        """Its docstring without parameters, errors and examples."""
        text = BLOCK.sub("", self.docstring)
        kept = [part for part in re.split(r"\n\s*\n", text) if not part.lstrip().startswith(">>>")]
        return RAISES.sub("", "\n\n".join(kept)).strip()

    @property
    def errors(self) -> list[str]:
        """The sentences of its docstring that say which errors it raises."""
        text = BLOCK.sub("", self.docstring)
        kept = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if not part.lstrip().startswith(">>>")]
        return [found for part in kept for found in RAISES.findall(part)]

    @property
    def raises_directly(self) -> bool:
        """True if its own code, or that of its constructor, raises an error for a wrong value."""
        functions = [self.node] if isinstance(self.node, ast.FunctionDef) else self.node.body
        made = [one for one in functions if isinstance(one, ast.FunctionDef)]
        if isinstance(self.node, ast.ClassDef):
            made = [one for one in made if one.name in ("__init__", "__post_init__")]
        raised = [one.exc for function in made for one in ast.walk(function) if isinstance(one, ast.Raise) and one.exc]
        return any(ast.unparse(one).startswith(WRONG_VALUE) for one in raised)

    @property
    def example(self) -> str:
        """The example of its docstring, with the imports that it needs.

        >>> Member("seqsep", "bound").example.splitlines()[0]
        '>>> from seqsep import bound'
        """
        parts = [part for part in re.split(r"\n\s*\n", self.docstring) if part.lstrip().startswith(">>>")]
        lines = "\n".join(parts).split("\n")
        code = "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))
        return "\n".join([*(f">>> {line}" for line in self._imports(code)), *lines]) if parts else ""

    def _imports(self, code: str) -> Iterator[str]:
        """Yield the imports of an example: what it takes from the module that its docstring is in."""
        tree = ast.parse(code)
        given = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        given |= {one.asname or one.name.split(".")[0] for one in ast.walk(tree) if isinstance(one, ast.alias)}
        given |= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
        given |= {one.name for one in ast.walk(tree) if isinstance(one, ast.ClassDef | ast.FunctionDef)}
        used = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        for name in sorted(used - given):
            if name not in vars(builtins):
                yield self._import(name)

    def _import(self, name: str) -> str:
        import seqsep

        value = getattr(self.home, name)
        if isinstance(value, ModuleType):
            return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
        if name in seqsep.__all__ and inspect.unwrap(value) is Member("seqsep", name).value:
            return f"from seqsep import {name}"
        if name == self.name.split(".")[0]:
            return f"from {self.module} import {name}"
        where = getattr(value, "__module__", None) or self.home.__name__
        return f"from {where if hasattr(import_module(where), name) else self.home.__name__} import {name}"


def _definition(value: Any) -> ast.FunctionDef | ast.ClassDef:
    found = ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]
    if not isinstance(found, ast.FunctionDef | ast.ClassDef):
        raise ValueError(f"{value!r}: expected the definition of a function or class, found {ast.unparse(found)[:80]}")
    return found


def _of_function(node: ast.FunctionDef, home: ModuleType) -> Iterator[Parameter]:
    """Yield the parameters of a function of the module `home`."""
    given = node.args
    places = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(places) - len(given.defaults)) + list(given.defaults)
    for one, default in [*zip(places, defaults, strict=True), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]:
        if one.arg not in ("self", "cls"):
            yield Parameter(one.arg, _type(one.annotation), "" if default is None else _default(default, home))
    if given.kwarg is not None:
        yield Parameter(given.kwarg.arg, _type(given.kwarg.annotation), "")


def _of_fields(kind: type) -> Iterator[Parameter]:
    """Yield the fields of a dataclass or named tuple, in their order; a field's type is in the class that adds it."""
    declared: dict[str, ast.AnnAssign] = {}
    for one in reversed(kind.__mro__):
        if one.__module__.startswith("seqsep"):
            body = _definition(one).body
            declared |= {ast.unparse(part.target): part for part in body if isinstance(part, ast.AnnAssign)}
    names = [one.name for one in fields(kind) if one.init] if is_dataclass(kind) else list(getattr(kind, "_fields", ()))
    for name in names:
        default = declared[name].value
        shown = "" if default is None else _default(default, import_module(kind.__module__))
        yield Parameter(name, _type(declared[name].annotation), "empty" if shown.startswith("field(") else shown)


def _default(default: ast.expr, home: ModuleType) -> str:
    """Return a default as a reader understands it: a constant of the module is replaced by its value."""
    value = getattr(home, default.id, None) if isinstance(default, ast.Name) else None
    is_plain = isinstance(value, int | float | str) or (isinstance(value, tuple) and all(isinstance(one, int) for one in value))
    return repr(value) if is_plain else ast.unparse(default)


def _items_of_list(node: ast.ClassDef) -> Iterator[str]:
    """Yield the type of the items of a class that is a list, such as `list[Row]`."""
    for base in node.bases:
        if isinstance(base, ast.Subscript) and ast.unparse(base.value) == "list":
            yield ast.unparse(base.slice)


def _type(annotation: ast.expr | None) -> str:
    """Return a type as the source has it, without the notes of a field."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[kind, *_])):
            return _type(kind)
    return "" if annotation is None else ast.unparse(annotation)
