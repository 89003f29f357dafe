"""Every computation in float64, also where a model asks for float32: two ways to the same number then agree to 13 digits."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

NARROW = (torch.float32, torch.float16, torch.bfloat16)
CASTS = (torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16)


class _InFloat64(TorchFunctionMode):
    """A type of fewer bits becomes float64 wherever a function of torch is given one."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function in CASTS:
            return args[0].double()
        wide = [_wide(value) for value in args]
        return function(*wide, **{name: _wide(value) for name, value in (kwargs or {}).items()})


def _wide(value: Any) -> Any:
    return torch.float64 if isinstance(value, torch.dtype) and value in NARROW else value


@contextmanager
def _kernels_in_float64() -> Iterator[None]:
    """Make `tl.float32`, the type in which kernels of Triton sum, float64 inside the context, where kernels are interpreted."""
    language: Any = sys.modules.get("triton.language")
    if language is None:
        yield
        return
    before = language.float32
    language.float32 = language.float64
    try:
        yield
    finally:
        language.float32 = before


@contextmanager
def in_float64() -> Iterator[None]:
    """Keep models of `transformers` in float64 inside the body: else they cast norms, softmax and recurrences to float32.

    >>> with in_float64():
    ...     torch.ones(1, dtype=torch.float64).to(torch.float32).dtype
    torch.float64
    """
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _InFloat64(), _kernels_in_float64():
            yield
    finally:
        torch.set_default_dtype(default)
