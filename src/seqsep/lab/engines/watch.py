"""The global state that a plug-in must leave alone while it trains: random states, threads, settings and limits."""

import resource
import sys
from collections.abc import Sequence
from typing import Any

from seqsep.models.plugins.global_state import GlobalState
from seqsep.models.plugins.load import PlugInFails
from seqsep.models.plugins.name import PlugIn

LIMITING = ("resource.setrlimit", "resource.prlimit")


class SideEffectGuard:
    """A watch over limits from the moment it is made; `begin` marks the global state, and `check` compares with it."""

    def __init__(self, plug_ins: Sequence[PlugIn]) -> None:
        self.words = ", ".join(plug_in.words for plug_in in plug_ins)
        self.limits: list[str] = []
        sys.addaudithook(self._heard)
        self.global_state = GlobalState()

    def begin(self) -> None:
        """Require from here on that the global state stays as it is."""
        self.global_state = GlobalState()

    def check(self) -> None:
        """Raise PlugInFails for what has happened since."""
        changed = f"it sets a limit of the system ({self.limits[0]})" if self.limits else self.global_state.changed()
        if changed is not None:
            raise PlugInFails(f"{self.words}: {changed}")

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        # Raised inside the call, before the limit is set; `check` reports it also if the plug-in catches it.
        if event in LIMITING and arguments[-1] is not None:
            self.limits.append(_name_of_limit(arguments[-2]))
            raise PlugInFails(f"{self.words}: it sets a limit of the system ({self.limits[-1]})")


def _name_of_limit(number: object) -> str:
    return next(
        (name for name in dir(resource) if name.startswith("RLIMIT_") and getattr(resource, name) == number), str(number)
    )
