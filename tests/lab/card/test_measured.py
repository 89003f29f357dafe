"""StateSize, transition, speed and limits of a layer, against values that are known for the built-in mixers."""

import pytest
import torch

from seqsep.lab.card.battery import BATTERY, BY_NAME
from seqsep.lab.card.limits import limits_of
from seqsep.lab.card.probe import THIS, Probed, probe, size_of, transitions_of
from seqsep.lab.card.size import StateSize, measure_size
from seqsep.lab.card.speed import kept_bytes, measure_speed
from seqsep.lab.card.subject import Subject
from seqsep.lab.card.transition import measure_transition
from seqsep.models.mixers import Mixer
from seqsep.models.mixers.base import Block
from seqsep.models.mixers.settings import mixer_named
from seqsep.models.model import Model
from support.probed import ends_its_process, never_ends


def model(*layers, width=16, longest=2048):
    return Model.build(vocabulary=64, classes=64, longest=longest, layers=layers, width=width, heads=2, positions="none")


def transition(name, draws=6):
    return measure_transition(name, lambda width: mixer_named(name).build(width, 2), draws)


class Turn(Mixer):
    """A state of two numbers that turns by a quarter at each token, times a factor."""

    name = "turn"
    block = Block()
    factor = 1.0

    def start(self, batch):
        return (torch.ones(batch, 2, dtype=torch.float64),)

    def step(self, x, state, t):
        turned = self.factor * torch.stack([-state[0][:, 1], state[0][:, 0]], dim=1)
        return x, (turned,)

    def forward(self, x):
        return x


class Flip(Turn):
    """A state that changes its sign at each token and shrinks."""

    def step(self, x, state, t):
        return x, (-0.7 * state[0],)


def test_the_size_of_a_state_is_that_of_its_tensors():
    lstm = measure_size(model("lstm", "lstm"), 16)
    assert (lstm.fixed, lstm.per_token, lstm.layers) == (2 * 2 * 16, 0, 2)
    attention = measure_size(model("attention"), 16)
    assert (attention.fixed, attention.per_token, attention.cached_from) == (0, 32, None)
    assert attention.numbers == ((1, 32), (64, 2048), (256, 8192), (1024, 32768))


def test_a_complex_number_of_a_state_is_two_numbers():
    one = model("dss")
    (layer,) = one.start(1)
    assert any(part.is_complex() for part in layer)
    kept = sum(part[0].numel() * part.element_size() for part in layer)
    assert measure_size(one, 16).bits("float32") == 8 * kept


def test_a_hybrid_has_both_kinds_of_state_and_a_crossing():
    hybrid = measure_size(model("lstm", "attention"), 16)
    assert (hybrid.fixed, hybrid.per_token) == (32, 32)
    cache = 2 * 2 * 16
    first = hybrid.cached_from
    assert 32 + 32 * first < cache * first
    assert 32 + 32 * (first - 1) >= cache * (first - 1)


@pytest.mark.parametrize(
    ("name", "flips", "rotates"),
    [
        ("gated-delta", False, False),
        ("gated-delta(negative)", True, False),
        ("rotation", False, True),
        ("mamba", False, False),
        ("retention", False, False),
    ],
)
def test_the_transitions_of_mixers_are_as_their_equations_say(name, flips, rotates):
    found = transition(name)
    assert (found.flips, found.rotates) == (flips, rotates)
    assert found.greatest <= 1 + 1e-9


def test_a_cache_has_no_transition():
    assert transition("attention").words() == "keeps tokens; no transition"


def test_the_horizon_of_a_window_is_at_most_its_size():
    window = mixer_named("sliding-attention").build(8, 2).start(1)[0].shape
    assert transition("sliding-attention").horizon <= max(window)


def test_a_quarter_turn_and_a_flip_are_measured():
    turn = measure_transition("turn", lambda width: Turn(), draws=2)
    assert turn.greatest == pytest.approx(1)
    assert turn.horizon is None
    flip = measure_transition("flip", lambda width: Flip(), draws=2)
    assert (flip.least_real, flip.flips, flip.rotates, flip.horizon) == (pytest.approx(-0.7), True, False, 2)


def test_memory_grows_with_the_length_or_with_its_square():
    tokens = torch.randint(64, (1, 513), generator=torch.Generator().manual_seed(0))
    short, long = (kept_bytes(model("lstm"), tokens[:, : length + 1]) for length in (128, 512))
    assert long / short == pytest.approx(4, rel=0.1)


def test_the_pace_of_every_model_is_measured_at_every_length():
    found = measure_speed({THIS: model("lstm"), "attention": model("attention")}, lengths=(16, 32))
    assert [(one.model, one.length) for one in found] == [(THIS, 16), ("attention", 16), (THIS, 32), ("attention", 32)]
    assert all(one.training_seconds > 0 and one.decoding_seconds > 0 and one.kept_bytes > 0 for one in found)


def test_limits_are_those_of_the_ceilings():
    size = StateSize(2, 1, 10, numbers=((1, 8),), fixed=2, per_token=0, cached_from=1)
    found = {limit.ladder: limit for limit in limits_of(BATTERY, size, "bfloat16")}
    assert found["index lookup"].always_right_below == 9
    assert found["parity"].always_right_below is None
    assert set(found["parity"].ceilings) == {None}
    [grows] = limits_of([BY_NAME["index lookup"]], StateSize(2, 1, 10, ((1, 8),), fixed=0, per_token=8, cached_from=None))
    assert set(grows.ceilings) == {1.0}


def test_a_probe_survives_a_process_that_ends_or_hangs():
    subject = Subject.parse("lstm")
    assert probe(ends_its_process, subject, stall_seconds=60) == Probed(None, "its process ended with status 7")
    assert probe(never_ends, subject, stall_seconds=3) == Probed(None, "not measured within 3 s")
    assert probe(size_of, subject, stall_seconds=60).value.fixed == 256


def test_a_probe_names_the_error_of_a_users_layer(tmp_path):
    file = tmp_path / "layer.py"
    file.write_text(
        "from torch import nn\n\n\nclass Broken(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
        "    def forward(self, x):\n        return x\n    def start(self, batch):\n        return ()\n"
        "    def step(self, x, state, t):\n        raise KeyError('no such thing')\n"
    )
    found = probe(transitions_of, Subject.parse(f"{file}:Broken"), stall_seconds=60)
    assert found.value is None
    assert "no such thing" in found.failure
