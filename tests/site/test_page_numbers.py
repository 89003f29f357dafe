"""Numbers of results in the prose of hand-written pages are those of rows, of generated pages or of tested examples.

docs/how-to/gpu.md has tests/test_gpu_numbers.py, and README.md has tests/test_readme.py.
"""

import re
from hashlib import sha256
from pathlib import Path

import pytest

from pages._curriculum import curriculum_table
from seqsep.lab.experiments.claims.recipe import lookup_run
from seqsep.lab.row import Row, read_rows
from seqsep.tasks import IndexLookup
from support.page_examples import COMMENT, LEXER, ROOT, Document

DOCS = ROOT / "docs"
TRAINED = ROOT / "tests/support/own_layer.jsonl"
"""The rows that `seqsep run runs.py` of the lesson on an own layer leaves."""
CURRICULUM = set(re.findall(r"(\d+\.\d+) %", curriculum_table(ROOT / "results")))
"""The accuracies in the table of the guide to sweeps, whose test is tests/pages/test_curriculum.py."""
FOLDERS = ("explanation", "how-to", "tutorials")
HELD = {
    "how-to/sweeps.md": CURRICULUM | {f"{100 * lookup_run(('attention',), 64, 200, steps=1).target:.1f}"},
    "explanation/bounds.md": {"24.9"},
    "explanation/thoughts-and-retrievers.md": {"99.2"},
    "tutorials/own-layer.md": {"99.7"},
}
"""Page -> its percentages that no example on the page prints. A test below has each."""
GUESSES = {"explanation/positions.md": {"1.6"}, "tutorials/own-layer.md": {"12.5"}}
"""Page -> the accuracies of guessing, one over the number of symbols."""


def words(name: str) -> str:
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


def rows_at(name: str, length: int) -> list[Row]:
    return [row for row in read_rows(ROOT / f"results/{name}.jsonl") if row.run.task.length == length]


def prose_and_examples(path: Path) -> tuple[str, str]:
    """Return a page without its code blocks, and the code blocks."""
    document = Document(path.read_text(encoding="utf-8"), str(path))
    blocks = [(block.start, block.end) for block in LEXER(document)]
    prose, last = "", 0
    for start, end in blocks:
        prose += document.text[last:start]
        last = end
    return COMMENT.sub("", prose + document.text[last:]), "".join(document.text[start:end] for start, end in blocks)


def unheld(path: Path) -> set[str]:
    """Return the percentages of a page with a decimal point that none of its examples prints."""
    prose, examples = prose_and_examples(path)
    return {number for number in re.findall(r"(\d+\.\d+)(?: to [\d.]+)? %", prose) if number not in examples}


@pytest.mark.parametrize(
    "path", [path for name in FOLDERS for path in sorted((DOCS / name).glob("*.md"))], ids=lambda p: p.stem
)
def test_a_percentage_is_printed_by_an_example(path: Path) -> None:
    name = path.relative_to(DOCS).as_posix()
    assert unheld(path) == HELD.get(name, set()) | GUESSES.get(name, set())


def test_a_bare_number_is_found(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("It has 12.5 % and 99.1 %.\n\n```python\n>>> 99.1\n99.1\n```\n")
    assert unheld(tmp_path / "page.md") == {"12.5"}


def test_the_best_lstm_of_the_page_on_bounds() -> None:
    lstm = [row for row in rows_at("index-lookup-architectures-reach", 20) if row.run.layers == ("lstm",)]
    best = max(lstm, key=lambda row: row.result["accuracy"])
    found = f"{100 * best.result['accuracy']:.1f} %"
    assert f"one-layer LSTM of width {best.run.width}: at most {found} in {best.run.steps:,} steps" in words(
        "explanation/bounds.md"
    )
    assert f"It is right on only {found} of the questions." in words("explanation/bounds.md")


def test_longer_training_on_is_tree() -> None:
    [row] = [
        row
        for row in rows_at("is-tree-reach", 16)
        if row.run.task.trace == "cot" and set(row.run.layers) == {"attention"} and len(row.run.layers) == 4
    ]
    accuracy = f"{100 * row.result['live_accuracy']:.1f} %"
    said = f"With four layers and {row.result['steps']:,} steps, attention reaches {accuracy} with `cot` at n = 16"
    assert said in words("explanation/thoughts-and-retrievers.md")


def test_how_many_runs_the_page_on_positions_compares() -> None:
    runs = rows_at("index-lookup-architectures-reach", 20)
    counts = {
        sum(row.run.layers == (layer,) and row.run.positions_told() == positions for row in runs)
        for layer in ("retention", "mamba", "mamba2", "gated-delta", "rwkv7", "lstm", "dss")
        for positions in ("learned", "none")
    }
    assert counts == {13}
    assert f"The accuracy is the best of {counts.pop()} runs" in words("explanation/positions.md")
    assert f"for at most {max(row.run.steps for row in runs):,} steps" in words("explanation/positions.md")


def test_the_crossing_of_a_published_model() -> None:
    """The page of all published models is generated."""
    lines = (DOCS / "reference/capacity.md").read_text(encoding="utf-8").splitlines()
    [header] = [line.split(" | ") for line in lines if line.startswith("| model | state, 16 bits |")]
    [model] = [line.split(" | ") for line in lines if line.startswith("| Qwen/Qwen3-Next-80B-A3B-Instruct | 37")]
    said = f"as large as the state of its other layers at {model[header.index('crossing')]} tokens"
    assert said in words("explanation/weights-cache-state.md")


def test_the_accuracies_of_the_lesson_on_an_own_layer() -> None:
    rows = read_rows(TRAINED)
    assert len(rows) == 18
    text = (DOCS / "tutorials/own-layer.md").read_text(encoding="utf-8")
    page = words("tutorials/own-layer.md")
    [layer] = re.findall(r"<!-- file: own_layer.py -->\n```python\n(.*?)```", text, re.DOTALL)
    own = f"MovingAverage@{sha256(layer.encode()).hexdigest()}"
    for layer, name in ((own, "moving average"), ("attention", "attention"), ("lstm", "LSTM")):
        cells = [spread(rows, layer, length) for length in (3, 5, 8)]
        assert f"| {name} | {' | '.join(cells)} |" in page


def spread(rows: list[Row], layer: str, length: int) -> str:
    """Return the least and the greatest accuracy over seeds, in percent."""
    found = [row for row in rows if row.run.task.length == length and str(row.run.layers[0]).startswith(layer)]
    assert {row.run.seed for row in found} == {0, 1}
    low, high = map(in_words, sorted(100 * row.result["accuracy"] for row in found))
    return f"{high} %" if low == high else f"{low} to {high} %"


def in_words(accuracy: float) -> str:
    """Return whole percent; between 99 and 100 with a digit more."""
    return f"{accuracy:.1f}" if 99 < accuracy < 100 else f"{accuracy:.0f}"


def test_the_lengths_at_which_a_state_becomes_too_small() -> None:
    page = words("tutorials/own-layer.md")
    first = [next(n for n in range(1, 1000) if IndexLookup(n, alphabet=8).answer_bits() > 32 * numbers) for numbers in (32, 64)]
    assert f"N = {first[0]} for your layer, and {first[1]} for the LSTM" in page


def test_twenty_lines_of_numpy() -> None:
    text = (DOCS / "how-to/export-a-network.md").read_text(encoding="utf-8")
    [block] = re.findall(r"<!-- file: run_lookup.py -->\n```python\n(.*?)```", text, re.DOTALL)
    assert f"in {sum(bool(line.strip()) for line in block.splitlines())} lines of NumPy" in " ".join(text.split())
