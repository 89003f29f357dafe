"""The long check of the adapter of llama.cpp: tiny models obey the laws of engines, and a fault for each law is found.

If `llama-cpp-python` is not installed, it is built without optimization into a folder that is then removed, which takes about
10 minutes of a core. `python tests/verify.py engine-llama` writes the row.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.theorems import Claim, Outcome
from support.engines.tiny_gguf import write_llama, write_mamba
from support.kept_verdicts import outcome
from support.released import install, run

NAME = "engine-llama"
ENGINES = tuple(f"language_models/engines/{name}.py" for name in ("check", "reader", "serve", "with_llama"))
SOURCES = (*ENGINES, "../../tests/support/engines/faulty_llama.py", "../../tests/support/engines/tiny_gguf.py")
PACKAGES = ("llama-cpp-python==0.3.36", "diskcache==5.6.3")
BUILD = ("LLAMA_BUILD_TESTS", "LLAMA_BUILD_EXAMPLES", "LLAMA_BUILD_SERVER", "LLAMA_BUILD_TOOLS", "LLAVA_BUILD")
BUILD += ("LLAMA_OPENSSL", "GGML_NATIVE", "GGML_OPENMP")
TIME = 24
WINDOW = "window passed by one"
NOT_TRIED = {"llama": [WINDOW], "mamba": ["rolled back", WINDOW]}
"""A model without a window, and a recurrent state, which llama.cpp does not roll back."""
LAWS = Claim(NAME, "seqsep check --engine llama:FILE.gguf", "llama.cpp obeys the laws of engines on a tiny random model")
FAULTS = Claim(NAME, "seqsep check --engine llama:FILE.gguf", "A fault in the adapter of llama.cpp fails the law about it")


def verify() -> list[Outcome]:
    """One outcome for each model and kind of memory, and one for each fault."""
    with TemporaryDirectory() as place, installed() as packages:
        files = {}
        for name, write in (("llama", write_llama), ("mamba", write_mamba)):
            folder = Path(place) / name
            folder.mkdir()
            files[name] = write(folder)
        return [*_by_command(files, packages), *_in_python(files), *_faults(files["llama"])]


@contextmanager
def installed() -> Iterator[str]:
    """The folder in which llama-cpp-python is found, built first if need be."""
    found = importlib.util.find_spec("llama_cpp")
    if found is not None and found.origin is not None:
        yield str(Path(found.origin).parents[1])
        return
    with TemporaryDirectory() as folder:
        plain = " ".join(f"-DCMAKE_{language}_FLAGS_DEBUG=-O0" for language in ("C", "CXX"))
        os.environ["CMAKE_ARGS"] = " ".join(["-DCMAKE_BUILD_TYPE=Debug", plain, *(f"-D{name}=OFF" for name in BUILD)])
        install(folder, *PACKAGES)
        sys.path.append(folder)
        yield folder
        sys.path.remove(folder)


def _by_command(files: dict[str, Path], packages: str) -> Iterator[Outcome]:
    """Ask the command, so that the engine, and the one that loads its states, are processes."""
    for name, path in files.items():
        words = ["-m", "seqsep", "check", "--engine", f"llama:{path}", "--reference", str(path.parent), "--json"]
        done = run(words, packages)
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


def _faults(path: Path) -> Iterator[Outcome]:
    from support.engines import faulty_llama

    for law, kind in faulty_llama.FAULTS.items():
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
