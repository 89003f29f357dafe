"""Check the types and shapes of the first calls of each function in a test, and no later ones.

A check takes 30 microseconds or more, which is longer than most functions take. A function that is called a thousand times in a
test is called with the same shapes nearly always.
"""

import dataclasses
import functools
import inspect
from collections import Counter
from collections.abc import Callable
from types import CodeType
from typing import Any

import jaxtyping
from jaxtyping import config

MOST_CHECKED = 30
"""Calls of a function that are checked in each test."""
CHECKED: Counter[CodeType] = Counter()
"""The calls that were checked in this test, by function."""
check_each_call = jaxtyping.jaxtyped


def check_first_calls(function: Any = None, *, typechecker: Callable[..., Any]) -> Any:
    """Decorate as `jaxtyping.jaxtyped` does, for the first calls in a test; a function is only looked at when it is called."""
    if function is None:
        return functools.partial(check_first_calls, typechecker=typechecker)
    if inspect.isclass(function):
        if dataclasses.is_dataclass(function) and "__init__" in vars(function):
            function.__init__ = check_first_calls(function.__init__, typechecker=typechecker)  # type: ignore[misc]
        return function
    if not inspect.isfunction(function):
        return check_each_call(function, typechecker=typechecker)
    code = function.__code__
    checked = None

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        nonlocal checked
        __tracebackhide__ = True
        if CHECKED[code] >= MOST_CHECKED or config.jaxtyping_disable:
            return function(*given, **named)
        CHECKED[code] += 1
        checked = checked or check_each_call(function, typechecker=typechecker)
        return checked(*given, **named)

    return call


def install() -> None:
    """Let modules that jaxtyping's import hook loads from now on use this decorator."""
    jaxtyping.jaxtyped = check_first_calls  # type: ignore[assignment]
