"""The transition of a layer's state, by the eigenvalues of its derivative: does the state forget, flip or rotate?

A recurrence s_t = f(s_(t-1), x_t) has the derivative J = df/ds. In a layer that is linear in its state, J is the transition
itself, and its eigenvalues say what the state can follow when the same token repeats: with real eigenvalues from 0 to 1 a state
can only forget, with negative ones it can flip at each token (parity), with complex ones it can rotate (counting modulo m).

The derivative is taken at `DRAWS` random weights, states and tokens, of width `WIDTH`. So a value that is found is possible. A
value that is not found may be possible at other weights: this is a probe and no proof. A layer whose state grows keeps tokens
and has no transition.

The horizon is measured, since the greatest eigenvalue alone is misleading for a window: two states that differ by a small
change read the same random tokens, and the horizon is the number of tokens until their difference is a half of its first size.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from seqsep.models.mixers import Mixer
from seqsep.models.mixers.base import State, with_parts

WIDTH = 8
DRAWS = 24
TOKENS = 6
"""Random tokens before the derivative is taken, so that the state is one that occurs."""
SCALES = (1.0, 4.0)
"""Factors of the tokens: gates that stay half open with small tokens open and close with large ones."""
HORIZON = 256
"""Tokens that are read to measure the horizon."""
CHANGE = 1e-4
LEAST = 0.02
"""A part below this is taken for rounding."""
MOST_NUMBERS = 2048
"""The numbers of the largest state whose derivative is taken."""


@dataclass(frozen=True)
class Transition:
    """The eigenvalues of a mixer's transition, over all draws.

    Fields:
        mixer: name of the mixer.
        kind: "keeps tokens" if the state grows, "large" if it has more than `MOST_NUMBERS` numbers, else "recurrent".
        greatest: greatest absolute value of an eigenvalue, or None.
        least_real: least real part, or None.
        greatest_turn: greatest angle of an eigenvalue with a positive real part, in radians, or None.
        horizon: tokens until a change of the state is a half of its first size, at most over the draws; None without a
            transition, and for a change that outlasts `HORIZON` tokens.
    """

    mixer: str
    kind: str
    greatest: float | None = None
    least_real: float | None = None
    greatest_turn: float | None = None
    horizon: int | None = None

    @property
    def flips(self) -> bool:
        """True if a negative eigenvalue was found."""
        return self.least_real is not None and self.least_real < -LEAST

    @property
    def rotates(self) -> bool:
        """True if a complex eigenvalue with a positive real part was found."""
        return self.greatest_turn is not None and self.greatest_turn > LEAST

    def words(self) -> str:
        """Return what was found, in a few words.

        >>> Transition("mixer", "recurrent", greatest=0.9, least_real=-0.5, greatest_turn=0.0, horizon=7).words()
        'flips; a change halves within 7 tokens'
        """
        if self.kind == "keeps tokens":
            return "keeps tokens; no transition"
        if self.greatest is None:
            return f"not measured: a state of more than {MOST_NUMBERS:,} numbers"
        found = [word for word, is_found in (("flips", self.flips), ("rotates", self.rotates)) if is_found]
        lasts = f"halves within {self.horizon} tokens" if self.horizon else f"outlasts {HORIZON} tokens"
        return f"{' and '.join(found) or 'no flip or rotation found'}; a change {lasts}"


def measure_transition(name: str, make: Callable[[int], Mixer], draws: int = DRAWS) -> Transition:
    """Return the eigenvalues of the transition of mixers that `make(width)` returns."""
    found: list[Tensor] = []
    horizons: list[int | None] = []
    for draw in range(draws):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(draw)
            mixer = make(WIDTH).double()
            tokens = SCALES[draw % len(SCALES)] * torch.randn(TOKENS + HORIZON, 1, WIDTH, dtype=torch.float64)
        state = _state_after(mixer, tokens[:TOKENS])
        if state is None:
            return Transition(name, "keeps tokens")
        if _flat(state).numel() > MOST_NUMBERS:
            return Transition(name, "large")
        values = torch.linalg.eigvals(_derivative(mixer, tokens[TOKENS], state))
        found.append(values[values.abs() > LEAST])
        horizons.append(_horizon(mixer, tokens, state))
    values = torch.cat(found)
    if not len(values):
        return Transition(name, "recurrent", 0.0, 0.0, greatest_turn=0.0, horizon=1)
    forward = values[values.real > 0]
    return Transition(
        mixer=name,
        kind="recurrent",
        greatest=float(values.abs().max()),
        least_real=float(values.real.min()),
        greatest_turn=float(forward.angle().abs().max()) if len(forward) else 0.0,
        horizon=None if None in horizons else max(one for one in horizons if one is not None),
    )


@torch.no_grad()
def _state_after(mixer: Mixer, tokens: Tensor) -> State | None:
    """Return the state after tokens, or None if its shape changes with them."""
    state = mixer.start(1)
    shapes = [part.shape for part in state]
    for t, token in enumerate(tokens):
        _, state = mixer.step(token, state, t)
    return state if [part.shape for part in state] == shapes else None


def _reals(part: Tensor) -> Tensor:
    """Return a part of a state as real numbers; none of whole numbers, such as counters."""
    if part.is_complex():
        return torch.view_as_real(part).flatten()
    return part.flatten() if part.is_floating_point() else part.new_zeros(0, dtype=torch.float64)


def _flat(state: State) -> Tensor:
    return torch.cat([_reals(part) for part in state])


def _like(state: State, flat: Tensor) -> State:
    """Return a state with other real numbers in place of its own."""
    parts = []
    used = 0
    for part in state:
        count = len(_reals(part))
        own = flat[used : used + count]
        if part.is_complex():
            parts.append(torch.view_as_complex(own.view(*part.shape, 2)))
        else:
            parts.append(own.view(part.shape) if count else part)
        used += count
    return with_parts(state, parts)


def _derivative(mixer: Mixer, token: Tensor, state: State) -> Tensor:
    """Return the derivative of the next state with respect to the state, as a square matrix."""

    def next_state(flat: Tensor) -> Tensor:
        return _flat(mixer.step(token, _like(state, flat), TOKENS)[1])

    return torch.autograd.functional.jacobian(next_state, _flat(state))


@torch.no_grad()
def _horizon(mixer: Mixer, tokens: Tensor, state: State) -> int | None:
    """Return the tokens until a small change of the state is a half of its first size, or None if it outlasts all tokens."""
    flat = _flat(state)
    direction = torch.randn(flat.shape, dtype=flat.dtype, generator=torch.Generator().manual_seed(0))
    change = CHANGE * direction
    other = _like(state, flat + change)
    for t in range(TOKENS, TOKENS + HORIZON):
        _, state = mixer.step(tokens[t], state, t)
        _, other = mixer.step(tokens[t], other, t)
        if float((_flat(other) - _flat(state)).norm()) < 0.5 * float(change.norm()):
            return t - TOKENS + 1
    return None
