"""The linear recurrence obeys the laws, is its equation, and a recurrence that reads too late does not pass."""

import numpy as np
import pytest
import torch

from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import THEOREM_MIXERS, LinearRecurrence, state_bits


@pytest.mark.parametrize(("width", "time", "remembered"), [(8, 19, None), (5, 7, 3), (3, 7, 9)])
def test_laws(width, time, remembered):
    mixer_laws.check_mixer(lambda width: LinearRecurrence(width, remembered=remembered), width, time)


def test_it_is_its_equation():
    """y_t = C (B x_(t-1) + A B x_(t-2) + ..): no power of A is skipped, and x_t itself is not read."""
    torch.manual_seed(0)
    ours = LinearRecurrence(4, remembered=3).double()
    x = torch.randn(1, 6, 4, dtype=torch.float64)
    a, b, c = (part.weight.detach().numpy() for part in (ours.recurrent, ours.input, ours.output))
    for t in range(6):
        terms = [np.linalg.matrix_power(a, t - 1 - s) @ b @ x[0, s].numpy() for s in range(t)]
        assert np.allclose(ours(x)[0, t].detach(), c @ sum(terms, np.zeros(3)), atol=1e-12)


def test_state_and_registration():
    assert LinearRecurrence in THEOREM_MIXERS
    assert state_bits(LinearRecurrence(7, remembered=5).start(3)) == 5 * 32
    assert state_bits(LinearRecurrence(7).double().start(3)) == 7 * 64
    with pytest.raises(ValueError, match=r"remembered=0\): at least 1 number"):
        LinearRecurrence(3, remembered=0)


class ReadsTooLate(LinearRecurrence):
    """Steps as written, and reads the state after the token in one pass."""

    def forward(self, x):
        return super().forward(torch.cat([x, x[:, -1:]], dim=1))[:, 1:]


class Forgets(LinearRecurrence):
    """Steps with a state that fades."""

    def step(self, x, state, t):
        return super().step(x, type(state)(state.hidden * (1 - 1e-7)), t)


@pytest.mark.parametrize("broken", [ReadsTooLate, Forgets])
def test_a_broken_recurrence_is_caught(broken):
    with pytest.raises(AssertionError, match=broken.__name__):
        mixer_laws.check_mixer(broken, width=4)
