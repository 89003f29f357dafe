"""The plain tables: learning rates, the paper's numbers beside ours, what was scaled down, and what was run."""

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from seqsep.lab.experiments.claims.papers import SETTINGS, figure2_index_lookup, figure3_mamba_width
from seqsep.report.demo_runs import DemoRuns
from seqsep.report.formatting import DASH, count, counts, known, listed, percent
from seqsep.report.headline import task_title
from seqsep.report.measured import RunSummary
from seqsep.report.plain_table import Entry, PlainTable, TableRow
from seqsep.report.sized_model import SizedModel, model_names
from seqsep.tasks import BoundedDyck, IndexLookup, Task


def rate_tables(runs: DemoRuns) -> list[PlainTable]:
    """Return architecture x learning rate, one table a task: accuracy with one seed, and the span if there are more seeds.

    Every rate has that seed, and others only the best rates have: no best of several seeds is compared with one run. The runs
    are the committed ones, or the fresh ones if there are none.
    """
    source = runs.committed or runs.fresh
    tasks = [task for kind in (IndexLookup, BoundedDyck) for task in runs.tasks(kind)]
    chosen = {task: [run for run in source if run.task == task] for task in tasks}
    return [_rate_table(task, task_runs) for task, task_runs in chosen.items() if task_runs]


def _rate_table(task: Task, runs: Sequence[RunSummary]) -> PlainTable:
    rates = sorted({run.learning_rate for run in runs})
    first = min(run.seed for run in runs)
    found: dict[tuple[SizedModel, float], dict[int, float]] = {}
    for run in runs:
        if known(run.accuracy):
            found.setdefault((run.model, run.learning_rate), {})[run.seed] = run.accuracy
    rows = []
    for model, name in model_names(run.model for run in runs).items():
        by_rate = [found.get((model, rate), {}) for rate in rates]
        top = max((by_seed[first] for by_seed in by_rate if first in by_seed), default=None)
        entries = tuple(_rate_entry(by_seed, first, top) for by_seed in by_rate)
        rows.append(TableRow(name, model.slug, entries))
    columns = tuple(f"{rate:g}" for rate in rates)
    return PlainTable(task_title(task), f"seed {first}", columns, tuple(rows))


def _rate_entry(by_seed: Mapping[int, float], first: int, top: float | None) -> Entry:
    """Return a rate's accuracy with the first seed, and from the least to the greatest if there are several seeds."""
    if not by_seed:
        return Entry(DASH, DASH)
    least = percent(min(by_seed.values()))
    greatest = percent(max(by_seed.values()))
    span = f"{least}–{greatest}, {len(by_seed)} seeds" if len(by_seed) > 1 else ""
    return Entry(percent(by_seed.get(first)), span, chosen=first in by_seed and by_seed[first] == top)


def figure2_table(runs: DemoRuns) -> PlainTable:
    """Return the paper's figure 2 on index lookup: its number, and ours beneath."""
    papers = figure2_index_lookup()
    tasks = [task for task in runs.tasks(IndexLookup) if isinstance(task, IndexLookup) and task.alphabet == 64]
    lengths = sorted({length for model in papers.values() for length in model.accuracy} | {task.length for task in tasks})
    trained = [model.architecture for model in runs.models(tasks)]
    rows = []
    for architecture in dict.fromkeys([*trained, *papers]):
        paper_model = papers.get(architecture)
        entries = []
        for length in lengths:
            same_length = [task for task in tasks if task.length == length]
            theirs = paper_model.accuracy.get(length) if paper_model else None
            entries.append(Entry(percent(theirs), percent(_highest(runs, same_length, architecture))))
        label = paper_model.label if paper_model else architecture
        rows.append(TableRow(label, SizedModel((architecture,), 1).slug, tuple(entries)))
    title = "Figure 2, index lookup by length N"
    return PlainTable(title, "model", tuple(map(str, lengths)), tuple(rows))


def _highest(runs: DemoRuns, tasks: Sequence[Task], architecture: str) -> float | None:
    """Return the highest accuracy of an architecture's sizes on some tasks."""
    models = [model for model in runs.models(tasks) if model.architecture == architecture]
    best_runs = [runs.best(task, model) for task in tasks for model in models]
    return max((run.accuracy for run in best_runs if run is not None), default=None)


def figure3_table(runs: DemoRuns) -> PlainTable:
    """Return the paper's figure 3: two layers of Mamba by width; our Mamba in the last rows."""
    printed = list(figure3_mamba_width().values())
    lengths = sorted({length for model in printed for length in model.accuracy})
    rows = []
    for paper_model in printed:
        entries = tuple(Entry(percent(paper_model.accuracy.get(length))) for length in lengths)
        rows.append(TableRow(paper_model.label, "mamba", entries))
    tasks = {task.length: task for task in runs.tasks(IndexLookup)}
    for model in runs.models(tasks.values()):
        if model.architecture == "mamba":
            ours = [runs.best(tasks[length], model) if length in tasks else None for length in lengths]
            entries = tuple(Entry(percent(run.accuracy if run else None), chosen=run is not None) for run in ours)
            rows.append(TableRow(f"ours-({len(model.layers)},{model.width})", "mamba", entries))
    title = "Figure 3, Mamba by width and length N"
    return PlainTable(title, "model", tuple(map(str, lengths)), tuple(rows))


def scaled_down(runs: DemoRuns) -> list[tuple[str, str, str]]:
    """Return (setting, paper, here) in the order of the paper's settings. The values here are read off the runs."""
    lookup = [run for run in runs.all if isinstance(run.task, IndexLookup)]
    dyck = [run for run in runs.all if isinstance(run.task, BoundedDyck)]
    attention = [run for run in lookup if run.model.architecture == "attention"]
    others = [run for run in lookup if run.model.architecture != "attention"]
    alphabets = counts([run.task.alphabet for run in lookup if isinstance(run.task, IndexLookup)])
    rates = sorted({run.learning_rate for run in runs.all}, reverse=True)
    fresh = counts([run.seed for run in runs.fresh])
    committed = counts([run.seed for run in runs.committed])
    here = (
        _sizes(attention),
        _sizes(others),
        _sizes(dyck),
        counts([run.task.length for run in lookup]),
        f"{alphabets} symbols",
        counts([run.task.length for run in dyck]),
        counts([run.steps_allowed for run in runs.all]),
        ", ".join(f"{rate:g}" for rate in rates) or DASH,
        _usual_and_others(runs.all, lambda run: run.model.positions),
        _usual_and_others(runs.all, lambda run: f"{run.embedding_scale:g}"),
        _usual_and_others(runs.all, lambda run: f"{run.weight_scale:g}"),
        counts([run.batch for run in runs.all]) + ", fresh ones",
        counts([run.evaluation for run in runs.all]),
        committed if runs.own else f"this run: {fresh}; committed: {committed}",
        "; ".join(_environments(runs)) or DASH,
    )
    return [(setting.name, setting.paper, ours) for setting, ours in zip(SETTINGS, here, strict=True)]


def _sizes(runs: Sequence[RunSummary]) -> str:
    models = sorted({run.model for run in runs}, key=lambda model: model.rank)
    sizes = {model.size for model in models}
    if len(sizes) <= 1:
        return f"{' '.join(sizes)}{' each' if len(models) > 1 else ''}" or DASH
    return "; ".join(f"{model.title} {model.size}" for model in models)


def _usual_and_others(runs: Sequence[RunSummary], value: Callable[[RunSummary], str]) -> str:
    """Return the value of most runs, then every other value with its runs. Runs with an empty value, thus unknown, are left
    out.
    """
    by_value: dict[str, list[RunSummary]] = {}
    for run in runs:
        if value(run):
            by_value.setdefault(value(run), []).append(run)
    usual = max(by_value, key=lambda one: len(by_value[one]), default=DASH)
    others = [f"{one} for {_who(by_value[one], runs)}" for one in sorted(by_value) if one != usual]
    return "; ".join([usual, *others])


def _who(having: Sequence[RunSummary], runs: Sequence[RunSummary]) -> str:
    """Return the models of some of the runs, by task; "all" if no run of a task is missing."""
    words = []
    for task in sorted({run.task for run in having}, key=lambda task: (task_title(task), repr(task))):
        same = [run for run in having if run.task == task]
        is_all = len(same) == sum(run.task == task for run in runs)
        who = "all" if is_all else listed(sorted({run.model.title for run in same}))
        words.append(f"{who} on {task_title(task)}")
    return listed(words)


def _environments(runs: DemoRuns) -> list[str]:
    """Return every environment of the rows, in words."""
    texts = {_environment({str(key): str(value) for key, value in run.environment.items()}) for run in runs.all}
    return sorted(text for text in texts if text)


def _environment(named: dict[str, str]) -> str:
    """Return device, threads and version of torch, then the other entries by name."""
    words = []
    if named.get("device"):
        words.append(named["device"])
    if named.get("threads"):
        words.append(f"{named['threads']} thread{'' if named['threads'] == '1' else 's'} a run")
    if named.get("torch"):
        words.append(f"torch {named['torch']}")
    further = sorted(set(named) - {"device", "threads", "torch"})
    return ", ".join(words + [f"{key} {named[key]}" for key in further])


def provenance(runs: DemoRuns) -> list[tuple[str, str]]:
    """Return the version, the runs and the environments of this page."""
    try:
        own = [("seqsep", version("seqsep"))]
    except PackageNotFoundError:
        own = []
    facts = [
        *own,
        *([] if runs.own else [("runs of this demo", count(len(runs.fresh)))]),
        ("runs" if runs.own else "committed runs", count(len(runs.committed))),
        ("parameters of a model", counts([run.parameters for run in runs.all])),
    ]
    return facts + [("environment", text) for text in _environments(runs)]
