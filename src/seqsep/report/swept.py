"""The settings that differ among runs, and the accuracy over one or two of them: for a curve and a heat map.

A setting is a field of the task, the width, the learning rate or another setting of training. Of the other settings, a point
has the best: the mean over the seeds is the greatest.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import mean
from typing import Any

from seqsep.report.measured import RunSummary
from seqsep.report.sized_model import SizedModel, model_names

NOT_FIELDS = ("name", "task", "source", "options")


@dataclass(frozen=True)
class SettingPlace:
    """The runs at one value of each swept setting: those of the best other settings, one for each seed."""

    runs: tuple[RunSummary, ...]

    @property
    def accuracies(self) -> tuple[float, ...]:
        """The accuracy of each run."""
        return tuple(run.shown_accuracy for run in self.runs)

    @property
    def accuracy(self) -> float:
        """The mean over the seeds."""
        return mean(self.accuracies)

    @property
    def per_answer(self) -> tuple[float, ...]:
        """The share of right answers of each run. It is the accuracy of a run whose examples have one answer each."""
        shares = [(run.accuracy_per_answer, run.shown_accuracy) for run in self.runs]
        return tuple(accuracy if share is None else share for share, accuracy in shares)

    @property
    def chance(self) -> float | None:
        """The accuracy of guessing."""
        return self.runs[0].chance

    @property
    def chance_per_answer(self) -> float | None:
        """The share of right answers of guessing."""
        first = self.runs[0]
        return first.chance if first.chance_per_answer is None else first.chance_per_answer


@dataclass(frozen=True)
class SettingGrid:
    """The places of each architecture over one or two settings, by their values.

    `of` has each architecture with its name; `places` has the runs of an architecture at values of `settings`.
    """

    settings: tuple[str, ...]
    of: dict[SizedModel, str]
    places: dict[tuple[SizedModel, tuple[Any, ...]], SettingPlace]

    def values(self, number: int) -> list[Any]:
        """Return the values of a setting, in order."""
        found = {values[number] for _, values in self.places}
        return sorted(found, key=lambda value: (isinstance(value, str), value))


def settings_of(run: RunSummary) -> dict[str, Any]:
    """Return the settings of a run by their names, those of its task first; without its layers and its seed.

    A `least_length` that is the length is left out: it follows the length, if the default is longer.
    """
    task = {name: value for name, value in run.task.configuration().items() if name not in NOT_FIELDS}
    if task.get("least_length") == run.task.length:
        del task["least_length"]
    own = {"width": run.model.width, "learning rate": run.learning_rate, "steps": run.steps_allowed, "heads": run.heads}
    scales = {"embedding scale": run.embedding_scale, "weight scale": run.weight_scale, "batch": run.batch}
    return task | own | scales | dict(run.further)


def swept_settings(runs: Iterable[RunSummary]) -> list[str]:
    """Return the settings that have several values among the runs of one architecture, in the order of `settings_of`."""
    by_model: dict[SizedModel, list[dict[str, Any]]] = {}
    for run in runs:
        by_model.setdefault(_architecture(run), []).append(settings_of(run))
    names = dict.fromkeys(name for group in by_model.values() for settings in group for name in settings)
    return [
        name for name in names if any(len({repr(settings.get(name)) for settings in group}) > 1 for group in by_model.values())
    ]


def over(runs: Iterable[RunSummary], settings: Sequence[str]) -> SettingGrid:
    """Return the accuracy over these settings. Runs that were pruned, or that lack a setting, are left out."""
    groups: dict[tuple[SizedModel, tuple[Any, ...]], dict[tuple[Any, ...], dict[int, RunSummary]]] = {}
    for run in runs:
        found = settings_of(run)
        if run.pruned or any(name not in found for name in settings):
            continue
        values = tuple(found.pop(name) for name in settings)
        others = tuple(sorted((name, repr(value)) for name, value in found.items()))
        groups.setdefault((_architecture(run), values), {}).setdefault(others, {})[run.seed] = run
    places = {
        where: max((SettingPlace(tuple(seeds.values())) for seeds in by_setting.values()), key=lambda place: place.accuracy)
        for where, by_setting in groups.items()
    }
    return SettingGrid(tuple(settings), model_names(model for model, _ in places), places)


def line_of(runs: Sequence[RunSummary]) -> SettingGrid | None:
    """Return the accuracy over the first swept setting that has numbers; None without one.

    >>> line_of([]) is None
    True
    """
    for name in swept_settings(runs):
        found = over(runs, [name])
        are_numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in found.values(0))
        if are_numbers and len(found.values(0)) > 1:
            return found
    return None


def grid_of(runs: Sequence[RunSummary]) -> SettingGrid | None:
    """Return the accuracy over the first two swept settings that form a grid; None without them.

    Two settings form no grid if one follows from the other, as the width does in a comparison of equal states.

    >>> grid_of([]) is None
    True
    """
    for pair in combinations(swept_settings(runs), 2):
        found = over(runs, pair)
        for model in found.of:
            cells = [values for other, values in found.places if other == model]
            sizes = [len({repr(values[number]) for values in cells}) for number in (0, 1)]
            if min(sizes) > 1 and len(cells) > max(sizes):
                return found
    return None


def _architecture(run: RunSummary) -> SizedModel:
    """Return the model of a run without its width."""
    model = run.model
    return SizedModel(model.layers, 1, model.positions, label=model.label, place=model.place)
