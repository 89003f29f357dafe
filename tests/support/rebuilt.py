"""A theorem's construction with another network, to see that its check finds the defect."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from seqsep.maths.networks.network import Network
from seqsep.theorems.is_tree._construction import ThoughtConstruction
from seqsep.theorems.retrieval._construction import TaskConstruction


def check_of(
    construction: TaskConstruction[Any] | ThoughtConstruction[Any], build: Network | Callable[..., Network]
) -> Callable[..., Any]:
    """The check of a construction that has another `build`, or one that always returns this network."""
    return rebuilt(construction, build).functions["check"]


def rebuilt(construction: Any, build: Network | Callable[..., Network]) -> Any:
    """The construction with another `build`, whose options stay, or with one that always returns this network."""

    @wraps(construction.build)
    def built(*given: Any, **named: Any) -> Network:
        return build if isinstance(build, Network) else build(*given, **named)

    return replace(construction, build=built)
