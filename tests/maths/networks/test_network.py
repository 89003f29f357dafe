"""Networks as arrays: the network of an automaton."""

import numpy as np
import pytest
import torch

from seqsep.maths.networks.network import Network
from seqsep.models.model import Model


@pytest.mark.parametrize("seed", range(4))
@torch.no_grad()
def test_the_network_of_a_table_runs_the_table(seed):
    """Random tables that differ by time: the loaded model's logits are the one-hot answers, zero without an answer."""
    random = np.random.default_rng(seed)
    time, states, tokens, classes = 5, 7, 4, 3
    table = random.integers(0, states, (time, states, tokens))
    answers = random.integers(-1, classes, states)
    start = int(random.integers(states))
    network = Network.of_table("random", table, answers, classes=classes, start=start, indices=seed % 2)
    inputs = random.integers(0, tokens, (9, time))
    logits = Model.load(network)(torch.from_numpy(inputs)).numpy()
    for row, word in enumerate(inputs):
        state = start
        for t, token in enumerate(word):
            state = table[t, state, token]
            expected = np.zeros(classes)
            if answers[state] >= 0:
                expected[answers[state]] = 1
            assert logits[row, t].tolist() == expected.tolist()


def test_a_table_of_two_axes_is_the_same_at_all_times():
    network = Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1]))
    word = torch.tensor([[1, 0, 1, 1, 0, 1]])
    assert Model.load(network)(word).argmax(-1).tolist() == [[1, 1, 0, 1, 1, 0]]
    assert network.indices is None


def test_bad_tables_are_named():
    table = np.zeros((3, 2), dtype=np.int64)
    with pytest.raises(ValueError, match=r"of_table\(name\): .* found shapes \(1, 1, 3, 2\) and \(3,\)"):
        Network.of_table("name", table[None, None], np.array([0, 1, 0]))
    with pytest.raises(ValueError, match="answers are -1 to 1, found 0 to 2"):
        Network.of_table("name", table, np.array([0, 1, 2]))
