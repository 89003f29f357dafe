"""`seqsep explore --write DIR`: the same pages as files, with links between them and without forms."""

import json
from collections.abc import Iterator
from pathlib import Path

from seqsep.commands.explore.links import Links, file_of
from seqsep.commands.explore.pages.audit import shipped_audits
from seqsep.commands.explore.pages.card import shipped_cards
from seqsep.commands.explore.pages.experiments import known_experiments
from seqsep.commands.explore.pages.language import EXAMPLES
from seqsep.commands.explore.pages.protocol import TASKS
from seqsep.commands.explore.pages.rendered import rendered
from seqsep.commands.explore.pages.tape import THEOREM
from seqsep.commands.explore.templates import file_text
from seqsep.commands.explore.visit import FILES, Visit
from seqsep.commands.outputs import require_folder
from seqsep.core.files import write_file
from seqsep.core.names import BadInput
from seqsep.language_models.capacity.published import published
from seqsep.report.worked_networks import NETWORKS
from seqsep.theorems import BY_NAME

MARK = "explore.json"
"""The file that says that a folder is a static copy: only such a folder, or an empty one, is written to."""


def visits() -> Iterator[Visit]:
    """Yield the pages of a copy: those of every list, and every theorem, task, example, model, card, audit and certificate."""
    yield Visit(is_static=True)
    yield Visit("theorems", is_static=True)
    for name in BY_NAME:
        yield Visit("theorem", name, is_static=True)
    for page, names in (("protocol", list(TASKS)), ("thought", [*(one.writer.name for one in NETWORKS), THEOREM])):
        yield Visit(page, is_static=True)
        for name in names:
            yield Visit(page, name, is_static=True)
    yield Visit("language", is_static=True)
    for regex, _ in EXAMPLES:
        yield Visit("language", query={"regex": regex}, is_static=True)
    yield Visit("experiments", is_static=True)
    for experiment in known_experiments():
        yield Visit("experiments", experiment.name, is_static=True)
    for page, key, known in (("card", "card", shipped_cards()), ("audit", "model", shipped_audits())):
        yield Visit(page, is_static=True)
        for name in known:
            yield Visit(page, query={key: name}, is_static=True)
    yield Visit("capacity", is_static=True)
    for model in published():
        yield Visit("capacity", query={"model": model.name}, is_static=True)
    yield Visit("certificate", is_static=True)
    for name, theorem in BY_NAME.items():
        if theorem.certificate_witness is not None:
            yield Visit("certificate", name, is_static=True)


def name_of(visit: Visit) -> str:
    """Return the file of a page.

    >>> name_of(Visit("theorem", "equality-state"))
    'theorem-equality-state.html'
    """
    return file_of(visit.page, visit.name, **visit.query)


def write_pages(folder: Path) -> str:
    """Write every page to a folder, and return a sentence that says so.

    Raises BadInput for a folder with other files, and RuntimeError for a page that fails.
    """
    require_folder(folder)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise BadInput(f"{folder}: expected an empty folder or an earlier copy, found other files")
    folder.mkdir(parents=True, exist_ok=True)
    wanted = list(visits())
    links = Links(frozenset(map(name_of, wanted)))
    for name in FILES:
        write_file(folder / name, file_text(name))
    for visit in wanted:
        page = rendered(visit, links)
        if page.status != 200:
            raise RuntimeError(f"explore: the page {name_of(visit)} failed with status {page.status}")
        write_file(folder / name_of(visit), page.html.decode("utf-8"))
    write_file(folder / MARK, json.dumps({"pages": sorted(links.written or ())}, indent=1) + "\n")
    return f"{len(wanted)} pages are in {folder}; open {folder / 'index.html'}"
