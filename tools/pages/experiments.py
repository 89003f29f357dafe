"""docs/reproduction/NAME.md, NAME.svg and NAME.csv: a page, a picture and all rows of each experiment with committed rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from pages._experiment_figure import caption, figure_svg
from pages._experiment_notes import NOTES, used_bits_table
from pages._experiment_page import ExperimentPage, page_text
from pages._experiment_rows import COLUMNS, cells_table, claims_of, claims_table, csv_text, hours, result_table, setup
from pages._glossary import with_terms
from pages._language_classes import NAME as LANGUAGE_CLASSES
from pages._language_classes import TITLE as CLASSES_TITLE
from pages._language_classes import classes_csv, classes_page, classes_svg
from pages._markdown import folded, table
from pages._places import TITLE, places_csv, places_page, places_svg
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.row import Row, read_rows
from seqsep.report.experiment_table import states_table
from seqsep.report.result_table import ResultTable

FOLDER = "docs/reproduction"
LIVE = (
    " On IsTree, the model itself writes the chain of thought that `trace` specifies, and then its answer. "
    "With `vanilla` it answers at once. A graph to which the model gives no answer counts as half right."
)
CELLS = (
    "If several settings were trained for a cell, such as several learning rates, the table shows one of them: "
    "the setting whose run with the first seed has the highest accuracy. "
    "If this setting was trained with several seeds, the cell has the lowest and the highest of their accuracies."
)
USED_BITS = (
    "Index lookup. Each mark is a model, and each panel is a length. The horizontal axis is the number of bits of the state. "
    "The vertical axis is how many bits about the symbols the state holds at least: with fewer, the accuracy could not be so "
    "high. On a curve, this is always the same share of the state: all of it, 10 %, 1 % or 0.1 %."
)
"""The caption of docs/state-bits.svg."""
DEMO = (
    ("index-lookup-architectures", "demo-rates"),
    ("index-lookup-architectures", "demo-lengths"),
    ("index-lookup-architectures", "demo-seeds"),
    ("dyck-architectures", "demo-rates"),
    ("dyck-architectures", "demo-seeds"),
)


@dataclass(frozen=True)
class Shown:
    """One page: its question, its sweeps as (experiment, preset), and the files of rows, without their ending.

    `heads` distinguishes models by heads. `states` adds bits of state to the table and draws accuracy over them. `picture` is
    drawn elsewhere.
    """

    title: str
    question: str
    sweeps: tuple[tuple[str, str], ...]
    files: tuple[str, ...] = ()
    states: bool = False
    picture: str = ""

    @property
    def stems(self) -> tuple[str, ...]:
        """The files of rows, without their ending."""
        return self.files or tuple(BY_NAME[name].rows_file(Path(), preset).stem for name, preset in self.sweeps)


def _of(experiment: str, title: str, question: str, preset: str = "quick", states: bool = False, picture: str = "") -> Shown:
    return Shown(title, question, ((experiment, preset),), states=states, picture=picture)


LOOKUP = "index-lookup-architectures"
DYCK = "dyck-architectures"
SHOWN: Mapping[str, Shown] = {
    "demo": Shown(
        "Index lookup and Dyck-(2,2) by one recipe",
        "How accurate is each architecture on index lookup and on Dyck-(2,2), if all are trained by one recipe?",
        DEMO,
        ("demo",),
    ),
    LOOKUP: _of(LOOKUP, "Index lookup with 16 symbols", "Which architecture learns index lookup in 2,000 steps?"),
    f"{LOOKUP}-paper": _of(
        LOOKUP,
        "Index lookup at the paper's size",
        "Does attention of the size in Bhattamishra et al. 2024 reach the accuracy of their figure 2?",
        "paper",
    ),
    f"{LOOKUP}-reach": _of(
        LOOKUP, "Index lookup over lengths", "Up to which length does each architecture learn index lookup?", "length-scaling"
    ),
    f"{LOOKUP}-readings": _of(
        LOOKUP,
        "Readings of appendix H.1",
        "Appendix H.1 of Bhattamishra et al. 2024 can be read in three ways. With which reading does attention learn as fast "
        "as the paper reports?",
        "readings",
    ),
    f"{LOOKUP}-state-bits": _of(
        LOOKUP,
        "Bits of state that are used",
        "How many bits of its state does each architecture use after 2,000 steps?",
        "state-bits",
        states=True,
        picture="../state-bits.svg",
    ),
    f"{LOOKUP}-drawn": Shown(
        "Index lookup with training inputs of random lengths",
        "Which architecture learns index lookup if the length of each training input is random?",
        ((LOOKUP, "drawn-rates"), (LOOKUP, "drawn-seeds")),
    ),
    "mamba-width": _of(
        "mamba-width", "Width of Mamba, 16 symbols", "Is a wider Mamba more accurate on index lookup over 16 symbols?"
    ),
    "mamba-width-reach": _of(
        "mamba-width",
        "Width of Mamba, 64 symbols",
        "Is a wider Mamba more accurate on index lookup over 64 symbols?",
        "length-scaling",
    ),
    DYCK: _of(DYCK, "Dyck-(2,2) in 1,500 steps", "Which architecture learns to recognise Dyck-(2,2), and how fast?"),
    f"{DYCK}-reach": _of(
        DYCK, "Dyck-(2,2) with and without positions", "Which architecture learns Dyck-(2,2) at N = 100?", "length-scaling"
    ),
    "equality-random": _of(
        "equality-random", "Equality of random halves", "Which model distinguishes equal halves from random halves?"
    ),
    "equality-one": _of(
        "equality-one", "Equality, one symbol changed", "Which model distinguishes equal halves from halves that differ once?"
    ),
    "equality-next": _of("equality-next", "Copying", "Which architecture copies the first half of its input?"),
    "equality-next-reach": _of(
        "equality-next", "Copying with and without positions", "Which architecture copies ten symbols?", "length-scaling"
    ),
    "is-tree": _of(
        "is-tree", "IsTree by chain of thought", "Which model learns to decide IsTree, with which chain of thought?"
    ),
    "is-tree-reach": _of(
        "is-tree",
        "IsTree with four layers",
        "Which model learns IsTree if it has more layers and steps, and the graphs have more vertices?",
        "length-scaling",
    ),
    "is-tree-length": _of(
        "is-tree",
        "IsTree over lengths",
        "Up to which length does each architecture learn the chain of thought [`peel`](../reference/tasks.md#is-tree)?",
        "length",
    ),
    "is-tree-state": _of(
        "is-tree",
        "IsTree over states",
        "Does a model with a larger state learn the chain of thought [`peel`](../reference/tasks.md#is-tree) better?",
        "state",
        states=True,
    ),
    "is-tree-uniform": _of("is-tree", "IsTree on uniform graphs", "Which model decides IsTree on uniform graphs?", "uniform"),
    "claims-all": _of(
        "claims",
        "Runs that decide claims",
        "Some models were trained only because a claim of the papers needs a run of this size. How accurate are they?",
        "all",
    ),
}
"""The pages by their names, which are those of their files of rows."""
PLACES = "index-lookup-architectures-places"


@cache
def rows_of(name: str, results: Path) -> tuple[Row, ...]:
    """Return the rows of a page that have an outcome."""
    paths = [results / f"{stem}.jsonl" for stem in SHOWN[name].stems]
    return tuple(row for path in paths if path.is_file() for row in read_rows(path) if row.has_outcome)


def table_of(name: str, results: Path) -> ResultTable:
    """Return the cells of a page."""
    return result_table(rows_of(name, results), by_heads=SHOWN[name].states)


def experiment_page(name: str, results: Path) -> str:
    """Return a page as Markdown."""
    shown = SHOWN[name]
    rows = rows_of(name, results)
    found = table_of(name, results)
    live = LIVE if any(task.name == "is-tree" for task in found.tasks) else ""
    decided = claims_of(rows, results)
    planned = _planned(shown, rows)
    return page_text(
        name,
        ExperimentPage(
            title=shown.title,
            question=shown.question,
            setup=setup(rows, found, planned),
            cells=f"{CELLS}{live}\n\n{cells_table(found, shown.states)}",
            picture=shown.picture or f"{name}.svg",
            caption=USED_BITS if shown.picture else caption(found, shown.states),
            notes=_notes(name, rows),
            cost=hours(((row.run, row.result["steps"]) for row in rows), results),
            commands=_commands(shown, decided),
            further=_further(shown, len(rows), planned),
        ),
        claims_table(decided) if decided else "",
    )


def _notes(name: str, rows: Sequence[Row]) -> list[str]:
    """Return the written sentences of a page; after the first one of bits of state that are used, their table."""
    first, *others = NOTES.get(name, ("",))
    used = [used_bits_table(states_table(BY_NAME[LOOKUP], rows))] if SHOWN[name].picture else []
    return [note for note in (first, *used, *others) if note]


def _planned(shown: Shown, rows: Sequence[Row]) -> int:
    """Return how many runs the sweeps have that follow from these rows."""
    runs = set()
    for name, preset in shown.sweeps:
        search = BY_NAME[name].search(preset)
        runs |= set(BY_NAME[name].runs(preset) if search is None else search.runs(rows))
    return len(runs) if shown.sweeps[0][0] != "claims" else 0


def _further(shown: Shown, trained: int, planned: int) -> str:
    """Return a sentence on the commands of a page if they do not train exactly its runs, else an empty text."""
    if shown.sweeps[0][0] == "claims":
        return "Each command below trains for one claim. The other claims of this page have commands of the same form."
    if planned <= trained:
        return ""
    several = len(shown.sweeps) > 1
    words = ("commands", "train", "take") if several else ("command", "trains", "takes")
    return f"The {words[0]} below {words[1]} all {planned} planned runs, and {words[2]} longer."


def _commands(shown: Shown, decided: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """Return the commands of the sweeps; of claims, one for the first claim of each figure."""
    if shown.sweeps[0][0] == "claims":
        return [f"seqsep run claims --claim {next(iter(names.values()))[0]}" for names in decided.values()]
    return [f"seqsep run {name} --preset {preset}" for name, preset in shown.sweeps]


def _page(name: str, clone: Path) -> str:
    text = (
        experiment_page(name, clone / "results")
        if name in SHOWN
        else page_text(name, places_page(clone / "results"), claims="")
    )
    return with_terms(text, clone, up="../")


def classes_text(clone: Path) -> str:
    """Return the page of the experiment `language-classes` as Markdown."""
    return with_terms(page_text(LANGUAGE_CLASSES, classes_page(clone / "results"), claims=""), clone, up="../")


def _svg(name: str, clone: Path) -> str:
    return figure_svg(SHOWN[name].title, table_of(name, clone / "results"), SHOWN[name].states)


def _csv(name: str, clone: Path) -> str:
    return csv_text(rows_of(name, clone / "results"))


EXPERIMENT_PAGES: Mapping[str, Callable[[Path], str]] = {
    **{f"{FOLDER}/{name}.md": partial(_page, name) for name in (*SHOWN, PLACES)},
    **{f"{FOLDER}/{name}.svg": partial(_svg, name) for name, shown in SHOWN.items() if not shown.picture},
    **{f"{FOLDER}/{name}.csv": partial(_csv, name) for name in SHOWN},
    f"{FOLDER}/{PLACES}.svg": lambda clone: places_svg(clone / "results"),
    f"{FOLDER}/{PLACES}.csv": lambda clone: places_csv(clone / "results"),
    f"{FOLDER}/{LANGUAGE_CLASSES}.md": lambda clone: classes_text(clone),
    f"{FOLDER}/{LANGUAGE_CLASSES}.svg": lambda clone: classes_svg(clone / "results"),
    f"{FOLDER}/{LANGUAGE_CLASSES}.csv": lambda clone: classes_csv(clone / "results"),
}
"""The files of the experiments' pages."""


def list_of_pages() -> str:
    """Return a line for each page, and the columns of their CSV files, for the index."""
    lines = [f"* [{shown.title}]({name}.md)\n" for name, shown in SHOWN.items()]
    columns = table([["Column", "Content"], *([f"`{column}`", meaning] for column, (meaning, _) in COLUMNS.items())])
    lines += [f"* [{TITLE}]({PLACES}.md)\n", f"* [{CLASSES_TITLE}]({LANGUAGE_CLASSES}.md)\n"]
    return "".join([*lines, "\n### Columns of the CSV files\n", folded("The columns", columns)])
