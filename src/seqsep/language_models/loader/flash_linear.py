"""Models of flash-linear-attention (package `fla`), whose layers are kernels for a GPU: here Triton's interpreter runs them.

It takes a kernel's blocks in order and computes them in NumPy, on a CPU: for tiny models and few tokens. With
`in_float64` it sums in float64 too. What a GPU's compiler makes of a kernel is not tried.

`fla` registers its classes with `transformers` when it is imported, also under the names mamba, mamba2 and bitnet, which are
then its own in this process. So it is imported only for a config.json that is its own
(`seqsep.language_models.capacity.flash_linear`).
"""

import builtins
import inspect
import os
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from seqsep.core.names import BadInput, excerpt, install, printable, text_of

SWITCH = "TRITON_INTERPRET"
INSTALL = install("hf,gpu", "triton")
"""torch brings Triton itself only where it is built for a GPU."""


class FlashLinearMissing(OSError):
    """The package flash-linear-attention is not installed; the message is one line, with the command that installs it."""


def import_models(where: str, name: str) -> None:
    """Import `fla.models` with kernels that are interpreted; `where` and `name` are the file and its model_type, for messages.

    Raises FlashLinearMissing if the package is not installed, BadInput if its kernels are compiled in this process already.
    """
    found = f"{where}: model_type {excerpt(printable(name))!r} is of flash-linear-attention"
    if "fla" in sys.modules and os.environ.get(SWITCH) != "1":
        raise BadInput(f"{found}, which was imported before and compiles its kernels; set {SWITCH}=1 before Python starts")
    os.environ[SWITCH] = "1"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_module("triton")
            import_module("fla.models")
    except ImportError as error:
        raise FlashLinearMissing(f"{found}, which is not installed ({text_of(error)}); {INSTALL}") from error
    interpret_kernels()


def interpret_kernels() -> None:
    """Let Triton's interpreter run what the compiler takes. Needs `fla` imported under TRITON_INTERPRET=1; once or again.

    Four things differ. Block sizes are chosen by timing on a GPU: here the first ones are taken. The variable of a loop is a
    tensor to the compiler, on which kernels call methods, and an int to the interpreter, unless `range` is ours. A rounding
    that is named for a cast to fewer bits is an error in a cast to as many, as in float64. And functions of the language are
    put in place again at each call inside a kernel, though they are there already.
    """
    interpreter: Any = import_module("triton.runtime.interpreter")
    core: Any = import_module("triton.language.core")

    def steps(*ends: Any) -> Iterator[Any]:
        numbers = (int(end.handle.data.item()) if isinstance(end, core.tensor) else end for end in ends)
        return (interpreter._implicit_cvt(number) for number in builtins.range(*numbers))

    import_module("triton.runtime.autotuner").Autotuner._bench = lambda self, *arguments, config, **options: [0.0, 0.0, 0.0]
    for name, module in list(sys.modules.items()):
        if name.startswith("fla.ops") and "@triton.jit" in _text(module):
            vars(module)["range"] = steps
    if not hasattr(interpreter, "patched_by_seqsep"):
        interpreter.patched_by_seqsep = True
        _cast_without_rounding()
        _patch_language_once(interpreter)


def _text(module: Any) -> str:
    return Path(getattr(module, "__file__", None) or os.devnull).read_text(encoding="utf-8")


def _cast_without_rounding() -> None:
    semantic: Any = import_module("triton.language.semantic").TritonSemantic
    cast = semantic.cast

    def cast_of_any_width(self: Any, value: Any, to: Any, fp_downcast_rounding: str | None = None) -> Any:
        before = value.type.scalar
        after = to.scalar
        narrows = before.is_floating() and after.is_floating() and after.primitive_bitwidth < before.primitive_bitwidth
        return cast(self, value, to, fp_downcast_rounding if narrows else None)

    semantic.cast = cast_of_any_width


def _patch_language_once(interpreter: Any) -> None:
    language: Any = import_module("triton.language")
    patch = interpreter._patch_lang

    def patch_if_needed(function: Any) -> Any:
        modules = [value for value in function.__globals__.values() if inspect.ismodule(value)]
        named = [module for module in modules if module in (language, language.core)]
        if named and not any(language.core.is_builtin(module.load) for module in named):
            return interpreter._LangPatchScope()
        return patch(function)

    interpreter._patch_lang = patch_if_needed
