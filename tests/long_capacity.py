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
ROUND_TRIP = Claim(NAME, SOURCE, "A file is read like the file that transformers makes of it, for every model_type")
PUBLISHED = Claim(NAME, SOURCE, "Published models have their cache at full size, counted on the meta device")
HOSTILE = Claim(NAME, SOURCE, "A hostile file is refused in one line or read, in 2 s and 512 MiB")
FILES = 1100
LEAST_FILES = 390
MOST_SECONDS = 2.0
MOST_BYTES = 512 << 20


def verify(files: int = FILES) -> list[Outcome]:
    """One outcome for each family, published model and lot of hostile files."""
    return [*families(), *encoder_decoders(), round_trips(), *published_sizes(), hostile(files)]


def families() -> list[Outcome]:
    """Every family: as a file may have it, and as transformers writes it; and variants of some."""
    from support.tiny_models import LENGTHS, built, configured, counted, tiny_fields
    from support.tiny_variants import variants

    found = []
    names = [name for name in counted_types() if not is_pair(name)]
    cases: list[tuple[str, str, dict[str, Any]]] = [(name, "file", tiny_fields(name)) for name in names]
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


def counted_types() -> list[str]:
    """The families that are counted; for the others the rules are those of published code."""
    from seqsep.language_models.capacity.families import COUNTED, family, model_types

    return [name for name in model_types() if family(name).basis == COUNTED]


def is_pair(name: str) -> bool:
    """Return True for a family that is run as an encoder-decoder."""
    from seqsep.language_models.capacity.families import family
    from support.tiny_pairs import DECODERS

    return name in DECODERS or (family(name).rule == "decoder" and name != "trocr")


def may_cross(name: str) -> bool:
    """Return True for a family that has cross-attention if its file has add_cross_attention."""
    from seqsep.language_models.capacity.families import family

    return family(name).attention == "ungrouped-decoder"


def encoder_decoders() -> list[Outcome]:
    """Every encoder-decoder: caches of its own tokens and of the source, as a file has it and as transformers writes it.

    Families of one configuration are among them with add_cross_attention.
    """
    from support.tiny_models import LENGTHS, configured, tiny_fields
    from support.tiny_pairs import counted_pair, pair_fields, source_length

    found = []
    pairs = [(name, pair_fields(name)) for name in filter(is_pair, counted_types())]
    pairs += [(name, tiny_fields(name) | {"add_cross_attention": True}) for name in counted_types() if may_cross(name)]
    for name, fields in pairs:
        source = source_length(name)
        measured = [counted_pair(name, fields, length) for length in LENGTHS]
        written = json.loads(json.dumps(configured(name, fields).to_dict(), default=str))
        for label, config in (("file", fields), ("file, as transformers writes it", written)):
            declared = [declared_numbers({**config, "model_type": name}, length, source) for length in LENGTHS]
            label = f"{name}: {label}"
            found.append(outcome(DECLARED, label, "encoder-decoders", length=LENGTHS[-1], measured=measured, declared=declared))
    return found


def round_trips() -> Outcome:
    """All files of `support.round_trips` that the library accepts, and how many of them are read alike."""
    from seqsep.language_models.capacity import capacity
    from support.round_trips import accepted_files

    pairs = list(accepted_files())
    alike = sum(capacity(file).parts == capacity(written).parts for _, file, written in pairs)
    return ROUND_TRIP.lower(
        length=len(pairs),
        inputs=len(pairs),
        exhaustive=False,
        measured={"files": alike},
        bound={"files": len(pairs)},
        variant="files of every model_type",
        holds=alike == len(pairs) > LEAST_FILES,
    )


def declared_numbers(config: dict[str, Any], length: int, source: int = 0) -> int:
    """Numbers at a length, as allocated, with those of the source tokens of an encoder-decoder."""
    from seqsep.language_models.capacity.declare import declare

    return sum(part.at(length, allocated=True, source=source) for layer in declare("config", config).layers for part in layer)


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
