"""Registries whose members are imported when they are first used, so that their names are known without waiting for torch."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar, overload

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """Members by their public names. Names, length and `in` import nothing; `registry[name]` imports the module of that member.

    Arguments:
        kind: the word for a member, such as theorem.
        places: for each public name the place of the member, "package.module:ATTRIBUTE", in the order of the registry.

    >>> tasks = Registry("task", {"equality": "seqsep.tasks.equality:Equality"})
    >>> list(tasks), "counting" in tasks, tasks["equality"](length=8).length
    (['equality'], False, 8)
    """

    def __init__(self, kind: str, places: Mapping[str, str]) -> None:
        self.kind = kind
        self.places = dict(places)
        self._found: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._found:
            self._found[name] = imported(self.places[name])
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __repr__(self) -> str:
        return f"Registry of {len(self)} {self.kind}{'' if len(self) == 1 else 's'}: {', '.join(self)}"

    def members(self) -> tuple[T, ...]:
        """Return all members, imported, in the order of the registry."""
        return tuple(self.values())


class Members(Sequence[T]):
    """The members at some places, in their order: they are imported when one of them is first used.

    Arguments:
        places: for each public name the place of the member, as in `Registry`.

    >>> tasks = Members({"equality": "seqsep.tasks.equality:Equality"})
    >>> len(tasks), tasks[0].name
    (1, 'equality')
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    @cached_property
    def _found(self) -> tuple[T, ...]:
        return tuple(imported(place) for place in self._places.values())

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return repr(self._found)


def imported(place: str) -> Any:
    """Return the object at a place, "package.module:ATTRIBUTE".

    >>> imported("math:pi") > 3
    True
    """
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def lazy_names(module: str, makers: Mapping[str, Callable[[], Any]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module, for names that are made when they are first used and then kept.

    Arguments:
        module: `__name__` of the module.
        makers: for each name the function that makes its value.
    """

    def find(name: str) -> Any:
        if name not in makers:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = makers[name]()
        setattr(sys.modules[module], name, value)
        return value

    return find


def from_places(places: Mapping[str, str]) -> dict[str, Callable[[], Any]]:
    """Return the makers of names that are imported from other modules, for `lazy_names`.

    >>> from_places({"pi": "math:pi"})["pi"]() > 3
    True
    """
    return {name: lambda place=place: imported(place) for name, place in places.items()}  # type: ignore[misc]
