"""One weight of a theorem's network changed, and its check run on the changed network: does it fail?

A check makes a `Trial` of each network that it builds; the first of them is given the changed network in its place. Checks are
run at sizes at which they try every input (but Turing machines on some words, and nearest neighbours on one circle). So what a
check does not find out there is right on every input of that size, with no margin below the proved one: it is another network
for the same statement, not a defect. Such changes are of four kinds:

* rows of an embedding or of a read-out for tokens that no input of the size has, or that are never the answer;
* the scores of one query all moved by the same number, which a softmax does not see;
* numbers with slack, such as a scale that is a little greater than it has to be;
* coordinates that the task at hand does not use (one of six attention blocks, one of the machines).
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.network import Network
from seqsep.theorems import BY_NAME, TheoremFails
from seqsep.theorems.retrieval import attention_blocks, by_pattern, counting_one_layer
from seqsep.theorems.retrieval._attention_blocks import BLOCKS
from seqsep.theorems.sparse_threshold import disjointness_one_layer
from seqsep.theorems.trial import Trial
from support.networks import with_array

Check = Callable[[], object]
Change = Callable[[Network], Network]


def _of(name: str, **options: Any) -> Check:
    return partial(BY_NAME[name].check, **options)


def _block(block: str) -> Check:
    return partial(attention_blocks._check, block, 2, 2, back=1, sequences=1, rounding="floor", seed=0)


MACHINE = {"machine": "busy-beaver-3", "length": 3, "steps": 14, "words": 6}
ALPHABETS = {"length": 3, "alphabet": 3, "rounding": "floor"}
CASES: dict[str, Check] = {
    "index-lookup-attention": _of("index-lookup-attention", length=4, alphabet=4, code="parabola"),
    "index-lookup-attention binary": _of("index-lookup-attention", length=3, alphabet=3, code="binary"),
    "index-lookup-one-layer": _of("index-lookup-one-layer", **ALPHABETS),
    "index-lookup-hybrid": _of("index-lookup-hybrid", **ALPHABETS),
    **{f"attention-blocks {block}": _block(block) for block in BLOCKS},
    "recall-attention": _of("recall-attention", **ALPHABETS),
    "recall-attention of 3-grams": _of("recall-attention", length=4, alphabet=2, gram=3, rounding="floor"),
    "recall-hybrid": _of("recall-hybrid", **ALPHABETS),
    "counting-attention": _of("counting-attention", **ALPHABETS),
    "counting-hybrid": _of("counting-hybrid", **ALPHABETS),
    "counting-one-layer": _of("counting-one-layer", **ALPHABETS, softmax="stepwise"),
    "retrieval-by-pattern index": partial(by_pattern._check, "index", 2, 3, inputs=0, seed=0),
    "retrieval-by-pattern recall": partial(by_pattern._check, "recall", 2, 2, inputs=0, seed=0),
    "retrieval-by-pattern counting": partial(by_pattern._check, "counting", 2, 2, inputs=0, seed=0),
    "equality-two-layers": _of("equality-two-layers", length=6, alphabet=3, code="parabola"),
    "equality-two-layers unequal": _of("equality-two-layers", length=4, code="binary", unequal=True),
    "equality-one-layer": _of("equality-one-layer", length=6, rounding="floor"),
    "relabelled-equality-two-layers": _of("relabelled-equality-two-layers", length=4, code="binary"),
    "sparse-threshold-two-layers majority": _of("sparse-threshold-two-layers", length=4, instance="majority"),
    "sparse-threshold-two-layers disjointness": _of("sparse-threshold-two-layers", length=6, instance="disjointness"),
    "disjointness-one-layer": partial(disjointness_one_layer._check_enough, 4),
    "nearest-neighbor-two-layers": _of("nearest-neighbor-two-layers", length=5, dimension=2),
    "bounded-dyck-attention": _of("bounded-dyck-attention", length=4, variant="two-layer-valid"),
    "bounded-dyck-attention next": _of("bounded-dyck-attention", length=4, variant="one-layer", ask="next"),
    "bounded-dyck-state": _of("bounded-dyck-state", length=6, variant="relu"),
    "is-tree-peeling": _of("is-tree-peeling", length=3, rounding="floor"),
    "is-tree-tour": _of("is-tree-tour", length=3, rounding="floor"),
    "is-tree-one-layer": _of("is-tree-one-layer", length=3, rounding="floor"),
    "is-tree-hybrid": _of("is-tree-hybrid", length=3, rounding="floor"),
    "is-tree-walk": _of("is-tree-walk", length=3),
    "turing-machine-hybrid": _of("turing-machine-hybrid", **MACHINE),
    "turing-machine-retrieval": _of("turing-machine-retrieval", **MACHINE),
    "turing-machine-recurrent": _of("turing-machine-recurrent", **MACHINE, cells=4),
    "modular-count-attention": _of("modular-count-attention", length=4, modulus=3, rounding="floor"),
    "circuits-attention": _of("circuits-attention", length=3, circuits=0),
}
"""By the theorem's name, and what of it: a check whose first network is spoiled, in some tens of milliseconds."""

HARMLESS = {("attention-blocks copy", "vectors"): "what a position holds: this block reads places only"}
"""Arrays that no answer depends on, each with the reason."""


class Defect(NamedTuple):
    """One entry of one array, and the number (in the array's unit) that it is changed to.

    A query's array that is all zero is changed at the same place of the key's, and so is a key's: the scores of such a head are
    products of zeros, which a change of one of them leaves as they are.
    """

    array: str
    place: tuple[int, ...]
    number: int

    def __call__(self, network: Network) -> Network:
        """The network with the entry changed. Raises ValueError if the grid does not hold it."""
        arrays = dict(network.arrays())
        names = {self.array}
        if self.array.endswith((".query", ".key")):
            head = self.array.rpartition(".")[0]
            names |= {name for name in (f"{head}.query", f"{head}.key") if not arrays[name].integers.any()}
        for name in names:
            integers = arrays[name].integers.copy()
            integers[self.place] = self.number
            network = with_array(network, name, Array(integers, arrays[name].unit, arrays[name].by_index))
        return network


def found_out(check: Check, change: Change) -> TheoremFails | None:
    """The failure of a check whose first network is changed; None if it holds."""
    given = 0

    def once(network: Network) -> Network:
        nonlocal given
        given += 1
        return change(network) if given == 1 else network

    def making(honest: Callable[..., None]) -> Callable[..., None]:
        return lambda trial, theorem, network, *rest, **named: honest(trial, theorem, once(network), *rest, **named)

    build = counting_one_layer.build
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(Trial, "__init__", making(Trial.__init__)))
        without_a_trial = mock.patch.object(counting_one_layer, "build", lambda *sizes: once(build(*sizes)))
        patches.enter_context(without_a_trial)
        try:
            check()
        except TheoremFails as failure:
            return failure
        assert given, "the check builds no network"
    return None


def first_network(check: Check) -> Network:
    """The network that a check builds first; it holds."""
    networks = []

    def seen(network: Network) -> Network:
        networks.append(network)
        return network

    failure = found_out(check, seen)
    assert failure is None, failure
    return networks[0]


def defects(network: Network, name: str, most: int, seed: int = 0) -> Iterator[list[Defect]]:
    """Changes of up to `most` entries of an array, drawn, those that are not 0 first.

    Each is changed to 0, its negative, 1 more, 1 less, and both ends of the grid; numbers that the grid does not hold are left
    out.
    """
    array = dict(network.arrays())[name]
    places = np.random.default_rng(seed).permutation(np.argwhere(np.ones_like(array.integers)))
    order = np.argsort([array.integers[tuple(place)] == 0 for place in places], kind="stable")
    for place in places[order][:most].tolist():
        was = int(array.integers[tuple(place)])
        end = int(network.grid.steps / array.unit)
        numbers = dict.fromkeys(number for number in (0, -was, was + 1, was - 1, end, -end) if number != was)
        candidates = [Defect(name, tuple(place), number) for number in numbers]
        yield [defect for defect in candidates if _is_on_grid(network, defect)]


def _is_on_grid(network: Network, defect: Defect) -> bool:
    try:
        defect(network)
    except ValueError:
        return False
    return True
