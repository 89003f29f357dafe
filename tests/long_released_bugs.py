"""The long check of bugs of released versions of transformers: a script fails in the release it names, not in a later one.

The releases are installed, one at a time, with pip into a folder that is then removed; torch, numpy and safetensors are those
of the environment. `python tests/long_released_bugs.py` writes results/released-bugs.json.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pages._released_bugs import FOLDER, RELEASED_BUGS
from seqsep.theorems import Claim, Outcome
from support.released import install, run

ROOT = Path(__file__).parents[1]
NAME = "released-bugs"
KEPT = ROOT / "results/released-bugs.json"
SOURCES = ("../../tools/pages/_released_bugs.py", *(f"../../{FOLDER}/{name}.py" for name in RELEASED_BUGS))
HUB_2024 = ("tokenizers==0.19.1", "huggingface_hub==0.24.7")
HUB_2025 = ("tokenizers==0.21.4", "huggingface_hub==0.36.0")
HTTP = ("httpx==0.28.1", "httpcore==1.0.9", "h11==0.16.0", "anyio==4.16.0")
HUB_2026 = ("tokenizers==0.22.1", "huggingface_hub==1.28.0", *HTTP)
RELEASES = {
    "4.44.2": HUB_2024,
    "4.45.2": ("tokenizers==0.20.3", "huggingface_hub==0.25.2"),
    "4.47.1": HUB_2025,
    "4.48.3": HUB_2025,
    "4.51.3": HUB_2025,
    "4.52.4": HUB_2025,
    "4.57.1": ("tokenizers==0.22.1", "huggingface_hub==0.36.0"),
    "5.0.0": HUB_2026,
    "5.11.0": HUB_2026,
    "5.13.1": HUB_2026,
    "5.23.0": ("tokenizers==0.23.3", "huggingface_hub==2.4.0"),
}
"""The packages that each release asks for beside those of the environment."""
LEAST = 1e-3
MOST = 1e-4


def verify() -> list[Outcome]:
    """One outcome for each script: it fails and holds where it should, and so does the law where it is tried."""
    measured = measure()
    return [_outcome(name, measured[name]) for name in RELEASED_BUGS]


def measure() -> dict[str, dict[str, Any]]:
    """By script: how far apart results are in both releases, and what `seqsep check` says there of the law."""
    found: dict[str, dict[str, Any]] = {name: {"apart": {}} for name in RELEASED_BUGS}
    for release, further in RELEASES.items():
        with TemporaryDirectory() as folder:
            install(folder, f"transformers=={release}", *further)
            for name, bug in RELEASED_BUGS.items():
                if release not in (bug.fails_in, bug.holds_in):
                    continue
                found[name]["apart"][release] = apart(name, folder)
                if bug.config is not None:
                    found[name].setdefault("check", {})[release] = law_holds(bug.config, bug.law, folder)
                print(f"{name} in {release}: {found[name]}", flush=True)
    return found


def apart(name: str, folder: str) -> float:
    """The last line that the script prints; its status tells if that is too much."""
    done = run([str(ROOT / FOLDER / f"{name}.py")], folder)
    difference = float(done.stdout.split()[-1]) if done.stdout else None
    if difference is None or done.returncode != (difference > MOST):
        raise RuntimeError(f"{NAME}: {name}: status {done.returncode}, {done.stdout} {done.stderr[-1000:]}")
    return difference


def law_holds(config: Any, law: str, folder: str) -> bool:
    """The verdict of `seqsep check --model` on this law."""
    with TemporaryDirectory() as place:
        path = Path(place) / "config.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        done = run(["-m", "seqsep", "check", "--model", str(path), "--json"], folder)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{NAME}: {law}: {done.stderr[-1000:]}")
    (verdict,) = (found for found in json.loads(done.stdout)["laws"] if found["law"] == law)
    return bool(verdict["holds"])


def _outcome(name: str, measured: dict[str, Any]) -> Outcome:
    bug = RELEASED_BUGS[name]
    differences = measured["apart"]
    shown = differences[bug.fails_in] > LEAST and differences[bug.holds_in] <= MOST
    verdicts = measured.get("check", {bug.fails_in: False, bug.holds_in: True})
    found = not verdicts[bug.fails_in] and verdicts[bug.holds_in]
    words = f"{name}.py fails in transformers {bug.fails_in} and not in {bug.holds_in}"
    return Claim(NAME, FOLDER, words).lower(
        length=0,
        inputs=len(differences) + len(measured.get("check", {})),
        exhaustive=False,
        measured={"failures": int(not (shown and found))},
        bound={"failures": 0},
        variant=words,
        holds=shown and found,
    )


if __name__ == "__main__":
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in measure().items())
    KEPT.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
