"""Alice and Bob of Theorem 4's protocol: in two processes, with numbers at their ends, and when one of them errs."""

import itertools
import json
import subprocess
import sys
import threading
from fractions import Fraction

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.network import AttentionLayer, Head, Network, whole
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols import _one_layer_parties, one_layer_protocol
from seqsep.theorems.protocols import one_layer_trials as trials
from seqsep.theorems.protocols.one_layer_ledger import NumberBits
from seqsep.theorems.protocols.one_layer_protocol import QUESTIONS, VARIANTS, reduce

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked
PARTY = """
import json, os, sys
import numpy as np
from seqsep.maths.communication.channel import Channel
from seqsep.maths.arithmetic.grid import Grid
from seqsep.theorems.protocols import one_layer_trials as trials
from seqsep.theorems.protocols.one_layer_protocol import QUESTIONS, VARIANTS, converse

own = {int(place): token for place, token in json.loads(sys.argv[1]).items()}
network = trials.random_network(np.random.default_rng(7), trials.LayerSizes(9, 3, 4, 2), Grid(81))
channel = Channel(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
learned = [converse(network, own, 9, channel, variant, question) for variant in VARIANTS for question in QUESTIONS]
print(json.dumps([[one.logits, one.answer, sum(one.bits.values())] for one in learned]), file=sys.stderr)
"""


def test_in_processes_that_share_a_pipe_alone():
    """Each has its own tokens on its command line; the relay between them counts what passes."""
    network = trials.random_network(np.random.default_rng(7), trials.LayerSizes(9, 3, 4, 2), Grid(81))
    inputs, alice = np.array([0, 1, 2, 3, 4, 3, 2, 1, 0]), (0, 2, 3, 8)
    owned = [{place: int(inputs[place]) for place in range(9) if (place in alice) == first} for first in (True, False)]
    parties = [
        subprocess.Popen(
            [sys.executable, "-c", PARTY, json.dumps(own)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        for own in owned
    ]
    passed = [0, 0]

    def relay(number: int) -> None:
        while data := parties[number].stdout.read(4096):
            assert not data.strip(b"01")
            passed[number] += len(data)
            parties[1 - number].stdin.write(data)
        parties[1 - number].stdin.close()

    threads = [threading.Thread(target=relay, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    errors = [party.stderr.read() for party in parties]
    assert [party.wait() for party in parties] == [0, 0], errors
    learned = [json.loads(error) for error in errors]
    logits, claimed = list(trials.last_logits(network, inputs)), 0
    answer = logits.index(max(logits))
    for (variant, question), first, second in zip(itertools.product(VARIANTS, QUESTIONS), *learned, strict=True):
        bits = one_layer_protocol.message_bits_of(network, 9, variant, question)["total"]
        assert first == [logits, answer, bits]
        assert (
            second
            == {
                "both-exchange": [logits, answer, bits],
                "one-learns": [None, None, bits],
                "one-learns-and-sends": [None, answer, bits],
            }[variant]
        )
        claimed += bits
    assert sum(passed) == claimed


def test_the_widths_are_exact():
    """One bit less and a number that occurs does not fit: the ends of the grid, N ones, and a value sum of L or -L."""
    for steps, length in ((2, 5), (3, 8), (16, 1), (1000, 40)):
        widths = NumberBits(Grid(steps), length)
        assert 2 ** (widths.number - 1) <= 2 * widths.most_number < 2**widths.number
        assert 2 ** (widths.normaliser - 1) <= length * steps < 2**widths.normaliser
        assert widths.most_value_sum == steps**3
        assert 2 ** (widths.value_sum - 1) <= 2 * steps**3 < 2**widths.value_sum
    assert NumberBits(Grid(3, "nearest"), 8).most_value_sum == (3 + 4) * 9


@pytest.mark.parametrize("rounding", ["floor", "nearest"])
def test_the_extremes_occur(rounding):
    """Scores are equal, so the normaliser is N L; values are L or -L, and weights 7/10 of a step: 0 or 1."""
    steps, length = 7, 10
    zero, one = whole([[0]]), whole([[1]])
    network = Network(
        "extremes",
        Grid(steps, rounding),
        spaces={},
        symbols=whole([[-steps], [steps]]),
        layers=((AttentionLayer((Head(zero, zero, one, one),)), None),),
        readout=whole([[1], [-1]]),
        readout_bias=whole([0, 0]),
    )
    for inputs in (np.ones(length, dtype=np.int64), np.zeros(length, dtype=np.int64)):
        assert reduce(network, inputs, [])["normalisers"] == 2 * (length * steps).bit_length()
    assert (length * steps).bit_length() == 7


def spoiled(monkeypatch, name, function):
    monkeypatch.setattr(_one_layer_parties, name, function)
    random = np.random.default_rng(3)
    network = trials.random_network(random, trials.LayerSizes(6, 3, 4, 2), Grid(81), harsh=False)
    inputs = trials.random_input(random, network, 6)
    partitions = [[0, 1], [1, 5], [0, 2, 4]]
    with pytest.raises(TheoremFails):
        [reduce(network, inputs, alice, variant) for variant in VARIANTS for alice in partitions]


def test_a_party_that_errs_is_found_out(monkeypatch):
    """Exponentials one step too high, a lost vector coordinate, bits that no step needs."""
    whole_logits = _one_layer_parties._logits
    exponentials = _one_layer_parties.exponentials
    with monkeypatch.context() as one:
        spoiled(one, "exponentials", lambda grid, array: np.maximum(exponentials(grid, array) - 1, 0))
    with monkeypatch.context() as one:
        spoiled(one, "_logits", lambda network, last, sums, tally: whole_logits(network, last, sums * 2, tally))
    with monkeypatch.context() as one:
        receive = _one_layer_parties._receive_question

        def blurred(*given):
            last = receive(*given)
            return Array(last.integers + 1, Fraction(1, 81))

        spoiled(one, "_receive_question", blurred)
    with monkeypatch.context() as one:
        spoiled(one, "ceil_log2", lambda count: 7)
