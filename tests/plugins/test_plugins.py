"""A user's own layers, models and tasks: they train, obey the laws, and bad ones fail with a reason and harm nothing else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from seqsep.cli import main
from seqsep.lab.device import environment
from seqsep.lab.engines import validation
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.lab.train import train
from seqsep.laws import mixer as mixer_laws
from seqsep.mixers import Block
from seqsep.plugins.layer import OwnLayer
from seqsep.plugins.load import PlugInFails, load
from seqsep.plugins.model import WholeModel
from seqsep.plugins.name import PlugIn
from seqsep.plugins.task import OwnTask
from seqsep.tasks import IndexLookup

FOLDER = Path(__file__).parent
GOOD, BAD = FOLDER / "good.py", FOLDER / "bad.py"

# What the status of a run of each must say, after "failed: ".
REASONS = {
    "Hangs": r"no progress for 40 s \(--stall-seconds is the limit\), (training|after step \d+)",
    "Exits": r"worker died \(exit status 7\), bad.py:Exits: builds",
    "Segfaults": r"worker died \(signal 11: Segmentation fault\), bad.py:Segfaults: shapes and types",
    "NotANumber": r"bad.py:NotANumber: finite numbers: forward gives NaN, first at time 5",
    "WrongShape": r"bad.py:WrongShape: shapes and types: forward gives shape \(3, 18, 8\), expected \(3, 19, 8\)",
    "WrongType": r"bad.py:WrongType: shapes and types: step at time 1 gives torch.float64, expected torch.float32",
    "Keeps": r"bad.py:Keeps: nothing kept between calls: .* step while it serves another sequence, first at time 1",
    "LooksAhead": r"bad.py:LooksAhead: causal: it looks ahead: outputs change with the input at time 2, first at time 0",
    "ChangesRandomState": r"bad.py:ChangesRandomState: it changed the random state of torch",
    "ChangesThreads": r"bad.py:ChangesThreads: surroundings left alone: it changed torch's number of threads",
    "Prints": r"it printed more than 1,048,576 bytes, bad.py:Prints: shapes and types",
    "Forks": r"bad.py:Forks: shapes and types: it forks \(os.fork\)",
    "ForksInC": r"bad.py:ForksInC: it forks \(past Python\)",
}
# What `seqsep check` says of more of them: the law that fails, and where.
MORE = {
    "Raises": ("shapes and types", r"it raises SystemExit: enough \(bad.py, line \d+\)"),
    "Grows": ("state counted", r"the state grows beyond what start declares: 512 bits at the start, 576 after .* time 3"),
    "Differs": ("forward equals step", r"forward differs from step repeated, first at time 4: they differ by"),
    "Seeds": ("builds", r"bad.py:Seeds\(8\): it seeds torch's random state"),
    "NoStep": ("builds", r"expected the methods forward, start, step, found no start"),
    "Needs": ("builds", r"bad.py:Needs\(8\): expected a default for something; only heads is passed beside"),
    "Looks": ("many questions to one state", r"step_output differs from step"),
    "Batch": ("examples apart", r"forward mixes the examples of a batch, first at time 0"),
    "Writes": ("nothing kept between calls", r"forward or step changes its input in place"),
    "Overwrites": ("nothing kept between calls", r"step changes tensor 0 of the state it is given in place, time 0"),
    "Buffers": ("nothing kept between calls", r"forward or step changes layer.calls: something is kept between calls"),
    "Stops": ("gradients", r"a gradient of forward or forward_at differs from finite differences"),
}


def run_of(*layers: str, seed: int = 0, **fields: Any) -> Run:
    chosen = {"width": 8, "steps": 30, "batch": 8, "evaluate_every": 10, "evaluation": 50} | fields
    task = chosen.pop("task", IndexLookup(length=5, alphabet=4))
    return Run(task=task, layers=layers, seed=seed, **chosen)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Results depend on the number of threads, and workers have one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def in_peace(run: Run) -> Row:
    """The row of a run that was trained here, alone."""
    return Row("trial", run.key(), run.configuration(), train(run)[1].record(), environment())


@pytest.mark.timeout(400)
def test_bad_layers_fail_with_their_reasons_and_the_other_runs_are_bit_identical(tmp_path: Path) -> None:
    """One sweep on two workers of every bad plug-in, with good runs before, between and after. One test: pytest's processes
    would each make the sweep anew."""
    bad = {name: run_of(f"{BAD}:{name}") for name in REASONS}
    bad["import"] = run_of(f"{FOLDER / 'raises_on_import.py'}:Layer")
    names = list(bad)
    runs = {"lstm": run_of("lstm")} | {name: bad[name] for name in names[:7]}
    runs |= {"own": run_of(f"{GOOD}:Sum", "lstm")} | {name: bad[name] for name in names[7:]}
    runs |= {"attention": run_of("attention")}
    with Store(tmp_path / "store.db") as store:
        rows = dict(zip(runs, sweep(runs.values(), store, "trial", engine=Supervisor(2, 40.0)), strict=True))
    statuses = {name: rows[name].status for name in REASONS}
    assert {name: status for name, status in statuses.items() if not re.match(f"failed: {REASONS[name]}", status)} == {}
    assert [name for name in bad if rows[name].finished or "\n" in rows[name].status] == []
    reason = "No module named 'a_package_that_nobody_has' (raises_on_import.py, line 3)"
    assert rows["import"].status.endswith(f"expected a file that loads, found ModuleNotFoundError: {reason}")
    good = {"lstm": rows["lstm"].run, "own": run_of(f"{GOOD}:Sum", "lstm"), "attention": rows["attention"].run}
    assert [name for name, run in good.items() if rows[name].to_json() != in_peace(run).to_json()] == []


@pytest.mark.parametrize("name", MORE)
def test_the_laws_name_the_law_and_the_place(name: str) -> None:
    verdicts = list(validation.layer_verdicts(OwnLayer.parse(f"{BAD}:{name}"), 8, 2, lambda part: None))
    law, where = MORE[name]
    failed = next(verdict for verdict in verdicts if not verdict.holds)
    assert failed.law == law
    assert re.match(where, failed.where), failed.where


@pytest.mark.parametrize("name", ["Sum", "Mean"])
def test_a_good_layer_obeys_every_law(name: str) -> None:
    begun: list[str] = []
    verdicts = list(validation.layer_verdicts(OwnLayer.parse(f"{GOOD}:{name}"), 8, 2, begun.append))
    assert [verdict for verdict in verdicts if not verdict.holds] == []
    assert begun == [verdict.law for verdict in verdicts] == ["loads", "builds", *mixer_laws.MIXER_LAWS]


@pytest.mark.parametrize(("name", "state_bits"), [("Recurrent", (0, 64)), ("Stepping", (2 * 8 * 32, 0))])
def test_a_whole_model_obeys_the_laws_and_trains(name: str, state_bits: tuple[int, int]) -> None:
    run = run_of(f"model:{GOOD}:{name}")
    validation.validate(run, lambda part: None)
    model, result = train(run)
    assert isinstance(model, WholeModel)
    assert result.steps == 30
    assert result.state_bits == state_bits
    tokens = torch.tensor([[0, 1, 2, 3, 0, 5]])
    logits, state = model.forward(tokens), model.start(1)
    for t in range(6):
        stepped, state = model.step(tokens[:, t], state, t)
        assert torch.allclose(stepped, logits[:, t], atol=1e-6)
    before = model.prefill(tokens[:, :5])
    assert torch.allclose(model.step_output(tokens[0], before, 5)[5], logits[0, 5], atol=1e-6)


def test_a_whole_model_that_looks_ahead_fails() -> None:
    with pytest.raises(PlugInFails, match=r"bad.py:Backwards: causal: it looks ahead"):
        validation.validate(run_of(f"model:{BAD}:Backwards"), lambda part: None)


def test_what_a_class_says_of_its_block_and_takes_is_heeded() -> None:
    model = run_of(f"{GOOD}:Sum", f"{GOOD}:Mean", heads=2).model()
    first, second = model.blocks
    assert (first.mixer.layer.heads, first.mixer.layer.another) == (2, "default")
    assert first.mlp is not None
    assert second.mlp is None
    assert OwnLayer.parse(f"{GOOD}:Mean").build(8, 2).block == Block()
    assert model.state_bits() == (8 * 32, 8 * 32)


def test_the_key_is_that_of_the_class_and_the_files_bytes(tmp_path: Path) -> None:
    here, there = (tmp_path / name for name in ("a.py", "b.py"))
    here.write_text(GOOD.read_text())
    there.write_text(GOOD.read_text())
    keys = [run_of(f"{path}:{name}").key() for path in (here, there) for name in ("Sum", "Mean")]
    assert keys[:2] == keys[2:]
    assert keys[0] != keys[1]
    there.write_text(GOOD.read_text() + "\n")
    assert run_of(f"{there}:Sum").key() != keys[0]
    configuration = run_of(f"{here}:Sum").configuration()
    assert re.fullmatch(r"Sum@[0-9a-f]{64}", configuration["layers"][0])
    read = Run.from_configuration(json.loads(json.dumps(configuration)))
    assert (read, read.key(), read.files()) == (run_of(f"{here}:Sum"), keys[0], {})
    with pytest.raises(PlugInFails, match="expected the file of Sum"):
        read.model()


def test_a_file_that_changes_during_a_sweep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "layer.py"
    path.write_text(GOOD.read_text())
    layer = OwnLayer.parse(f"{path}:Sum")
    path.write_text(GOOD.read_text() + "\n")
    with pytest.raises(PlugInFails, match=r"expected SHA-256 .* the file has changed meanwhile"):
        load(layer)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("layer.py", r"layer.py: expected FILE.py:CLASS, as in layer.py:MyLayer"),
        (f"{GOOD}:Summ", r"expected a class Summ in .*good.py, found the classes Mean, Parity, Recurrent, Stepping, Sum"),
        ("{folder}/broken.py:Sum", r"broken.py:Sum: expected a Python file, found in line 2: .*"),
    ],
)
def test_a_wrong_name_is_bad_input(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.py").write_text("import torch\nclass Sum(:\n")
    text = text.replace("{folder}", str(tmp_path))
    for command in (["check"], ["run", "index-lookup-architectures", "--dry-run"]):
        assert main([*command, "--mixer", text]) == 2
        assert re.search(message, capsys.readouterr().err)
    with pytest.raises(ValueError, match=message):
        run_of(text)


def test_a_file_that_is_not_there_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--mixer", "nowhere/layer.py:Mine"]) == 2
    assert capsys.readouterr().err == "seqsep: nowhere/layer.py: no such file\n"


def test_a_task_of_ones_own_trains_and_obeys_the_laws() -> None:
    task = OwnTask.of(PlugIn.parse(f"{GOOD}:Parity"), length=6, alphabet=3)
    run = run_of("lstm", task=task)
    validation.validate(run, lambda part: None)
    assert train(run)[1].steps == 30
    back = Run.from_configuration(run.configuration(), run.files())
    assert (back, back.task.vocabulary, back.task.longest) == (run, 3, 6)
    assert back.key() == run.key() != run_of("lstm", task=OwnTask.of(PlugIn.parse(f"{GOOD}:Parity"), length=6)).key()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Late", r"Late\(length=6\): examples depend on the block, start \d+"),
        ("Wrong", r"Wrong\(length=6\): solve\(.*\) is not"),
        ("Outside", r"Outside\(length=6\): token 7 of 2"),
        ("Floats", r"sample: expected inputs of int64, found float64"),
        ("Sizeless", r"vocabulary: expected a whole number, found None"),
    ],
)
def test_a_bad_task_fails_with_its_reason(name: str, message: str) -> None:
    task = OwnTask.of(PlugIn.parse(f"{FOLDER / 'bad_tasks.py'}:{name}"), length=6)
    with pytest.raises(PlugInFails, match=message):
        validation.validate(run_of("lstm", task=task), lambda part: None)


def listed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The runs that a dry run prints."""
    found = [line for line in capsys.readouterr().out.splitlines() if "  at most " in line]
    assert found
    return found


def test_own_parts_stand_in_the_place_of_the_experiments(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "index-lookup-architectures", "--dry-run"]
    assert main([*command, "--mixer", f"{GOOD}:Sum", "--mixer", "lstm", "--model", f"{GOOD}:Recurrent"]) == 0
    lines = listed(capsys)
    assert {line.split()[1] for line in lines} == {"good.py:Sum", "lstm", "good.py:Recurrent"}
    assert len({line.split()[0] for line in lines}) == len(lines)
    assert main([*command, "--task", f"{GOOD}:Parity", "--length", "7", "--alphabet", "3"]) == 0
    assert all("good.py:Parity N=7" in line for line in listed(capsys))
    assert main([*command, "--task", "bounded-dyck", "--length", "8"]) == 0
    assert all("bounded-dyck N=8" in line for line in listed(capsys))
    assert main([*command, "--task", "equality", "--variant", "next"]) == 0
    assert all("equality N=" in line for line in listed(capsys))
    assert main([*command, "--task", "nearest-neighbor", "--margin", "1/8"]) == 2
    assert "nearest-neighbor: --margin: expected a number, found '1/8'" in capsys.readouterr().err
    assert main([*command, "--task", "equality", "--alphabet", "two"]) == 2
    assert "equality: --alphabet: expected a whole number, found 'two'" in capsys.readouterr().err
    assert main([*command, "--task", f"{GOOD}:Parity", "--length", "x"]) == 2
    assert "--length: expected a whole number, found 'x'" in capsys.readouterr().err
    assert main([*command, "--length", "7"]) == 2
    assert "unknown argument --length" in capsys.readouterr().err
    assert main([*command, "--task", "bounded-dyck", "--alphabet", "8"]) == 2
    assert "expected length, kinds" in capsys.readouterr().err


def test_check_prints_a_line_for_each_law(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--mixer", f"{BAD}:LooksAhead", "--mixer", f"{GOOD}:Sum", "--width", "4", "--json"]) == 1
    out, err = capfd.readouterr()
    first, second = json.loads(out)
    assert (first["holds"], second["holds"], second["sizes"]) == (False, True, {"width": 4, "heads": 2})
    [failed] = [law for law in first["laws"] if not law["holds"] and law["law"] == "causal"]
    assert failed["where"].startswith("it looks ahead: outputs change with the input at time 2, first at time 0")
    assert "Sum is built" in err


def test_check_says_what_took_the_process_down(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--mixer", f"{BAD}:Segfaults"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[:2] == ["holds  loads", "holds  builds"]
    assert out[2] == "FAILS  runs to the end: worker died (signal 11: Segmentation fault), shapes and types"
    assert out[3].endswith("1 of 3 laws fail")


EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_of_a_layer_obeys_every_law_and_trains() -> None:
    name = f"{EXAMPLES / 'own_layer.py'}:MovingAverage"
    verdicts = list(validation.layer_verdicts(OwnLayer.parse(name), 8, 2, lambda part: None))
    assert [verdict for verdict in verdicts if not verdict.holds] == []
    code = (EXAMPLES / "own_layer.py").read_text().partition('"""\n\n')[2]
    assert len(code.strip().splitlines()) <= 32
    [own, sums] = [run_of(layer, steps=300, learning_rate=0.01, evaluation=200) for layer in (name, f"{GOOD}:Sum")]
    assert train(own)[1].best_accuracy > 0.4 > 0.25  # of 4 symbols
    assert own.key() != sums.key()


def flash_linear_attention() -> None:
    pytest.importorskip("fla.layers", reason="flash-linear-attention is not installed", exc_type=ImportError)


@pytest.mark.filterwarnings("ignore")
def test_the_example_of_a_foreign_layer_obeys_every_law_and_trains() -> None:
    flash_linear_attention()
    name = f"{EXAMPLES / 'flash_linear_attention_layer.py'}:GatedDelta"
    verdicts = list(validation.layer_verdicts(OwnLayer.parse(name), 8, 2, lambda part: None, validation.WITHOUT_GRADIENTS))
    assert [verdict for verdict in verdicts if not verdict.holds] == []
    result = train(run_of(name))[1]
    assert (result.steps, result.state_bits) == (30, (4 * 2 * 2 * 32, 0))


@pytest.mark.filterwarnings("ignore")
def test_the_foreign_kernels_agree_with_their_reference() -> None:
    flash_linear_attention()
    if not torch.cuda.is_available():
        pytest.skip("the kernels of flash-linear-attention need a GPU")
    layer = load(OwnLayer.parse(f"{EXAMPLES / 'flash_linear_attention_layer.py'}:GatedDelta"))(64).cuda()
    x = torch.randn(2, 50, 64, device="cuda")
    expected = layer.reference(x, layer.start(2))[0]
    assert torch.allclose(layer(x), expected, atol=2e-2, rtol=2e-2)
    state = layer.start(2)
    for t in range(50):
        y, state = layer.step(x[:, t], state, t)
        assert torch.allclose(y, expected[:, t], atol=2e-2, rtol=2e-2)
