"""Models kept with their runs come back the same; files of another kind are refused in one line."""

import json
import pickle

import pytest
import torch
from safetensors.torch import save_file

import seqsep
from seqsep.lab.run import Run
from seqsep.models.weights import describe
from seqsep.tasks import BY_NAME, IndexLookup, IsTree
from support.command_line import OWN_LAYER

SHORT = {"steps": 2, "evaluate_every": 1, "evaluation": 10, "live": 5}
RUN = Run(IsTree(length=5, trace="walk"), ("mamba", "attention"), width=8, heads=2, **SHORT)


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        Run(IsTree(length=5, trace="peel"), ("attention",), width=8, positions="sinusoidal"),
        Run(IsTree(length=5), ("mamba2",), width=8, norm="rms", embeddings="tied-sinusoids"),
        Run(IndexLookup(length=5), ("sliding-attention",), width=8, positions="rope"),
    ],
    ids=lambda run: run.label(),
)
def test_a_kept_model_comes_back(tmp_path, run):
    model = run.model()
    seqsep.save(tmp_path / "model", model, run)
    kept, kept_run = seqsep.load(tmp_path / "model")
    inputs = torch.from_numpy(run.task.sample(0, 3, 0).inputs)
    assert torch.equal(kept(inputs), model(inputs))
    assert kept_run == run
    assert not any(weight.requires_grad for weight in kept.parameters())
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_training_keeps_what_it_returns(tmp_path):
    model, _ = seqsep.train(RUN, keep=tmp_path / "model")
    kept, run = seqsep.load(tmp_path / "model")
    assert run == RUN
    for name, part in model.state_dict().items():
        assert torch.equal(kept.state_dict()[name], part)


def test_a_file_is_replaced_by_a_whole_one(tmp_path):
    path = tmp_path / "model"
    for seed in (0, 1):
        torch.manual_seed(seed)
        model = RUN.model()
        seqsep.save(path, model, RUN)
    assert torch.equal(seqsep.load(path)[0].readout.weight, model.readout.weight)


def test_what_cannot_be_kept_is_refused(tmp_path):
    other = Run(IndexLookup(5), ("lstm",), width=8)
    with pytest.raises(ValueError, match="expected a model of"):
        seqsep.save(tmp_path / "model", other.model(), RUN)
    wider = Run(RUN.task, RUN.layers, width=16, heads=2)
    with pytest.raises(ValueError, match=r"tokens\.weight: expected shape"):
        seqsep.save(tmp_path / "model", wider.model(), RUN)
    vectors = Run(BY_NAME["nearest-neighbor"](6), ("lstm",), width=8)
    with pytest.raises(ValueError, match="whose inputs are vectors"):
        seqsep.save(tmp_path / "model", vectors.model(), vectors)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file/model"):
        seqsep.save(tmp_path / "file" / "model", RUN.model(), RUN)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("kind", ["{file}:Own", "model:{file}:Whole"])
def test_own_parts_come_back_by_the_digest_of_their_file(tmp_path, kind):
    """Wherever the file lies by then; another file of that name is not run."""
    file = tmp_path / "own.py"
    whole = "\n\nclass Whole(torch.nn.Sequential):\n    def __init__(self, vocabulary, classes, longest, width):\n"
    file.write_text(OWN_LAYER + whole + "        super().__init__(torch.nn.Embedding(vocabulary, classes))\n")
    run = Run(RUN.task, (kind.format(file=file),), width=8)
    model = run.model()
    seqsep.save(tmp_path / "model", model, run)
    moved = tmp_path / "elsewhere.py"
    file.rename(moved)
    kept, kept_run = seqsep.load(tmp_path / "model", files=str(moved))
    inputs = torch.from_numpy(run.task.sample(0, 3, 0).inputs)
    assert torch.equal(kept(inputs), model(inputs))
    assert kept_run == run
    file.write_text("raise SystemExit('was run')\n")
    for files in ((), (file,)):
        with pytest.raises(ValueError, match=r"expected the file of .*@[0-9a-f]{8} as it was then among .*, found") as refused:
            seqsep.load(tmp_path / "model", files=files)
        assert "\n" not in str(refused.value)


def test_tensors_of_another_model_are_refused(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN_LAYER)
    run = Run(RUN.task, (f"{file}:Own",), width=8)
    wider = Run(RUN.task, (f"{file}:Own",), width=16)
    written = describe(wider.model()) | {"run": json.dumps(run.configuration())}
    save_file({f"model.{name}": part for name, part in wider.model().state_dict().items()}, tmp_path / "model", written)
    with pytest.raises(ValueError, match=r"tokens.weight: expected shape .*, 8\) for own.py:Own is-tree walk N=5.*, 16\)$"):
        seqsep.load(tmp_path / "model", files=[file])
    file.write_text(OWN_LAYER.replace("self.mix = ", "self.other = "))
    other = Run(RUN.task, (f"{file}:Own",), width=8)
    written = describe(other.model()) | {"run": json.dumps(other.configuration())}
    save_file({f"model.{name}": part for name, part in run.model().state_dict().items()}, tmp_path / "model", written)
    with pytest.raises(ValueError, match=r"expected the tensors of own.py:Own is-tree walk N=5"):
        seqsep.load(tmp_path / "model", files=[file])


def test_sizes_beyond_the_tensors_take_no_memory(tmp_path):
    """The run of a downloaded file may say any width, also for a layer of the user's own."""
    file = tmp_path / "own.py"
    file.write_text(OWN_LAYER)
    run = Run(RUN.task, (f"{file}:Own",), width=8)
    model = run.model()
    written = describe(model) | {"run": json.dumps(run.configuration() | {"width": 10**13})}
    save_file({f"model.{name}": part for name, part in model.state_dict().items()}, tmp_path / "model", written)
    with pytest.raises(ValueError, match=r"tokens.weight: expected shape \(.*, 10000000000000\)"):
        seqsep.load(tmp_path / "model", files=[file])


def tampered(path, **metadata):
    """The kept file of RUN with other metadata."""
    model = RUN.model()
    written = describe(model) | {"run": json.dumps(RUN.configuration())} | metadata
    save_file({f"model.{name}": part for name, part in model.state_dict().items()}, path, written)
    return path


@pytest.mark.parametrize(
    ("metadata", "why"),
    [
        ({"run": "{"}, "metadata run: Expecting"),
        ({"run": "[" * 100_000}, "metadata run"),
        ({"run": "[1]"}, "metadata run"),
        ({"run": '{"task": 3, "layers": []}'}, "metadata run"),
        ({"run": '{"task": {"name": "no-task"}, "layers": ["lstm"]}'}, "unknown or missing field 'no-task'"),
        ({"run": json.dumps(RUN.configuration() | {"colour": 3})}, "colour"),
        ({"run": json.dumps(RUN.configuration() | {"width": 10**12})}, "expected sizes that a model can have"),
        ({"run": json.dumps(RUN.configuration() | {"width": 10**4000})}, "expected sizes that a model can have"),
        ({"run": json.dumps(RUN.configuration() | {"width": 10**5})}, "expected shape"),
        ({"run": json.dumps(RUN.configuration() | {"heads": 4})}, "expected a model with"),
        ({"run": json.dumps(RUN.configuration() | {"layers": ["lstm"]})}, "expected a model of"),
        ({"run": json.dumps(RUN.configuration() | {"layers": [f"Own@{'0' * 64}"]})}, "expected the file of Own@0"),
        (
            {"run": json.dumps(RUN.configuration() | {"layers": ["no/own.py:Own"]})},
            "metadata run: expected the name of a mixer",
        ),
        ({"layers": '["lstm", "attention"]'}, "expected"),
    ],
)
def test_other_metadata_is_refused_in_one_line(tmp_path, metadata, why):
    with pytest.raises(ValueError, match=why) as refused:
        seqsep.load(tampered(tmp_path / "model", **metadata))
    assert str(tmp_path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 1_000


def test_no_code_that_a_file_names_is_run(tmp_path):
    """Neither of a layer, nor of a whole model."""
    code = tmp_path / "own.py"
    code.write_text(f"open({str(tmp_path / 'was run')!r}, 'w')\n\n\nclass Own:\n    pass\n")
    for layer in (f"{code}:Own", f"model:{code}:Own"):
        with pytest.raises(ValueError, match="expected the name of a mixer, or CLASS@SHA-256"):
            seqsep.load(tampered(tmp_path / "model", run=json.dumps(RUN.configuration() | {"layers": [layer]})))
    assert not (tmp_path / "was run").exists()


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "model"
    model = RUN.model()
    save_file({f"model.{name}": part for name, part in model.state_dict().items()}, path, describe(model))
    with pytest.raises(ValueError, match=r"expected a model kept with its run .* found no run"):
        seqsep.load(path)
    for data in (b"", b"model", pickle.dumps({"run": 1}), path.read_bytes()[:-9]):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="expected a safetensors file"):
            seqsep.load(path)
