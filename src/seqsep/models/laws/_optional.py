"""The law of optional methods: each one that a layer defines is called, and agrees with `step`."""

import torch
from torch import Tensor

from seqsep.models.laws._comparison import require, require_close, step_through
from seqsep.models.mixers import Mixer, State

OPTIONAL = ("prefill", "advance", "step_output", "forward_at", "initialise")
"""Methods that a layer may define; without them, `step` and `forward` do their work."""
BLOCKS = 2


@torch.no_grad()
def optional_methods_agree(mixer: Mixer, x: Tensor) -> str | None:
    """From the start and from later states, `prefill` leaves the state of repeated `step`, and `advance` gives its outputs.

    Every optional method that a layer defines is called; the verdict lists them.
    """
    time = x.shape[1]
    for before in sorted({0, 1, time // 2}):
        outputs, expected = step_through(mixer, x[:, before:], _state_after(mixer, x, before), before)
        words = f"prefill of {time - before} tokens after {before} differs from step"
        prefilled = mixer.prefill(x[:, before:], _state_after(mixer, x, before), before)
        require(len(prefilled) == len(expected), mixer, f"{words}: {len(prefilled)} tensors for {len(expected)}")
        for actual, part in zip(prefilled, expected, strict=True):
            require_close(mixer, words, actual, part)
        state = _state_after(mixer, x, before)
        for t in range(before, time):
            y, state = mixer.advance(x[:, t], state, t)
            require_close(mixer, f"advance after {before} tokens differs from step at time {t}", y, outputs[:, t - before])
    defined = [name for name in OPTIONAL if _defines(mixer, name)]
    if "step_output" in defined:
        mixer.step_output(x[:, 0], mixer.start(1), 0)
    if "forward_at" in defined:
        mixer.forward_at(x, torch.zeros(len(x), dtype=torch.int64))
    if "initialise" in defined:
        _initialise_and_undo(mixer)
    missed = [name for name in defined if name not in getattr(mixer, "called", defined)]
    require(not missed, mixer, f"no law called {', '.join(missed)}")
    return f"{', '.join(defined)} called" if defined else None


def _state_after(mixer: Mixer, x: Tensor, tokens: int) -> State:
    """Return a state that nobody else holds: `advance` may write over it."""
    return step_through(mixer, x[:, :tokens])[1] if tokens else mixer.start(len(x))


def _defines(mixer: Mixer, name: str) -> bool:
    """Tell if a layer has an optional method of its own: its class, or the user's module in it."""
    own = getattr(mixer, "own", None)
    return getattr(type(mixer), name) is not getattr(Mixer, name) if own is None else own(name) is not None


def _initialise_and_undo(mixer: Mixer) -> None:
    weights = {name: part.clone() for name, part in mixer.state_dict().items()}
    with torch.random.fork_rng(devices=[]):
        mixer.initialise(BLOCKS)
    mixer.load_state_dict(weights)
