"""What docs/reproduction.md says of the experiment `is-tree` is what its committed rows say."""

import re
from pathlib import Path
from typing import Any

import pytest

from seqsep.ceilings import ceiling
from seqsep.experiments.claims.papers import is_tree_accuracy
from seqsep.experiments.is_tree import EXPERIMENT, READINGS, STATE_BY_HEADS
from seqsep.lab.row import Row, read_rows
from seqsep.report.is_tree_table import is_tree_cells
from seqsep.report.numerals import percent_at_most

RESULTS = Path(__file__).parents[2] / "results"
ROWS = read_rows(EXPERIMENT.rows_file(RESULTS))
OF_STATE = read_rows(EXPERIMENT.rows_file(RESULTS, "state"))
OF_LENGTH = read_rows(EXPERIMENT.rows_file(RESULTS, "length"))
OF_REACH = read_rows(EXPERIMENT.rows_file(RESULTS, "reach"))
OF_UNIFORM = read_rows(EXPERIMENT.rows_file(RESULTS, "uniform"))
TRANSFORMER, MAMBA, HYBRID = ("attention",) * 2, ("mamba",) * 2, ("mamba", "attention")


EVERYONE = (TRANSFORMER, MAMBA, HYBRID)


def row(layers: tuple[str, ...], trace: str, length: int = 8) -> Row:
    (found,) = [one for one in ROWS if (one.run.layers, one.run.task.trace, one.run.task.length) == (layers, trace, length)]
    return found


def walks(one: Row) -> bool:
    return one.run.task.trace == "walk"


@pytest.mark.parametrize("preset", READINGS)
def test_each_paragraph_names_its_length_and_distribution(preset):
    for paragraph in READINGS[preset].split("\n\n"):
        words = " ".join(paragraph.split())
        assert re.search(r"\bn = \d", words), words
        graphs = "uniform graphs" if preset == "uniform" else "double stars"
        assert graphs in words.lower(), words


def test_which_rows_there_are():
    found = {(one.run.layers, one.run.task.trace, one.run.task.length) for one in ROWS}
    traces = ("vanilla", "cot", "peel", "walk", "retrieval")
    assert found == {(layers, trace, length) for layers in EVERYONE for trace in traces for length in (8, 16)}
    assert {(one.run.seed, one.run.learning_rate, one.run.live) for one in ROWS} == {(0, 3e-3, 500)}
    thoughts = [one.run for one in ROWS if one.run.task.trace in ("cot", "peel")]
    assert {(run.task.length, run.steps) for run in thoughts} == {(8, 5000), (16, 1200)}


@pytest.mark.parametrize("layers", EVERYONE)
@pytest.mark.parametrize("length", [8, 16])
def test_nobody_answers_without_a_thought(layers, length):
    assert row(layers, "vanilla", length).result["best_accuracy"] < 0.54
    assert row(layers, "vanilla", length).run.steps == 600


@pytest.mark.parametrize("layers", EVERYONE)
@pytest.mark.parametrize("length", [8, 16])
def test_everyone_walks_with_a_retriever(layers, length):
    assert row(layers, "walk", length).result["accuracy"] >= 0.98
    assert row(layers, "walk", length).result["live_accuracy"] >= 0.98
    assert row(layers, "walk", length).result["steps"] <= 800


def test_the_answer_is_learned_before_the_thought():
    """Teacher-forced and live, in percent, of the Transformer, Mamba and the hybrid."""

    def forced_and_live(trace: str, length: int) -> tuple[list[float], list[float]]:
        found = [row(layers, trace, length).result for layers in EVERYONE]
        return [100 * one["answer_accuracy"] for one in found], [100 * one["live_accuracy"] for one in found]

    for length in (8, 16):
        assert min(forced_and_live("peel", length)[0]) >= 97
        forced, live = forced_and_live("walk", length)
        assert forced == live
    assert [round(live) for live in forced_and_live("peel", 16)[1]] == [49, 51, 55]
    forced, live = forced_and_live("cot", 16)
    assert (round(min(forced)), round(max(forced))) == (75, 83)
    assert (round(min(live)), round(max(live))) == (48, 51)
    assert min(forced_and_live("retrieval", 8)[0]) >= 98
    transformer, mamba, hybrid = forced_and_live("retrieval", 16)[0]
    assert min(transformer, hybrid) >= 98
    assert round(mamba) == 49


def test_the_local_thought_with_a_retriever_is_learned_sooner():
    """Places, of six, where 90 % of the thoughts are written within 6,400 graphs."""
    cells = is_tree_cells(ROWS).values()
    for trace, places in (("walk", 5), ("retrieval", 1)):
        seen = [cell.first_written and cell.first_written * cell.batch for cell in cells if cell.task.trace == trace]
        assert len(seen) == 6
        assert sum(graphs is not None and graphs <= 6_400 for graphs in seen) == places


@pytest.mark.parametrize(("rows", "least"), [(OF_LENGTH, 0.94), (OF_STATE, 0.93)])
def test_the_answer_is_not_what_is_missing(rows, least):
    assert min(one.result["answer_accuracy"] for one in rows) >= least


def test_what_is_said_of_uniform_graphs():
    assert {one.run for one in OF_UNIFORM} == set(EXPERIMENT.runs("uniform"))
    found = {(one.run.layers, one.run.task.trace, one.run.task.length): one for one in OF_UNIFORM}
    without = [one for (_, trace, _), one in found.items() if trace == "vanilla"]
    assert {one.run.steps for one in without} == {600}
    assert max(one.result["best_accuracy"] for one in without) < 0.55
    ceilings = [ceiling(found[MAMBA, "vanilla", length].run.task, state_bits=0) for length in (8, 16)]
    assert [percent_at_most(share) for share in ceilings] == ["78.9", "77.1"]
    for layers in (TRANSFORMER, HYBRID):
        walks = [found[layers, "walk", length] for length in (8, 16)]
        assert {(one.result["accuracy"], one.run.evaluation) for one in walks} == {(1, 500)}
        assert max(one.result["steps"] * one.run.batch for one in walks) <= 8_000
    of_mamba = [found[MAMBA, "walk", length] for length in (8, 16)]
    assert [round(100 * one.result["accuracy"]) for one in of_mamba] == [97, 61]
    assert [one.result["steps"] * one.run.batch for one in of_mamba] == [12_800] * 2
    assert {one.run.live for one in of_mamba} == {500}
    assert all(one.result["accuracy"] == one.result["answer_accuracy"] for one in of_mamba)
    assert row(MAMBA, "walk", 16).result["accuracy"] == 0.986


@pytest.mark.parametrize("layers", EVERYONE)
def test_at_16_nobody_thinks_without_a_retriever_yet(layers):
    assert max(row(layers, trace, 16).result["accuracy"] for trace in ("cot", "peel")) < 0.095


def test_the_paper_s_retrieval_is_under_way():
    live = [round(100 * row(layers, "retrieval").result["live_accuracy"]) for layers in EVERYONE]
    assert (min(live), max(live)) == (61, 93)
    assert max(row(layers, "retrieval").result["accuracy"] for layers in EVERYONE) < 0.86
    assert {row(layers, "retrieval", length).run.steps for layers in EVERYONE for length in (8, 16)} == {800}
    at_16 = [round(100 * row(layers, "retrieval", 16).result["live_accuracy"], 1) for layers in EVERYONE]
    assert at_16 == [95.8, 50.5, 60.7]
    assert [round(100 * row(layers, "retrieval").result["live_accuracy"]) for layers in (TRANSFORMER, HYBRID)] == [61, 93]
    assert {row(layers, "retrieval", 16).run.steps * row(layers, "retrieval", 16).run.batch for layers in EVERYONE} == {6400}


@pytest.mark.parametrize(("layers", "cot"), [(TRANSFORMER, 0.72), (HYBRID, 0.73)])
def test_a_local_thought_is_learned_sooner(layers, cot):
    assert row(layers, "walk").result["live_accuracy"] == row(layers, "walk").result["accuracy"] == 1
    assert row(layers, "walk").result["steps"] <= 300
    assert row(layers, "peel").result["accuracy"] > 0.99
    assert row(layers, "peel").result["steps"] < row(layers, "cot").result["steps"] == 5000
    assert row(layers, "cot").result["accuracy"] == pytest.approx(cot, abs=0.005)


@pytest.mark.parametrize(("trace", "right"), [("cot", 0.25), ("peel", 0.32)])
def test_mamba_alone_is_behind(trace, right):
    assert row(MAMBA, trace).result["accuracy"] == pytest.approx(right, abs=0.005)


def test_what_is_said_of_length_at_a_fixed_state():
    """All right, by model and length, of the preset `length`, which is whole."""
    assert {one.key for one in OF_LENGTH} == {run.key() for run in EXPERIMENT.runs("length")}
    assert {(one.run.seed, one.run.learning_rate, one.run.steps, one.run.evaluation) for one in OF_LENGTH} == {
        (0, 3e-3, 2000, 500)
    }
    right = {(one.run.layers, one.run.task.length): one.result["accuracy"] for one in OF_LENGTH}
    delta, lstm = ("gated-delta",) * 2, ("lstm",) * 2
    models = (delta, HYBRID, MAMBA, lstm)
    assert [round(100 * right[layers, 6]) for layers in models] == [100, 93, 19, 2]
    assert right[delta, 6] == 1
    assert [round(100 * right[layers, 8]) for layers in models] == [71, 79, 2, 0]
    for length in (12, 16, 24, 32):
        assert max(models, key=lambda layers: right[layers, length]) == HYBRID
        assert right[HYBRID, length] < 0.22
    assert all(cell.ceiling == 1 for cell in is_tree_cells(OF_LENGTH).values())


def test_what_is_said_of_states():
    """Models of two layers and four heads, by width."""
    rows = [one for one in OF_STATE if one.run.heads == 4]
    assert {(one.run.seed, one.run.learning_rate, one.run.steps) for one in OF_STATE} == {(0, 3e-3, 2000)}
    assert {cell.ceiling for cell in is_tree_cells(OF_STATE).values()} == {1}
    written = {(one.run.layers[0], one.run.width): round(100 * one.result["accuracy"]) for one in rows}
    bits = {(one.run.layers[0], one.run.width): one.result["state_bits"] for one in rows}
    assert bits["rwkv7", 64] == bits["linear-attention", 64] == [69_632, 0]
    assert (written["rwkv7", 64], written["linear-attention", 64]) == (91, 12)
    assert (bits["mamba2", 64], written["mamba2", 64]) == ([573_440, 0], 6)
    wider = {name: (written[name, 64], written[name, 128]) for name in ("gated-delta", "mamba2", "retention", "rwkv7")}
    assert wider == {"gated-delta": (71, 80), "mamba2": (6, 41), "retention": (1, 26), "rwkv7": (91, 77)}
    parameters = {(one.run.layers[0], one.run.width): one.result["parameters"] for one in rows}
    assert [parameters[name, 64] for name in ("rwkv7", "linear-attention", "mamba2")] == [157_632, 134_272, 69_080]
    for sizes, least, most in ((parameters, 2.5, 3.41), ({place: fixed for place, (fixed, _) in bits.items()}, 1.95, 4)):
        assert all(least < sizes[name, 128] / sizes[name, 64] <= most for name in wider)
    behind = [name for name in written if name[0] in ("linear-attention", "mamba", "lstm", "dss")]
    assert {width for _, width in behind} == {16, 32, 64, 128}
    assert len(behind) == 16
    assert max(written[name] for name in behind) < 14


def test_what_is_said_of_heads():
    """Models of two layers of width 64."""
    rows = [one for one in OF_STATE if one.run.width == 64]
    by_heads = {(one.run.layers[0], one.run.heads): one.result for one in rows}
    heads = (1, 2, 4, 8, 16)

    def of(name: str, field: str) -> list[Any]:
        return [by_heads[name, number][field] for number in heads]

    def written(name: str) -> list[int]:
        return [round(100 * accuracy) for accuracy in of(name, "accuracy")]

    for name in STATE_BY_HEADS:
        parameters = of(name, "parameters")
        assert max(parameters) < 1.03 * min(parameters)
        assert (bits := of(name, "state_bits")) == sorted(bits, reverse=True)
    assert [of(name, "state_bits")[at] for name in ("rwkv7", "gated-delta") for at in (0, 4)] == [
        [266_240, 0],
        [20_480, 0],
        [573_440, 0],
        [81_920, 0],
    ]
    assert written("rwkv7") == [67, 77, 91, 44, 14]
    assert written("gated-delta") == [68, 76, 71, 51, 40]
    assert (max(written("linear-attention")), max(written("retention"))) == (17, 1)


def test_what_is_said_of_reach():
    """All right and decided, in percent, of the Transformer, the hybrid and Mamba by place; and the graphs they took."""
    assert {one.run for one in OF_REACH} == set(EXPERIMENT.runs("reach"))
    assert len(OF_REACH) == 24
    assert {(one.run.seed, one.run.learning_rate) for one in OF_REACH} == {(0, 3e-3)}
    assert percents("cot", 16) == [(97.2, 99.2), (74.8, 95.4), (0.2, 47.2)]
    assert percents("peel", 16) == [(96.8, 98.8), (94.0, 98.4), (6.0, 54.0)]
    assert percents("retrieval", 16) == [(99.6, 99.8), (99.2, 99.7), (98.2, 99.8)]
    assert percents("retrieval", 32) == [(98.2, 99.6), (94.2, 97.1), (40.6, 76.7)]
    assert [right for right, _ in percents("walk", 32)] == [99.8, 99.8, 49.2]
    assert [right for right, _ in percents("walk", 64)] == [97.4, 99.6, 46.0]
    answers = {one.run.task.length: one.result["answer_accuracy"] for one in OF_REACH if one.run.layers == MAMBA and walks(one)}
    assert answers == {32: 0.512, 64: 0.464}
    assert row(MAMBA, "walk", 16).result["accuracy"] == 0.986
    places = [("cot", 16), ("peel", 16), ("retrieval", 16), ("retrieval", 32), ("walk", 32), ("walk", 64)]
    assert [graphs(*place) for place in places] == [
        [384_000] * 3,
        [384_000] * 3,
        [14_400, 24_000, 24_000],
        [16_000] * 3,
        [8_000, 6_400, 12_800],
        [12_800, 9_600, 12_800],
    ]
    assert [depths(*place) for place in places] == [[4] * 3, [4] * 3, *[[2] * 3] * 4]


def test_what_is_said_of_32_vertices():
    """After as many graphs as at n = 16."""
    assert percents("cot", 32) == [(34.8, 78.8), (20.6, 58.5), (0.0, 55.5)]
    assert percents("peel", 32) == [(11.2, 48.6), (10.4, 47.2), (0.0, 51.8)]
    assert graphs("peel", 32) == graphs("cot", 32) == [384_000] * 3
    assert depths("peel", 32) == depths("cot", 32) == [4] * 3
    assert [one for one in OF_REACH if one.environment["device"] != "cpu"] == [at("cot", 32)[0]]


def test_what_is_said_of_learning_sooner():
    """Graphs seen at the first evaluation with 90 % of the thoughts at n = 16; None if there was none."""
    cells = is_tree_cells(OF_REACH)
    first = {
        (len(set(cell.model.layers)), cell.model.layers[0], cell.task.trace): cell.first_written
        and cell.first_written * cell.batch
        for cell in cells.values()
        if cell.task.length == 16
    }
    assert [first[1, "attention", trace] for trace in ("peel", "cot")] == [320_000, 268_800]
    assert [first[2, "mamba", trace] for trace in ("peel", "cot")] == [307_200, None]
    [hybrid] = [one for one in at("cot", 16) if len(set(one.run.layers)) == 2]
    assert hybrid.result["best_accuracy"] == 0.75


def test_the_papers_numbers_beside_reach():
    models = ("transformer-0.5M", "hybrid-0.5M", "mamba-0.5M")
    assert [is_tree_accuracy("cot", model, 16) for model in models] == [1.0, 0.998, 0.838]
    assert [is_tree_accuracy("cot", model, 32) for model in models] == [1.0, 0.998, 0.55]
    assert {is_tree_accuracy("retrieval", model, length) for model in models for length in (16, 32)} == {1.0}


def at(trace: str, length: int) -> list[Row]:
    """The rows of a place: the Transformer, the hybrid, Mamba."""
    rows = [one for one in OF_REACH if (one.run.task.trace, one.run.task.length) == (trace, length)]
    assert len(rows) == 3
    return sorted(rows, key=lambda one: one.run.layers.count("mamba"))


def percents(trace: str, length: int) -> list[tuple[float, float]]:
    return [(round(100 * one.result["accuracy"], 1), round(100 * one.result["live_accuracy"], 1)) for one in at(trace, length)]


def graphs(trace: str, length: int) -> list[int]:
    return [one.result["steps"] * one.run.batch for one in at(trace, length)]


def depths(trace: str, length: int) -> list[int]:
    return [len(one.run.layers) for one in at(trace, length)]
