"""Small certificates that hold, of every type, and how a changed one is sealed again."""

import functools
import hashlib
import itertools
import json
from fractions import Fraction
from typing import Any

import numpy as np

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, FeedForward, GatedFeedForward, Head, Network, whole
from seqsep.tasks import BoundedDyck
from seqsep.theorems.certificate import certificate, certify
from seqsep.theorems.evidence import DistinguishingTable, Evidence, FoolingSetWords, NetworkRun
from seqsep.theorems.state_tracking.collision import CollisionEvidence, GridRecurrence, StateCollision, Word
from support.certificates.generated_samples import generated_samples

COST = "communication-cost"
TYPES = ("fooling-set", "distinguishing-table", "automaton", "state-collision", "network", "generated-run")


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def seal(changed: dict[str, Any]) -> bytes:
    """The bytes with the digest that belongs to them."""
    body = {name: value for name, value in changed.items() if name != "digest"}
    return canonical(body | {"digest": hashlib.sha256(canonical(body)).hexdigest()})


def dyck_words(length: int) -> list[list[int]]:
    task = BoundedDyck(length, 2, 2)
    return [list(word) for word in itertools.product(range(4), repeat=length) if task.solve(word)]


def _fooling(
    theorem: str, task: str, parameters: dict[str, Any], complete: int, alice: list[int], value: int, words: list
) -> bytes:
    witness = FoolingSetWords(alice, value, words, complete=bool(complete))
    return certificate(theorem, Evidence(task, parameters, witness))


def _table(theorem: str, task: str, parameters: dict[str, Any], alice: list[int], rows: list, columns: list) -> bytes:
    return certificate(theorem, Evidence(task, parameters, DistinguishingTable(alice, rows, columns)))


def random_network(rounding: str, softmax: str, causal: bool, seed: int, steps: int, layers: int = 2) -> bytes:
    """Weights that mean nothing on all inputs of three letters, and the function that they compute."""
    random = np.random.default_rng(seed)
    width, grid = 3, Grid(steps, rounding, softmax)

    def draw(*shape: int) -> Any:
        return whole(random.integers(-3, 4, size=shape)).of_unit(grid.step)

    def fine(*shape: int) -> Any:
        integers = random.integers(-2 * steps, 2 * steps + 1, size=shape)
        return type(draw(1))(integers, grid.step)

    stack = []
    for number in range(layers):
        first = Head(fine(2, 3), fine(2, 3), fine(2, 3), draw(3, 2))
        second = Head(fine(1, 3), draw(1, 3), fine(1, 3), fine(3, 1))
        part: FeedForward | GatedFeedForward | None = None
        if number == 0:
            part = FeedForward(fine(4, 3), draw(4), fine(3, 4), draw(3))
        elif seed % 2:
            part = GatedFeedForward(fine(4, 3), draw(4), fine(4, 3), draw(4), fine(3, 4), draw(3))
        stack.append((AttentionLayer((first, second), causal), part))
    network = Network("random", grid, {}, fine(2, width), tuple(stack), fine(3, width), fine(3), positions=fine(4, width))
    inputs = np.array(list(itertools.product(range(2), repeat=3)))
    execution = run(network, inputs, at=-1)
    keep = execution.unique_argmax[:, 0]
    values = np.where(keep, execution.answers[:, 0], -1)
    parameters: dict[str, Any] = {"alphabets": [2, 2, 2], "values": values.tolist()}
    evidence = Evidence("table", parameters, NetworkRun(network, inputs[keep], execution.answers[keep, 0]))
    return certificate("random", evidence)


@functools.cache
def samples() -> dict[str, bytes]:
    """Name -> bytes; the first of each type is the one that is flipped and cut."""
    dyck = {"length": 4, "kinds": 2, "depth": 2}
    partial = {"alphabets": [3, 3], "values": [1, -1, 0, 0, 1, 2, -1, 0, 1]}
    total = {"alphabets": [2, 3, 2], "values": [0, 1, 2, 0, 1, 1, 0, 2, 0, 1, 2, 2]}
    long = 66
    made = {
        "fooling-set: dyck": _fooling("bounded-dyck-one-layer", "bounded-dyck", dyck, 1, [0, 2], 1, dyck_words(4)),
        "fooling-set: pairs": _fooling(COST, "bounded-dyck", dyck, 0, [0, 2], 1, dyck_words(4)),
        "fooling-set: first half": _fooling(COST, "bounded-dyck", dyck, 0, [0, 1], 1, [[0, 2, 3, 1], [2, 0, 1, 3]]),
        "fooling-set: equality": _fooling(COST, "equality", {"alphabet": 3, "length": 2}, 1, [0], 1, [[0, 0], [1, 1], [2, 2]]),
        "fooling-set: inequality": _fooling(
            COST, "inequality", {"alphabet": 3, "length": 2}, 0, [0], 0, [[0, 0], [1, 1], [2, 2]]
        ),
        "fooling-set: partial": _fooling(COST, "table", partial, 0, [0], 1, [[0, 0], [1, 1], [2, 2]]),
        "fooling-set: table": _fooling(
            COST, "table", {"alphabets": [2, 2], "values": [7, 0, 0, 7]}, 1, [1], 7, [[0, 0], [1, 1]]
        ),
        "fooling-set: lookup": _fooling(
            COST, "index-lookup", {"alphabet": 2, "length": 2}, 0, [0, 2], 0, [[0, 1, 2], [1, 0, 3]]
        ),
        "fooling-set: one": _fooling(COST, "bounded-dyck", {"length": 2, "kinds": 1, "depth": 1}, 1, [0], 1, [[0, 1]]),
        "fooling-set: deep": _fooling(
            COST, "bounded-dyck", {"length": long, "kinds": 1, "depth": 64}, 0, [0], 1, [[0, 1] * (long // 2)]
        ),
        "distinguishing-table: lookup": certify("index-lookup-state", length=3, alphabet=2),
        "distinguishing-table: equality": _table(
            "equality-state",
            "equality",
            {"alphabet": 2, "length": 4},
            [0, 1],
            [[0, 0], [0, 1], [1, 0], [1, 1]],
            [[0, 0], [0, 1], [1, 0]],
        ),
        "distinguishing-table: total": _table("least-state", "table", total, [0, 1], [[0, 0], [0, 1], [0, 2]], [[0], [1]]),
        "distinguishing-table: partial": _table("one-way-cost", "table", partial, [1], [[0], [1], [2]], [[0], [1], [2]]),
        "distinguishing-table: dyck": _table(
            "one-way-cost", "bounded-dyck", dyck, [0, 2], [[0, 0], [0, 2], [2, 0]], [[1, 1], [1, 3], [3, 1]]
        ),
        "distinguishing-table: whole": _table(
            "least-state", "table", total, [0, 1, 2], [[0, 0, 0], [0, 0, 1], [0, 1, 0]], [[]]
        ),
        "distinguishing-table: oracle": certify("recall-oracle-state", length=4, alphabet=2),
        "distinguishing-table: recall": certify("retrieval-one-layer", length=4, alphabet=3),
        "distinguishing-table: inequality": _table(
            "least-state", "inequality", {"alphabet": 2, "length": 2}, [0], [[0], [1]], [[1]]
        ),
        "automaton: dyck": certify("bounded-dyck-state"),
        "automaton: deep": certify("bounded-dyck-state", kinds=1, depth=3),
        "automaton: wide": certify("bounded-dyck-state", kinds=3, depth=1),
        "network: lookup": certify("index-lookup-attention", length=2, alphabet=2, code="binary"),
        "network: equality": certify("equality-two-layers", length=4),
        "network: inequality": certify("equality-two-layers", length=2, unequal=True, code="binary"),
        "network: hybrid": certify("index-lookup-hybrid", length=2, alphabet=2),
        "network: dyck": _always("bounded-dyck", {"depth": 1, "kinds": 1, "length": 2}, [[0, 0], [1, 0]]),
    }
    for number, (rounding, softmax) in enumerate(itertools.product(("floor", "nearest"), ("stepwise", "once"))):
        for seed in range(3):
            steps = (5, 16, 100)[seed]
            made[f"network: {rounding} {softmax} {seed}"] = random_network(
                rounding, softmax, seed != 1, 4 + 10 * number + seed, steps
            )
    return made | collisions() | generated_samples()


def collisions() -> dict[str, bytes]:
    """Recurrences with two words that reach one state; those under the general name are of other kinds than the theorems'."""
    table = {"accepting": [0, 1, 1], "start": 2, "table": [[1, 2], [2, 0], [0, 0]]}
    rotation = GridRecurrence(
        2, "nearest", [[[0, -1, 0], [1, 0, 0]], [[Fraction(1, 2), 1, 0], [0, 1, Fraction(-5, 3)]]], (3, 4)
    )
    words = ([(0, 3), (1, 2), (0, 1)], [(0, 7), (1, 4), (0, 1)])
    reset = GridRecurrence(1, "floor", [[[0, -1]], [[2, -7]], [[1, Fraction(3, 2)]]], (1,))
    starts = {"accepting": [0, 1, 1], "start": 0, "table": [[1, 0, 2], [1, 1, 1], [0, 2, 1]]}
    halved = [[Fraction(1, 2), 0, 0], [0, Fraction(1, 2), 0]]
    none_or_one = ([(1, 0)], [(1, 1)])
    up = GridRecurrence(1, "nearest", [halved, halved], (1, 0))
    down = GridRecurrence(1, "floor", [halved, halved], (-1, 0))
    return {
        "state-collision: parity": certify("nonnegative-diagonal-parity", end=2),
        "state-collision: periods": certify("diagonal-periods", end=2, rounding="nearest"),
        "state-collision: symmetric": certify("symmetric-steps", size=3),
        "state-collision: one coordinate": certify("symmetric-steps", size=1, end=1, seed=3, rounding="nearest"),
        "state-collision: language": _collision("regular-language", table, rotation, words),
        "state-collision: letters": _collision("regular-language", starts, reset, ([(2, 0)], [(2, 1), (0, 1), (2, 2)])),
        "state-collision: up": _collision("ones-modulo", {"modulus": 2}, up, none_or_one),
        "state-collision: down": _collision("ones-modulo", {"modulus": 2}, down, none_or_one),
        "state-collision: modulo 5": _collision("ones-modulo", {"modulus": 5}, rotation, words),
    }


def _collision(task: str, parameters: dict[str, Any], recurrence: GridRecurrence, words: tuple[Word, Word]) -> bytes:
    evidence = CollisionEvidence(task, parameters, StateCollision(recurrence, words))
    return certificate("one-state-two-values", evidence)


def _always(task: str, parameters: dict[str, Any], inputs: list[list[int]]) -> bytes:
    """A network that answers 0."""
    head = Head(whole([[1]]), whole([[1]]), whole([[1]]), whole([[1]]))
    network = Network("0", Grid(4), {}, whole([[0], [0]]), ((AttentionLayer((head,)), None),), whole([[0], [0]]), whole([1, 0]))
    run_ = NetworkRun(network, np.array(inputs), np.zeros(len(inputs), dtype=np.int64))
    return certificate("built-network", Evidence(task, parameters, run_))


def of_type(kind: str) -> dict[str, bytes]:
    return {name: data for name, data in samples().items() if name.startswith(kind + ":")}
