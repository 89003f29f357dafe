"""The types of every call, checked faster: jaxtyping's own wrapper, which binds each call twice, only where there are shapes.

The import hook of jaxtyping wraps each function of seqsep. A function whose annotations have no array needs no shapes: beartype
alone checks the same parameters and the same returned value in a third of the time. `check_calls_fast` is called before seqsep
is imported.
"""

import dataclasses
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, get_args

import jaxtyping
from beartype import beartype
from jaxtyping import config
from jaxtyping._decorator import _destring_annotation

WITH_SHAPES = jaxtyping.jaxtyped


def check_calls_fast() -> None:
    """Let jaxtyping's import hook wrap functions by `checked`."""
    jaxtyping.jaxtyped = checked


def checked(function: Any = None, *, typechecker: Any) -> Any:
    """Return the function or data class with its calls checked unless jaxtyping is disabled; a decorator without a function."""
    if function is None:
        return functools.partial(checked, typechecker=typechecker)
    if inspect.isclass(function):
        if dataclasses.is_dataclass(function) and not hasattr(function.__init__, "__wrapped__"):
            function.__init__ = checked(function.__init__, typechecker=typechecker)
        return function
    if not isinstance(function, types.FunctionType) or inspect.isgeneratorfunction(function):
        return WITH_SHAPES(function, typechecker=typechecker)
    given = {name: _destring_annotation(value, function.__globals__) for name, value in function.__annotations__.items()}
    if any(map(has_an_array, given.values())):
        return WITH_SHAPES(function, typechecker=typechecker)
    return without_shapes(function, given)


def has_an_array(annotation: Any) -> bool:
    """Return True if an annotation is, or contains, an array with a shape."""
    is_array = inspect.isclass(annotation) and issubclass(annotation, jaxtyping.AbstractArray)
    return is_array or any(map(has_an_array, get_args(annotation)))


def without_shapes(function: types.FunctionType, annotations: dict[str, Any]) -> Callable[..., Any]:
    """The function, checked by beartype against these annotations."""
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__annotations__ = annotations
    copy.__qualname__ = function.__qualname__
    copy.__module__ = function.__module__
    checking = beartype(copy) if annotations else function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return (function if config.jaxtyping_disable else checking)(*args, **kwargs)

    return call
