"""The settings of a run as flags: of `seqsep train`, which makes runs, and of `seqsep run`, which changes those of others."""

import argparse
from typing import Any, get_args, get_type_hints

from seqsep.commands.members import names
from seqsep.commands.shared_flags import positive, reader, whole_number
from seqsep.names import BadInput, choose, nearest, split_names
from seqsep.plugins.name import names_a_file

WIDTH = 64
STEPS = 5000
MOST_SEEDS = 1000
LAYERS = (
    "mixers from the first layer to the last, as mamba,mamba,attention, with settings as in 'mamba2(states=128)' "
    "(docs/mixers.md has them); your own as FILE.py:CLASS, or, alone, model:FILE.py:CLASS"
)
MEANINGS: dict[str, tuple[str, object]] = {
    "heads": ("attention heads of a layer", 4),
    "steps": ("most steps, each a batch of fresh examples", STEPS),
    "batch": ("examples of a step", 64),
    "learning_rate": ("of Adam, after the warm-up", 0.001),
    "decay": ("how the learning rate falls from there: constant, linear, cosine", "constant"),
    "warm_up": ("steps over which the learning rate grows", 0),
    "embedding_scale": ("standard deviation of the first weights of embeddings", 0.02),
    "weight_scale": ("standard deviation of the first weights of linear layers", 0.02),
    "evaluate_every": ("steps between evaluations", 250),
    "evaluation": ("examples of an evaluation", 5000),
    "target": ("accuracy, as a fraction, at which a run has converged", 1.0),
    "positions": ("default (what the layers need), learned, sinusoidal, rope, none", "default"),
    "dtype": ("float32, bfloat16 (of products of matrices; slower on a processor without units for it)", "float32"),
    "norm": ("in front of each part: default (that of the layers), layer, rms", "default"),
    "feed_forward": ("gelu, swiglu", "gelu"),
    "hidden": ("width within the feed-forward part; 0: four times the model's", 0),
    "biases": ("whether linear layers have them: true, false", True),
    "embeddings": ("learned, tied-sinusoids", "learned"),
    "live": ("examples on which a model writes thought and answer itself, if the task has a thought", 1000),
}
"""What each flag of a run is and its default, known without importing `lab.run.Run`; a test compares."""


def add_new_run_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that describe new runs: layers, width, seeds, and the other settings with their defaults."""
    parser.add_argument("--layers", required=True, metavar="A,B,..", help=LAYERS)
    parser.add_argument("--width", type=positive, default=WIDTH, help=f"coordinates of the residual stream; by default {WIDTH}")
    parser.add_argument(
        "--seed", type=seed_list, default=(0,), metavar="SEEDS", help="one, or several as 0..2 or 0,5: a run each; by default 0"
    )
    for name, (meaning, default) in MEANINGS.items():
        shown = str(default).lower() if isinstance(default, bool) else default
        parser.add_argument(flag(name), default=str(shown), metavar="VALUE", help=f"{meaning}; by default {shown}")


def add_override_flags(parser: argparse.ArgumentParser) -> None:
    """Add the same flags without defaults: what is given stands in the place of the runs' own."""
    group = parser.add_argument_group("of every run, in place of its own")
    group.add_argument("--layers", metavar="A,B,..", help=LAYERS)
    group.add_argument("--width", type=positive, help="coordinates of the residual stream")
    group.add_argument("--seed", type=seed_list, metavar="SEEDS", help="one, or several as 0..2 or 0,5: a run each")
    for name, (meaning, _) in MEANINGS.items():
        group.add_argument(flag(name), metavar="VALUE", help=meaning)


def flag(name: str) -> str:
    """The flag of a field.

    >>> flag("learning_rate")
    '--learning-rate'
    """
    return f"--{name.replace('_', '-')}"


def seed_list(text: str) -> tuple[int, ...]:
    """Read seeds: 3, or 0..2 (both ends included), or several of these with commas. Raises ArgumentTypeError for others.

    >>> seed_list("0..2,7")
    (0, 1, 2, 7)
    """
    seeds: list[int] = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        ends = [whole_number(first), whole_number(last) if dots else whole_number(first)]
        if not 0 <= ends[0] <= ends[1] < ends[0] + MOST_SEEDS:
            raise argparse.ArgumentTypeError(f"expected seeds such as 0 or 0..2, found {text}")
        seeds += range(ends[0], ends[1] + 1)
    return tuple(dict.fromkeys(seeds))


def layer_names(text: str) -> list[str]:
    """The layers of a list with commas, before torch is imported. Raises BadInput for an unknown mixer.

    >>> layer_names("mamba2(states=8,conv=2),own.py:Layer")
    ['mamba2(states=8,conv=2)', 'own.py:Layer']
    """
    layers = split_names(text)
    for name in layers:
        if not names_a_file(name):
            choose("mixer", name.partition("(")[0], names("mixers"))
    return layers


def settings_given(options: argparse.Namespace) -> dict[str, Any]:
    """The settings whose flags are given, in the types of their fields. Raises BadInput for a value of another type."""
    from seqsep.lab.run import Run

    hints = get_type_hints(Run)
    given = {name: getattr(options, name) for name in MEANINGS}
    return {name: _value(flag(name), text, hints[name]) for name, text in given.items() if text is not None}


def _value(flag: str, given: str, hint: Any) -> Any:
    """A flag's value in the type of its field. Raises BadInput for another."""
    choices = ("true", "false") if hint is bool else get_args(hint)
    if choices and given not in choices:
        raise BadInput(f"{flag}: expected {', '.join(choices)}, found {given}{nearest(given, list(choices))}")
    try:
        return given == "true" if hint is bool else reader(hint if not choices else str)(given)
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise BadInput(f"{flag}: {error}") from None
