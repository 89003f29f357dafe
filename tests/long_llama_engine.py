"""The long check of the adapter of llama.cpp: tiny models obey the laws of engines, and a fault for each law is found.

llama.cpp is built from source once, in build/, which takes about 20 minutes on two cores. An installed `llama_cpp` is used
instead.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.theorems import Claim, Outcome
from support.engines.tiny_gguf import write_llama, write_mamba, write_olmo
from support.kept_verdicts import outcome
from support.released import run

NAME = "engine-llama"
ENGINES = tuple(f"language_models/engines/{name}.py" for name in ("check", "reader", "serve", "with_llama"))
SOURCES = (*ENGINES, "../../tests/support/engines/faulty_llama.py", "../../tests/support/engines/tiny_gguf.py")
TIME = 24
WINDOW = "window passed by one"
MODELS = {"llama": write_llama, "mamba": write_mamba, "olmo": write_olmo}
NOT_TRIED = {"llama": [WINDOW], "mamba": ["rolled back", WINDOW], "olmo": []}
"""A model without a window, and a recurrent state, which llama.cpp does not roll back."""
PACKAGE = "llama-cpp-python==0.3.36"
"""It is published as source only."""
BUILT = Path(__file__).parents[1] / "build" / PACKAGE
OPTIONS = "-DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF -DLLAMA_CURL=OFF"
LAWS = Claim(NAME, "seqsep check --engine llama:FILE.gguf", "llama.cpp obeys the laws of engines on a tiny random model")
FAULTS = Claim(NAME, "seqsep check --engine llama:FILE.gguf", "A fault in the adapter of llama.cpp fails the law about it")


def verify() -> list[Outcome]:
    """One outcome for each model and kind of memory, and one for each fault."""
    if not find_spec("llama_cpp"):
        build()
        sys.path.append(str(BUILT))
    with TemporaryDirectory() as place:
        files = {}
        for name, write in MODELS.items():
            folder = Path(place) / name
            folder.mkdir()
            files[name] = write(folder)
        return [*_by_command(files), *_in_python(files), *_faults(files)]


def missing() -> str | None:
    """Say why nothing can be checked here; None if llama.cpp is installed or can be built."""
    if find_spec("llama_cpp") or BUILT.exists() or shutil.which("c++"):
        return None
    return "llama-cpp-python is not installed, and there is no C++ compiler that builds it"


def build() -> None:
    """Build the package from source into BUILT, unless it is there."""
    if BUILT.exists():
        return
    BUILT.parent.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=BUILT.parent) as place:
        words = [
            "pip",
            "install",
            "--no-deps",
            "--no-binary",
            "llama-cpp-python",
            "--target",
            f"{place}/site",
            PACKAGE,
            "diskcache",
        ]
        flags = {"CMAKE_ARGS": OPTIONS, "CMAKE_BUILD_PARALLEL_LEVEL": "2"}
        subprocess.run([sys.executable, "-m", *words], check=True, env=os.environ | flags)
        Path(f"{place}/site").rename(BUILT)


def packages() -> str:
    """The folder in which llama-cpp-python is installed."""
    return str(Path(str(find_spec("llama_cpp").origin)).parents[1])


def _by_command(files: dict[str, Path]) -> Iterator[Outcome]:
    """Ask the command, so that the engine, and the one that loads its states, are processes."""
    for name, path in files.items():
        words = ["-m", "seqsep", "check", "--engine", f"llama:{path}", "--reference", str(path.parent), "--json"]
        done = run(words, packages())
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{NAME}: {name}: {done.stderr[-1000:]}")
        yield _outcome(f"{name}, by the command", name, json.loads(done.stdout)["laws"])


def _in_python(files: dict[str, Path]) -> Iterator[Outcome]:
    """A buffer of keys and values for each sequence, and one of all."""
    from seqsep.language_models.engines.with_llama import LlamaEngine

    for name, path in files.items():
        for unified in (True, False):
            laws = _verdicts(LlamaEngine(path, unified=unified), path)
            yield _outcome(f"{name}, {'one buffer' if unified else 'a buffer of each sequence'}", name, laws)


def _faults(files: dict[str, Path]) -> Iterator[Outcome]:
    from support.engines import faulty_llama

    for law, kind in faulty_llama.FAULTS.items():
        path = files["olmo" if law == WINDOW else "llama"]
        (found,) = _verdicts(kind(path), path, law)
        print(f"{kind.__name__}: {found}", flush=True)
        seen = found["holds"] is False and (found["difference"] is not None or "NaN" in found["where"])
        yield outcome(FAULTS, f"{kind.__name__}: {law}", seen, inputs=1, length=TIME)


def _verdicts(engine: Any, path: Path, *laws: str) -> list[dict[str, Any]]:
    from seqsep.language_models.engines.check import check_engine
    from seqsep.language_models.laws.check import LawsFail

    try:
        verdicts = check_engine(engine, laws=laws, reference=path.parent, length=TIME)
    except LawsFail as failure:
        verdicts = failure.verdicts
    return [verdict.record() for verdict in verdicts]


def _outcome(variant: str, name: str, laws: list[dict[str, Any]]) -> Outcome:
    """It holds if each law holds that can be tested on the model."""
    not_held = [law["law"] for law in laws if not law["holds"]]
    print(f"{variant}: {[law for law in laws if not law['holds']]}", flush=True)
    holds = not_held == NOT_TRIED[name] and not any(law["holds"] is False for law in laws)
    return outcome(LAWS, variant, holds, inputs=len(laws) - len(not_held), length=TIME)
