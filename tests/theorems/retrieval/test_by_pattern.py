"""Theorem 5.2: the four retrieval tasks by patterns that a linear recurrence writes; a spoiled weight or pattern shows."""

import re
from itertools import product

import pytest

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.generation import GenerationDiffers, asked_places, follow, generate
from seqsep.tasks.retriever import Pattern
from seqsep.theorems import TheoremFails
from seqsep.theorems.retrieval import _counting, _recall, by_pattern
from seqsep.theorems.retrieval._pattern_inputs import drawn_inputs, solved
from seqsep.theorems.retrieval._written_query import Copy, Template
from support.networks import defects_that_change, follows, with_array

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked

QUESTIONS = [("index", 2), ("recall", 2), ("recall", 3), ("recall", 5), ("counting", 2)]


@pytest.mark.parametrize(("length", "gram"), [(1, 3), (2, 2), (3, 3)])
def test_every_input_over_four_numbers(length, gram):
    for outcome in by_pattern.check(length, gram):
        assert outcome.measured == outcome.bound
        assert not outcome.saturated
        assert "every input" in outcome.variant
    assert by_pattern.check(3)[0].inputs == 4 + 16 * 2 + 64 * 3


@pytest.mark.parametrize("length", [5, 16, 64])
def test_drawn_inputs(length):
    """A sample of the long check."""
    for outcome in by_pattern.check(length, gram=4, inputs=60, seed=1):
        assert outcome.inputs == 60
        assert outcome.measured["state_bits"] == outcome.bound["state_bits"]
        assert outcome.measured["state_bits_by_range"] <= outcome.bound["state_bits_by_range"]


@pytest.mark.parametrize(("question", "gram"), QUESTIONS)
def test_sizes_are_as_bound(question, gram):
    for alphabet in (1, 13, 100):
        network = by_pattern.build(question, alphabet, gram)
        bound = by_pattern.bound(question, alphabet, gram)
        assert network.ledger().program == bound["program_bits"]
        assert (network.width, network.precision, network.state_bits) == (
            bound["width"],
            bound["precision"],
            bound["state_bits"],
        )


def test_sizes_grow_with_the_logarithm_of_the_numbers_only():
    for question, gram in QUESTIONS:
        small = by_pattern.bound(question, 50, gram)
        large = by_pattern.bound(question, 50 * 1024, gram)
        assert {key: small[key] == large[key] for key in ("width", "thought_tokens", "state_numbers")} == {
            "width": True,
            "thought_tokens": True,
            "state_numbers": True,
        }
        assert large["precision"] - small["precision"] <= 4 * 10 + 1


def test_drawn_questions_have_both_answers():
    for question, gram in QUESTIONS:
        template = Template(question, 17, gram)
        found = [solved(template, given) for given in drawn_inputs(template, 16, 200, 0)]
        assert len(set(found)) > 5
        assert question == "index" or 20 < sum(one is None for one in found) < 180


def sequences_of(template, inputs):
    prompts = [template.prompt(numbers, question) for numbers, question in inputs]
    thoughts = [template.thought(given.question, solved(template, given)) for given in inputs]
    sequences = [prompt + thought for prompt, thought in zip(prompts, thoughts, strict=True)]
    starts = [len(prompt) for prompt in prompts]
    retriever = template.retriever()
    marks = [retriever.inserted(sequence, start) for sequence, start in zip(sequences, starts, strict=True)]
    return sequences, starts, marks


@pytest.mark.parametrize(("question", "gram"), QUESTIONS[:3] + QUESTIONS[4:])
def test_token_by_token_with_a_live_retriever(question, gram):
    template = Template(question, 9, gram)
    network = by_pattern.build(question, 9, gram)
    for given in list(drawn_inputs(template, 8, 6, 5)):
        [sequence], [start], _ = sequences_of(template, [given])
        retrieve = template.retriever().behind(start)
        most = len(sequence) - start
        assert generate(network, sequence[:start], (), most=most, retriever=retrieve) == sequence[start:]


def test_patterns_search_alike_in_a_process_of_their_own():
    for question, gram in QUESTIONS:
        template = Template(question, 13, gram)
        for given in list(drawn_inputs(template, 6, 2, 8)):
            [sequence], [start], _ = sequences_of(template, [given])
            texts = [template.texts[token] for token in sequence]
            found = Pattern.of(texts[start + 1 : -3]).find(texts[:start])
            assert (found or "FAILED") == texts[-2]


def test_templates_copy_the_question():
    assert Template("counting", 5).copies == [(6, Copy(2)), (13, Copy(2)), (18, Copy(1, raised=1))]
    assert Template("recall", 5, gram=4).copies == [(3, Copy(3)), (5, Copy(2)), (7, Copy(1))]
    assert Template("index", 5).copies == [(4, Copy(1, raised=0))]
    with pytest.raises(ValueError, match=r"Template\(alphabet=0, gram=2\)"):
        by_pattern.build("index", 0)


def found_by(pattern, text):
    found = re.search(pattern, text)
    return None if found is None else found.group(1)


def test_patterns_right_on_the_data_find_the_question():
    """On the data alone they are right on every input; with the question after it, as RETRIEVE searches, they are not."""
    wrong = {"counting": 0, "recall": 0}
    tried = {"counting": 0, "recall": 0}
    for length in (1, 2, 3):
        for numbers in product((0, 1, 2), repeat=length):
            data = " ".join(map(str, numbers))
            for query, threshold in product((0, 1, 2), (0, 1, 2)):
                tried["counting"] += 1
                counting = rf"^(?:.*?(?<!\S)({query})(?!\S)){{{threshold + 1}}}"
                truth = _counting.solve(numbers, query, threshold)
                assert (found_by(counting, data) is not None) == truth
                wrong["counting"] += (found_by(counting, f"{data} {query} {threshold}") is not None) != truth
            for query in (0, 1, 2):
                tried["recall"] += 1
                recall = rf"(?<!\S){query} (\S+)"
                following = _recall.solve(numbers, [query])
                assert found_by(recall, data) == (None if following is None else str(following))
                wrong["recall"] += found_by(recall, f"{data} {query}") != found_by(recall, data)
    assert tried == {"counting": 351, "recall": 117}
    assert wrong == {"counting": 145, "recall": 21}
    assert found_by(r"^(?:.*?(?<!\S)(2)(?!\S)){1}", "1 2 0") == "2"


def test_a_count_of_three_tokens_is_literal_text():
    """Every index query fails: in `re`, and (?x) or not, { 3 } is text; as one token it counts."""
    for place in range(1, 5):
        for numbers in product("ab", repeat=4):
            text = " ".join(["<s>", *numbers, str(place)])
            for flag in ("", "(?x) "):
                assert found_by(rf"{flag}^ (?:\S+\s) {{ {place} }} (\S+)", text) is None
            assert found_by(rf"(?x) ^ (?:\S+\s) {{{place}}} (\S+)", text) == numbers[place - 1]


def test_a_template_that_counts_the_question_is_found_out(monkeypatch):
    honest = Template.written.func

    def without_look_ahead(template):
        return tuple("\\s?" if token in ("\\s", "(?=\\S+\\s\\S)") else token for token in honest(template))

    monkeypatch.setattr(Template, "written", property(without_look_ahead))
    with pytest.raises(TheoremFails, match=r"question = .*retriever = "):
        by_pattern.check(3)


@pytest.mark.parametrize(("question", "gram"), [("recall", 3), ("counting", 2)])
def test_10_defects_that_change_the_function_are_all_caught(question, gram):
    template = Template(question, 4, gram)
    honest = by_pattern.build(question, 4, gram)
    inputs = list(drawn_inputs(template, 4, 9, 3))
    sequences, starts, marks = sequences_of(template, inputs)
    follow(honest, sequences, starts, marks)
    asked = asked_places(sequences, starts, marks)
    arrays = set()
    for name, network in defects_that_change(honest, follows(sequences, asked), count=10):
        arrays.add(name)
        with pytest.raises(GenerationDiffers):
            follow(network, sequences, starts, marks)
    assert len(arrays) >= 5


def test_the_applier_answers_the_four_tasks():
    """Every input of up to three numbers, by weights for more of them, is answered by the definition of its task."""
    apply = by_pattern.predictor(5, alphabet=4)
    tried = 0
    for length in (1, 2, 3):
        for numbers in map(list, product((0, 3), repeat=length)):
            for place, number in enumerate(numbers, start=1):
                assert apply({"symbols": numbers, "position": place})["answer"] == number
            for query in (0, 3):
                assert apply({"tokens": numbers, "query": [query]})["answer"] == _recall.solve(numbers, [query])
                grams = [query, 3]
                assert apply({"tokens": numbers, "query": grams})["answer"] == _recall.solve(numbers, grams)
                for threshold in (0, 1):
                    given = {"tokens": numbers, "query": query, "threshold": threshold}
                    assert apply(given)["answer"] == int(_counting.solve(numbers, query, threshold))
                    tried += 1
    assert tried == (2 + 4 + 8) * 4
    thought = apply({"symbols": [3, 1], "position": 2})["thought"]
    assert thought == ["[", "(?x)", "^", "(?:\\S+\\s)", "{2}", "(\\S+)", "]", "1"]


def test_the_applier_runs_the_weights(monkeypatch):
    """With a read-out that never writes YES, the answer is no."""
    honest = by_pattern.build

    def without_yes(question, alphabet, gram):
        network = honest(question, alphabet, gram)
        bias = network.readout_bias.integers.copy()
        bias[Template(question, alphabet, gram).token("YES")] -= 100
        return with_array(network, "readout_bias", Array(bias, network.readout_bias.unit, by_index=True))

    given = {"tokens": [1, 2, 1], "query": 1, "threshold": 1}
    assert by_pattern.predictor(5)(given)["answer"] == 1
    monkeypatch.setattr(by_pattern, "build", without_yes)
    assert by_pattern.predictor(5)(given)["answer"] == 0


def test_the_applier_names_what_is_wrong():
    apply = by_pattern.predictor(3, alphabet=3)
    for given, message in [
        ({"symbols": [1, 2], "position": 3}, "position: expected 1 to 2, found 3"),
        ({"symbols": [1, 2, 2], "position": 3}, "position: expected 1 to 2, found 3"),  # 3 is no number of this network
        ({"tokens": [1, 2]}, "query: missing; found tokens"),
        ({"tokens": [1], "query": []}, "query: expected 1 to 3 of them, found 0"),
        ({"tokens": [3], "query": [1]}, "tokens: expected 0 to 2, found 3 to 3"),
        ({"tokens": [1], "query": 1, "threshold": -1}, "threshold: expected 0 to 2, found -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            apply(given)


@pytest.mark.parametrize(("question", "least"), [("index", 1), ("recall", 2), ("counting", 1)])
def test_runs_are_shown_from_the_least_length_on(question, least):
    assert by_pattern.certificate_witness(length=least, question=question).parameters["length"] == least
    with pytest.raises(ValueError, match="expected 2 <= gram <= length, 2 <= alphabet"):
        by_pattern.certificate_witness(length=least - 1, question=question)
    with pytest.raises(ValueError, match="expected 2 <= gram <= length, 2 <= alphabet"):
        by_pattern.certificate_witness(length=3, alphabet=1, question=question)
