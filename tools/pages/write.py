"""All generated pages of a clone, and how they are written.

>>> [name for name in PAGES if name.endswith(".md")]
['docs/reference/tasks.md', 'docs/reference/mixers.md', 'docs/reference/languages.md', ...]
>>> [name for name in PAGES if name.endswith(".svg") and "reproduction" not in name]
['docs/separation.svg', 'docs/is-tree-separation.svg', 'docs/is-tree-example.svg', 'docs/audit.svg',
     'docs/state-bits.svg', 'docs/reach.svg', 'docs/explanation/bounds.svg', 'docs/explanation/p-bit-arithmetic.svg',
     'docs/explanation/positions.svg', 'docs/explanation/theorem-to-program.svg']
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pages._claims import evidence_file
from pages._experiment_figure import states_picture
from pages._explanation_pictures import bounds_picture, positions_picture, rounding_picture, scores_picture
from pages._glossary import with_terms
from pages._mixer_speeds import mixer_speeds_section
from pages._reach_picture import reach_picture
from pages.audit import audit_page, audit_picture
from pages.capacity import capacity_page
from pages.cards import card_picture, cards_page, committed_places, picture_path
from pages.commands import FOLDER as COMMANDS_FOLDER
from pages.commands import command_page, index_page
from pages.errata import errata_page
from pages.experiments import EXPERIMENT_PAGES
from pages.languages import languages_page
from pages.members import mixers_page, tasks_page
from pages.model_laws import model_laws_page
from pages.python_api import FOLDER as PYTHON_FOLDER
from pages.python_api import PYTHON_PAGES, python_index, python_page
from pages.reproduction_index import reproduction_index_page
from pages.theorem_page import theorem_page
from pages.theorems import FOLDER, theorems_page
from seqsep.commands import COMMANDS
from seqsep.commands.card import COMMITTED
from seqsep.core.files import write_file
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

COMMAND_PAGES: Mapping[str, Callable[[Path], str]] = {
    f"{COMMANDS_FOLDER}/index.md": index_page,
    **{f"{COMMANDS_FOLDER}/{command.name}.md": partial(command_page, command) for command in COMMANDS},
}
"""The index of commands, and a page for each command."""

PYTHON: Mapping[str, Callable[[Path], str]] = {
    f"{PYTHON_FOLDER}/index.md": python_index,
    **{f"{PYTHON_FOLDER}/{page.file}.md": partial(python_page, page) for page in PYTHON_PAGES},
}
"""The index of the Python API, and its pages."""

REPRODUCTION: Mapping[str, Callable[[Path], str]] = {
    "docs/reproduction/index.md": lambda clone: with_terms(reproduction_index_page(clone / "results"), clone, up="../"),
    **EXPERIMENT_PAGES,
}
"""The page of claims, and the page, picture and rows of each experiment."""


def _picture(budget: str, mixer: str, clone: Path) -> str:
    return card_picture(budget, mixer, clone / COMMITTED)


CARDS: Mapping[str, Callable[[Path], str]] = {
    "docs/reference/cards.md": lambda clone: with_terms(cards_page(clone / COMMITTED), clone, up="../"),
    **{picture_path(budget, mixer): partial(_picture, budget, mixer) for budget, mixer in committed_places()},
}
"""The page of committed cards, and the picture of each."""

PAGES: Mapping[str, Callable[[Path], str]] = {
    "src/seqsep/lab/experiments/claims/evidence.json": lambda clone: evidence_file(clone / "results"),
    "docs/reference/tasks.md": lambda clone: with_terms(tasks_page(), clone, up="../"),
    "docs/reference/mixers.md": lambda clone: with_terms(
        mixers_page() + mixer_speeds_section(clone / "results"), clone, up="../"
    ),
    "docs/reference/languages.md": lambda clone: with_terms(languages_page(), clone, up="../"),
    "docs/reference/capacity.md": lambda clone: capacity_page(clone / "results"),
    "docs/reference/audit.md": lambda clone: audit_page(clone / "results"),
    "docs/reference/model-laws.md": lambda clone: model_laws_page(clone / "results"),
    "docs/separation.svg": lambda clone: ledger_picture(),
    "docs/is-tree-separation.svg": lambda clone: is_tree_picture(),
    "docs/is-tree-example.svg": lambda clone: is_tree_example(),
    "docs/audit.svg": lambda clone: audit_picture(clone / "results"),
    "docs/state-bits.svg": lambda clone: states_picture(clone / "results"),
    "docs/reach.svg": lambda clone: reach_picture(clone / "results"),
    "docs/explanation/bounds.svg": lambda clone: bounds_picture(clone / "results"),
    "docs/explanation/p-bit-arithmetic.svg": lambda clone: rounding_picture(),
    "docs/explanation/positions.svg": lambda clone: positions_picture(clone / "results"),
    "docs/explanation/theorem-to-program.svg": lambda clone: scores_picture(),
    **CARDS,
    **REPRODUCTION,
    **COMMAND_PAGES,
    **PYTHON,
    **THEOREM_PAGES,
}
"""The functions that make the generated files of a clone of this project, by their paths there."""


def write_pages(clone: Path, beginnings: Sequence[str] = ()) -> list[Path]:
    """Write pages to their places in a clone, each whole or not at all; return their paths.

    `beginnings` are paths of pages or beginnings of them; without any, every page is written. Raises ValueError, before
    anything is written, for a beginning that no page has.
    """
    texts = {clone / name: PAGES[name](clone) for name in chosen(PAGES, beginnings)}
    for path, text in texts.items():
        write_file(path, text)
    return list(texts)


def chosen(names: Iterable[str], beginnings: Sequence[str]) -> list[str]:
    """Return the names that begin so, in their order; without beginnings, all. Raises ValueError for one without a name.

    >>> chosen(["docs/one.md", "docs/two.md"], ["docs/t"])
    ['docs/two.md']
    """
    every = list(names)
    for beginning in beginnings:
        if not any(name.startswith(beginning) for name in every):
            raise ValueError(f"{beginning}: expected a generated page or the beginning of one, such as {every[0]}; found none")
    return [name for name in every if not beginnings or name.startswith(tuple(beginnings))]
