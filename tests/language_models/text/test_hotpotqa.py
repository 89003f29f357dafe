"""HotpotQA: the file is read or refused in one line; prompts hold what they should; the subset is what all models answer."""

import hashlib
import json
from itertools import pairwise

import pytest

from seqsep.lab.store.store import Store
from seqsep.language_models.text.accuracy import accuracies, on_subset, subset
from seqsep.language_models.text.evaluation import Evaluation
from seqsep.language_models.text.hotpotqa import ORDERS, Benchmark
from seqsep.language_models.text.hotpotqa_file import read_hotpotqa
from seqsep.language_models.text.hotpotqa_run import HotpotRun
from support.hotpotqa import Reader, entry, write_file


@pytest.fixture
def benchmark(tmp_path):
    return Benchmark.of(read_hotpotqa(write_file(tmp_path / "dev.json")), most_paragraphs=8)


def shown(prompt):
    """The titles before the last question, in the order of the prompt."""
    before, *_ = prompt.rsplit("\nQuestion:", 1)
    paragraphs = before.split("\n\n")[-1].splitlines()
    return [paragraph.split(":")[0] for paragraph in paragraphs]


def test_every_paragraph_and_fact_of_the_file_is_read(tmp_path):
    file = read_hotpotqa(write_file(tmp_path / "dev.json", count=3))
    assert [one.answer for one in file.questions] == ["Town 0", "Town 1", "Town 2"]
    one = file.questions[1]
    assert [paragraph.title for paragraph in one.needed] == ["Film 1", "Person 1"]
    assert [paragraph.title for paragraph in one.distracting] == [f"Other 1 {other}" for other in range(8)]
    assert one.support == ("Film 1 was made by Person 1.", "Person 1 was born in the Town 1.")


def test_prompts_hold_what_is_needed_where_it_should_be(benchmark):
    for asked in benchmark.asked:
        needed = {paragraph.title for paragraph in asked.needed}
        for count in (2, 4, 6, 8, 10):
            for order in ORDERS:
                question = benchmark.question(asked, count, order)
                titles = shown(question.prompt)
                assert len(titles) == len(set(titles)) == count
                assert needed <= set(titles)
                assert order == "random" or set(titles[-2:]) == needed
                assert question.prompt.endswith(f"\nQuestion: {asked.question}\nThought:")
                assert asked.id not in {example.id for example in benchmark.examples}


def test_more_paragraphs_keep_those_of_fewer(benchmark):
    for asked in benchmark.asked:
        titles = [set(shown(benchmark.question(asked, count, "random").prompt)) for count in (2, 4, 6, 8)]
        assert all(fewer < more for fewer, more in pairwise(titles))


def test_with_two_paragraphs_both_orders_are_one_question(benchmark):
    for asked in benchmark.asked:
        first, second = (benchmark.question(asked, 2, order) for order in ORDERS)
        assert first == second


def test_random_order_is_random(benchmark):
    """The needed paragraphs stand last by chance alone: 1 in 28 of 8 paragraphs."""
    places = [shown(benchmark.question(asked, 8, "random").prompt).index(asked.needed[0].title) for asked in benchmark.asked]
    assert len(set(places)) >= 4


def test_examples_show_the_thought_and_the_answer(benchmark):
    examples = benchmark.question(benchmark.asked[0], 2, "random").prompt.split("\n\n")[1:-2]
    assert len(benchmark.examples) == 4
    assert len(examples) == 8
    for example, text in zip(benchmark.examples, examples[1::2], strict=True):
        assert text == f"Question: {example.question}\nThought: {' '.join(example.support)}\nAnswer: {example.answer}"


def test_prompts_are_those_of_their_revision(benchmark):
    """If this fails, `question.REVISION` must grow: stored replies answer other prompts."""
    texts = [
        benchmark.question(asked, count, order).prompt for asked in benchmark.asked for count in (2, 8) for order in ORDERS
    ]
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16] == "b3579180edb24a66"


def changed(**fields):
    return [entry(0), entry(1) | fields]


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], r"a list of questions, found \[\]"),
        ({"version": 1}, "a list of questions, found {"),
        ([entry(0), 7], "question 2: expected an object, found 7"),
        (changed(_id=None), "question 2, field _id: expected words, found none"),
        (changed(answer=""), "question 2, field answer: expected words, found ''"),
        (changed(question=["Where?"]), "question 2, field question: expected words"),
        (changed(context=None), r"question 2 \(_id id1\), field context: expected a list"),
        (changed(context=[["Film 1", "one string"]]), r"question 2 \(_id id1\), field context, paragraph 1: expected"),
        (changed(context=[["Film 1", [3]]]), "field context, paragraph 1: expected"),
        (changed(supporting_facts=[]), "field supporting_facts: expected a list"),
        (changed(supporting_facts=[["Film 1"]]), "field supporting_facts, fact 1: expected"),
        (changed(supporting_facts=[["Film 1", -1]]), "field supporting_facts, fact 1: expected"),
        (changed(supporting_facts=[["Film 2", 0]]), "field supporting_facts: expected titles of its context, found 'Film 2'"),
        ([entry(0), entry(0)], "field _id: expected a different one for each question, found 1 repeated"),
    ],
)
def test_a_wrong_field_is_named(tmp_path, entries, expected):
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(entries))
    with pytest.raises(ValueError, match=expected) as error:
        read_hotpotqa(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_nested_lists_of_every_depth_are_refused(tmp_path):
    """Also at the depths that can be read, but not written as JSON again."""
    path = tmp_path / "deep.json"
    for depth in (*range(900, 1000), 100_000):
        path.write_text('{"a":' * depth + "1" + "}" * depth)
        with pytest.raises(ValueError, match="expected HotpotQA's JSON"):
            read_hotpotqa(path)


def test_a_file_cut_anywhere_is_refused(tmp_path):
    """Every proper beginning of the file is one line that names it."""
    data = write_file(tmp_path / "dev.json", count=2, distracting=1).read_bytes()
    cut = tmp_path / "cut.json"
    for end in range(0, len(data), 7):
        cut.write_bytes(data[:end])
        with pytest.raises(ValueError, match=r"cut\.json: expected HotpotQA's JSON") as error:
            read_hotpotqa(cut)
        assert "\n" not in str(error.value)
        assert "cut off" in str(error.value)


def test_a_file_cut_within_a_letter_is_refused(tmp_path):
    """A letter of several bytes of UTF-8, and one that is no UTF-8 before the end."""
    text = json.dumps([entry(0), entry(1) | {"answer": "Málaga \N{SNOWMAN}"}], ensure_ascii=False)
    cut = tmp_path / "cut.json"
    for letter in "á\N{SNOWMAN}":
        for kept in range(1, len(letter.encode())):
            data = text.split(letter)[0].encode() + letter.encode()[:kept]
            cut.write_bytes(data)
            expected = f"a list of questions, found it cut off within the letter at byte {len(data) - kept}"
            with pytest.raises(ValueError, match=rf"cut\.json: expected HotpotQA's JSON, {expected}$"):
                read_hotpotqa(cut)
            cut.write_bytes(data + b'"}]')
            with pytest.raises(ValueError, match=rf"JSON in UTF-8, found other bytes at byte {len(data) - kept}$"):
                read_hotpotqa(cut)


def test_questions_that_need_other_than_two_are_set_aside(tmp_path):
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([entry(0), entry(1) | {"supporting_facts": [["Film 1", 0]]}]))
    file = read_hotpotqa(path)
    assert ([one.id for one in file.questions], file.set_aside) == (["id0"], 1)


def test_too_few_questions_are_refused(tmp_path):
    file = read_hotpotqa(write_file(tmp_path / "dev.json", count=6, distracting=4))
    assert len(Benchmark.of(file, most_paragraphs=6).asked) == 2
    with pytest.raises(ValueError, match="expected more than 4 questions of 8 paragraphs, two of which are needed, found 0"):
        Benchmark.of(file, most_paragraphs=8)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store.sqlite") as store, store.driving():
        yield store


def run(benchmark, store, *readers, count=100):
    """The results of the models: all replies at two paragraphs, and those of the subset."""
    evaluations = {reader.facts.name: Evaluation(reader, store, "hotpotqa") for reader in readers}
    hotpot = HotpotRun(benchmark, tuple(evaluations), (2, 4, 6, 8), ORDERS, count=count, candidates=100)
    return hotpot.run(evaluations.__getitem__, lambda what, most: lambda reply: None)


def by_length(replies, order):
    return {cell.length: cell.accuracy for cell in accuracies(replies) if cell.order == order}


def test_a_reader_of_everything_is_always_right(benchmark, store):
    alone, replies = run(benchmark, store, Reader())
    assert len(alone) == 8
    assert len(replies) == 8 * (1 + 2 * 3)
    assert by_length(replies, "random") == by_length(replies, "needed-last") == {2: 1, 4: 1, 6: 1, 8: 1}


def test_a_reader_of_the_end_needs_it_last(benchmark, store):
    """As in the paper's figure: what has to be looked for is lost with more paragraphs, what stands last is not."""
    _, replies = run(benchmark, store, Reader(window=190))
    assert by_length(replies, "needed-last") == {2: 1, 4: 1, 6: 1, 8: 1}
    random = by_length(replies, "random")
    assert random[2] == 1
    assert random[8] < 1


def test_the_subset_is_what_every_model_answers(benchmark, store):
    numbers = [int(asked.id[2:]) for asked in benchmark.asked]
    one = Reader("one", never=tuple(numbers[:3]))
    other = Reader("other", never=tuple(numbers[2:5]))
    alone, replies = run(benchmark, store, one, other)
    expected = {f"id{number}" for number in numbers[5:]}
    assert {reply.question["id"] for reply in replies} == subset(alone) == expected
    assert {reply.question["id"] for reply in on_subset([*alone, *replies])} == expected
    assert by_length(replies, "random")[2] == 1
    assert len(other.asked) == 5 + 6 * 3  # it is tried on what the first one answered


def test_the_last_model_is_asked_until_the_subset_is_full(benchmark, store):
    reader = Reader(never=(int(benchmark.asked[0].id[2:]),))
    alone, replies = run(benchmark, store, reader, count=3)
    assert len(alone) == 4
    assert {reply.question["id"] for reply in replies} == {asked.id for asked in benchmark.asked[1:4]}


def test_without_a_right_answer_nothing_more_is_asked(benchmark, store):
    alone, replies = run(benchmark, store, Reader(window=1))
    assert (len(alone), replies) == (8, [])


def test_what_is_stored_is_not_asked_again(benchmark, store):
    first = run(benchmark, store, Reader())
    again = Reader()
    assert run(benchmark, store, again) == first
    assert again.asked == []
