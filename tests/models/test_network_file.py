"""Networks in files: the same network comes back from each format, and what is no such file is refused in one line."""

import dataclasses
import json

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

import seqsep
from seqsep.core.names import BadInput
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import Array, Network
from seqsep.theorems import BY_NAME, build
from seqsep.theorems.circuits import circuit_of
from seqsep.theorems.circuits._circuit import PARITY
from seqsep.theorems.circuits.attention import THEOREM as CIRCUITS
from seqsep.theorems.retrieval.by_pattern import CLAIM as PATTERN
from seqsep.theorems.turing_machine._machine_file import SHIPPED, machine_of
from seqsep.theorems.turing_machine.hybrid import CLAIM as HYBRID
from support.command_line import call

BUILT = {
    "index-lookup-attention": {"length": 8, "alphabet": 4},
    "index-lookup-hybrid": {"length": 8, "alphabet": 4},
    "retrieval-by-pattern": {"question": "recall", "alphabet": 4},
    "nearest-neighbor-two-layers": {"length": 6},
    "bounded-dyck-attention": {"length": 6},
    "is-tree-walk": {"length": 5},
    "counting-one-layer": {"length": 6, "alphabet": 3},
    "turing-machine-recurrent": {"machine": machine_of("busy-beaver-3"), "length": 0, "cells": 4},
}
SUFFIXES = (".safetensors", ".npz", ".json")


def alike(first: Network, second: Network) -> bool:
    arrays = [dict(network.arrays()) for network in (first, second)]
    rest = [dataclasses.replace(network, layers=(), **NOTHING) for network in (first, second)]
    kinds = [[(type(mixer), type(after)) for mixer, after in network.layers] for network in (first, second)]
    return (
        arrays[0].keys() == arrays[1].keys()
        and all(same(arrays[0][name], arrays[1][name]) for name in arrays[0])
        and (rest[0].name, rest[0].grid, dict(rest[0].spaces), rest[0].code_bits)
        == (rest[1].name, rest[1].grid, dict(rest[1].spaces), rest[1].code_bits)
        and kinds[0] == kinds[1]
        and (first.causal, first.ledger(), first.state_bits) == (second.causal, second.ledger(), second.state_bits)
    )


NOTHING = {"indices": None, "positions": None}


def same(first: Array, second: Array) -> bool:
    return (first.unit, first.by_index) == (second.unit, second.by_index) and bool((first.integers == second.integers).all())


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("theorem", BUILT)
def test_the_same_network_comes_back(tmp_path, theorem, suffix):
    network = build(theorem, **BUILT[theorem])
    path = tmp_path / f"network{suffix}"
    seqsep.save_network(path, network)
    assert alike(seqsep.load_network(path), network)
    again = tmp_path / f"again{suffix}"
    seqsep.save_network(again, seqsep.load_network(path))
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_automata_and_numbers_beyond_64_bits(tmp_path, suffix):
    automaton = Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1]))
    great = np.array([1 << 80, -(1 << 70)], dtype=np.object_)
    wide = dataclasses.replace(automaton, grid=Grid(1 << 100), readout_bias=Array(great))
    for network in (automaton, wide):
        seqsep.save_network(tmp_path / f"n{suffix}", network)
        assert alike(seqsep.load_network(tmp_path / f"n{suffix}"), network)


def test_a_loaded_network_prints_as_the_built_one_does(tmp_path):
    network = seqsep.build("index-lookup-attention", length=4)
    seqsep.save_network(tmp_path / "n.npz", network)
    loaded = seqsep.load_network(tmp_path / "n.npz")
    assert repr(loaded) == repr(network)
    assert loaded._repr_html_() == network._repr_html_()
    assert len(repr(loaded).splitlines()) == 2 + len(list(network.arrays()))


def test_it_loads_as_a_module_and_answers_as_the_theorem_says(tmp_path):
    path = tmp_path / "lookup.npz"
    seqsep.save_network(path, build("index-lookup-attention", length=8, alphabet=4))
    model = seqsep.Model.load(seqsep.load_network(path))
    assert isinstance(model, torch.nn.Module)
    batch = seqsep.IndexLookup(length=8, alphabet=4).sample(0, 200, 0)
    answers = model(torch.from_numpy(batch.inputs))[:, -1].argmax(-1)
    assert answers.tolist() == batch.targets[:, -1].tolist()


def header_of(path):
    return json.loads(path.read_text())


CHANGES = {
    "another format": (lambda header: header | {"format": "other"}, "format: expected 'seqsep network 1', found 'other'"),
    "no readout": (lambda header: without(header, "readout"), "a field or an array is missing: 'readout'"),
    "an array of no layer": (
        lambda header: header | {"arrays": header["arrays"] | {"other": header["arrays"]["readout"]}},
        "arrays: other belongs to no layer",
    ),
    "another shape": (
        lambda header: reshaped(header, "readout_bias", [2, 2]),
        "readout_bias: expected shape (4,), found (2, 2)",
    ),
    "a number off the grid": (lambda header: with_unit(header, "readout", "1/7"), "not all on the grid"),
    "a unit of nothing": (lambda header: with_unit(header, "readout", "1/0"), "unit: expected a fraction above 0"),
    "a unit of a billion digits": (lambda header: with_unit(header, "readout", "1e999999999"), "found '1e999999999'"),
    "a negative unit": (lambda header: with_unit(header, "readout", "-1"), "unit: expected a fraction above 0"),
    "a precision of another grid": (
        lambda header: header | {"grid": header["grid"] | {"precision": 3}},
        "grid: precision: expected 14 bits for these steps, found 3",
    ),
    "an unknown rounding": (lambda header: header | {"grid": header["grid"] | {"rounding": "up"}}, "grid: rounding: expected"),
    "steps of 9,000 bits": (
        lambda header: header | {"grid": header["grid"] | {"steps": 1 << 9000}},
        "grid: steps: expected a whole number from 2 of at most 8192 bits",
    ),
    "an unknown mixer": (
        lambda header: with_mixer(header, kind="other"),
        "mixer: expected attention, automaton, elman or linear",
    ),
    "no heads": (lambda header: with_mixer(headless(header), heads=0), "expected a head or more"),
    "fewer heads": (lambda header: with_mixer(header, heads=0), "belongs to no layer"),
    "a space beyond the width": (lambda header: header | {"spaces": {"x": [0, 99]}}, "spaces: x: expected coordinates of 0 to"),
    "a list": (lambda header: [header], "expected a network of seqsep export-network"),
}


def without(header, name):
    return header | {"arrays": {key: entry for key, entry in header["arrays"].items() if key != name}}


def reshaped(header, name, shape):
    return header | {"arrays": header["arrays"] | {name: header["arrays"][name] | {"shape": shape}}}


def with_unit(header, name, unit):
    return header | {"arrays": header["arrays"] | {name: header["arrays"][name] | {"unit": unit}}}


def headless(header):
    return header | {"arrays": {name: entry for name, entry in header["arrays"].items() if ".heads." not in name}}


def with_mixer(header, **changes):
    (layer,) = header["layers"]
    return header | {"layers": [layer | {"mixer": layer["mixer"] | changes}]}


@pytest.mark.parametrize("change", CHANGES)
def test_what_does_not_fit_is_refused(tmp_path, change):
    path = tmp_path / "network.json"
    seqsep.save_network(path, build("index-lookup-attention", length=8, alphabet=4))
    changed, why = CHANGES[change]
    path.write_text(json.dumps(changed(header_of(path))))
    with pytest.raises(BadInput) as refused:
        seqsep.load_network(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("data", [b"", b"\0" * 64, b"PK\3\4", b"[" * 100_000, b"{}", b'\x08\0\0\0\0\0\0\0{"a": 1}'])
def test_what_is_no_network_is_refused(tmp_path, suffix, data):
    path = tmp_path / f"n{suffix}"
    path.write_bytes(data)
    with pytest.raises(BadInput, match="expected a network of seqsep export-network"):
        seqsep.load_network(path)


def test_safetensors_of_something_else_and_floats_are_refused(tmp_path):
    save_file({"a": np.zeros(3)}, tmp_path / "n.safetensors")
    with pytest.raises(BadInput, match="expected a network"):
        seqsep.load_network(tmp_path / "n.safetensors")
    np.savez(tmp_path / "n.npz", network=np.array([{"a": 1}], dtype=object))
    with pytest.raises(BadInput, match="allow_pickle"):
        seqsep.load_network(tmp_path / "n.npz")
    with pytest.raises(BadInput, match=r"expected a name that ends in \.safetensors, \.npz, \.json"):
        seqsep.load_network(tmp_path / "n.pt")


def test_every_network_that_flags_describe_is_exported(tmp_path, capsys):
    """Each theorem that needs a length alone; the line says what was written, and the file holds that network."""
    written = []
    for theorem in BY_NAME.values():
        path = tmp_path / f"{theorem.name}.npz"
        status, out, error = call(capsys, "export-network", theorem.name, "--length", "6", "-o", str(path))
        if status == 0:
            written.append(theorem.name)
            network = seqsep.load_network(path)
            layers = "1 layer" if len(network.layers) == 1 else f"{len(network.layers)} layers"
            assert f": {layers}, width {network.width}, {network.precision} bits a number" in out
        else:
            assert not path.exists()
            assert error.count("\n") == 1
    assert set(written) >= {"index-lookup-attention", "equality-two-layers", "is-tree-tour", "counting-hybrid"}
    assert len(written) > 12


@pytest.mark.parametrize(
    ("name", "words", "options"),
    [
        ("turing-machine-hybrid", ["--length", "4", "--steps", "9"], {"length": 4, "steps": 9}),
        ("turing-machine-recurrent", ["--length", "2", "--cells", "3"], {"length": 2, "cells": 3}),
        ("turing-machine-retrieval", ["--steps", "9"], {"steps": 9}),
    ],
)
def test_the_network_of_a_machine_is_exported(tmp_path, capsys, name, words, options):
    """A shipped machine by name, and the same one from a file."""
    file = tmp_path / "mine.json"
    file.write_bytes((SHIPPED / "binary-increment.json").read_bytes())
    expected = build(name, machine=machine_of("binary-increment"), **options)
    for machine in ("binary-increment", str(file)):
        path = tmp_path / "n.npz"
        status, _, error = call(capsys, "export-network", name, *words, "--machine", machine, "-o", str(path))
        assert status == 0, error
        assert alike(seqsep.load_network(path), expected)


def test_the_network_of_a_circuit_and_of_a_question(tmp_path, capsys):
    file = tmp_path / "parity.json"
    file.write_text(json.dumps(PARITY))
    path = tmp_path / "n.npz"
    words = ("export-network", CIRCUITS.name, "--length", "3", "--circuit", str(file), "-o", str(path))
    assert call(capsys, *words)[0] == 0
    assert alike(seqsep.load_network(path), build(CIRCUITS.name, circuit=circuit_of(file), length=3))
    words = ("export-network", PATTERN.name, "--question", "recall", "--alphabet", "5", "-o", str(path))
    assert call(capsys, *words)[0] == 0
    assert alike(seqsep.load_network(path), build(PATTERN.name, question="recall", alphabet=5))
    with pytest.raises(SystemExit):
        call(capsys, "export-network", CIRCUITS.name, "--help")
    assert "--circuit     file, required. A JSON file with the circuit." in capsys.readouterr().out


def test_what_cannot_be_exported_says_why(capsys):
    for words, why in {
        ("index-lookup-state", "--length", "6", "-o", "n.npz"): "builds no network; these have one: index-lookup-attention",
        (CIRCUITS.name, "--length", "3", "-o", "n.npz"): "--circuit",
        (CIRCUITS.name, "--length", "3", "--circuit", "absent.json", "-o", "n.npz"): "absent.json",
        (HYBRID.name, "--length", "3", "--steps", "9", "--machine", "absent", "-o", "n.npz"): "binary-increment",
        (PATTERN.name, "--alphabet", "3", "--question", "idnex", "-o", "n.npz"): "question is one of index, recall, counting",
        ("index-lookup-attention", "--length", "6"): "expected -o FILE",
        ("index-lookup-attention", "--length", "6", "-o", "n.txt"): "expected a name that ends in",
        ("index-lookup-attention", "-o", "n.npz"): "--length",
    }.items():
        status, _, error = call(capsys, "export-network", *words)
        assert status == 2
        assert why in error
