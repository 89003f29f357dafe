"""The plain tables: learning rates, the paper's numbers beside ours, what was scaled down, and what was run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from statistics import fmean

from seqsep.report.contender import Contender, names
from seqsep.report.headline import task_title
from seqsep.report.measured import Evidence, Measured
from seqsep.report.numerals import DASH, count, counts, known, listed, percent
from seqsep.report.papers import SETTINGS, Series, figure2_index_lookup, figure3_mamba_width
from seqsep.tasks import BoundedDyck, IndexLookup


@dataclass(frozen=True)
class Entry:
    """A table cell with a main number and a second one; `chosen` marks the best of a row, `missing` an absent one."""

    main: str
    second: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class Table:
    """A table with one header cell a row; `slugs` colours the headers."""

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[Entry, ...]], ...]


def rate_tables(runs: Evidence) -> list[Table]:
    """Architecture x learning rate, best and mean over seeds, one table a task; from the committed rows where there are any."""
    tables = []
    for kind in (IndexLookup, BoundedDyck):
        for task in runs.tasks(kind):
            source = [run for run in runs.committed or runs.fresh if run.task == task]
            rates = sorted({run.learning_rate for run in source})
            rows = []
            for contender, name in names({run.contender for run in source}).items():
                by_rate = [
                    [run.accuracy for run in source if (run.contender, run.learning_rate) == (contender, rate)]
                    for rate in rates
                ]
                finite = [[accuracy for accuracy in found if known(accuracy)] for found in by_rate]
                top = max((max(found) for found in finite if found), default=None)
                entries = tuple(
                    Entry(percent(max(found)), percent(fmean(found)), max(found) == top) if found else Entry(DASH, DASH)
                    for found in finite
                )
                rows.append((name, contender.slug, entries))
            seeds = len({run.seed for run in source})
            if rows:
                corner = f"{seeds} seed{'s' if seeds > 1 else ''}"
                tables.append(Table(task_title(task), corner, tuple(f"{rate:g}" for rate in rates), tuple(rows)))
    return tables


def figure2_table(runs: Evidence) -> Table:
    """The paper's figure 2 on index lookup: its number, and ours beneath."""
    papers = figure2_index_lookup()
    tasks = [task for task in runs.tasks(IndexLookup) if isinstance(task, IndexLookup) and task.alphabet == 64]
    lengths = sorted({length for series in papers.values() for length in series.accuracy} | {task.length for task in tasks})
    contenders = runs.contenders(tasks)
    order = [*dict.fromkeys(one.architecture for one in contenders), *papers]
    rows = []
    for architecture in dict.fromkeys(order):
        entries = []
        for length in lengths:
            ours = [
                run.accuracy
                for task in tasks
                for one in contenders
                if task.length == length and one.architecture == architecture and (run := runs.best(task, one)) is not None
            ]
            series = papers.get(architecture)
            theirs = series.accuracy.get(length) if series else None
            entries.append(Entry(percent(theirs), percent(max(ours) if ours else None)))
        label = papers[architecture].label if architecture in papers else architecture
        rows.append((label, Contender((architecture,), 1).slug, tuple(entries)))
    return Table("Figure 2, index lookup by length N", "model", tuple(str(length) for length in lengths), tuple(rows))


def figure3_table(runs: Evidence) -> Table:
    """The paper's figure 3: two layers of Mamba by width; our Mamba in the last rows."""
    series: list[Series] = list(figure3_mamba_width().values())
    lengths = sorted({length for one in series for length in one.accuracy})
    rows = [(one.label, "mamba", tuple(Entry(percent(one.accuracy.get(length))) for length in lengths)) for one in series]
    tasks = {task.length: task for task in runs.tasks(IndexLookup)}
    for contender in runs.contenders(tasks.values()):
        if contender.architecture == "mamba":
            ours = [runs.best(tasks[length], contender) if length in tasks else None for length in lengths]
            entries = tuple(Entry(percent(run.accuracy if run else None), chosen=run is not None) for run in ours)
            rows.append((f"ours-({len(contender.layers)},{contender.width})", "mamba", entries))
    return Table("Figure 3, Mamba by width and length N", "model", tuple(str(length) for length in lengths), tuple(rows))


def scaled_down(runs: Evidence) -> list[tuple[str, str, str]]:
    """(setting, paper, here): what is here is read off the runs, in the order of the paper's settings."""
    lookup = [run for run in runs.all if isinstance(run.task, IndexLookup)]
    dyck = [run for run in runs.all if isinstance(run.task, BoundedDyck)]
    attention = [run for run in lookup if run.contender.architecture == "attention"]
    others = [run for run in lookup if run.contender.architecture != "attention"]
    alphabets = counts([run.task.alphabet for run in lookup if isinstance(run.task, IndexLookup)])
    rates = sorted({run.learning_rate for run in runs.all}, reverse=True)
    fresh, committed = (counts([run.seed for run in group]) for group in (runs.fresh, runs.committed))
    here = (
        _sizes(attention),
        _sizes(others),
        _sizes(dyck),
        counts([run.task.length for run in lookup]),
        f"{alphabets} symbols",
        counts([run.task.length for run in dyck]),
        counts([run.steps_allowed for run in runs.all]),
        ", ".join(f"{rate:g}" for rate in rates) or DASH,
        _weight_scales(runs),
        counts([run.batch for run in runs.all]) + ", fresh ones",
        counts([run.evaluation for run in runs.all]),
        f"this run: {fresh}; committed: {committed}",
        "; ".join(_environments(runs)) or DASH,
    )
    return [(setting.name, setting.paper, ours) for setting, ours in zip(SETTINGS, here, strict=True)]


def _sizes(runs: Sequence[Measured]) -> str:
    contenders = sorted({run.contender for run in runs}, key=lambda one: one.rank)
    sizes = {one.size for one in contenders}
    if len(sizes) <= 1:
        return f"{' '.join(sizes)}{' each' if len(contenders) > 1 else ''}" or DASH
    return "; ".join(f"{one.title} {one.size}" for one in contenders)


def _weight_scales(runs: Evidence) -> str:
    """The deviation of most runs, then every other one with who has it."""
    scales = [scale for scale, _ in Counter(run.weight_scale for run in runs.all).most_common()]
    words = [f"{scale:g}" for scale in scales[:1]]
    for scale in sorted(scales[1:]):
        having = sorted({f"{run.contender.title} on {task_title(run.task)}" for run in runs.all if run.weight_scale == scale})
        words.append(f"{scale:g} for {listed(having)}")
    return "; ".join(words) or DASH


def _environments(runs: Evidence) -> list[str]:
    """Every environment that rows name, in words."""
    found = []
    for run in runs.all:
        parts = {str(key): str(value) for key, value in run.environment.items()}
        threads, torch, device = parts.pop("threads", ""), parts.pop("torch", ""), parts.pop("device", "")
        words = [device, f"{threads} thread{'s' * (threads != '1')} a run" * bool(threads), f"torch {torch}" * bool(torch)]
        found.append(", ".join([word for word in words if word] + [f"{key} {value}" for key, value in sorted(parts.items())]))
    return sorted({text for text in found if text})


def provenance(runs: Evidence) -> list[tuple[str, str]]:
    """What this page was made from."""
    try:
        own = [("seqsep", version("seqsep"))]
    except PackageNotFoundError:
        own = []
    facts = [
        *own,
        ("runs of this demo", count(len(runs.fresh))),
        ("committed runs", count(len(runs.committed))),
        ("parameters of a model", counts([run.parameters for run in runs.all])),
    ]
    return facts + [("environment", text) for text in _environments(runs)]
