"""Short forms: a store in place of an action, a formula as a flag, and the folder of a wrong name's package."""

import functools
from pathlib import Path

import pytest

import seqsep
from seqsep import theorems
from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.maths import formulas

CNF = "p cnf 3 2\n1 2 0\n-1 3 0\n"


def test_a_store_alone_is_shown(tmp_path, capsys):
    path = tmp_path / "store.sqlite"
    with Store(path):
        pass
    assert main(["store", str(path)]) == 0
    alone = capsys.readouterr().out
    assert main(["store", "show", str(path)]) == 0
    assert capsys.readouterr().out == alone
    assert alone.startswith(f"{path}: sound; 0 rows")
    assert main(["store", f"{path}.none"]) == 2
    assert "expected show, repair, import" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["majority:6", "FILE"])
def test_a_formula_is_exported_from_the_command_line(given, tmp_path, capsys):
    (tmp_path / "some.cnf").write_text(CNF)
    words = ["export-network", "sparse-threshold-two-layers", "--formula", given.replace("FILE", f"{tmp_path}/some.cnf")]
    assert main([*words, "-o", f"{tmp_path}/network.json"]) == 0
    formula = formulas.majority(6) if given == "majority:6" else formulas.dimacs(CNF)
    expected = seqsep.build("sparse-threshold-two-layers", formula=formula)
    assert seqsep.load_network(tmp_path / "network.json").records() == expected.records()


@pytest.mark.parametrize(
    "given", ["majority", "majority:0", "majority:257", "minority:3", "none.cnf", "majority:x", "equality:3"]
)
def test_wrong_formulas(given, tmp_path, capsys):
    words = ["export-network", "sparse-threshold-two-layers", "--formula", given, "-o", f"{tmp_path}/network.json"]
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("layer", [functools.partial(dict), print, 3, None, object()])
def test_a_layer_that_no_worker_can_load_is_refused(layer):
    with pytest.raises(ValueError, match=r"expected the name of a mixer, FILE.py:CLASS, or a class at the top of a file"):
        seqsep.Run(seqsep.IndexLookup(length=5), layers=(layer,), width=8)


@pytest.mark.unchecked
@pytest.mark.parametrize("layers", ["lstm", None, 5, dict, seqsep.Model])
def test_layers_that_are_no_tuple_are_refused(layers):
    with pytest.raises(ValueError, match=r"Run\(layers=\.\.\.\): expected a tuple of layers, as \('lstm',\), found "):
        seqsep.Run(seqsep.IndexLookup(length=5), layers=layers, width=8)


@pytest.mark.unchecked
@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("learning_rate", (1e-3, 3e-3), "learning_rate is a number, found (0.001, 0.003)"),
        ("seed", 1.5, "seed is a whole number, found 1.5"),
        ("width", 8.0, "width is a whole number, found 8.0"),
        ("steps", True, "steps is a whole number, found True"),
    ],
)
def test_a_field_of_another_type_is_refused(field, value, expected):
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        seqsep.Run(seqsep.IndexLookup(length=5), layers=("lstm",), **{"width": 8, field: value})
    assert str(refused.value) == f"Run(task=index-lookup, layers=('lstm',), ...): {expected}"


def test_a_theorem_is_taken_in_place_of_its_name():
    theorem = theorems.BY_NAME["index-lookup-attention"]
    by_name = seqsep.check("index-lookup-attention", length=4, alphabet=3)
    assert seqsep.check(theorem, length=4, alphabet=3).records() == by_name.records()


@pytest.mark.unchecked
@pytest.mark.parametrize("given", [5, None, seqsep.IndexLookup])
def test_an_audit_of_no_model_is_refused(given):
    with pytest.raises(BadInput, match=r"audit: expected a model, or the file of a kept model, found "):
        seqsep.audit(given)


def test_a_sweep_takes_any_iterable_of_runs(tmp_path):
    runs = (seqsep.Run(seqsep.IndexLookup(5), ("lstm",), 4, steps=1, evaluation=4, seed=seed) for seed in range(2))
    with Store(tmp_path / "store.sqlite") as store:
        rows = sweep(runs, store, "trial", workers=1)
    assert [row.run.seed for row in rows] == [0, 1]
    assert all(row.finished for row in rows)


def test_a_wrong_name_says_which_folder_was_imported():
    folder = Path(seqsep.__file__).parent
    with pytest.raises(AttributeError) as refused:
        seqsep.Runn  # noqa: B018
    assert str(refused.value).startswith(f"module 'seqsep' of {folder}/ has no attribute 'Runn'; it has ")


def test_a_batch_unpacks():
    batch = seqsep.IndexLookup(length=5).sample(start=0, count=2, seed=0)
    inputs, targets, lengths = batch
    assert inputs is batch.inputs
    assert targets is batch.targets
    assert lengths is batch.lengths
