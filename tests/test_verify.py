"""Rows of the long checks are fresh: none was written for other code, and none has a failure."""

import json
import re

import pytest

import verify
from seqsep.theorems import BY_NAME, THEOREMS, canary, positions, state_tracking
from support import digests

LONG = 100_000
WITHOUT_MARGINS = (
    "certificates",
    "verified-checker",
    "engine-llama",
    "one-layer-protocol",
    "proofs",
    "fuzzed-command-lines",
    "two-layer-no-short-protocol",
    "kernels-interpreted",
    "canary-faults",
    "canary-state-faults",
    "theorem-pages",
    "ray-slurm",
    "release",
    "released-bugs",
    "spoiled-weights",
    "text-trained",
    "capacity",
    "capacity-flash-linear",
    "model-laws",
    "flash-linear-laws",
    "near-orthogonal-vectors",
    "log-space-code",
    "equality-random-protocol",
    "index-random-protocol",
    "index-lookup-state",
    "composition-one-layer",
    "induction-one-layer",
)  # exact equalities, at small lengths
TRACKERS = [name for name in state_tracking.PLACES if BY_NAME[name].predictor and name != "nonnegative-diagonal-parity"]
SECOND_PAPER = tuple(theorem.name for theorem in THEOREMS if theorem.source.startswith("Wen, Dang, Lyu 2025"))
WITHOUT_MARGINS += tuple(name for name in verify.checks() if name.startswith(("faults-", "mutants-", "pages-", "slow-")))


@pytest.mark.parametrize("name", list(verify.checks()))
def test_the_row_is_fresh(name):
    assert verify.stale(name) == [], f"run make verify ({name})"
    row = json.loads((verify.ROWS / f"{name}.json").read_text(encoding="utf-8"))
    assert row["failures"] == 0
    if name in SECOND_PAPER or name == "equality-one-layer":  # its sums have 0.8 N bits: 24 inputs at 1,024 take a minute
        with_a_thought(row)
    elif name in canary.PLACES:
        of_conversations(row)
    elif name in state_tracking.PLACES or name in positions.PLACES:
        of_tokens(row, 10_000 if name in TRACKERS else 1)
    elif name not in WITHOUT_MARGINS:
        at_all_lengths_with_margins(row)


def test_the_index_of_theorems_lists_those_with_fewer_inputs():
    """Every theorem's row has 100,000 inputs or more, except those that the index lists with their number."""
    rows = {theorem.name: verify.ROWS / f"{theorem.name}.json" for theorem in THEOREMS if theorem.verify is not None}
    inputs = {name: json.loads(path.read_text(encoding="utf-8"))["inputs"] for name, path in rows.items()}
    few = {name: count for name, count in inputs.items() if count < LONG}
    page = (verify.ROOT / "docs/reference/theorems/index.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"These have fewer: (.*?)\.\n", page)
    assert {name: int(count.replace(",", "")) for name, count in re.findall(r"`([a-z-]+)` ([\d,]+)", listed)} == few
    assert f"a long check of {len(rows)} of the {len(THEOREMS)} theorems" in page


def with_a_thought(row):
    """As many inputs, of several lengths or all of one; a run with a thought is many answers, each required."""
    assert row["inputs"] >= LONG
    assert len(row["outcomes"]) > 1 or any(part.get("exhaustive") for part in row["outcomes"])
    margins = [part["least_margin"] for part in row["outcomes"] if part["least_margin"] is not None]
    assert all(margin > 0 for margin in margins)


def of_conversations(row):
    """Every place of a conversation is an input, so conversations of 500 tokens have inputs of all smaller lengths."""
    assert row["inputs"] >= LONG
    assert sum(part["inputs"] for part in row["outcomes"] if part["length"] == 4096) >= 8192
    assert all(part["least_margin"] >= part["proved_margin"] > 0 for part in row["outcomes"])


def of_tokens(row, longest):
    """Theorems that track a state run on 10,000 tokens; the other rows count states of small grids, or compare numbers."""
    assert row["inputs"] > 0
    assert max(part["length"] for part in row["outcomes"]) >= longest
    assert all(part["least_margin"] > 0 for part in row["outcomes"] if part["least_margin"] is not None)


def at_all_lengths_with_margins(row):
    assert row["inputs"] >= LONG
    assert sum(part["inputs"] for part in row["outcomes"] if part["length"] <= 64) >= 50_000
    assert sum(part["inputs"] for part in row["outcomes"] if 1024 <= part["length"] <= 4096) >= 1000
    margins = [part["least_margin"] for part in row["outcomes"] if part["least_margin"] is not None]
    assert margins
    assert min(margins) > 0


def test_no_row_is_left_over():
    assert {path.stem for path in verify.ROWS.glob("*.json")} == set(verify.checks())


def test_changed_code_is_stale_and_changed_words_are_not(tmp_path, monkeypatch):
    """Nor are the registration of a theorem, its claim and its errata code that a check runs; other strings are."""
    source = tmp_path / "one.py"
    monkeypatch.setattr(digests, "SOURCE", tmp_path)
    source.write_text('"""Words."""\n\n\ndef f():\n    """More."""\n    return 1  # one\n')
    before = verify.digest("one.py")
    source.write_text(
        '"""Other words."""\n\n\ndef f():\n    return 1\n\n\n'
        'THEOREM = Theorem(f)\nE = (Erratum(1),)\nC = Claim("a")\n"""Of C."""\n'
    )
    assert verify.digest("one.py") == before
    for changed in ("return 2", "return 1\n\n\nC = 1, Claim()", "return 1\n\n\nC = ('a',)", "return 1\n\n\nC = ()"):
        source.write_text(f'"""Words."""\n\n\ndef f():\n    """More."""\n    {changed}\n')
        assert verify.digest("one.py") != before


def test_a_check_covers_what_its_theorem_imports_through_folders():
    """Names that a folder hands on are followed to the files that define them."""
    covered = verify.imported("theorems/equality/two_layers.py")
    assert {
        "theorems/equality/_trials.py",
        "theorems/blocks/lookup.py",
        "maths/networks/executor.py",
        "maths/arithmetic/grid.py",
    } <= covered
    assert "theorems/bounded_dyck/attention.py" not in covered


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("line-length = 9", "line-length = 10", False),
        ('dev = ["b"]', 'dev = ["b", "c"]', False),
        ('ray = ["d"]', 'ray = ["d>=2"]', True),
        ('where = ["src"]', 'where = ["lib"]', True),
    ],
)
def test_settings_of_developers_tools_leave_rows_fresh(tmp_path, monkeypatch, old, new, changes):
    monkeypatch.setattr(digests, "SOURCE", tmp_path)
    text = """[project]
optional-dependencies = { dev = ["b"], ray = ["d"] }
[tool.setuptools.packages.find]
where = ["src"]
[tool.ruff]
line-length = 9
"""
    found = []
    for one in (text, text.replace(old, new)):
        (tmp_path / "pyproject.toml").write_text(one)
        found.append(digests.digest("pyproject.toml"))
    assert (found[0] != found[1]) is changes
