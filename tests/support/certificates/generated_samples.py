"""Small certificates of generated runs that hold: built networks on every prompt, and weights that mean nothing."""

import itertools
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.generation import generate
from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head, LinearLayer, Network
from seqsep.theorems.certificate import certificate, certify
from seqsep.theorems.evidence import Evidence, GeneratedRun
from seqsep.theorems.is_tree import peeling
from seqsep.theorems.retrieval import counting_attention, recall_attention

NO, YES = 4, 5  # of two vertices
SEEDS = {  # for which some prompts are answered right, found by search
    ("floor", "stepwise"): (363, 395),
    ("floor", "once"): (300, 19),
    ("nearest", "stepwise"): (363, 19),
    ("nearest", "once"): (363, 19),
}


def generated_samples() -> dict[str, bytes]:
    """Name -> bytes."""
    made = {"generated-run: tree": peeled(), "generated-run: recall": recalled(2, 2), "generated-run: trigram": recalled(3, 3)}
    for (rounding, softmax), (linear, attention) in SEEDS.items():
        made[f"generated-run: linear, {rounding} {softmax}"] = random_tree(linear, Grid(100, rounding, softmax), True)
        made[f"generated-run: attention, {rounding} {softmax}"] = random_tree(attention, Grid(100, rounding, softmax), False)
    made["generated-run: circuit"] = certify("circuits-attention", length=2)
    made["generated-run: machine"] = certify("turing-machine-hybrid", machine="busy-beaver-3", length=1, steps=3)
    made["generated-run: machine, queries"] = certify("turing-machine-retrieval", machine="busy-beaver-3", length=1, steps=3)
    made["generated-run: machine, numbers"] = certify(
        "turing-machine-recurrent", machine="busy-beaver-3", length=2, cells=3, steps=3
    )
    made["generated-run: pattern"] = certify("retrieval-by-pattern", length=2, alphabet=2)
    for question in ("index", "counting"):
        made[f"generated-run: pattern, {question}"] = certify("retrieval-by-pattern", length=2, question=question)
    made["generated-run: walk"] = certify("is-tree-walk", graphs=4)
    made["generated-run: rounding counts"] = certify("counting-one-layer", length=1, alphabet=2)
    made["generated-run: counting"] = random_counting()
    made["generated-run: above"] = counted()
    return made


def tree_prompts() -> list[list[int]]:
    """Every edge of two vertices, loops too."""
    return [[0, u, 3, v] for u, v in itertools.product((1, 2), repeat=2)]


def tree_value(prompt: list[int]) -> int:
    return YES if prompt[1] != prompt[3] else NO


def _evidence(task: str, parameters: dict[str, Any], network: Network, runs: list[tuple[list[int], list[int]]]) -> bytes:
    prompts = np.array([prompt for prompt, _ in runs])
    witness = GeneratedRun(network, prompts, [written for _, written in runs])
    named = {"is-tree": "is-tree-peeling", "ngram": "recall-attention"}
    theorem = named.get(task, "") if network.name != "random" else ""
    return certificate(theorem, Evidence(task, parameters, witness))


def peeled() -> bytes:
    """Leaf peeling on two vertices."""
    network = peeling.build(2)
    runs = [(prompt, generate(network, prompt, {NO, YES}, most=6)) for prompt in tree_prompts()]
    return _evidence("is-tree", {"vertices": 2}, network, runs)


def recalled(length: int, gram: int) -> bytes:
    """Recall of two symbols, every sequence and every question."""
    network = recall_attention.build(length, 2, gram)
    prompts = [[0, *word] for word in itertools.product((1, 2), repeat=length + gram - 1)]
    runs = [(prompt, generate(network, prompt, {0, 1, 2}, most=1)) for prompt in prompts]
    return _evidence("ngram", {"alphabet": 2, "gram": gram, "length": length}, network, runs)


def counted() -> bytes:
    """Counting of one number out of two, every question."""
    return certificate("counting-attention", counting_attention.THEOREM.certificate_witness(length=1, alphabet=2))


def random_generator(seed: int, grid: Grid, *, tokens: int, longest: int, is_linear: bool) -> Network:
    """Two layers of random weights; the first is a recurrence, or a head."""
    random = np.random.default_rng(seed)
    steps = (16, 100)[seed % 2]
    own = Grid(steps, grid.rounding, grid.softmax)

    def fine(*shape: int) -> Array:
        return Array(random.integers(-2 * steps, 2 * steps + 1, size=shape), own.step)

    heads = tuple(Head(fine(2, 3), fine(2, 3), fine(2, 3), fine(3, 2)) for _ in range(2))
    part = FeedForward(fine(4, 3), fine(4), fine(3, 4), fine(3))
    first = LinearLayer(fine(2, 2), fine(2, 3), fine(3, 2)) if is_linear else AttentionLayer(heads[:1])
    return Network(
        name="random",
        grid=own,
        spaces={},
        symbols=fine(tokens, 3),
        layers=((first, part), (AttentionLayer(heads), None)),
        readout=fine(tokens, 3),
        readout_bias=fine(tokens),
        positions=fine(longest, 3),
    )


def right_runs(
    network: Network, prompts: list[list[int]], value: Callable[[list[int]], int], ends: Collection[int], most: int
) -> list[tuple[list[int], list[int]]]:
    """The prompts after which the network writes the value, with what it writes."""
    runs = []
    for prompt in prompts:
        try:
            written = generate(network, prompt, ends, most)
        except ValueError:  # a tie
            continue
        if written[-1] == value(prompt):
            runs.append((prompt, written))
    return runs


def random_tree(seed: int, grid: Grid, is_linear: bool) -> bytes:
    """Weights that mean nothing, on those of four prompts that they happen to answer right."""
    network = random_generator(seed, grid, tokens=7, longest=8, is_linear=is_linear)
    runs = right_runs(network, tree_prompts(), tree_value, ends={NO, YES}, most=5)
    assert len({written[-1] for _, written in runs}) == 2
    assert max(len(written) for _, written in runs) > 1
    return _evidence("is-tree", {"vertices": 2}, network, runs)


def random_counting() -> bytes:
    """As `random_tree`, on two symbols and a question."""
    network = random_generator(1, Grid(100), tokens=4, longest=5, is_linear=True)
    prompts = [[0, *word, more] for word in itertools.product((1, 2), repeat=3) for more in (1, 2)]
    runs = right_runs(network, prompts, lambda prompt: int(prompt[1:3].count(prompt[3]) >= prompt[4]), {0, 1, 2, 3}, most=1)
    assert len(runs) >= 4
    return _evidence("counting", {"alphabet": 2, "length": 2}, network, runs)
