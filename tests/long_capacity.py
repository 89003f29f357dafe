"""The long check of capacity: declared = counted for every family, published sizes, hostile files.

`verify()` builds every family of transformers tiny, runs it to 11, 12 and 15 tokens and counts its cache (a CPU-minute), runs
the published models at full size on torch's meta device, and reads 1,100 hostile files in a process of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from seqsep.theorems import Claim, Outcome

ROOM = Path(__file__).parents[1] / "src/seqsep/language_models/capacity"
NAME = "capacity"
SOURCES = tuple(
    sorted(f"language_models/capacity/{path.name}" for suffix in ("py", "json") for path in ROOM.glob(f"*.{suffix}"))
)
SOURCE = "seqsep capacity"
DECLARED = Claim(NAME, SOURCE, "What a config.json declares is what transformers counts in the cache")
PUBLISHED = Claim(NAME, SOURCE, "Published models have their cache at full size, counted on the meta device")
HOSTILE = Claim(NAME, SOURCE, "A hostile file is refused in one line or read, in 2 s and 512 MiB")
FILES = 1100
MOST_SECONDS = 2.0
MOST_BYTES = 512 << 20


def verify(files: int = FILES) -> list[Outcome]:
    """One outcome for each family, published model and lot of hostile files."""
    return [*families(), *published_sizes(), hostile(files)]


def families() -> list[Outcome]:
    """Every family: as a file may have it, and as transformers writes it; and variants of some."""
    from seqsep.language_models.capacity.families import model_types
    from support.tiny_models import LENGTHS, built, configured, counted, tiny_fields
    from support.tiny_variants import variants

    found = []
    cases: list[tuple[str, str, dict[str, Any]]] = [(name, "file", tiny_fields(name)) for name in model_types()]
    cases += [(name, what, tiny_fields(name) | fields) for name, what, fields in variants()]
    for name, what, fields in cases:
        model = built(name, fields)
        measured = [counted(model, length)[0] for length in LENGTHS]
        written = json.loads(json.dumps(configured(name, fields).to_dict(), default=str))
        for label, config in ((what, fields), (f"{what}, as transformers writes it", written)):
            declared = [declared_numbers({**config, "model_type": name}, length) for length in LENGTHS]
            kind = "a variant" if what != "file" else "tiny models"
            kind += ", as transformers writes the file" if label != what else ""
            found.append(outcome(DECLARED, f"{name}: {label}", kind, length=LENGTHS[-1], measured=measured, declared=declared))
    return found


def declared_numbers(config: dict[str, Any], length: int) -> int:
    """Numbers at a length, as allocated."""
    from seqsep.language_models.capacity.declare import declare

    return sum(part.at(length, allocated=True) for layer in declare("config", config).layers for part in layer)


def published_sizes() -> list[Outcome]:
    """The published models that transformers has, at 64 tokens."""
    from support.published_sizes import TOKENS, counted_at_full_size, runs_here

    found = []
    for model in runs_here():
        declared = [declared_numbers(model.config, TOKENS)]
        measured = [counted_at_full_size(model)]
        found.append(outcome(PUBLISHED, model.name, "published sizes", length=TOKENS, measured=measured, declared=declared))
    return found


def outcome(claim: Claim, name: str, variant: str, *, length: int, measured: list[int], declared: list[int]) -> Outcome:
    """Measured beside declared; it holds if they are equal, and the model is named if they are not."""
    if measured != declared:
        print(f"{name}: measured {measured}, declared {declared}", flush=True)
    return claim.lower(
        length=length,
        inputs=len(measured),
        exhaustive=False,
        measured={"numbers": measured[-1]},
        bound={"numbers": declared[-1]},
        variant=variant,
        holds=measured == declared,
    )


def hostile(count: int) -> Outcome:
    """The hostile files, read by the command in one process; its worst time and memory."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(Path(__file__).with_name("support") / "read_hostile_configs.py"), folder, str(count)]
        paths = os.pathsep.join([str(Path(__file__).parent), str(ROOM.parents[1])])
        environment = {**os.environ, "PYTHONPATH": paths}
        said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
    print(f"hostile: {said}", flush=True)
    sound = said["refused"] + said["read"] == count and not said["wrong"]
    return HOSTILE.lower(
        length=count,
        inputs=count,
        exhaustive=False,
        measured={"milliseconds": round(1000 * said["seconds"]), "bytes": said["bytes"]},
        bound={"milliseconds": round(1000 * MOST_SECONDS), "bytes": MOST_BYTES},
        variant="hostile files",
        holds=sound and said["seconds"] < MOST_SECONDS and said["bytes"] < MOST_BYTES,
    )
