"""What an experiment is: a question, its presets, and the runs of each."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from seqsep.experiments._search import Search
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.report.cells import Grid


@dataclass(frozen=True)
class Experiment:
    """One question to a set of runs. `runs(preset)` raises ValueError for a preset that is not in `presets`; where
    `search(preset)` is not None they are its grid, and further runs follow from their rows (`Search`).
    `figure` draws the rows of one preset. `paper_figure` names the paper's in report/papers.json; `reading` is what the
    committed rows show beside it, in docs/reproduction.md."""

    name: str
    question: str
    presets: tuple[str, ...]
    runs: Callable[[str], list[Run]]
    search: Callable[[str], Search | None] = lambda preset: None
    figure: Callable[[Iterable[Row]], Grid] | None = None
    paper_figure: str | None = None
    reading: str = ""

    def rows_file(self, folder: Path, preset: str = "quick") -> Path:
        """Where the rows of a preset are committed: NAME.jsonl for `quick`, NAME-paper.jsonl for `paper`."""
        return folder / f"{self.name}{'' if preset == 'quick' else f'-{preset}'}.jsonl"

    def part(self, grid: Grid, preset: str) -> str:
        """How much of a preset a figure has; nothing where the preset is not a search."""
        search = self.search(preset)
        return "" if search is None else f"{len(grid.cells)} of its {len(search.cells)} cells"

    @classmethod
    def of_searches(
        cls,
        name: str,
        question: str,
        searches: Mapping[str, Callable[[], Search]],
        figure: Callable[[Iterable[Row]], Grid],
        paper_figure: str | None = None,
        reading: str = "",
    ) -> "Experiment":
        """An experiment whose presets are all searches, each made when it is asked for."""

        def search(preset: str) -> Search:
            require_preset(name, preset, tuple(searches))
            return searches[preset]()

        return cls(name, question, tuple(searches), lambda preset: search(preset).runs(), search, figure, paper_figure, reading)


def require_preset(experiment: str, preset: str, presets: tuple[str, ...]) -> None:
    """Raise ValueError unless the experiment has this preset."""
    if preset not in presets:
        raise ValueError(f"{experiment}: unknown preset {preset!r}; it has {', '.join(presets)}")
