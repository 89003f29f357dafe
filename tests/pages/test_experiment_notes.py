"""Sentences of experiments' pages on causes are what their rows have."""

from pathlib import Path

import pytest

from pages._experiment_notes import NOTES, used_bits_table
from pages.experiments import SHOWN
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.row import read_rows
from seqsep.report.experiment_table import states_table
from seqsep.tasks import IndexLookup
from seqsep.tasks.ceilings import carried_bits
from seqsep.tasks.index_lookup import TRAINING

RESULTS = Path(__file__).parents[2] / "results"
LOOKUP = "index-lookup-architectures"
POSITIONS = (f"{LOOKUP}-reach", "equality-next-reach", "dyck-architectures-reach", "mamba-width-reach")
ANSWERS = ("is-tree", "is-tree-length", "is-tree-reach", "is-tree-state", "is-tree-uniform")


def rows(name):
    return read_rows(RESULTS / f"{name}.jsonl")


def test_notes_are_of_pages():
    assert set(NOTES) <= set(SHOWN)
    tested = {*POSITIONS, *ANSWERS, "equality-random", f"{LOOKUP}-readings", f"{LOOKUP}-state-bits"}
    assert set(NOTES) <= tested, "a note without a test of its numbers"


@pytest.mark.parametrize("name", POSITIONS)
def test_positions(name):
    """Both choices have the same rates, scales and steps in the first stage, which is found again here."""
    [paragraph] = NOTES[name]
    shortest = min(row.run.task.length for row in rows(name))
    best: dict[tuple[str, bool], float] = {}
    for row in rows(name):
        if row.run.task.length == shortest and row.finished:
            model = str(row.run.width) if name.startswith("mamba-width") else row.run.layers[0]
            place = (model, row.run.positions_told() == "learned")
            best[place] = max(best.get(place, 0), row.result["accuracy"])
    both = {model for model, told in best if not told} & {model for model, told in best if told}
    passing = [sum(best[one, told] >= 0.99 for one in both) for told in (True, False)]
    kind = "sizes" if name.startswith("mamba-width") else "architectures"
    raised = sum(best[one, True] > best[one, False] for one in both)
    assert paragraph == (
        f"{len(both)} {kind} were trained at N = {shortest} twice, with learned positions and without positions. "
        f"With learned positions, {passing[0]} of them reach 99 %. "
        f"Without positions, {f'{passing[1]} of them do' if passing[1] else 'none does'}, and the highest accuracy is "
        f"{100 * max(best[one, False] for one in both):.1f} %. "
        f"{raised} of the {len(both)} are more accurate with learned positions."
    )


def test_the_first_four_symbols():
    """Halves that agree in the first four symbols and are not equal are the only ones that a shortcut answers wrongly."""
    highest = max(row.result["accuracy"] for row in rows("equality-random") if row.run.task.length == 20)
    first_four = 1 - (2**-4 - 2**-10) / 2
    assert highest < first_four
    assert NOTES["equality-random"] == (
        "A model can take a shortcut. If it compares only the first 4 of the 10 symbols, it has "
        f"{100 * first_four:.1f} % at N = 20. "
        f"The best run here has {100 * highest:.1f} %.",
    )


def attention(length):
    """The row of each reading at a length."""
    return {
        row.run.task.training_inputs: row
        for row in rows(f"{LOOKUP}-readings")
        if row.run.layers == ("attention",) and row.run.task.length == length
    }


def first_at(row, goal):
    return next((step for step, accuracy, _ in row.result["curve"] if accuracy >= goal), None)


def test_rows_of_readings_are_those_of_the_preset():
    keys = [row.key for row in rows(f"{LOOKUP}-readings")]
    assert set(keys) <= {run.key() for run in BY_NAME[LOOKUP].runs("readings")}
    assert len(set(keys)) == len(keys)


def test_full_inputs_are_learned_within_a_few_thousand_steps():
    for length in (20, 50, 100, 200):
        row = attention(length)["full-length"]
        assert row.result["accuracy"] >= 0.999
        assert first_at(row, 0.999) <= 4000


def test_other_readings_take_longer():
    """At N = 100 at least three times as many steps to 99 %, at N = 200 twice as many, or they never get there."""
    for length, times in ((100, 3), (200, 2)):
        found = attention(length)
        full = first_at(found["full-length"], 0.99)
        others = [first_at(found[reading], 0.99) for reading in TRAINING if reading != "full-length" and reading in found]
        assert others
        assert all(steps is None or steps >= times * full for steps in others)
    steps = {reading: first_at(row, 0.99) for reading, row in attention(200).items()}
    assert steps == {"full-length": 3600, "drawn-length": None, "drawn-position": None}
    assert {row.run.steps for reading, row in attention(200).items() if steps[reading] is None} == {12_000}
    said = NOTES[f"{LOOKUP}-readings"][1]
    assert "after 3,600 steps under `full-length`." in said
    assert "Under `drawn-length` and `drawn-position` it stays below 99 % within 12,000 steps." in said


def test_the_last_tenth_is_learned_last():
    """Of attention's runs that end below 99.9 %, the last tenth has the lowest accuracy."""
    below = [row for row in rows(f"{LOOKUP}-readings") if row.result["accuracy"] < 0.999]
    assert below
    for row in below:
        tenths = row.result["accuracy_by_tenth"]
        assert row.run.task.training_inputs != "full-length"
        assert min(tenths) == tenths[-1]
    said = "\n".join(NOTES[f"{LOOKUP}-readings"])
    every = len(rows(f"{LOOKUP}-readings"))
    assert f"{len(below)} of {every} runs end below 99.9 %. In {len(below)} of these runs, the last tenth" in said


def test_shares_of_a_state():
    """The sentence is written from the rows; here they are counted again."""
    found = {
        (*row.run.layers, row.run.width, row.run.heads): row
        for row in rows(f"{LOOKUP}-state-bits")
        if row.run.task == IndexLookup(50)
    }
    assert {row.key for row in found.values()} == {
        run.key() for run in BY_NAME[LOOKUP].search("state-bits").runs() if run.task == IndexLookup(50)
    }
    bits = {place: carried_bits(IndexLookup(50), row.result["accuracy"]) for place, row in found.items()}
    shares = {place: bits[place] / row.result["state_bits"][0] for place, row in found.items()}
    assert max(bits, key=bits.get) == ("linear-attention", 128, 4)
    assert max(shares, key=shares.get) == ("linear-attention", 64, 4)
    none = sum(used < 1 for used in bits.values())
    lines = used_bits_table(states_table(BY_NAME[LOOKUP], rows(f"{LOOKUP}-state-bits"))).splitlines()
    [line] = [line for line in lines if line.startswith("| 50 |")]
    assert line == (
        "| 50 | 48 | 300 | 298 | Linear attention, width 128, heads 4 | 0.71 %: 246 of 34,816 bits | "
        f"Linear attention, width 64, heads 4 | {none} |"
    )
    parameters = [
        [found[name, 64, heads].result["parameters"] for heads in (1, 4, 16)]
        for name in ("linear-attention", "rwkv7", "retention", "gated-delta")
    ]
    most = max(max(of_it) / min(of_it) for of_it in parameters) - 1
    assert most < 0.03
    assert NOTES[f"{LOOKUP}-state-bits"][1].endswith(f"at width 64, by at most {100 * most:.1f} %.")


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_after_the_right_thought(name):
    """The thought is said to fail if answers are right after the right one, and not after the model's own."""
    by_trace = {}
    for row in rows(name):
        by_trace.setdefault(row.run.task.trace, []).append(row.result)
    said = NOTES.get(name, ())
    expected = []
    for trace, results in by_trace.items():
        right = min(one["answer_accuracy"] for one in results)
        own = min(one["live_accuracy"] for one in results)
        if trace != "vanilla" and right >= 0.9 > own:
            expected.append(
                f"If a model reads the right chain of thought `{trace}`, it answers at least {100 * right:.1f} % of the graphs "
                f"correctly. If it writes this thought itself, the accuracy of the worst model is {100 * own:.1f} %. "
                "So a model with a low accuracy fails by writing a wrong thought, and not by a wrong answer after a right "
                "thought."
            )
    assert sorted(said) == sorted(expected)
