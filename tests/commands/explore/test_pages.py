"""The pages say what the functions of other commands say."""

import re
from itertools import product

import pytest
from markupsafe import escape

from seqsep.commands.explore.pages import MENU, PAGES
from seqsep.commands.explore.pages.certificate import checked, spoil, written
from seqsep.commands.explore.pages.experiments import known_experiments, presets_of
from seqsep.commands.explore.pages.heat_map import heat_rows, shown_cell
from seqsep.commands.explore.pages.language import EXAMPLES
from seqsep.commands.explore.pages.protocol import TASKS, protocol_run
from seqsep.commands.explore.pages.rendered import rendered
from seqsep.commands.explore.pages.start import PATH
from seqsep.commands.explore.pages.tape import tape_run
from seqsep.commands.explore.visit import Visit
from seqsep.commands.shipped import shipped
from seqsep.core.names import docstring
from seqsep.lab.rows_of import read_rows
from seqsep.language_models.capacity.published import published
from seqsep.report.experiment_table import experiment_table
from seqsep.report.index_lookup_ledger import crossing
from seqsep.report.page.proofs import module_of
from seqsep.report.worked_networks import NETWORKS
from seqsep.theorems import BY_NAME
from support.explore_forms import posted

WITH_NETWORKS = {
    *("index-lookup-attention", "index-lookup-one-layer", "index-lookup-hybrid", "recall-attention", "recall-hybrid"),
    *("counting-attention", "counting-hybrid", "counting-one-layer", "retrieval-by-pattern", "equality-two-layers"),
    *("relabelled-equality-two-layers", "is-tree-peeling", "is-tree-tour", "is-tree-one-layer", "is-tree-hybrid"),
    *("is-tree-walk", "turing-machine-hybrid", "turing-machine-retrieval", "turing-machine-recurrent", "circuits-attention"),
}
CERTIFIED = [name for name, theorem in BY_NAME.items() if theorem.certificate_witness is not None]


def text(visit):
    page = rendered(visit)
    assert page.status == 200, page.html.decode()
    return " ".join(page.html.decode().split())


def alert(visit):
    """Return the message of a page for a wrong input."""
    page = rendered(visit)
    assert page.status == 400
    [said] = re.findall(r'role="alert">([^<]+)<', page.html.decode())
    return said


@pytest.mark.parametrize("name", BY_NAME)
def test_every_theorem_has_a_page(name):
    """It begins with the first words of the theorem's file."""
    found = text(Visit("theorem", name))
    words = " ".join(docstring(module_of(BY_NAME[name])).partition("\n\n")[0].split())
    assert f'<p class="lead">{escape(words)}' in found
    assert "✗" not in found
    assert ('id="run"' in found) == (name in WITH_NETWORKS)
    assert found.count('class="sides"') == len(BY_NAME[name].errata) + len(BY_NAME[name].choices)


def test_the_crossing_is_that_of_the_ledger():
    """The start page shows the parabola's code over 64 symbols."""
    first = crossing("parabola", "program").first
    assert first == 18_290
    assert f"With 64 symbols, the state outgrows all weights at N = {first:,}" in text(Visit())
    page = text(Visit("theorem", "index-lookup-attention", {"alphabet": "64"}))
    assert "With alphabet 64, at N = 18,290 the state of every recurrent model that answers all inputs has more bits" in page
    assert "at N = 18,289 it has not" in page


def test_the_slider_chooses_the_length_of_the_table():
    page = text(Visit("theorem", "index-lookup-attention", {"alphabet": "64", "power": "10"}))
    assert "At N = 1,024, the grey line" in page
    assert '<th scope="row">least state</th><td class="n">6,144</td>' in page


def test_a_theorem_answers_the_readers_input():
    page = text(Visit("theorem", "index-lookup-attention", {"typed": '{"symbols": [3, 1, 7], "position": 2}'}))
    assert "✓ It answers 1</span>; right by the definition of the task" in page
    assert "<title>?2 reads 1: 80 %</title>" in page
    page = text(Visit("theorem", "equality-two-layers", {"typed": '{"left": [0, 1, 1], "right": [0, 1, 1]}'}))
    assert "✓ It answers 1</span>" in page


def test_too_coarse_a_grid_is_shown_as_a_wrong_answer_or_refused():
    """The reader can choose a precision below the one that is proved."""
    found = [rendered(Visit("theorem", "index-lookup-attention", {"eta": "0", "input": str(one)})) for one in range(1, 7)]
    assert any("✗ It answers" in page.html.decode() for page in found)


def test_a_check_has_margins_next_to_those_that_are_proved():
    page = text(Visit("theorem", "index-lookup-attention", {"length": "4", "alphabet": "2", "check": "yes"}))
    rows = re.findall(r'<th scope="row">a retrieved bit from 1/2 \(code [\w-]+\)</th><td class="n">([\d.]+)</td>'
                      r'<td class="n">([\d.]+)</td>', page)  # fmt: skip
    assert len(rows) == 1
    assert all(float(least) >= float(proved) for least, proved in rows)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("[1]", "expected a JSON object"),
        ("{", "expected JSON as in the example"),
        ('{"symbols": [9], "position": 1}', "whole numbers from 0 to 7"),
        ('{"symbols": [1], "position": 2}', "position"),
        ("[" * 1900, "expected JSON"),
        ("x" * 2001, "at most 2,000 characters"),
    ],
)
def test_a_wrong_input_of_a_theorem_is_refused(typed, said):
    assert said in alert(Visit("theorem", "index-lookup-attention", {"typed": typed}))


@pytest.mark.parametrize("position", [1, 2, 3])
def test_bob_answers_every_input_of_index_lookup(position):
    for symbols in product(range(3), repeat=3):
        run = protocol_run(TASKS["index-lookup"], f"{' '.join(map(str, symbols))} ?{position}", "3")
        assert run.answer == symbols[position - 1]
        assert run.carried == run.state_bits == len(run.message) == 5
        assert run.bound == pytest.approx(4.755, abs=1e-3)


def test_bob_decides_equality_and_one_bit_less_is_wrong():
    for symbols in product(range(2), repeat=6):
        run = protocol_run(TASKS["equality"], " ".join(map(str, symbols)), "2")
        assert run.answer == (symbols[:3] == symbols[3:])
        assert run.state_bits == run.bound == 3
        assert sorted(found == right for _, found, right in run.smaller_answers) == [False, True]


def test_two_lists_leave_the_smaller_model_in_one_state():
    page = text(Visit("protocol", "index-lookup", {"input": "1 0 1 1 ?3"}))
    assert page.count("✓ right") == page.count("✗ wrong") == 1


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"input": "1 0 1"}, "expected symbols and then a position as ?2"),
        ({"input": "1 0 ?3"}, "position: expected 1 to 2, found 3"),
        ({"input": "1 0 ?0"}, "position: expected 1 to 2, found 0"),
        ({"input": "?1"}, "expected 1 to 12 symbols, found 0"),
        ({"input": "1 " * 13 + "?1"}, "expected 1 to 12 symbols, found 13"),
        ({"input": "17 ?1"}, "symbol: expected 0 to 15 on this page, found 17"),
        ({"input": "3 ?1", "alphabet": "2"}, "S: expected at least 4"),
        ({"input": "15 " * 5 + "?1"}, "at most 16 bits of state, found 20"),
        ({"input": "1 0 ?1", "split": "3"}, "split: expected 1 to 2 on this page, found 3"),
    ],
)
def test_a_wrong_input_of_a_protocol_is_refused(query, said):
    assert said in alert(Visit("protocol", "index-lookup", query))


@pytest.mark.parametrize(("regex", "what"), EXAMPLES)
def test_the_examples_are_what_they_are_called(regex, what):
    checks = {
        "alternation": (["", "01", "0101"], ["0", "10", "011"]),
        "an even number of 1s: parity": (["", "0", "101"], ["1", "010", "111"]),
        "the last two letters are 1": (["11", "011"], ["", "1", "110"]),
        "all 0s before all 1s": (["", "0", "1", "0011"], ["10", "010"]),
        "brackets of depth 2": (["", "01", "0011", "0101"], ["0", "1", "000111"]),
        "binary numbers divisible by 3": (["0", "11", "110", "1001"], ["1", "10", "100", "111"]),
    }
    for words, verdict in zip(checks[what], ("✓", "✗"), strict=True):
        for word in filter(None, words):
            page = text(Visit("language", query={"regex": regex, "word": word}))
            assert f"{verdict} <code>{word}</code> is" in page, (word, verdict)


def test_the_language_page_has_a_picture_and_every_class():
    page = text(Visit("language", query={"regex": "(0|1 0* 1)*"}))
    assert "Minimal automaton" in page
    assert "0 to 1 by 1; 1 to 1 by 0; 1 to 0 by 1" in page
    assert "<b>1 <small>bit</small></b>" in page
    assert page.count('<span class="verdict yes">✓ yes') == 2


@pytest.mark.parametrize(
    ("regex", "said"),
    [
        ("(01", "01"),
        ("x" * 201, "at most 200 characters"),
        ("<script>", "script"),
        ("(0|1)*1" + "(0|1)" * 14, "more than 4,096 states"),
    ],
)
def test_a_wrong_expression_is_refused(regex, said):
    assert said in alert(Visit("language", query={"regex": regex}))


@pytest.mark.parametrize("name", [one.writer.name for one in NETWORKS])
def test_a_thought_is_shown_token_by_token(name):
    page = text(Visit("thought", name))
    assert "YES</li>" in page
    assert page.count("<title id=") >= 12


@pytest.mark.parametrize(
    ("machine", "word", "tape"),
    [("binary-increment", "1011", "1100"), ("binary-increment", "", "1"), ("busy-beaver-3", "", "111111")],
)
def test_a_network_runs_a_machine(machine, word, tape):
    run = tape_run(machine, word, 60)
    assert run.agrees
    assert run.halted
    assert "".join(run.steps[-1].cells).strip("_0" if machine.startswith("busy") else "_") == tape


def test_a_machine_that_has_not_halted_is_stopped():
    run = tape_run("busy-beaver-4", "", 20)
    assert (len(run.steps), run.halted, run.agrees) == (21, False, True)


@pytest.mark.parametrize("model", published(), ids=lambda model: model.name)
def test_every_published_model_has_a_page(model):
    page = text(Visit("capacity", query={"model": model.name}))
    assert page.count('<li class="kind-') == len(model.capacity().layers)


def test_two_models_are_compared_at_their_crossing():
    page = text(Visit("capacity", query={"second": "meta-llama/Llama-3.1-8B"}))
    assert "From 153 tokens on meta-llama/Llama-3.1-8B keeps more than tiiuae/falcon-mamba-7b." in page


@pytest.mark.parametrize("experiment", known_experiments(), ids=lambda one: one.name)
def test_an_experiment_shows_every_committed_run(experiment):
    """Each cell of each preset has the runs of its rows, and each run is the one of its row."""
    for preset in presets_of(experiment):
        rows = read_rows(experiment.rows_file(shipped("results"), preset))
        table = experiment_table(experiment, rows).legible
        page = text(Visit("experiments", experiment.name, {"preset": preset}))
        assert page.count("#cell") == len(table.cells)
        places = [one.place for _, cells in heat_rows(table) for one in cells if one]
        assert len(set(places)) == len(table.cells)
        shown = shown_cell(table, places[0], "0")
        cell = next(column.cells[model] for model in table.models for column in table.columns if model in column.cells)
        assert len(shown.runs) == len(cell.runs) + len(cell.pruned)
        assert shown.runs[shown.best][3] == cell.number
        assert f"{cell.runs[0].parameters:,}" in dict(shown.fields)["parameters"]


@pytest.mark.parametrize(
    "query",
    [
        {"cell": "lstm, N = 7"},
        {"cell": "0"},
        {"cell": "x"},
        {"cell": "Mamba (2, 16), N = 5", "run": "999"},
        {"preset": "../demo"},
    ],
)
def test_a_cell_that_does_not_exist_is_refused(query):
    assert alert(Visit("experiments", "mamba-width", query))


def test_a_pasted_config_is_read():
    config = '{"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}'
    assert "mamba: 2 layers, 224 fixed numbers, 0 numbers a token" in text(posted("capacity", config=config))


@pytest.mark.parametrize(
    "config",
    ["", "[]", "{", "[" * 100_000, '{"model_type": "mamba"}',
     '{"model_type": "mamba", "num_hidden_layers": 1e999, "hidden_size": 8}',
     '{"model_type": "mamba", "num_hidden_layers": 99999999999, "hidden_size": 8}', '{"auto_map": {"AutoConfig": "evil.py"}}'],
)  # fmt: skip
def test_a_hostile_config_is_refused(config):
    assert alert(posted("capacity", config=config))


@pytest.mark.parametrize("name", CERTIFIED)
def test_a_certificate_holds_and_a_changed_one_does_not(name):
    data = written(name)
    assert checked(data).verdict == "holds"
    assert checked(spoil(data)).verdict == "rejected"


def test_the_certificate_page_says_what_is_proved_and_what_not():
    page = text(Visit("certificate", "index-lookup-state"))
    assert "Every two rows differ in a column." in page
    assert "This does not show how a model could be built" in page
    assert page.count('class="cell"') == 80  # 32 lists of 5 bits, half of them 1
    assert "✗ rejected" in text(Visit("certificate", "index-lookup-state", {"spoil": "yes"}))


@pytest.mark.parametrize("data", ["", "{}", "x", "[" * 300_000])
def test_a_file_that_is_not_a_certificate_is_said_to_be_none(data):
    page = rendered(posted("certificate", text=data))
    assert page.status == (200 if data else 400)
    assert data == "" or "not a certificate" in page.html.decode()


def test_a_page_that_does_not_exist_is_not_found():
    for visit in (Visit("nothing"), Visit("theorem", "nothing"), Visit("protocol", "nothing"), Visit("thought", "nothing")):
        assert rendered(visit).status == 404


def test_the_menu_and_the_path_lead_to_pages():
    for page, _ in MENU:
        assert page in PAGES
    for step in PATH:
        assert rendered(Visit(step.page, step.name)).status == 200
