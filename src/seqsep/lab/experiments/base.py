"""The parts of an experiment: a question, its presets, the runs of each, and the numbers that its figure compares them with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from seqsep.lab.experiments._reach import Reach
from seqsep.lab.experiments._search import Search
from seqsep.lab.run import Run
from seqsep.models.plugins.name import shown
from seqsep.tasks import IsTree, Task

NEW_AND_FIRST = ("length-scaling", "reach")
"""A word of the names of presets, and its first form. Files of rows keep the first; as a preset it works until 0.5."""


@dataclass(frozen=True)
class Experiment:
    """One question to a set of runs.

    `runs(preset)` raises ValueError for a preset that is not in `presets`. If `search(preset)` is not None, these runs are its
    grid, and further runs follow from their rows (`Search`, `Reach`).

    `title` is that of the figure; without one no figure is drawn. `paper_figure` names the paper's figure in
    claims/papers.json, and `paper_task(length)` is the task that its numbers are of.

    >>> from seqsep.lab.experiments import BY_NAME
    >>> BY_NAME["mamba-width"].presets
    ('quick', 'paper', 'paper-grid', 'length-scaling')
    >>> len(BY_NAME["mamba-width"].runs("quick"))
    18
    """

    name: str
    question: str
    presets: tuple[str, ...]
    runs: Callable[[str], list[Run]]
    search: Callable[[str], Search | Reach | None] = lambda preset: None
    title: str = ""
    paper_figure: str | None = None
    paper_task: Callable[[int], Task] | None = None

    def rows_file(self, folder: Path, preset: str = "quick") -> Path:
        """Return the file of a preset's committed rows: NAME.jsonl for `quick`, NAME-PRESET.jsonl else, by its first name.

        >>> from seqsep.lab.experiments import BY_NAME
        >>> BY_NAME["mamba-width"].rows_file(Path("results"), "length-scaling").name
        'mamba-width-reach.jsonl'
        """
        suffix = "" if preset == "quick" else f"-{preset.replace(*NEW_AND_FIRST)}"
        return folder / f"{self.name}{suffix}.jsonl"

    def cells(self, preset: str) -> int | None:
        """Return the number of cells of a preset's complete figure; None if the preset is not a search."""
        search = self.search(preset)
        return None if search is None else len(search.cells)

    def words(self) -> list[str]:
        """Return every word by which `--only` chooses a run of some preset, each once."""
        searches = {preset: self.search(preset) for preset in self.presets}
        runs = [
            run for preset, search in searches.items() for run in (self.runs(preset) if search is None else search.choices())
        ]
        return list(dict.fromkeys(word for run in runs for word in words_of(run)))

    @classmethod
    def of_presets(
        cls,
        *,
        name: str,
        question: str,
        searches: Mapping[str, Callable[[], Search | Reach]],
        lists: Mapping[str, Callable[[], list[Run]]] | None = None,
        title: str = "",
        paper_figure: str | None = None,
        paper_task: Callable[[int], Task] | None = None,
    ) -> "Experiment":
        """Return an experiment whose presets are searches or plain lists of runs. Each is made on demand.

        Its `runs` and `search` raise ValueError for another preset.
        """
        lists = lists or {}
        presets = (*lists, *searches)

        def known(preset: str) -> str:
            new, first = NEW_AND_FIRST
            current = preset.replace(first, new)
            if current not in presets:
                raise ValueError(f"{name}: unknown preset {preset!r}; it has {', '.join(presets)}")
            return current

        def search(preset: str) -> Search | Reach | None:
            current = known(preset)
            return searches[current]() if current in searches else None

        def runs(preset: str) -> list[Run]:
            chosen = search(preset)
            return lists[known(preset)]() if chosen is None else chosen.runs()

        return cls(
            name=name,
            question=question,
            presets=presets,
            runs=runs,
            search=search,
            title=title,
            paper_figure=paper_figure,
            paper_task=paper_task,
        )


def _class_of(layer: str) -> str:
    """Return the class of a layer in words such as layer.py:Mine@09bc22fd; the name of a mixer stays as it is."""
    return layer.rpartition(":")[2].partition("@")[0]


def words_of(run: Run) -> tuple[str, ...]:
    """Return the words by which --only knows a run: layers, task, sizes, positions and embedding scale, and trace."""
    facts: dict[str, int | str] = {"N": run.task.length, "layers": len(run.layers), "width": run.width, "heads": run.heads}
    facts |= {"positions": run.positions, "scale": f"{run.embedding_scale:g}"}
    if isinstance(run.task, IsTree):
        facts["trace"] = run.task.trace
    layers = dict.fromkeys(word for layer in run.layers for word in (_class_of(shown(layer)), shown(layer)))
    return (*layers, run.task.name, *(f"{name}={value}" for name, value in facts.items()))
