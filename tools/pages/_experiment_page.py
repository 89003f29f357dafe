"""The parts of an experiment's page, and their order: question, set-up, result, figure, causes, cost, command, claims."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ExperimentPage:
    """The parts of an experiment's page as Markdown."""

    title: str
    question: str
    setup: str
    cells: str
    picture: str
    caption: str
    notes: Sequence[str]
    cost: str
    commands: Sequence[str]
    further: str = ""
    """A sentence on the commands, if they do not train exactly the runs of the page."""


def page_text(name: str, page: ExperimentPage, claims: str) -> str:
    """Return the Markdown of a page: question, set-up, result, figure, causes, cost and command, claims."""
    notes = "".join(f"{note}\n\n" for note in page.notes)
    commands = "\n".join(f"$ {command}" for command in page.commands)
    decided = (
        "A claim is decided by the best of all our runs that can be compared with it. For these claims, that run is on this "
        f"page.\n\n{claims}\n"
        if claims
        else "No claim of the papers is decided by a run on this page. "
    )
    return (
        f"# {page.title}\n\n{page.question}\n\n{page.setup}\n## Result\n\n{page.cells}\n"
        f"![{page.title}]({page.picture})\n\n{page.caption}\n\n"
        + (f"## Causes that the runs show\n\n{notes}" if notes else "")
        + f"## Repeat it\n\nTraining takes about {page.cost}. "
        "This number is computed: the steps of the runs on this page, times the seconds that a step takes on one core.\n"
        + (f"{page.further}\n" if page.further else "")
        + f"All numbers are in [{name}.csv]({name}.csv); the index [explains the "
        "columns](index.md#columns-of-the-csv-files).\n\n"
        f"<!-- not run: trains the models again -->\n```console\n{commands}\n```\n\n"
        f"## Claims\n\n{decided}The index has [all claims and verdicts](index.md).\n"
    )
