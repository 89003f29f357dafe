"""The measured gain of a curriculum: committed rows are of the preset, and the table of the guide is computed from them."""

from dataclasses import replace
from pathlib import Path

from pages._curriculum import ENOUGH, FILE, curriculum_table
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.experiments.claims.recipe import MIXED_STEPS
from seqsep.lab.row import read_rows, write_rows
from support.command_line import call

ROOT = Path(__file__).parents[2]
EXPERIMENT = BY_NAME["index-lookup-architectures"]


def test_runs_of_the_preset_differ_in_the_curriculum_alone():
    runs = EXPERIMENT.runs("curriculum")
    assert len({run.key() for run in runs}) == len(runs)
    for mixed, plain in zip(runs[::2], runs[1::2], strict=True):
        assert (mixed.mixed_steps, plain) == (MIXED_STEPS, replace(mixed, mixed_steps=0))


def test_the_rows_are_of_the_preset():
    rows = read_rows(ROOT / "results" / FILE)
    named = {run.key() for run in EXPERIMENT.runs("curriculum")}
    assert {row.key for row in rows} <= named
    assert len({row.key for row in rows}) == len(rows)
    assert all(row.experiment == EXPERIMENT.name and row.finished and row.key == row.run.key() for row in rows)


def test_the_guide_has_the_table_of_the_rows():
    guide = (ROOT / "docs/how-to/sweeps.md").read_text(encoding="utf-8")
    assert f"\n{curriculum_table(ROOT / 'results').strip()}\n" in guide


def test_the_guide_says_what_else_differs():
    """Both arms have as many steps, but the rate of the one with a curriculum falls later, unless it is constant."""
    mixed, plain = EXPERIMENT.runs("curriculum")[:2]
    assert mixed.steps == plain.steps
    assert mixed.rate_at(MIXED_STEPS - 1) == mixed.rate_at(0) > plain.rate_at(MIXED_STEPS - 1)
    alike = [replace(run, decay="constant") for run in (mixed, plain)]
    assert [alike[0].rate_at(step) for step in range(0, 6000, 500)] == [alike[1].rate_at(step) for step in range(0, 6000, 500)]
    lengths = {len(one) for one in mixed.training_task(0).sample(0, 50, 0).inputs.tolist()}
    assert lengths == {mixed.task.longest}  # shorter ones are padded
    guide = " ".join((ROOT / "docs/how-to/sweeps.md").read_text(encoding="utf-8").split())
    assert "the learning rate is constant in these steps and falls after them" in guide
    assert "This does not show which of the two changes helps." in guide


def test_the_guide_has_a_command_for_the_rows_that_are_missing(capsys, tmp_path):
    """It names the runs without a curriculum at N = 400, of which there is no row, and no others."""
    guide = (ROOT / "docs/how-to/sweeps.md").read_text(encoding="utf-8")
    commands = {line[9:] for line in guide.splitlines() if line.startswith("$ seqsep run") and "--preset curriculum" in line}
    known = {row.key for row in read_rows(ROOT / "results" / FILE)}
    for command in commands:
        words = command.replace("curriculum.sqlite", str(tmp_path / "none.sqlite")).split()
        status, out, _ = call(capsys, *words, "--dry-run")
        assert status == 0
        if "--mixed-steps" in words:
            named = {line.split()[0] for line in out.splitlines() if " index-lookup N=400 " in line}
            missing = [run.key() for run in EXPERIMENT.runs("curriculum") if run.task.length == 400 and run.key() not in known]
            assert named == {key[:12] for key in missing if missing}
            assert len(named) == 3
    assert len(commands) == 3


def test_the_table_says_what_a_row_came_to(tmp_path):
    """The first evaluation with 99 % is read from the curve; a run that stays below has none."""
    rows = read_rows(ROOT / "results" / FILE)
    row = next(one for one in rows if one.run.task.length == 100 and one.run.seed == 0 and not one.run.mixed_steps)
    step = next(step for step, accuracy, _ in row.result["curve"] if accuracy >= ENOUGH)
    (tmp_path / FILE).parent.mkdir()
    write_rows(tmp_path / FILE, [row])
    assert f"| 100 | N symbols | 1 | step {step:,} |" in curriculum_table(tmp_path)
    curve = [[250, 0.989, 1.0]]
    write_rows(tmp_path / FILE, [replace(row, result=row.result | {"accuracy": 0.989, "curve": curve})])
    assert "| 100 | N symbols | 1 | never | 98.90 % (98.57 to 99.17) |" in curriculum_table(tmp_path)
