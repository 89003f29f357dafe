"""Bad plug-ins fail with a reason and harm nothing else; good ones obey every law and train."""

import re
from pathlib import Path

import pytest
import torch

from seqsep.lab.device import environment
from seqsep.lab.engines import validation
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store
from seqsep.lab.sweep import sweep
from seqsep.lab.train import train
from seqsep.models.laws import mixer as mixer_laws
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.load import PlugInFails
from seqsep.models.plugins.model import WholeModel
from seqsep.models.plugins.name import PlugIn
from seqsep.models.plugins.task import UserTask
from support.plug_ins import BAD, FOLDER, GOOD, run_of

# What the status of a run of each must say, after "failed: ".
REASONS = {
    "Hangs": r"no progress for 20 s \(--stall-seconds is the limit\), (training|after step \d+)",
    "Exits": r"worker died \(exit status 7\), bad.py:Exits: builds",
    "Interrupts": r"KeyboardInterrupt: \\ud800 end \(bad.py, line \d+\)",
    "Unsayable": r"Error: \(its text raises GeneratorExit\) \(bad.py, line \d+\)",
    "Segfaults": r"worker died \(signal 11: Segmentation fault\), bad.py:Segfaults: shapes and types",
    "LooksAhead": r"bad.py:LooksAhead: causal: it looks ahead: outputs change with the input at time 2, first at time 0",
    "ChangesRandomState": r"bad.py:ChangesRandomState: it changed the random state of torch",
    "ChangesThreads": r"bad.py:ChangesThreads: global state unchanged: it changed torch's number of threads",
    "Prints": r"it printed more than 1,048,576 bytes, bad.py:Prints: shapes and types",
}
# What `seqsep check` says of more of them: the law that fails, and where.
MORE = {
    "NotANumber": ("finite numbers", r"forward gives NaN, first at time 5"),
    "WrongShape": ("shapes and types", r"forward gives shape \(3, 18, 8\), expected \(3, 19, 8\)"),
    "WrongType": ("shapes and types", r"step at time 1 gives torch.float64, expected torch.float32"),
    "Keeps": ("nothing kept between calls", r".* step while it serves another sequence, first at time 1"),
    "Raises": ("shapes and types", r"it raises SystemExit: enough \(bad.py, line \d+\)"),
    "Grows": ("state counted", r"the state grows beyond what start declares: 512 bits at the start, 576 after .* time 3"),
    "Differs": ("forward equals step", r"forward differs from step repeated, first at time 4: they differ by"),
    "Seeds": ("builds", r"bad.py:Seeds\(8\): it seeds torch's random state"),
    "NoStep": ("builds", r"expected the methods forward, start, step, found no start"),
    "Needs": ("builds", r"bad.py:Needs\(8\): expected a default for something; only heads is passed too"),
    "Looks": ("many questions to one state", r"step_output differs from step"),
    "Batch": ("examples independent", r"forward mixes the examples of a batch, first at time 0"),
    "Writes": ("nothing kept between calls", r"forward or step changes its input in place"),
    "Overwrites": ("nothing kept between calls", r"step changes tensor 0 of the state it is given in place, time 0"),
    "Buffers": ("nothing kept between calls", r"forward or step changes layer.calls: something is kept between calls"),
    "OtherTypeAtOnePosition": ("shapes and types", r"forward_at gives torch.float64, expected torch.float32"),
    "OtherTypeOfQuestions": ("many questions to one state", r"step_output gives torch.float64, expected torch.float32"),
    "NotANumberInState": ("finite numbers", r"tensor 1 of the state after 0 tokens has NaN, in float32"),
    "GrowsByAWord": ("builds", r"grows: expected True or False, found 'no'"),
    "GrowsFaster": (
        "state counted",
        r"the state grows by more bits than with the first token, .*: 512 .*, 512 .*, 576 after .* 1$",
    ),
    "CheckedInHalf": ("builds", r"checked_in: expected 'float64' or 'float32', found 'float16'"),
    "ExitsInInitialise": ("builds", r"SystemExit: 0 \(bad.py, line \d+\)"),
    "SpoilsWeights": ("builds", r"initialise: expected finite weights, found NaN or infinity in layer.output.weight"),
    "Stops": ("gradients", r"a gradient of forward or forward_at differs from finite differences"),
}


def in_peace(run: Run) -> Row:
    """The row of a run that was trained here, alone."""
    return Row("trial", run.key(), run.configuration(), train(run)[1].record(), environment())


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_bad_layers_fail_and_the_other_runs_are_bit_identical(tmp_path: Path) -> None:
    """One sweep on two workers of bad plug-ins of each kind, with good runs before, between and after; of all in `make verify`.

    One test: pytest's processes would each make the sweep anew.
    """
    bad = {name: run_of(f"{BAD}:{name}") for name in REASONS}
    bad["import"] = run_of(f"{FOLDER / 'raises_on_import.py'}:Layer")
    names = list(bad)
    runs = {"lstm": run_of("lstm")} | {name: bad[name] for name in names[:6]}
    runs |= {"own": run_of(f"{GOOD}:Sum", "lstm")} | {name: bad[name] for name in names[6:]}
    runs |= {"attention": run_of("attention")}
    with Store(tmp_path / "store.db") as store:
        rows = dict(zip(runs, sweep(runs.values(), store, "trial", engine=Supervisor(2, 20.0)), strict=True))
    statuses = {name: rows[name].status for name in REASONS}
    assert {name: status for name, status in statuses.items() if not re.match(f"failed: {REASONS[name]}", status)} == {}
    assert [name for name in bad if rows[name].finished or "\n" in rows[name].status] == []
    reason = "No module named 'a_package_that_nobody_has' (raises_on_import.py, line 3)"
    assert rows["import"].status.endswith(f"expected a file that loads, found ModuleNotFoundError: {reason}")
    good = {"lstm": rows["lstm"].run, "own": run_of(f"{GOOD}:Sum", "lstm"), "attention": rows["attention"].run}
    assert [name for name, run in good.items() if rows[name].to_json() != in_peace(run).to_json()] == []


@pytest.mark.parametrize("name", MORE)
def test_the_laws_name_the_law_and_the_place(name: str) -> None:
    verdicts = list(validation.verdicts(UserLayer.parse(f"{BAD}:{name}"), lambda part: None, width=8, heads=2))
    law, where = MORE[name]
    failed = next(verdict for verdict in verdicts if not verdict.holds)
    assert failed.law == law
    assert re.match(where, failed.where), failed.where


TWICE = "same answer twice"
AGAIN = "forward gives another output for the same input the second time, first at time 0"
CAUSES = """
import torch
class Drops(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.dropout = torch.nn.Dropout(0.5)
    def forward(self, x):
        return self.dropout(x).cumsum(1)
    def start(self, batch):
        return torch.zeros(batch, 8)
    def step(self, x, state, t):
        state = state + self.dropout(x)
        return state, state
class Roots(Drops):
    def forward(self, x):
        return x.cumsum(1).sqrt()
    def step(self, x, state, t):
        return (state + x).sqrt(), state + x
class Counts(Drops):
    calls = 0
    def forward(self, x):
        self.calls += 1
        return self.calls * x.cumsum(1)
    def step(self, x, state, t):
        return state + x, state + x
"""

CACHE = """
import torch
class Cache(torch.nn.Module):
    grows = True
    def __init__(self, width):
        super().__init__()
        self.output = torch.nn.Linear(width, width)
    def forward(self, x):
        return self.output(x.cumsum(1))
    def start(self, batch):
        return torch.zeros(batch, 8), torch.zeros(batch, 0, 8)
    def step(self, x, state, t):
        total = state[0] + x
        return self.output(total), (total, torch.cat([state[1], x[:, None]], dim=1))
"""


@pytest.mark.parametrize(
    ("name", "failing"),
    [
        ("Drops", {"global state unchanged": "it changed the random state of torch, as dropout or a seed does", TWICE: AGAIN}),
        ("Counts", {TWICE: AGAIN}),
        ("Roots", {"finite numbers": "forward gives NaN"}),
    ],
)
def test_what_follows_from_a_fault_is_not_listed(tmp_path: Path, name: str, failing: dict[str, str]) -> None:
    """Numbers that differ between two calls, or are none, say nothing of causality or padding, whose laws are not tried."""
    file = tmp_path / "layer.py"
    file.write_text(CAUSES)
    verdicts = list(validation.verdicts(UserLayer.parse(f"{file}:{name}"), lambda part: None, width=8, heads=2))
    found = {verdict.law: verdict.where for verdict in verdicts if not verdict.holds}
    assert list(found) == list(failing)
    assert verdicts[-1].law == list(failing)[-1]
    for law, where in failing.items():
        assert found[law].startswith(where)


def test_a_state_that_stops_growing_holds_and_is_named() -> None:
    """A full window: bits per token are those of the first."""
    layer = UserLayer.parse(f"{BAD}:GrowsToAWindow")
    found = {verdict.law: verdict for verdict in validation.verdicts(layer, lambda part: None, width=8, heads=2)}
    assert [law for law, verdict in found.items() if not verdict.holds] == []
    assert found["state counted"].where == mixer_laws.GROWS_UNEVENLY


def test_the_state_of_a_growing_layer_keeps_what_it_starts_with(tmp_path: Path) -> None:
    file = tmp_path / "layer.py"
    file.write_text(CACHE)
    assert train(run_of(f"{file}:Cache"))[1].state_bits == (8 * 32, 8 * 32)


@pytest.mark.parametrize("name", ["Sum", "Mean"])
def test_a_good_layer_obeys_every_law(name: str) -> None:
    begun: list[str] = []
    verdicts = list(validation.verdicts(UserLayer.parse(f"{GOOD}:{name}"), begun.append, width=8, heads=2))
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


def test_a_task_of_ones_own_trains_and_obeys_the_laws() -> None:
    task = UserTask.of(PlugIn.parse(f"{GOOD}:Parity"), length=6, alphabet=3)
    run = run_of("lstm", task=task)
    validation.validate(run, lambda part: None)
    assert train(run)[1].steps == 30
    back = Run.from_configuration(run.configuration(), run.files())
    assert (back, back.task.vocabulary, back.task.longest) == (run, 3, 6)
    assert back.key() == run.key() != run_of("lstm", task=UserTask.of(PlugIn.parse(f"{GOOD}:Parity"), length=6)).key()


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
    task = UserTask.of(PlugIn.parse(f"{FOLDER / 'bad_tasks.py'}:{name}"), length=6)
    with pytest.raises(PlugInFails, match=message):
        validation.validate(run_of("lstm", task=task), lambda part: None)
