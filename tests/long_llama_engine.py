"""The long check of the adapter of llama.cpp: tiny models obey the laws of engines, and a fault for each law is found.

`make verify` does not install `llama-cpp-python`; without it, the row is left as it is. It was measured with release 0.3.36.
"""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.theorems import Claim, Outcome
from support.engines.tiny_gguf import write_llama, write_mamba
from support.kept_verdicts import outcome
from support.released import run

NAME = "engine-llama"
ENGINES = tuple(f"language_models/engines/{name}.py" for name in ("check", "reader", "serve", "with_llama"))
SOURCES = (*ENGINES, "../../tests/support/engines/faulty_llama.py", "../../tests/support/engines/tiny_gguf.py")
TIME = 24
WINDOW = "window passed by one"
NOT_TRIED = {"llama": [WINDOW], "mamba": ["rolled back", WINDOW]}
"""A model without a window, and a recurrent state, which llama.cpp does not roll back."""
LAWS = Claim(NAME, "seqsep check --engine llama:FILE.gguf", "llama.cpp obeys the laws of engines on a tiny random model")
FAULTS = Claim(NAME, "seqsep check --engine llama:FILE.gguf", "A fault in the adapter of llama.cpp fails the law about it")


def verify() -> list[Outcome]:
    """One outcome for each model and kind of memory, and one for each fault."""
    with TemporaryDirectory() as place:
        files = {}
        for name, write in (("llama", write_llama), ("mamba", write_mamba)):
            folder = Path(place) / name
            folder.mkdir()
            files[name] = write(folder)
        return [*_by_command(files), *_in_python(files), *_faults(files["llama"])]


def missing() -> str | None:
    """Say why nothing can be checked here; None if the package is installed."""
    return None if find_spec("llama_cpp") else "llama-cpp-python is not installed (pip install llama-cpp-python)"


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
