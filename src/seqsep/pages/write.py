"""All generated pages of a clone, and how they are written.

>>> [name for name in PAGES if name.endswith(".md")]
['errata.md', 'theorems.md', 'tasks.md', 'mixers.md', 'reproduction.md']
>>> [name for name in PAGES if name.endswith(".svg")]
['separation.svg', 'is-tree-separation.svg', 'is-tree-example.svg']
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from seqsep.files import write_file
from seqsep.pages.errata import errata_page
from seqsep.pages.members import mixers_page, tasks_page
from seqsep.pages.reproduction import reproduction_page
from seqsep.pages.theorems import theorems_page
from seqsep.report.page.is_tree_example import is_tree_example
from seqsep.report.page.is_tree_picture import is_tree_picture
from seqsep.report.page.ledger_picture import ledger_picture

PAGES: Mapping[str, Callable[[Path], str]] = {
    "errata.md": lambda clone: errata_page(),
    "theorems.md": theorems_page,
    "tasks.md": lambda clone: tasks_page(),
    "mixers.md": lambda clone: mixers_page(),
    "reproduction.md": lambda clone: reproduction_page(clone / "results"),
    "separation.svg": lambda clone: ledger_picture(),
    "is-tree-separation.svg": lambda clone: is_tree_picture(),
    "is-tree-example.svg": lambda clone: is_tree_example(),
}
"""What makes each file of docs/, from a clone of this project."""


def write_pages(clone: Path) -> list[Path]:
    """Write every page to docs/ of a clone, each whole or not at all; return their paths."""
    texts = {clone / "docs" / name: page(clone) for name, page in PAGES.items()}
    for path, text in texts.items():
        write_file(path, text)
    return list(texts)
