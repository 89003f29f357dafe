"""Mixers by name, with their own sizes in brackets after it: `mamba2(states=128)`, `sliding-attention(window=64)`.

A setting is a whole number from 1 that the mixer's constructor takes beside width and heads, without what changes only how
fast it computes. A name is canonical if it lists the settings that differ from their defaults, in the constructor's order.
"""

import re
from collections.abc import Iterable
from functools import cache
from inspect import Parameter, signature
from typing import Any, cast

import torch

from seqsep.core.names import BadInput, choose, nearest
from seqsep.models.mixers import BY_NAME
from seqsep.models.mixers.base import Mixer

LARGEST_SETTING = 1 << 16
LARGEST_WIDTH_IN_MEMORY = 1 << 10
ONLY_SPEED = ("chunk",)
NAME = re.compile(r"([^()]*)(?:\(([^()]*)\))?")


def settings(mixer: type[Mixer]) -> dict[str, int]:
    """Return the settings of a mixer with their defaults.

    >>> settings(BY_NAME["mamba2"]), settings(BY_NAME["lstm"])
    ({'states': 64, 'expand': 2, 'conv': 4}, {})
    """
    taken = signature(mixer.__init__).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in taken
        if parameter.annotation is int
        and parameter.name not in ("heads", *ONLY_SPEED)
        and parameter.default is not parameter.empty
    }


@cache
def canonical_name(name: str) -> str:
    """Return the name with the settings that differ from their defaults, in the constructor's order.

    Raises BadInput for an unknown mixer or setting, or a value that is not a whole number from 1.

    >>> canonical_name("mamba2(conv=2, states=64)"), canonical_name("sliding_attention( window = 16 )")
    ('mamba2(conv=2)', 'sliding-attention')
    """
    parts = NAME.fullmatch(name.strip())
    if parts is None:
        raise BadInput(f"mixer {name!r}: expected a name, or a name with settings as mamba2(states=128)")
    mixer = BY_NAME[choose("mixer", parts[1].strip(), list(BY_NAME))]
    known = settings(mixer)
    given = [_setting(name, part, known) for part in (parts[2] or "").split(",") if part.strip()]
    chosen = dict(given)
    if len(chosen) < len(given):
        raise BadInput(f"mixer {name}: expected each setting once")
    shown = [f"{key}={chosen[key]}" for key, default in known.items() if chosen.get(key, default) != default]
    return f"{mixer.name}({','.join(shown)})" if shown else mixer.name


def _setting(name: str, text: str, known: dict[str, int]) -> tuple[str, int]:
    key, _, value = (part.strip() for part in text.partition("="))
    key = key.replace("-", "_")
    if key not in known:
        have = ", ".join(f"{one}={default}" for one, default in known.items()) or "none"
        raise BadInput(
            f"mixer {name}: expected settings of this mixer, by default {have}, found {text.strip()}{nearest(key, known)}"
        )
    if re.fullmatch("[0-9]{1,9}", value) is None or not 1 <= int(value) <= LARGEST_SETTING:
        raise BadInput(f"mixer {name}: {key}: expected a whole number from 1 to {LARGEST_SETTING}, found {value or 'none'}")
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
    chosen = {key: int(value) for key, _, value in (part.partition("=") for part in inside.split(","))}

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
