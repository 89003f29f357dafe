"""The global state that a layer shares with everything else in its process and must leave as it found it.

Python's own `random` is not among it: type checkers such as beartype draw from it at every call. A layer whose outputs depend
on it is found by the law that nothing is kept between calls.
"""

from typing import Any

import numpy as np
import torch

RANDOM_STATE = "the random state of torch"


class GlobalState:
    """The random states, the number of threads and the settings of torch and numpy at the time it was made."""

    def __init__(self) -> None:
        self.before = _current()

    def changed(self, random_states: bool = True) -> str | None:
        """Return what has changed since, in words; None if nothing has. `random_states`: whether those count."""
        now = _current()
        for what, before in self.before.items():
            if "random" in what and not random_states:
                continue
            if isinstance(before, torch.Tensor | np.ndarray):
                if not bool((before == now[what]).all()):
                    return f"it changed {what}{', as dropout or a seed does' if what == RANDOM_STATE else ''}"
            elif before != now[what]:
                values = f" from {before} to {now[what]}" if isinstance(before, int | torch.dtype) else ""
                return f"it changed {what}{values}"
        return None


def _current() -> dict[str, Any]:
    kind, key, *place = np.random.get_state(legacy=True)
    return {
        "torch's number of threads": torch.get_num_threads(),
        RANDOM_STATE: torch.get_rng_state(),
        "the random state of numpy": np.asarray(key),
        "the place in numpy's random state": [kind, *place],
        "torch's default type": torch.get_default_dtype(),
        "whether torch records gradients": torch.is_grad_enabled(),
        "whether torch insists on deterministic algorithms": torch.are_deterministic_algorithms_enabled(),
        "how numpy treats errors": np.geterr(),
    }
