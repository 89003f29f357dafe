"""The families that are known, by model_type: which rules they follow, and what their library takes where a file says nothing.

`families.json` contains them; `benchmarks/capacity_families.py` writes its defaults again from an installed library, and which
family is inside which model_type.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from seqsep.language_models.capacity.patterns import FULL, LINEAR, SLIDING

COUNTED = "counted"
PUBLISHED_CODE = "published code"


@dataclass(frozen=True)
class Family:
    """One model_type.

    `rule` says which layer is of which kind, `attention`, `state` and `index` what they keep, by the names in `patterns`,
    `attention` and `states`. `kinds` are the kinds that a layer may have. `window` says which field has the window's size.
    `overlays` are the fields that layers of one kind read under other names, each with its default. `defaults` are the
    library's, `aliases` other names of a field and what the library calls it. `basis` is "counted" if the cache of a tiny model
    was counted. It is "published code" if the rules are read from the model's code and no count was possible, and "rule" if
    neither was.

    >>> family("gemma2").rule, family("gemma2").defaults["sliding_window"], family("gpt2").aliases["hidden_size"]
    ('every 2', 4096, 'n_embd')
    """

    model_type: str
    library: str
    rule: str = "full"
    attention: str = "grouped"
    state: str | None = None
    index: str | None = None
    window: str = "sliding_window"
    kinds: frozenset[str] = frozenset({FULL, SLIDING})
    overlays: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    basis: str = COUNTED
    defaults: Mapping[str, Any] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)


@cache
def _file() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("families.json").read_text(encoding="utf-8"))
    return found


def model_types() -> list[str]:
    """Return every known model_type, in alphabetical order."""
    return sorted(_file()["families"])


def named_inside() -> dict[str, str]:
    """Return the family of the text model inside each model_type that has one, as `transformers` takes it."""
    found: dict[str, str] = _file()["inside"]
    return found


def other_names() -> dict[str, str]:
    """Return the family that each further model_type follows."""
    found: dict[str, str] = _file()["other names"]
    return found


def any_decoder() -> list[str]:
    """Return the model_types that have a decoder of any other model_type inside."""
    return list(_file()["any decoder"])


def refused() -> dict[str, str]:
    """Return the model_types of `transformers` that are refused, with the reason."""
    return dict(_file()["refused"])


def types() -> dict[str, list[str]]:
    """Return the model_types of `transformers` by the automatic class that loads them."""
    return dict(_file()["types"])


def versions() -> dict[str, str]:
    """Return the version of each library whose defaults these are."""
    return dict(_file()["versions"])


@cache
def family(model_type: str) -> Family:
    """Return the known facts of a model_type. Raises KeyError for an unknown one."""
    record = dict(_file()["families"][model_type])
    record["defaults"] = {**record.pop("undeclared", {}), **record.get("defaults", {})}
    kinds = record.pop("kinds", [FULL, LINEAR] if "state" in record else [FULL, SLIDING])
    return Family(model_type=model_type, library=record.pop("library", "transformers"), kinds=frozenset(kinds), **record)
