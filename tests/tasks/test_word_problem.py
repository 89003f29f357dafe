"""The word problem against products of permutations, its distribution, and the states that exact lengths need."""

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from seqsep.maths.automata.permutations import MOST_ELEMENTS
from seqsep.models.laws import task as task_laws
from seqsep.tasks import NOTHING_ASKED, WordProblem
from support.task_examples import assert_counts_are_near, states_before_tokens

TASKS = [
    WordProblem(9, degree=3),
    WordProblem(3, "symmetric", 4, "generators", "last"),
    WordProblem(8, "symmetric", 5, "transpositions", "pointer"),
    WordProblem(8, "symmetric", 3, "adjacent"),
    WordProblem(8, "alternating", 4, "generators"),
    WordProblem(8, "dihedral", 4, ask="pointer"),
    WordProblem(1, "dicyclic", 2, ask="last"),
    WordProblem(12, "cyclic", 3, "generators", least_length=3),
]


@pytest.mark.parametrize("task", TASKS, ids=repr)
def test_laws(task):
    task_laws.check_task(task, 40)


@pytest.mark.parametrize("task", [task for task in TASKS if task.letter_count < 9], ids=repr)
def test_every_input_is_the_definition(task):
    """Points are moved one by one, letter by letter, and the tuple of their images is found among the elements."""

    def expected(word: tuple[int, ...]) -> int:
        letters = [task.alphabet[token] for token in word if token != task.end]
        images = list(range(len(task.elements[0])))
        for letter in letters:
            images = [letter[image] for image in images]
        return images[0] if task.ask == "pointer" else sorted(task.elements).index(tuple(images))

    task_laws.check_task_answers(task, 3, expected)


@pytest.mark.parametrize("ask", ["all", "last", "pointer"])
def test_queries_and_lengths(ask):
    task = WordProblem(6, degree=3, ask=ask, least_length=2)
    for evaluate, lengths in ((False, {2, 3, 4, 5, 6}), (True, {6})):
        batch = task.sample(0, 300, 2, evaluate)
        ends = task.ask == "last"
        assert set((batch.lengths - ends).tolist()) == lengths
        for inputs, targets, tokens in zip(batch.inputs, batch.targets, batch.lengths, strict=True):
            asked = np.flatnonzero(targets != NOTHING_ASKED).tolist()
            assert asked == ([tokens - 1] if ends else list(range(tokens)))
            assert not inputs[tokens:].any()


def test_letters_are_uniform():
    task = WordProblem(2, "cyclic", 3, "generators", "last", least_length=2)
    words = Counter(map(tuple, task.sample(0, 20_000, 3).inputs.tolist()))
    assert_counts_are_near(words, {(a, b, 2): 1 / 4 for a in range(2) for b in range(2)}, 20_000)


@pytest.mark.parametrize(
    ("group", "degree", "letters", "ask", "longest"),
    [
        ("symmetric", 3, "transpositions", "all", 4),
        ("symmetric", 3, "generators", "last", 5),
        ("symmetric", 4, "adjacent", "pointer", 5),
        ("symmetric", 3, "all", "all", 3),
        ("cyclic", 4, "generators", "last", 5),
        ("dihedral", 4, "generators", "pointer", 5),
        ("dicyclic", 2, "generators", "all", 5),
    ],
)
def test_answer_bits_by_counting_states(group, degree, letters, ask, longest):
    """Every two products need two states, at each exact length."""
    for length in range(1, longest + 1):
        task = WordProblem(length, group, degree, letters, ask)
        inputs = itertools.product(*task.alphabets(length))
        assert task.answer_bits() == (states_before_tokens(task, inputs) - 1).bit_length()


def test_an_odd_alphabet_reaches_half_of_s5():
    for length in (1, 2, 3, 50, 2**20):
        task = WordProblem(length, letters="transpositions", ask="last")
        assert task.states_after(length) == {1: 10, 2: 36}.get(length, 60)
        assert task.answer_bits() == {1: 4}.get(length, 6)
    assert WordProblem(2**20, letters="generators").answer_bits() == 7
    assert WordProblem(2**20, letters="generators", ask="pointer").answer_bits() == 3


EXACTLY = {
    "transpositions": [10, 36, 60, 60],
    "adjacent": [4, 10, 19, 30, 41, 50, 56, 59, 60, 60],
    "generators": [2, 4, 7, 12, 20, 32, 48, 68, 87, 106, 114, 119, 120, 120],
}
"""Products of exactly 1, 2, .. letters of S_5."""


@pytest.mark.parametrize("letters", EXACTLY)
def test_products_of_exactly_this_many_letters_of_s5(letters):
    counts = EXACTLY[letters]
    tasks = [WordProblem(length, letters=letters, ask="last") for length in range(1, 1 + len(counts))]
    assert [task.states_after(task.length) for task in tasks] == counts
    assert [task.answer_bits() for task in tasks] == [(count - 1).bit_length() for count in counts]


def test_shortcut_of_the_commutative_image():
    """With all letters odd, the length alone has the parity of the product; and letters count modulo G'."""
    task = WordProblem(9, letters="transpositions", ask="last", least_length=1)
    batch = task.sample(0, 200, 1)
    rows = np.arange(200)
    for element, letters in zip(batch.targets[rows, batch.lengths - 1], batch.lengths - 1, strict=True):
        images = task.elements[element]
        inversions = sum(one > other for one, other in itertools.combinations(images, 2))
        assert inversions % 2 == letters % 2


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: WordProblem(0), "length is 1 to 2^20 letters, found 0"),
        (lambda: WordProblem(9, "free"), "group is one of cyclic, dihedral, symmetric, alternating, dicyclic, found 'free'"),
        (lambda: WordProblem(9, "alternating", 3), "degree is at least 4 with group='alternating', found 3"),
        (lambda: WordProblem(9, degree=7), "degree leads to at most 720 elements, found 7 with group='symmetric'"),
        (lambda: WordProblem(9, "cyclic", 5, "adjacent"), "letters='adjacent' needs group='symmetric', found 'cyclic'"),
        (lambda: WordProblem(9, ask="first"), "ask is one of all, last, pointer, found 'first'"),
        (lambda: WordProblem(9, ask="last").solve((3, 4)), "expected the end token 120 at the end, found (3, 4)"),
        (lambda: WordProblem(9).solve((3, 120)), "expected letters 0 to 119, found (3, 120)"),
        (lambda: WordProblem(9).solve(()), "expected letters 0 to 119, found ()"),
    ],
)
def test_what_is_wrong_is_one_line(make, said):
    with pytest.raises(ValueError, match=re.escape(said)) as raised:
        make()
    assert "\n" not in str(raised.value)


def test_the_largest_group_is_accepted():
    assert WordProblem(3, group="cyclic", degree=MOST_ELEMENTS).classes == MOST_ELEMENTS


def test_readable_label_and_configuration():
    task = WordProblem(3, degree=3, ask="last")
    shown = {"letters": [[1, 2, 0], [1, 0, 2]], "answer": [0, 2, 1]}
    assert task.readable((3, 2, 6), task.solve((3, 2, 6))) == shown
    assert WordProblem(3, degree=3, ask="pointer").readable((3,), 1) == {"letters": [[1, 2, 0]], "answer": 1}
    assert [WordProblem(9, *kind).label() for kind in (("dicyclic", 2), ("alternating", 5))] == [
        "word-problem Dic_2",
        "word-problem A_5",
    ]
    assert task.configuration() == {"name": "word-problem", "length": 3, "degree": 3, "ask": "last", "least_length": 3}
    assert (task.vocabulary, task.classes, task.longest, task.loss) == (7, 6, 4, "cross-entropy")
