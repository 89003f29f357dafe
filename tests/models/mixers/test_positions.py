"""Positions of a model: learned, sinusoidal, turned queries and keys, none; in every hybrid, in runs, and in files."""

import math
from itertools import product

import pytest
import torch
from safetensors.torch import save_file

from seqsep.lab.run import Run
from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import BY_NAME, MIXERS, Attention, state_bits
from seqsep.models.mixers.attention import rotated
from seqsep.models.mixers.sliding_attention import SlidingAttention
from seqsep.models.model import Model, sinusoids
from seqsep.models.weights import describe, load_model
from seqsep.tasks import BoundedDyck

CHOICES = ("learned", "sinusoidal", "rope", "none")


def build(*layers, positions="default", width=8, heads=2):
    kinds = [BY_NAME.get(layer, SlidingAttention) for layer in layers]
    return Model.build(11, 7, 20, kinds, width, heads, 1.0, 0.3, positions=positions).double().eval()


def tokens(batch=3, time=18):
    return torch.randint(0, 11, (batch, time))


@pytest.mark.parametrize("positions", CHOICES)
@pytest.mark.parametrize("layers", [("attention",), ("sliding-attention",), ("lstm", "attention"), ("attention", "dss")])
def test_every_way_to_run_agrees(layers, positions):
    model, inputs = build(*layers, positions=positions), tokens()
    with torch.no_grad():
        full, state = model(inputs), model.start(3)
        for t in range(18):
            logits, state = model.step(inputs[:, t], state, t)
            assert torch.allclose(logits, full[:, t], atol=1e-9)
        at = torch.tensor([17, 0, 5])
        assert torch.allclose(model(inputs, at), full[torch.arange(3), at], atol=1e-9)
        state = model.prefill(inputs[:1, 6:17], model.prefill(inputs[:1, :6]), 6)
        assert torch.allclose(model.step_output(inputs[:1, 17], state, 17), full[:1, 17], atol=1e-9)


@pytest.mark.parametrize("time", [7, 19])
def test_attention_with_rope_obeys_the_laws(time):
    def make(width):
        mixer = Attention(width, 2)
        mixer.rope = True
        return mixer

    mixer_laws.check_mixer(make, 8, time)


def test_rope_turns_complex_numbers_and_sees_distances():
    u = torch.randn(5, 6, dtype=torch.float64)
    rotation = rotated(u, torch.arange(5))
    for t in range(5):
        for i in range(3):
            turned = complex(u[t, 2 * i], u[t, 2 * i + 1]) * complex(
                math.cos(t * 1e4 ** (-i / 3)), math.sin(t * 1e4 ** (-i / 3))
            )
            assert abs(turned - complex(rotation[t, 2 * i], rotation[t, 2 * i + 1])) < 1e-12
    query, key = torch.randn(2, 6, dtype=torch.float64)
    scores = [rotated(query, torch.tensor(t)) @ rotated(key, torch.tensor(t - 3)) for t in (3, 10, 400)]
    assert max(scores) - min(scores) < 1e-9


def test_rope_attention_is_its_equation():
    """One head, written out: q_t . k_j turned by t and j, against the values unturned."""
    model = build("attention", positions="rope", heads=1)
    ours, x = model.blocks[0].mixer, torch.randn(1, 6, 8, dtype=torch.float64)
    query, key, value = (part(x)[0] for part in (ours.query, ours.key, ours.value))
    for t in range(6):
        turned = rotated(query[t], torch.tensor(t))
        scores = torch.stack([turned @ rotated(key[j], torch.tensor(j)) for j in range(t + 1)]) / math.sqrt(8)
        assert torch.allclose(ours(x)[0, t], ours.output(scores.softmax(0) @ value[: t + 1]), atol=1e-12)


def test_sinusoids_are_those_of_the_paper():
    codes = sinusoids(torch.tensor([0, 1, 50]), 7)
    for row, t in enumerate((0, 1, 50)):
        for j in range(7):
            angle = t / 10000 ** (2 * (j // 2) / 7)
            assert abs(float(codes[row, j]) - (math.sin(angle) if j % 2 == 0 else math.cos(angle))) < 1e-12


def test_what_each_choice_adds():
    """Learned: a table for any layers; sinusoidal: fixed vectors on top of the tokens; rope and none: nothing is added."""
    inputs = tokens()
    learned, sinusoidal, rope, none = (build("attention", "lstm", positions=choice) for choice in CHOICES)
    assert build("lstm", positions="learned").positions.num_embeddings == learned.positions.num_embeddings == 20
    assert build("lstm").positions is None
    assert sinusoidal.positions is rope.positions is none.positions is None
    times = torch.arange(18)
    scaled = Model.build(11, 7, 20, ("attention",), 8, 2, 0.5, positions="sinusoidal").double()
    for model, scale in ((sinusoidal, 1), (scaled, 0.5)):
        assert torch.equal(model._embed(inputs, times), model.tokens(inputs) + scale * sinusoids(times, 8))
    assert torch.equal(rope._embed(inputs, times), rope.tokens(inputs))
    assert [block.mixer.rope for block in rope.blocks[:1]] == [True]
    assert not none.blocks[0].mixer.rope
    none.load_state_dict(rope.state_dict())
    assert not torch.allclose(none(inputs), rope(inputs))


def test_without_positions_attention_sees_a_set():
    """At the last token, with the order of those before it changed: only positions can tell."""
    inputs = tokens(1, 9)
    shuffled = torch.cat([inputs[:, :-1].flip(1), inputs[:, -1:]], dim=1)
    for choice in CHOICES:
        model = build("attention", positions=choice)
        assert torch.allclose(model(inputs)[:, -1], model(shuffled)[:, -1], atol=1e-9) == (choice == "none")


NAMES = [mixer.name for mixer in MIXERS]
LATER = ("rotation", "mlstm", "slstm", "kda")
"""These stand beside attention only: their layers are no different beside others, and pairs of all would take long."""
PAIRS = [pair for pair in product(NAMES, repeat=2) if "attention" in pair or not set(pair) & set(LATER)]


@pytest.mark.parametrize("layers", PAIRS, ids="+".join)
def test_hybrids_of_every_pair(layers):
    """forward equals step, and the state is (fixed, per token) as the tensors have it."""
    model, inputs = build(*layers), tokens(1, 7)
    with torch.no_grad():
        full, state, sizes = model(inputs), model.start(1), []
        for t in range(7):
            logits, state = model.step(inputs[:, t], state, t)
            assert torch.allclose(logits, full[:, t], atol=1e-9)
            sizes.append(sum(state_bits(part) for part in state))
    fixed, per_token = model.state_bits()
    assert sizes == [fixed + per_token * (t + 1) for t in range(7)]
    assert per_token == 2 * 8 * 64 * layers.count("attention")


@pytest.mark.parametrize(
    ("layers", "changes", "message"),
    [
        (("lstm", "retention"), {"positions": "rope"}, r"positions='rope'.* a layer is attention or sliding-attention"),
        (("attention",), {"positions": "rotary"}, "positions are one of default, learned, sinusoidal, rope, none"),
        (("attention",), {"positions": "rope", "width": 6}, "width / heads is even"),
    ],
)
def test_bad_positions_are_named(layers, changes, message):
    with pytest.raises(ValueError, match=message):
        build(*layers, **changes)


SHAPE = {"task": BoundedDyck(6), "layers": ("attention",), "width": 8, "heads": 2}


def test_only_other_positions_than_the_default_enter_the_key():
    runs = {choice: Run(**SHAPE, positions=choice) for choice in ("default", *CHOICES)}
    assert runs["default"].configuration() == Run(**SHAPE).configuration()
    assert "positions" not in runs["default"].configuration()
    assert len({run.key() for run in runs.values()}) == 5
    for choice, run in runs.items():
        assert Run.from_configuration(run.configuration()) == run
        assert run.model().chosen_positions == choice


def test_a_run_refuses_rope_without_attention():
    with pytest.raises(ValueError, match="positions rope: a layer is attention or sliding-attention"):
        Run(**SHAPE | {"layers": ("lstm",)}, positions="rope")


@pytest.mark.parametrize("choice", CHOICES)
def test_a_model_comes_back_from_its_file_with_its_positions(tmp_path, choice):
    model = Model.build(11, 7, 20, ("lstm", "attention"), 8, 2, 0.7, 0.3, positions=choice)
    save_file({f"model.{name}": part for name, part in model.state_dict().items()}, tmp_path / "a", describe(model))
    inputs = tokens()
    assert torch.equal(load_model(tmp_path / "a")(inputs), model(inputs))
