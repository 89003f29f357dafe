"""The plain recurrent mixer obeys the laws, is torch's own RNN, and loads from a hand-built network."""

import numpy as np
import pytest
import torch
from torch import nn

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AutomatonLayer, ElmanLayer, Network, whole
from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.mixers import THEOREM_MIXERS, Elman, state_bits
from seqsep.models.model import Model


@pytest.mark.parametrize("activation", ["relu", "sigmoid"])
@pytest.mark.parametrize(("width", "time"), [(8, 19), (5, 7)])
def test_laws(activation, width, time):
    mixer_laws.check_mixer(lambda width: Elman(width, activation=activation), width, time)


def test_it_is_torchs_rnn():
    torch.manual_seed(0)
    ours, reference = Elman(6).double(), nn.RNN(6, 6, nonlinearity="relu", batch_first=True).double()
    with torch.no_grad():
        ours.recurrent.weight.copy_(reference.weight_hh_l0)
        ours.recurrent.bias.copy_(reference.bias_hh_l0 + reference.bias_ih_l0)
        ours.input.weight.copy_(reference.weight_ih_l0)
    x = torch.randn(3, 11, 6, dtype=torch.float64)
    assert torch.allclose(ours(x), reference(x)[0], atol=1e-12)


def test_state_and_registration():
    assert Elman in THEOREM_MIXERS
    assert state_bits(Elman(7).start(3)) == 7 * 32
    assert state_bits(Elman(7).double().start(3)) == 7 * 64
    with pytest.raises(ValueError, match="relu or sigmoid"):
        Elman(3, activation="tanh")


def drawn(activation: str = "relu", seed: int = 0) -> Network:
    random, width = np.random.default_rng(seed), 4
    layer = ElmanLayer(
        recurrent=Array(random.integers(-3, 4, (width, width)), Array(np.ones(1, dtype=np.int64)).unit / 4),
        input=whole(random.integers(-1, 2, (width, width))),
        bias=whole(random.integers(-1, 2, width)),
        start=whole(random.integers(0, 2, width)),
        activation=activation,
    )
    return Network(
        "drawn", Grid(16), {}, whole(np.eye(3, width)), ((layer, None),), whole(np.eye(width)), whole(np.zeros(width))
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_exact_run_is_the_recurrence_rounded_down(seed):
    network, tokens = drawn(seed=seed), np.random.default_rng(seed).integers(0, 3, (6, 9))
    layer, _ = network.layers[0]
    logits = run(network, tokens).logits.floats()
    for row, word in enumerate(tokens):
        state = layer.start.floats()
        for t, token in enumerate(word):
            inner = layer.recurrent.floats() @ state + layer.input.floats()[:, token] + layer.bias.floats()
            state = np.maximum(np.clip(np.floor(inner * 16) / 16, -16, 16), 0)
            assert np.array_equal(logits[row, t], state)
    at = np.array([[8, 0]] * 6)
    assert np.array_equal(run(network, tokens, at).logits.floats(), logits[:, [8, 0]])


def test_a_loaded_network_is_the_exact_one():
    network, tokens = drawn(), np.array([[0, 1, 2, 0], [2, 2, 1, 1]])
    assert np.array_equal(
        run(network, tokens[:, :2]).logits.floats(), Model.load(network)(torch.from_numpy(tokens[:, :2])).detach()
    )
    assert [name for name, _ in network.arrays()][1:5] == [
        f"layers.0.elman.{part}" for part in ("recurrent", "input", "bias", "start")
    ]
    assert network.ledger().program == network.precision * sum(array.integers.size for _, array in network.arrays())
    assert network.ledger().core == 0


def test_what_has_no_exact_values_is_refused():
    with pytest.raises(ValueError, match="is a sigmoid"):
        run(drawn("sigmoid"), np.array([[0]]))
    table = AutomatonLayer(whole(np.zeros((1, 2, 2))), 0)
    network = Network("table", Grid(4), {}, whole(np.eye(2, 4)), ((table, None),), whole(np.eye(2, 4)), whole(np.zeros(2)))
    with pytest.raises(ValueError, match="layer 0 is an automaton"):
        run(network, np.array([[0]]))
