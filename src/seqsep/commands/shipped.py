"""The files that come with seqsep besides its code: examples, rows of the runs in `results/`, cards, and two trained models.

The repository has one copy of them, in the folders that `PATTERNS` mentions. `setup.py` reads `PATTERNS` from this file and
copies what they match into the wheel, below `seqsep/data`; an editable installation reads the repository itself.
"""

from collections.abc import Iterator
from pathlib import Path

PATTERNS = (
    "examples/**/*.py",
    "examples/**/*.json",
    "examples/**/*.c",
    "results/*.jsonl",
    "results/cards/*/*.json",
    "results/audit/sizes.jsonl",
    "results/audit/*.safetensors",
)
"""The files that are shipped, below the root of the repository."""
PACKAGE = Path(__file__).parents[1]


def root() -> Path:
    """Return the folder that holds `examples/` and `results/`: a folder of the wheel, or the repository."""
    data = PACKAGE / "data"
    return data if data.is_dir() else PACKAGE.parents[1]


def shipped(name: str) -> Path:
    """Return the path of a shipped file or folder.

    >>> shipped("results/demo.jsonl").exists()
    True
    """
    return root() / name


def shipped_files(folder: Path) -> Iterator[Path]:
    """Yield the paths, relative to `folder`, of the files that `PATTERNS` match there.

    >>> [path.as_posix() for path in shipped_files(root()) if path.name.startswith("own")]
    ['examples/own_layer.py', 'examples/own_runs.py', 'examples/own_task.py', 'examples/own_theorem.py']
    """
    for pattern in PATTERNS:
        yield from sorted(path.relative_to(folder) for path in folder.glob(pattern))
