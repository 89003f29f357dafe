"""The truth of a certificate's claim, by brute force: the tasks, every input, the executor; nothing of the checker."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.automata.automata import DFA
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.generation import generate
from seqsep.maths.networks.network import AttentionLayer, FeedForward, GatedFeedForward, Head, LinearLayer, Network
from seqsep.tasks import BoundedDyck, IndexLookup
from seqsep.tasks.retriever import Retriever
from support.certificates.collision_truth import collision
from support.certificates.generated_truth import GENERATED

LONGEST_WORD = 5
LAYERS = {  # a: attention, r: a recurrence
    "index-lookup-attention": "a",
    "index-lookup-one-layer": "a",
    "index-lookup-hybrid": "ra",
    "equality-two-layers": "aa",
    "is-tree-peeling": "aa",
    "is-tree-tour": "aaa",
    "is-tree-one-layer": "a",
    "is-tree-hybrid": "ra",
    "is-tree-walk": "r",
    "recall-attention": "aa",
    "recall-hybrid": "ra",
    "counting-attention": "aa",
    "counting-hybrid": "ra",
    "counting-one-layer": "a",
    "circuits-attention": "a",
    "retrieval-by-pattern": "r",
    "turing-machine-hybrid": "ra",
    "turing-machine-retrieval": "r",
    "turing-machine-recurrent": "r",
}


class Function:
    """f on its domain, with -1 outside, and the letters of every position."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.task, self.name = task, task["name"]
        if self.name == "table":
            self.alphabets = [range(size) for size in task["alphabets"]]
            self.table = np.array(task["values"]).reshape(task["alphabets"])
        elif self.name in GENERATED:
            self.alphabets = GENERATED[self.name].alphabets(task)
        elif self.name == "bounded-dyck":
            self.alphabets = [range(2 * task["kinds"])] * task["length"]
            self.kinds, self.depth = task["kinds"], task["depth"]
        else:
            self.alphabets = [range(task["alphabet"])] * task["length"]
        if self.name == "index-lookup":
            self.alphabets = [*IndexLookup(task["length"], task["alphabet"]).alphabets(task["length"])]

    def __call__(self, word: list[int]) -> Any:
        assert len(word) == len(self.alphabets)
        assert all(type(letter) is int and letter in alphabet for letter, alphabet in zip(word, self.alphabets, strict=True))
        if self.name == "table":
            return int(self.table[tuple(word)])
        if self.name in GENERATED:
            return GENERATED[self.name].solve(self.task, word)
        if self.name == "bounded-dyck":
            return BoundedDyck(2, self.kinds, self.depth).solve(tuple(word))
        if self.name == "index-lookup":
            return IndexLookup(self.task["length"], self.task["alphabet"]).solve(tuple(word))
        left, right = np.split(np.array(word), 2)
        return int((left == right).all()) ^ (self.name == "inequality")

    @property
    def inputs(self) -> int:
        return math.prod(len(alphabet) for alphabet in self.alphabets)

    def count(self, value: int) -> int:
        return sum(self(list(word)) == value for word in itertools.product(*self.alphabets))

    def mixed(self, alice: list[int], mine: list[int], other: list[int]) -> int:
        word = [0] * len(self.alphabets)
        theirs = [place for place in range(len(word)) if place not in alice]
        for place, letter in [*zip(alice, mine, strict=True), *zip(theirs, other, strict=True)]:
            word[place] = letter
        return self(word)


def _bits(count: int) -> int:
    return math.ceil(math.log2(count))


def _fooling(given: dict[str, Any]) -> bool:
    f, witness, claims = Function(given["task"]), given["witness"], given["claims"]
    alice, value, words = witness["alice"], witness["value"], witness["words"]
    theirs = [place for place in range(len(f.alphabets)) if place not in alice]
    parts = [([word[place] for place in alice], [word[place] for place in theirs]) for word in words]
    fooled = all(
        any(answer not in (-1, value) for answer in (f.mixed(alice, x, other_y), f.mixed(alice, other_x, y)))
        for (x, y), (other_x, other_y) in itertools.combinations(parts, 2)
    )
    whole = not claims["complete"] or f.count(value) == len(words)
    theorem = given["theorem"] != "bounded-dyck-one-layer" or (
        claims["complete"] == 1 and alice == list(range(0, len(f.alphabets), 2)) and (f.kinds, f.depth) == (2, 2)
    )
    sizes = claims == {"bits": _bits(len(words)), "complete": claims["complete"], "size": len(words)}
    return all(f(word) == value for word in words) and fooled and whole and theorem and sizes


def _distinguishing(given: dict[str, Any]) -> bool:
    f, witness, claims = Function(given["task"]), given["witness"], given["claims"]
    alice, rows, columns = witness["alice"], witness["rows"], witness["columns"]
    matrix = [[f.mixed(alice, row, column) for column in columns] for row in rows]
    apart = all(
        any(x != y and -1 not in (x, y) for x, y in zip(one, other, strict=True))
        for one, other in itertools.combinations(matrix, 2)
    )
    theorem, full = given["theorem"], len(rows)
    if theorem == "recall-oracle-state":
        answers = {(frozenset(row), row[1]) for row in rows if len(row) > 1}
        if len(answers) != 1 or len(alice) != given["task"]["length"]:
            return False
    if theorem == "index-lookup-state":
        full = given["task"]["alphabet"] ** given["task"]["length"]
    if theorem == "equality-state":
        full = given["task"]["alphabet"] ** (given["task"]["length"] // 2)
    prefix = theorem == "one-way-cost" or alice == list(range(len(alice)))
    return apart and prefix and len(rows) == full and claims == {"rows": len(rows), "state_bits": _bits(len(rows))}


def _automaton(given: dict[str, Any]) -> bool:
    task, witness, claims = given["task"], given["witness"], given["claims"]
    table, accepting = np.array(witness["table"]), np.array(witness["accepting"], dtype=bool)
    dfa = DFA(table, witness["start"], accepting)
    language = BoundedDyck(2, task["kinds"], task["depth"])
    assert table.shape[1] == 2 * task["kinds"]
    for length in range(LONGEST_WORD + 1):
        for word in itertools.product(range(2 * task["kinds"]), repeat=length):
            if dfa.accepts(word) != bool(language.solve(word)):
                return False
    states = len(dfa.minimal().table)
    live = int(dfa.live().sum())
    return len(table) == states and claims == {"live_states": live, "state_bits": _bits(states), "states": states}


def as_network(given: dict[str, Any]) -> Network:
    witness = given["witness"]
    grid = Grid(witness["steps"], *given["rounding"].split())

    def array(value: list) -> Array:
        return Array(np.array(value, dtype=np.int64), Fraction(1, grid.steps))

    def mixer(layer: dict[str, Any]) -> AttentionLayer | LinearLayer:
        if "recurrent" in layer["heads"][0]:
            [head] = layer["heads"]
            return LinearLayer(*(array(head[name]) for name in ("recurrent", "input", "output")))
        heads = [Head(*(array(head[name]) for name in ("query", "key", "value", "output"))) for head in layer["heads"]]
        return AttentionLayer(tuple(heads), bool(layer["causal"]))

    def part(layer: dict[str, Any]) -> FeedForward | GatedFeedForward:
        names = ("inner", "inner_bias", "outer", "outer_bias")
        if "gate" in layer:
            return GatedFeedForward(*(array(layer[name]) for name in ("gate", "gate_bias", *names)))
        return FeedForward(*(array(layer[name]) for name in names))

    layers = tuple((mixer(layer), part(layer)) for layer in witness["layers"])
    return Network(
        "given",
        grid,
        {},
        array(witness["symbols"]),
        layers,
        array(witness["readout"]),
        array(witness["readout_bias"]),
        positions=array(witness["positions"]),
    )


def _network(given: dict[str, Any]) -> bool:
    f, witness, claims, network = Function(given["task"]), given["witness"], given["claims"], as_network(given)
    execution = run(network, np.array(witness["inputs"], dtype=np.int64), at=-1)
    right = [f(word) for word in witness["inputs"]] == witness["answers"] == execution.answers[:, 0].tolist()
    different = len({tuple(word) for word in witness["inputs"]}) == len(witness["inputs"])
    sizes = _sizes(f, witness, network)
    precise = given["precision"] == network.precision
    sure = bool(execution.unique_argmax.all())
    return (
        right and sure and different and _is_of_its_theorem(given, network, witness["answers"]) and precise and claims == sizes
    )


def _is_of_its_theorem(given: dict[str, Any], network: Network, values: list[Any]) -> bool:
    """The layers that a theorem names, all causal, and two answers; nothing for a general name."""
    layers = LAYERS.get(given["theorem"])
    if layers is None:
        return given["theorem"] in ("built-network", "built-generator")
    found = "".join("r" if isinstance(mixer, LinearLayer) else "a" for mixer, _ in network.layers)
    return network.causal and found == layers and any(value != values[0] for value in values)


def _generated_run(given: dict[str, Any]) -> bool:
    """By decoding token by token; a network with fewer positions than decoding asks for is run without its last token."""
    f, witness, claims, network = Function(given["task"]), given["witness"], given["claims"], as_network(given)
    ends = GENERATED[f.name].ends(given["task"]) if f.name in GENERATED else set()
    for word, answer in zip(witness["inputs"], witness["answers"], strict=True):
        finds = _retriever(given["task"])
        if generate(network, word, ends, most=len(answer), retriever=finds and finds.behind(len(word))) != answer:
            return False
        inserted = finds.inserted([*word, *answer], len(word)) if finds else [False] * len(word + answer)
        told = GENERATED[f.name].told(given["task"], answer, inserted[len(word) :]) if f.name in GENERATED else answer[-1]
        if f(word) != told or (ends and answer[-1] not in ends):
            return False
    values = witness["answers"] if f.name.startswith("turing-machine") else [answer[-1] for answer in witness["answers"]]
    return (
        all(layer["causal"] == 1 for layer in witness["layers"])
        and _is_of_its_theorem(given, network, values)
        and len({tuple(word) for word in witness["inputs"]}) == len(witness["inputs"])
        and given["precision"] == network.precision
        and claims == _sizes(f, witness, network)
    )


def _retriever(task: dict[str, Any]) -> Retriever | None:
    made = GENERATED[task["name"]].retriever if task["name"] in GENERATED else None
    return made(task) if made else None


def _sizes(f: Function, witness: dict[str, Any], network: Network) -> dict[str, int]:
    return {
        "all": int(f.inputs == len(witness["inputs"])),
        "heads": network.heads,
        "inputs": len(witness["inputs"]),
        "layers": len(network.layers),
        "width": network.width,
    }


def holds(given: dict[str, Any]) -> bool:
    """Raises an error if the certificate is no such thing."""
    truth = {
        "fooling-set": _fooling,
        "distinguishing-table": _distinguishing,
        "automaton": _automaton,
        "state-collision": collision,
        "network": _network,
        "generated-run": _generated_run,
    }
    assert given["type"] in truth
    has_numbers = given["type"] in ("network", "generated-run")
    is_collision = given["type"] == "state-collision"
    assert given["rounding"] == "none" or has_numbers or is_collision
    return truth[given["type"]](given) and (has_numbers or is_collision or given["precision"] == 0)
