"""A network with its inputs and answers, as the file shows it, and the checker's work on it."""

import math
from collections import Counter
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.network import AttentionLayer, FeedForward, GatedFeedForward, Head, LinearLayer, MixingLayer, Network
from seqsep.theorems.certificate._record import WitnessRecord, alphabets, cost, queries
from seqsep.theorems.evidence import Evidence, GeneratedRun, NetworkRun

MOST_STEPS = 1 << 100


def of_network(call: str, evidence: Evidence, witness: NetworkRun) -> WitnessRecord:
    return _run(call, evidence, witness, witness.inputs, answers=witness.answers.tolist())


def of_generated_run(call: str, evidence: Evidence, witness: GeneratedRun) -> WitnessRecord:
    if not witness.network.causal:
        raise ValueError(f"{call}: expected a causal network, found one that reads what comes later")
    return _run(call, evidence, witness, witness.prompts, answers=witness.generated)


def _run(
    call: str,
    evidence: Evidence,
    witness: NetworkRun | GeneratedRun,
    inputs: Int64[np.ndarray, "batch time"],
    *,
    answers: list[Any],
) -> WitnessRecord:
    """A network with inputs and its answers: one class each, or the tokens that it generates."""
    network = witness.network
    grid = network.grid
    if grid.steps > MOST_STEPS:
        raise ValueError(f"{call}: 2^{grid.steps.bit_length() - 1} steps a unit, at most 2^100")
    if network.symbols is None:
        raise ValueError(f"{call}: no form for inputs that are vectors")
    layers = [_layer(call, network, mixer, feed_forward) for mixer, feed_forward in network.layers]
    symbols = _steps(network, network.symbols)
    if network.indices is not None:
        symbols = symbols + _steps(network, network.indices)
    lengths = [len(answer) if isinstance(answer, list) else 1 for answer in answers]
    time = inputs.shape[1] + max(lengths) - 1
    positions = [[0] * network.width] * time
    if network.positions is not None:
        positions = _steps(network, network.positions)[:time]
    shown = {
        "answers": answers,
        "inputs": inputs.tolist(),
        "layers": layers,
        "positions": positions,
        "readout": _steps(network, network.readout),
        "readout_bias": _steps(network, network.readout_bias),
        "steps": grid.steps,
        "symbols": symbols,
    }
    claims = {
        "all": int(len(inputs) == math.prod(alphabets(evidence))),
        "heads": max(len(layer["heads"]) for layer in layers),
        "inputs": len(inputs),
        "layers": len(layers),
        "width": network.width,
    }
    work = sum(
        count * (cost(evidence) + _work_of_a_run(network, layers, inputs.shape[1], asked))
        for asked, count in Counter(lengths).items()
    )
    written = [answer for answer in answers if isinstance(answer, list)]
    work += sum(queries(evidence, answer) * (inputs.shape[1] + len(answer)) for answer in written)
    return WitnessRecord(
        "generated-run" if isinstance(witness, GeneratedRun) else "network",
        shown,
        claims,
        -(-work * (16 + grid.steps.bit_length()) // 16),
        precision=grid.precision,
        rounding=f"{grid.rounding} {grid.softmax}",
    )


def _steps(network: Network, array: Array) -> Any:
    """An array's numbers in steps of the network's grid, as lists."""
    return array.of_unit(network.grid.step).integers.tolist()


def _layer(
    call: str, network: Network, mixer: MixingLayer, feed_forward: FeedForward | GatedFeedForward | None
) -> dict[str, Any]:
    """A layer as the file shows it; without a feed-forward part, with one that adds 0."""
    if isinstance(mixer, AttentionLayer):
        causal = mixer.causal
        heads = [_matrices(network, head, ("key", "output", "query", "value")) for head in mixer.heads]
    elif isinstance(mixer, LinearLayer):
        causal = True
        heads = [_matrices(network, mixer, ("input", "output", "recurrent"))]
    else:
        raise ValueError(f"{call}: no form for a {type(mixer).__name__}; layers are of attention or linear")
    added = {
        "inner": [[0] * network.width],
        "inner_bias": [0],
        "outer": [[0]] * network.width,
        "outer_bias": [0] * network.width,
    }
    if feed_forward is not None:
        gate = ("gate", "gate_bias") if isinstance(feed_forward, GatedFeedForward) else ()
        added = _matrices(network, feed_forward, (*added, *gate))
    return {"causal": int(causal), "heads": heads, **added}


def _matrices(
    network: Network, part: Head | LinearLayer | FeedForward | GatedFeedForward, names: tuple[str, ...]
) -> dict[str, Any]:
    """The arrays of a part of a layer, by name."""
    return {name: _steps(network, getattr(part, name)) for name in names}


def _work_of_a_run(network: Network, layers: list[dict[str, Any]], prompt: int, asked: int) -> int:
    """The checker's work on a prompt and `asked` tokens after it, without the factor for long numbers."""
    width = network.width
    time = prompt + asked - 1
    work = asked * _product(len(network.readout.integers), width)
    for number, layer in enumerate(layers, start=1):
        places = range(prompt - 1 if number == len(layers) else 0, time)
        hidden = len(layer["inner"])
        in_feed_forward = _product(hidden, width) * (2 if "gate" in layer else 1) + _product(width, hidden)
        written = sum(len(head["output"][0]) for head in layer["heads"])
        work += len(places) * (in_feed_forward + _product(width, written))
        for head in layer["heads"]:
            work += _work_of_a_head(network, head, time, [place + 1 if layer["causal"] else time for place in places])
    return work


def _work_of_a_head(network: Network, head: dict[str, Any], time: int, seen: list[int]) -> int:
    """Return the work of one head on `time` tokens at the queried places, each of which reads its number of tokens in
    `seen`.
    """
    written = len(head["output"][0])
    if "recurrent" in head:
        return time * _product(written, written + network.width)
    keys = len(head["key"])
    weight = 1600 if network.grid.softmax == "once" else 400
    of_all = time * (_product(keys, network.width) + _product(written, network.width))
    of_asked = len(seen) * _product(keys, network.width)
    return of_all + of_asked + sum(_product(read, keys) + read * weight + _product(written, read) for read in seen)


def _product(rows: int, columns: int) -> int:
    """The work of a matrix times a vector."""
    return rows * (columns + 12)
