"""seqsep from Python: what a user sees of it, and how what is returned is shown."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import seqsep
from seqsep.core.names import BadInput
from seqsep.core.tables import SHOWN_ROWS, Tabular
from seqsep.lab.row import Row, read_rows
from seqsep.lab.train import Point, Result
from seqsep.models.mixers import LSTM

ROOT = Path(__file__).parents[1]


def test_dir_and_help_show_the_public_names():
    assert set(seqsep.__all__) <= set(dir(seqsep))
    assert {"Run", "train", "check", "analyze", "classify", "certify", "ceiling", "build", "save", "load", "read_rows"} <= set(
        dir(seqsep)
    )
    assert all(getattr(seqsep, name).__doc__ for name in seqsep.__all__)
    assert not {"Any", "TYPE_CHECKING", "import_module", "ModuleType"} & set(dir(seqsep))
    shown = subprocess.run([sys.executable, "-c", "help('seqsep')"], capture_output=True, text=True, check=True).stdout
    assert "first_bitten_length" in shown
    assert "IsTree" in shown
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        _ = seqsep.trian


def test_type_checkers_see_every_public_name():
    """The names imported for them are those that `__getattr__` gives; mypy checks tests/typed_user.py, a user's file."""
    tree = ast.parse((ROOT / "src/seqsep/__init__.py").read_text(encoding="utf-8"))
    imported = {alias.name: node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    homes = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "_HOMES")
    assert {name: imported.get(name) for name in seqsep.__all__} == ast.literal_eval(homes)


@pytest.mark.unchecked
def test_numbers_of_numpy_are_pythons_numbers():
    """An int64 would overflow where a formula grows: 64 symbols at 20 places are 2^120 lists."""
    task = seqsep.IndexLookup(length=np.int64(20), alphabet=np.int32(64))
    assert (type(task.length), type(task.alphabet), task.answer_bits()) == (int, int, 120)
    run = seqsep.Run(task, ("lstm",), width=np.int64(8), learning_rate=np.float32(0.5))
    assert run.key() == seqsep.Run(seqsep.IndexLookup(20, 64), ("lstm",), width=8, learning_rate=0.5).key()
    tree = seqsep.IsTree(np.int16(8))
    assert type(tree.length) is int
    found = seqsep.analyze(lambda word: sum(word) % 2, np.arange(2, 5))
    assert [type(one.length) for one in found.lengths] == [int] * 3


@pytest.mark.parametrize("name", [5, None, ["parity-recurrent"], object], ids=repr)
@pytest.mark.parametrize("ask", [seqsep.check, seqsep.bound, seqsep.build], ids=lambda ask: ask.__name__)
@pytest.mark.unchecked
def test_a_theorem_that_is_no_name_is_refused(ask, name):
    with pytest.raises(BadInput, match="theorem: expected a name, such as index-lookup-state, or a Theorem, found"):
        ask(name)


@pytest.mark.unchecked
def test_theorems_take_numbers_of_numpy():
    """As Python's: they grow where an int64 would wrap, and none passes a limit."""
    length, alphabet = np.array([6, 4])
    sizes = {"length": int(length), "alphabet": int(alphabet)}
    name = "index-lookup-attention"
    assert seqsep.bound(name, length=length, alphabet=alphabet) == seqsep.bound(name, **sizes)
    assert repr(seqsep.build(name, length=length, alphabet=alphabet)) == repr(seqsep.build(name, **sizes))
    assert seqsep.check(name, length=length, alphabet=alphabet, code="parabola") == seqsep.check(name, **sizes, code="parabola")
    question = ['{"symbols": [3, 1, 2], "position": 2}']
    assert list(seqsep.apply(name, question, length=length, alphabet=alphabet)) == [1]
    assert seqsep.certify("index-lookup-state", length=np.int64(5)) == seqsep.certify("index-lookup-state", length=5)
    for function in (seqsep.check, seqsep.build, seqsep.bound, seqsep.certify):
        with pytest.raises(ValueError, match="length is 1 to 65,536, found 10,000,000"):
            function(name, length=np.int64(10**7))


@pytest.mark.unchecked
def test_layers_may_be_classes(tmp_path):
    task = seqsep.IndexLookup(5)
    assert seqsep.Run(task, (LSTM,), width=8).key() == seqsep.Run(task, ("lstm",), width=8).key()
    file = ROOT / "examples/own_layer.py"
    own = __import__("runpy").run_path(str(file))
    name = next(name for name, value in own.items() if isinstance(value, type) and issubclass(value, torch.nn.Module))
    sys.path.insert(0, str(file.parent))
    try:
        layer = getattr(__import__("own_layer"), name)
    finally:
        sys.path.pop(0)
    assert seqsep.Run(task, (layer,), width=8) == seqsep.Run(task, (f"{file}:{name}",), width=8)
    inner = type("Inner", (torch.nn.Module,), {"__module__": "nowhere"})
    with pytest.raises(ValueError, match="layer Inner: expected a class at the top of a Python file"):
        seqsep.Run(task, (inner,), width=8)


def test_what_is_returned_prints_as_a_table():
    outcomes = seqsep.check("index-lookup-state", length=4, alphabet=3)
    assert repr(outcomes).splitlines()[1].split() == [
        "index-lookup-state",
        "upper",
        "-",
        "4",
        "state_bits",
        "7",
        "7",
        "324",
        "True",
    ]
    constants = seqsep.bound("index-lookup-state", length=100, alphabet=64)
    assert (repr(constants), constants) == ("size        number\nstate_bits     600", {"state_bits": 600})
    majority = seqsep.analyze(lambda word: 2 * sum(word) > len(word), [2, 4])
    assert [line.split()[:4] for line in str(majority).splitlines()[2:]] == [["2", "1", "1", "2"], ["4", "2", "2", "3"]]
    rows = read_rows(ROOT / "results/is-tree.jsonl")
    assert len(str(rows).splitlines()) == 1 + min(len(rows), SHOWN_ROWS + 1)
    assert "attention+attention" in str(rows)


def test_a_built_network_prints_as_a_table_of_its_arrays():
    network = seqsep.build("index-lookup-attention", length=6, alphabet=4)
    title, headings, *rows = repr(network).splitlines()
    assert title == f"index-lookup-attention-parabola: 1 layer, width 6, {network.precision} bits a number"
    assert headings.split() == ["array", "shape", "numbers", "not_zero", "unit"]
    assert [row.split()[0] for row in rows] == [name for name, _ in network.arrays()]
    assert sum(record["numbers"] for record in network.records()) == sum(array.integers.size for _, array in network.arrays())
    assert network._repr_html_().startswith(f"<p>{title}</p><table>")


def test_a_long_curve_is_cut_in_its_middle():
    curve = tuple(Point(step, 0.25, 1.0) for step in range(1, 101))
    result = Result("finished", 100, 0.25, 0.5, curve, (64, 8), 1000)
    lines = repr(result).splitlines()
    assert lines[0] == "finished at step 100: accuracy 25.00% (50.00% at best), 1,000 parameters, 64 + 8 N state bits"
    assert len(lines) == 2 + SHOWN_ROWS + 1
    assert lines[12].split() == ["..", "..", ".."]
    assert len(result.records()) == 100


class Quoted(Tabular):
    def title(self):
        return "<title>"

    def records(self):
        return [{"<b>": "<script>", "n": None}]


def test_html_is_escaped():
    assert Quoted()._repr_html_() == (
        "<p>&lt;title&gt;</p><table><thead><tr><th>&lt;b&gt;</th><th>n</th></tr></thead>"
        "<tbody><tr><td>&lt;script&gt;</td><td>-</td></tr></tbody></table>"
    )


def test_a_frame_has_every_row_where_pandas_is_there(monkeypatch):
    class Frame(list):
        @classmethod
        def from_records(cls, records):
            return cls(records)

    pandas = type(sys)("pandas")
    pandas.DataFrame = Frame
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    row = Row("trial", "0" * 64, {"question": 1}, {"status": "finished", "accuracy": 1.0}, {})
    assert Quoted().to_frame() == [{"<b>": "<script>", "n": None}]
    assert seqsep.Rows([row] * 50).to_frame()[49]["accuracy"] == 1.0
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"Quoted.to_frame\(\): expected pandas, found none: pip install pandas"):
        Quoted().to_frame()


def test_a_theorem_s_network_is_a_module():
    network = seqsep.build("index-lookup-attention", length=6, alphabet=4)
    module = seqsep.Model.load(network)
    tokens = torch.tensor([[3, 1, 2, 0, 1, 2, 4 + 1]])  # six symbols, then the position of the second
    assert module(tokens)[0, -1].argmax() == 1
    with pytest.raises(
        ValueError, match=r"build\('equality-state'\): expected a theorem that builds a network: index-lookup-attention"
    ):
        seqsep.build("equality-state", length=4)
    with pytest.raises(ValueError, match=r"build\('equality-two-layers', lenght=...\): options are length, alphabet"):
        seqsep.build("equality-two-layers", lenght=4)
    with pytest.raises(ValueError, match="did you mean index-lookup-attention"):
        seqsep.build("index-lookup-atention")


@pytest.mark.unchecked
def test_ceilings_take_numbers_of_numpy():
    task = seqsep.IndexLookup(length=np.int64(20))
    bits = np.int64(100)
    assert seqsep.ceiling(task, state_bits=bits) == seqsep.ceiling(seqsep.IndexLookup(length=20), state_bits=100)
    assert seqsep.first_bitten_length(task, bits, np.int32(0)) == seqsep.first_bitten_length(task, 100)
    assert seqsep.least_state_bits(task, np.float64(0.9)) == seqsep.least_state_bits(task, 0.9)
    assert seqsep.longest(task, bits, np.float32(0.5)) == seqsep.longest(task, 100, 0.5)


@pytest.mark.unchecked
def test_what_is_meant_is_said_for_a_path_or_a_name():
    task = seqsep.IndexLookup(length=5)
    with pytest.raises(TypeError, match=r"Model.load\(str\): expected a network.*seqsep.load_network\(FILE\)"):
        seqsep.Model.load("lookup.npz")
    with pytest.raises(ValueError, match=r"expected a task, as seqsep.IndexLookup.*, found 'index-lookup'"):
        seqsep.Run("index-lookup", ("lstm",), width=8)
    with pytest.raises(ValueError, match=r"expected a model, as seqsep.load.*, found 'model.safetensors'"):
        seqsep.worst_case("model.safetensors", task)
    assert seqsep.analyze(lambda word: word[0], [2, 4], alphabet=3).lengths[0].classes == 3
