"""Mixers by name, with their own sizes in brackets after it: `mamba2(states=128)`, `sliding-attention(window=64)`.

A setting is a whole number from 1 that the mixer's constructor takes beside width and heads, without what changes only how
fast it computes. A flag is a setting that is off unless its name is in the brackets: `gated-delta(negative)`. A name is
canonical if it lists the settings that differ from their defaults, in the constructor's order.
"""

import re
from collections.abc import Iterable
from functools import cache
from inspect import Parameter, signature
from typing import Any, cast

import torch

from seqsep.core.names import BadInput, choose, nearest
from seqsep.core.options import Range
from seqsep.models.mixers import BY_NAME
from seqsep.models.mixers.base import Mixer

SETTING = Range(1, 1 << 16)
LARGEST_WIDTH_IN_MEMORY = 1 << 10
ONLY_SPEED = ("chunk",)
NO_SETTINGS = ("heads", "causal", *ONLY_SPEED)
NAME = re.compile(r"([^()]*)(?:\(([^()]*)\))?")


def settings(mixer: type[Mixer]) -> dict[str, int]:
    """Return the settings of a mixer with their defaults. The default of a flag is False.

    >>> settings(BY_NAME["mamba2"]), settings(BY_NAME["lstm"])
    ({'states': 64, 'expand': 2, 'conv': 4}, {})
    """
    taken = signature(mixer.__init__).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in taken
        if parameter.annotation in (int, bool)
        and parameter.name not in NO_SETTINGS
        and parameter.default is not parameter.empty
    }


def settings_in_words(mixer: type[Mixer]) -> str:
    """Return the settings of a mixer with their defaults as text, or "none".

    >>> settings_in_words(BY_NAME["gated-delta"])
    'expand=2, conv=4, steps=1, negative (off)'
    """
    each = (f"{name} (off)" if default is False else f"{name}={default}" for name, default in settings(mixer).items())
    return ", ".join(each) or "none"


@cache
def canonical_name(name: str) -> str:
    """Return the name with the settings that differ from their defaults, in the constructor's order.

    Raises BadInput for an unknown mixer or setting, or a value that is not a whole number from 1.

    >>> canonical_name("mamba2(conv=2, states=64)"), canonical_name("sliding_attention( window = 16 )")
    ('mamba2(conv=2)', 'sliding-attention')
    >>> canonical_name("gated_delta(negative, steps=2)")
    'gated-delta(steps=2,negative)'
    """
    parts = NAME.fullmatch(name.strip())
    if parts is None:
        raise BadInput(f"mixer {name!r}: expected a name, or a name with settings as mamba2(states=128)")
    mixer = BY_NAME[choose("mixer", parts[1].strip(), list(BY_NAME))]
    known = settings(mixer)
    given = [_setting(mixer, part, name) for part in (parts[2] or "").split(",") if part.strip()]
    chosen = dict(given)
    if len(chosen) < len(given):
        raise BadInput(f"mixer {name}: expected each setting once")
    shown = [_shown(key, chosen[key]) for key, default in known.items() if chosen.get(key, default) != default]
    return f"{mixer.name}({','.join(shown)})" if shown else mixer.name


def _shown(key: str, value: int) -> str:
    """Return a setting as a name has it: a flag is its name only."""
    return key if value is True else f"{key}={value}"


def _setting(mixer: type[Mixer], text: str, name: str) -> tuple[str, int]:
    """Return the setting that a part of a name sets, and its value. The whole name is for errors."""
    known = settings(mixer)
    key, equals, value = (part.strip() for part in text.partition("="))
    key = key.replace("-", "_")
    if key not in known:
        have = settings_in_words(mixer)
        raise BadInput(
            f"mixer {name}: expected settings of this mixer, by default {have}, found {text.strip()}{nearest(key, known)}"
        )
    if known[key] is False:
        if equals:
            raise BadInput(f"mixer {name}: {key}: expected a flag without a value, found {text.strip()}")
        return key, True
    if re.fullmatch("[0-9]{1,9}", value) is None or not SETTING.has(int(value)):
        raise BadInput(f"mixer {name}: {key}: expected a whole number, {SETTING}, found {value or 'none'}")
    return key, int(value)


@cache
def mixer_named(name: str) -> type[Mixer]:
    """Return the class of a canonical name: the mixer's own, or a subclass whose `build` takes the settings.

    Raises BadInput for a mixer or a setting that there is not.

    >>> mixer_named("mamba2(states=128)").build(width=8, heads=2).start(1).state.shape
    torch.Size([1, 128, 2, 8])
    >>> mixer_named("lstm") is BY_NAME["lstm"]
    True
    """
    canonical = canonical_name(name)
    if canonical != name:
        return mixer_named(canonical)
    base, _, inside = name.rstrip(")").partition("(")
    mixer = BY_NAME[base]
    if not inside:
        return mixer
    chosen = dict(_setting(mixer, part, name) for part in inside.split(","))

    def build(cls: Any, width: int, heads: int) -> Mixer:
        return cast(Mixer, cls(width, heads, **chosen))

    return type(mixer.__name__, (mixer,), {"name": name, "build": classmethod(build), "__doc__": mixer.__doc__})


@cache
def fault_of_sizes(name: str, width: int, heads: int) -> str:
    """Return the constructor's error for a canonical name if the width and the number of heads do not fit; else None.

    One mixer is built and forgotten, without memory if it may be large. torch's random state stays as it is.

    >>> fault_of_sizes("attention", width=15, heads=4), fault_of_sizes("lstm", width=15, heads=4)
    ('Attention(width=15, heads=4): heads must divide width', '')
    """
    is_small = width <= LARGEST_WIDTH_IN_MEMORY and "(" not in name
    try:
        with torch.random.fork_rng(devices=[]) if is_small else torch.device("meta"):
            mixer_named(name).build(width=width, heads=heads)
    except ValueError as error:
        return str(error)
    return ""


def has_heads(layers: Iterable[object]) -> bool:
    """Return True if any of the layers uses the number of heads: a mixer that asks for it, or a user's own.

    >>> has_heads(["lstm", "mamba"]), has_heads(["mamba(states=8)", "attention"])
    (False, True)
    """
    return any(not isinstance(layer, str) or _asks_for_heads(mixer_named(layer)) for layer in layers)


def _asks_for_heads(mixer: type[Mixer]) -> bool:
    """Return True if the constructor requires heads; a mixer without heads has a default for their number, and ignores it."""
    return signature(mixer.__init__).parameters["heads"].default is Parameter.empty
