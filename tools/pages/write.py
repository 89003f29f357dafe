"""All generated pages of a clone, and how they are written.

>>> [name for name in PAGES if name.endswith(".md")]
['docs/reference/tasks.md', 'docs/reference/mixers.md', 'docs/reproduction.md', 'docs/reference/capacity.md', ...]
>>> [name for name in PAGES if name.endswith(".svg")]
['docs/separation.svg', 'docs/is-tree-separation.svg', 'docs/is-tree-example.svg', 'docs/audit.svg',
     'docs/state-bits.svg', 'docs/reach.svg']
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from pages._claims import evidence_file
from pages._glossary import with_terms
from pages._reach import states_picture
from pages._reach_picture import reach_picture
from pages.audit import audit_page, audit_picture
from pages.capacity import capacity_page
from pages.errata import errata_page
from pages.members import mixers_page, tasks_page
from pages.model_laws import model_laws_page
from pages.registries import members_file
from pages.reproduction import reproduction_page
from pages.reproduction_index import reproduction_index_page
from pages.theorem_page import theorem_page
from pages.theorems import FOLDER, theorems_page
from seqsep.files import write_file
from seqsep.report.page.is_tree_example import is_tree_example
from seqsep.report.page.is_tree_picture import is_tree_picture
from seqsep.report.page.ledger_picture import ledger_picture
from seqsep.theorems import THEOREMS

THEOREM_PAGES: Mapping[str, Callable[[Path], str]] = {
    "docs/reference/errata.md": lambda clone: with_terms(errata_page(), clone, up="../"),
    f"{FOLDER}/index.md": lambda clone: with_terms(theorems_page(clone / "results"), clone, up="../../"),
    **{f"{FOLDER}/{theorem.name}.md": partial(theorem_page, theorem) for theorem in THEOREMS},
}
"""The index of theorems, a page for each theorem, and the errata."""

REPRODUCTION: Mapping[str, Callable[[Path], str]] = {
    "docs/reproduction/index.md": lambda clone: reproduction_index_page(clone / "results"),
}
"""The pages of docs/reproduction/."""

PAGES: Mapping[str, Callable[[Path], str]] = {
    "src/seqsep/experiments/claims/evidence.json": lambda clone: evidence_file(clone / "results"),
    "docs/reference/tasks.md": lambda clone: tasks_page(),
    "docs/reference/mixers.md": lambda clone: mixers_page(),
    "docs/reproduction.md": lambda clone: reproduction_page(clone / "results"),
    "docs/reference/capacity.md": lambda clone: capacity_page(clone / "results"),
    "docs/reference/audit.md": lambda clone: audit_page(clone / "results"),
    "docs/reference/model-laws.md": lambda clone: model_laws_page(clone / "results"),
    "docs/separation.svg": lambda clone: ledger_picture(),
    "docs/is-tree-separation.svg": lambda clone: is_tree_picture(),
    "docs/is-tree-example.svg": lambda clone: is_tree_example(),
    "docs/audit.svg": lambda clone: audit_picture(clone / "results"),
    "docs/state-bits.svg": lambda clone: states_picture(clone / "results"),
    "docs/reach.svg": lambda clone: reach_picture(clone / "results"),
    "src/seqsep/commands/members.json": lambda clone: members_file(),
    **REPRODUCTION,
    **THEOREM_PAGES,
}
"""What makes each generated file of a clone of this project, by its path there."""


def write_pages(clone: Path) -> list[Path]:
    """Write every page to its place in a clone, each whole or not at all; return their paths."""
    texts = {clone / name: page(clone) for name, page in PAGES.items()}
    for path, text in texts.items():
        write_file(path, text)
    return list(texts)
