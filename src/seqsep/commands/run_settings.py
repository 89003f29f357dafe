"""The settings of a run as flags, each with one value or several: of `seqsep train` and of `seqsep run`."""

import argparse
from collections.abc import Mapping
from typing import Any

from seqsep.commands.members import names
from seqsep.commands.several_values import Choices, combinations, several
from seqsep.commands.shared_flags import positive, reader
from seqsep.core.names import choose, split_names
from seqsep.core.options import MOST_SEED, Range, options_of
from seqsep.lab.run_settings import RunSettings
from seqsep.models.plugins.name import names_a_file

WIDTH = 64
MOST_SEEDS = 1000
LAYERS = (
    "mixers of one model from the first layer to the last, such as mamba,mamba,attention, with settings as in "
    "'mamba2(states=128)' (docs/reference/mixers.md). Your own mixer is FILE.py:CLASS or 'FILE.py:CLASS(setting=value)', and "
    "your own complete model model:FILE.py:CLASS, without other layers. May be given several times, with a run for each"
)


SETTINGS = {setting.name: setting for setting in options_of(RunSettings)}
"""Each setting by its name, known without importing `lab.run.Run`."""
FLAGS = {"live": "--rollouts", "evaluation": "--eval-examples"}
"""The flags that are not named as their field; the field's name still works, hidden, until 0.5."""
SEEDS_MEAN = f"random seed, or several such as 0..2 or 0,5, with a run for each; {Range(0, MOST_SEED)}"
WIDTH_MEANS = f"coordinates of the residual stream; {Range(1)}"


def add_new_run_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that describe new runs: layers, width, seeds, and the other settings with their defaults."""
    parser.add_argument("--layers", required=True, action="append", metavar="A,B,..", help=LAYERS)
    parser.add_argument("--width", type=several(positive), metavar="WIDTH,..", help=f"{WIDTH_MEANS}; by default {WIDTH}")
    parser.add_argument("--seed", type=seed_list, default=(0,), metavar="SEEDS", help=f"{SEEDS_MEAN}; by default 0")
    for name, setting in SETTINGS.items():
        shown = str(setting.default).lower() if isinstance(setting.default, bool) else str(setting.default)
        _add_setting(parser, name, default=shown, help=f"{setting.explained}; by default {shown}")


def add_override_flags(parser: argparse.ArgumentParser) -> None:
    """Add the same flags without defaults: what is given stands in the place of the runs' own."""
    group = parser.add_argument_group("settings of every run, in place of those of the experiment")
    group.add_argument("--layers", action="append", metavar="A,B,..", help=LAYERS)
    group.add_argument("--width", type=several(positive), metavar="WIDTH,..", help=WIDTH_MEANS)
    group.add_argument("--seed", type=seed_list, metavar="SEEDS", help=SEEDS_MEAN)
    for name, setting in SETTINGS.items():
        _add_setting(group, name, help=setting.explained)


def _add_setting(parser: argparse._ActionsContainer, name: str, **keywords: Any) -> None:
    """Add the flag of a setting, and its earlier name if it has one."""
    setting = SETTINGS[name]
    read = several(str if setting.choices else reader(setting.kind), setting.choices)
    choices = Choices(setting.choices) if setting.choices else None
    parser.add_argument(flag(name), dest=name, type=read, choices=choices, metavar="VALUE,..", **keywords)
    if name in FLAGS:
        parser.add_argument(f"--{name}", dest=name, type=read, default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def flag(name: str) -> str:
    """Return the flag of a field.

    >>> flag("learning_rate"), flag("live")
    ('--learning-rate', '--rollouts')
    """
    return FLAGS.get(name, f"--{name.replace('_', '-')}")


def seed_list(text: str) -> tuple[int, ...]:
    """Read seeds: 3, or 0..2 (both ends included), or several of these with commas. Raises ArgumentTypeError for others.

    >>> seed_list("0..2,7")
    (0, 1, 2, 7)
    """
    seeds: list[int] = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        ends = [int(end) if end.isdecimal() and len(end) < 20 else -1 for end in (first, last if dots else first)]
        if not 0 <= ends[0] <= ends[1] < ends[0] + MOST_SEEDS:
            raise argparse.ArgumentTypeError(f"expected seeds such as 0 or 0..2, found {text}")
        seeds += range(ends[0], ends[1] + 1)
    return tuple(dict.fromkeys(seeds))


def layer_names(text: str) -> list[str]:
    """Return the layers of a list with commas, before torch is imported. Raises BadInput for an unknown mixer.

    >>> layer_names("mamba2(states=8,conv=2),own.py:Layer")
    ['mamba2(states=8,conv=2)', 'own.py:Layer']
    """
    layers = split_names(text)
    for name in layers:
        if not names_a_file(name):
            choose("mixer", name.partition("(")[0], names("mixers"))
    return layers


def settings_given(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each combination of the given settings and widths, in the types of their fields.

    >>> none = dict.fromkeys(["width", *SETTINGS])
    >>> settings_given(none | {"steps": (5, 10), "biases": ("false",), "json": True})
    [{'steps': 5, 'biases': False}, {'steps': 10, 'biases': False}]
    """
    settings = {name: given[name] for name in ("width", *SETTINGS) if given[name] is not None}
    if "biases" in settings:
        settings["biases"] = tuple(value == "true" for value in settings["biases"])
    return combinations(settings)
