"""The commands, examples and statements of README.md hold, with no more installed than README.md installs."""

import json
import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from pages.errata import entries
from seqsep import bound
from seqsep.commands import COMMANDS
from seqsep.lab.experiments.claims import CLAIMS
from seqsep.lab.experiments.claims.claim import Accuracy, Claim, RankingClaim
from seqsep.lab.experiments.claims.known import Found, committed
from seqsep.lab.experiments.claims.papers import SETTINGS, figure2_index_lookup
from seqsep.lab.row import read_rows
from seqsep.tasks import IndexLookup
from seqsep.theorems import THEOREMS
from support.page_examples import ROOT, Page
from support.plain_environment import hidden, hide, required

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
READABLE = 100
"""The most characters of a line in a code block: longer lines scroll sideways."""


@dataclass(frozen=True)
class PlainPage(Page):
    """A page whose commands find only the packages that `pip install .` brings."""

    def variables(self) -> dict[str, str]:
        found = super().variables()
        site = self.folder.with_name("site")
        return found | (hide(site) if not site.exists() else {"PYTHONPATH": f"{site}:{ROOT / 'src'}"})


def questions() -> list[tuple[str, str]]:
    """Return question and command of each row of the table of questions."""
    return re.findall(r"^\| ([A-Z][^|]*\?[^|]*) \| `(seqsep [^`]*)` \| \[[^|]* \|$", TEXT, flags=re.MULTILINE)


@pytest.mark.timeout(600)
def test_the_blocks_print_what_they_show(page_folder: Path) -> None:
    assert PlainPage(README, page_folder).run() >= 6


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_demo_as_well(page_folder: Path) -> None:
    PlainPage(README, page_folder, long=True).run()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("command", [command for _, command in questions()])
def test_a_command_of_the_table_runs(command: str, page_folder: Path) -> None:
    page = PlainPage(README, page_folder)
    assert page.shell("seqsep examples .").returncode == 0
    if "FOLDER" in command:
        done = page.shell(command)
        assert (done.returncode, done.stdout.count("\n")) == (2, 1)
        assert "FOLDER" in done.stdout
        return
    done = page.shell(command)
    assert done.returncode == 0, done.stdout
    assert done.stdout


@pytest.mark.timeout(600)
def test_analyze_needs_no_extra(page_folder: Path) -> None:
    """Four kinds of functions, in one process: torch is loaded once."""
    (page_folder / "clauses.cnf").write_text("p cnf 3 2\n1 -2 0\n2 3 0\n")
    calls = ["equality --lengths 4,8", "disjointness --lengths 4,8", "clauses.cnf --lengths 3", "(0|1)*1 --regex --lengths 4"]
    code = f"from seqsep.commands.cli import main; print([main(['analyze', *words.split()]) for words in {calls}])"
    *tables, statuses = PlainPage(README, page_folder).shell(f'python3 -c "{code}"').stdout.splitlines()
    assert statuses == "[0, 0, 0, 0]"
    assert sum("state bits" in line for line in tables) >= 4


def test_extras_are_hidden(page_folder: Path) -> None:
    assert {"pytest", "hypothesis", "beartype"} <= hidden()
    assert not {"torch", "numpy", "dd", "seqsep", "matplotlib"} & hidden()
    assert "dd" in required()
    code = "import importlib.util as found; print(*(found.find_spec(name) is None for name in ('pytest', 'pysat', 'dd')))"
    assert PlainPage(README, page_folder).shell(f'python3 -c "{code}"').stdout == "True True False\n"


def test_the_table_has_a_command_for_each_question() -> None:
    found = questions()
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and "`seqsep " in line]
    assert len(found) == len(rows) >= 10
    assert {command.split()[1] for _, command in found} <= {command.name for command in COMMANDS}


def test_one_screen_in_order() -> None:
    parts = ("arxiv.org/abs/2406.09347", "arxiv.org/abs/2402.18510", "state*", "pip install", "seqsep demo", ">>> import")
    parts += ("| question |", "![", "**Proved:**", "**Measured:**", "**Not run:**", "## More")
    places = [TEXT.index(part) for part in parts]
    assert places == sorted(places)
    assert len(TEXT.splitlines()) <= 100


def test_links_lead_to_files() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]*)[^)]*\)", TEXT) if not link.startswith("https:")]
    assert len(links) > 15
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_number_of_errata() -> None:
    found = [entry for theorem in THEOREMS for entry in entries(theorem) if entry.graded.severity != "choice"]
    assert f"{len(found)} [errors of the papers]" in TEXT


def test_the_number_of_machine_checked_theorems() -> None:
    proved = json.loads((ROOT / "proofs/theorems.json").read_text(encoding="utf-8"))
    assert f"{len(proved)} theorems also have a [machine-checked proof]" in TEXT


def verdicts(known: Found) -> dict[str, str]:
    """Return the verdict of each claim."""
    return {claim.name: known.verdict(claim).status for claim in CLAIMS}


def is_same_size(known: Found, claim: Claim) -> bool:
    """Return whether every best row that decides a claim is of the paper's layers and width."""
    models = (claim.above, *claim.below) if isinstance(claim, RankingClaim) else (claim,)
    pairs = [(known.evidence[model.name].best, model) for model in models if isinstance(model, Accuracy)]
    assert pairs
    return all(best is not None and (best.layers, best.width) == (len(model.layers), model.width) for best, model in pairs)


def test_what_is_contradicted() -> None:
    cells = {"figure-2-linear-attention": (50, 100, 200), "figure-2-retention": (50, 100), "figure-3-width-64": (50,)}
    contradicted = {f"{figure}-{length}" for figure, lengths in cells.items() for length in lengths}
    found = verdicts(committed(CLAIMS)).items()
    assert contradicted | {"figure-2-order-50"} == {name for name, verdict in found if verdict == "contradicted"}
    said = (
        "above the paper's: linear attention (N = 50, 100 and 200), retention (N = 50 and 100) and Mamba of width 64 (N = 50)"
    )
    assert said in TEXT
    rows = [row for path in sorted((ROOT / "results").glob("*.jsonl")) for row in read_rows(path)]
    other = [row for row in rows if isinstance(row.run.task, IndexLookup) and row.run.task.training_inputs != "drawn-length"]
    assert 0 < len(other) < len(rows)
    without = {name for name, verdict in verdicts(Found.of_rows(other, CLAIMS)).items() if verdict == "contradicted"}
    assert contradicted - without == {"figure-2-linear-attention-200", "figure-2-retention-100", "figure-3-width-64-50"}
    few = "three of the six (linear attention at N = 200, retention at N = 100 and Mamba), our evidence is from only one of"
    assert few in TEXT


def test_how_many_claims_have_each_verdict() -> None:
    counts = Counter(verdicts(committed(CLAIMS)).values())
    assert f"the papers' experiments make {len(CLAIMS)} claims" in TEXT
    assert f"Our runs reproduce {counts['reproduced'] + counts['order reproduced']} claims." in TEXT
    assert f"For {counts['not reached']} claims, our models are worse than the paper says, or our runs do not show" in TEXT
    known = committed(CLAIMS)
    missed = [claim for claim in CLAIMS if known.verdict(claim).status == "not reached"]
    smaller = [claim for claim in missed if not is_same_size(known, claim)]
    assert f"In {len(smaller)} of these {len(missed)}, our models are smaller than the paper's." in TEXT
    undecided = counts["not run"] + counts["open"]
    assert f"no comparable run for {counts['not run']} claims. {counts['open']} more are open" in TEXT
    assert f"So these {undecided} claims are neither confirmed nor refuted." in TEXT


def test_the_example_that_is_not_reached() -> None:
    known = committed(CLAIMS)
    [claim] = [one for one in CLAIMS if one.name == "figure-2-lstm-20"]
    best = known.evidence[claim.name].best
    assert best is not None
    assert (claim.printed, known.verdict(claim).status, best.layers, best.width) == (1.0, "not reached", 3, 256)
    said = (
        "the paper's LSTM reaches 100 % on index lookup at N = 20. "
        f"Ours reaches {100 * best.accuracy:.1f} %, in {best.steps:,} of the paper's {claim.steps:,} steps."
    )
    assert said in TEXT


def test_the_caption_gives_sizes_and_steps() -> None:
    rows = read_rows(ROOT / "results/demo.jsonl")
    assert {(len(row.run.layers), row.run.width) for row in rows} == {(1, 64)}
    lookup, dyck = ([row for row in rows if row.run.task.label() == task] for task in ("index-lookup", "bounded-dyck"))
    assert {(row.run.positions_told(), row.run.seed) for row in lookup} == {("learned", 0)}
    sizes = {name: (model.depth, model.width) for name, model in figure2_index_lookup().items()}
    recurrent = dict.fromkeys(("dss", "linear-attention", "mamba", "retention"), (6, 256))
    assert sizes == recurrent | {"lstm": (3, 256), "attention": (1, 64)}
    [limit] = [setting.paper for setting in SETTINGS if setting.name == "Training steps, at most"]
    for said in (
        "Our models in this picture have one layer of width 64.",
        "recurrent models on index lookup are larger: six layers of width 256, or three for the LSTM.",
        f"trained for at most {max(row.run.steps for row in lookup):,} steps; the paper's limit is {limit}.",
        f"over at most {max(row.run.steps for row in dyck):,} steps on Dyck-(2,2)",
    ):
        assert said in TEXT


def test_lines_of_code_are_readable() -> None:
    blocks = re.findall(r"^```\w*\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) > 20
    assert [line for line in lines if len(line) > READABLE or " && pip" in line] == []


def test_the_weights_of_the_example() -> None:
    assert "have 3,420 bits of weights (`core_bits`)" in TEXT
    assert "(True, 10, 3420)" in TEXT
    large = bound("index-lookup-attention", length=65_536, alphabet=64)
    assert large["program_bits"] < bound("index-lookup-state", length=65_536, alphabet=64)["state_bits"]


def test_the_makefile_installs_no_extra_for_the_demo() -> None:
    """In a fresh clone `make demo` prints how long it takes, installs seqsep without extras, and starts the demo."""
    command = ["make", "--no-print-directory", "-n", "-B", "demo"]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    installs = [line for line in done.stdout.splitlines() if "pip install" in line]
    assert installs == [".venv/bin/pip install --quiet --editable ."]
    assert done.stdout.splitlines()[-1] == ".venv/bin/seqsep demo"
    assert done.stdout.index("some minutes") < done.stdout.index(installs[0])


@pytest.mark.timeout(600)
def test_retrieval_from_the_readme_itself(page_folder: Path) -> None:
    done = PlainPage(README, page_folder).shell(f"seqsep check index-lookup-attention --text '{README}' --positions 300")
    assert done.returncode == 0
    assert "300 inputs" in done.stdout
