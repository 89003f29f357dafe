"""Recall, c-grams and counting: no function to states does better than the ceiling, at small sizes; entropies by listing."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

import pytest

from seqsep.tasks import NgramRetrieval
from seqsep.tasks.ceilings import ceiling, gram_ceiling, occurrence_ceiling, recall_ceiling
from seqsep.tasks.ceilings.retrieval import _entropy_of_the_set

Data = tuple[int, ...]


def most_right(data: Sequence[Data], asked: Callable[[Data], list[tuple[Hashable, Hashable]]], states: int) -> Fraction:
    """The highest accuracy of any function from data to states, each with the most frequent answer to each question.

    asked(x) has the questions about x, equally likely, with their answers.
    """
    pairs = [Counter(asked(one)) for one in data]
    # Data with equal questions and answers may go to one state: moving them together to the better state loses nothing.
    kinds = Counter(tuple(sorted(one.items())) for one in pairs)
    kept = [(dict(kind), weight) for kind, weight in kinds.items()]
    best = 0
    for function in itertools.product(range(states), repeat=len(kept) - 1):
        right = 0
        for chosen in range(states):
            tally: dict[Hashable, Counter] = {}
            for (kind, weight), state in zip(kept, (0, *function), strict=True):
                if state == chosen:
                    for (question, answer), times in kind.items():
                        tally.setdefault(question, Counter())[answer] += weight * times
            right += sum(max(one.values()) for one in tally.values())
        best = max(best, right)
    return Fraction(best, sum(weight * sum(kind.values()) for kind, weight in kept))


def followers(order: Data) -> list[tuple[Hashable, Hashable]]:
    return [(one, (*order, "FAILED")[place + 1]) for place, one in enumerate(order)]


@pytest.mark.parametrize(("numbers", "states"), [(2, 1), (3, 1), (3, 2), (3, 4), (4, 1)])
def test_no_state_recalls_more(numbers: int, states: int) -> None:
    best = most_right(list(itertools.permutations(range(numbers))), followers, states)
    highest = recall_ceiling(numbers, states.bit_length() - 1)
    assert best <= Fraction(highest)
    assert highest < 1.0 or math.factorial(numbers) <= states


@pytest.mark.parametrize("numbers", [2, 3, 4, 5])
def test_answers_to_any_questions_are_uniform_lists(numbers: int) -> None:
    """Of j questions about a random order, each of n! / (n - j)! lists of answers is given by (n - j)! orders."""
    orders = [dict(followers(order)) for order in itertools.permutations(range(numbers))]
    for size in range(1, numbers + 1):
        for asked in itertools.combinations(range(numbers), size):
            lists = Counter(tuple(order[one] for one in asked) for order in orders)
            assert set(lists.values()) == {math.factorial(numbers - size)}


def test_an_empty_state_recalls_by_guessing() -> None:
    assert all(recall_ceiling(numbers, 0) == pytest.approx(1 / numbers, rel=1e-12) for numbers in (2, 3, 64, 1000))


def grams(gram: int, data: Data) -> list[tuple[Hashable, Hashable]]:
    """The questions at every place after which a symbol stands, with the symbol after the first place of the same ones."""
    asked: dict[Data, int] = {}
    found = []
    for place in range(len(data) - gram + 1):
        question = data[place : place + gram - 1]
        found.append((question, asked.setdefault(question, data[place + gram - 1])))
    return found


@pytest.mark.parametrize(
    ("length", "alphabet", "gram", "states"),
    [(2, 3, 2, 1), (2, 3, 2, 2), (3, 2, 3, 2), (3, 2, 2, 2), (3, 3, 3, 1), (4, 3, 2, 1)],
)
def test_no_state_finds_more_grams(length: int, alphabet: int, gram: int, states: int) -> None:
    data = list(itertools.product(range(alphabet), repeat=length))
    best = most_right(data, lambda one: grams(gram, one), states)
    assert best <= Fraction(gram_ceiling(length, alphabet, gram, states.bit_length() - 1))


def test_the_ceiling_of_the_task_is_that_of_its_examples() -> None:
    """The task asks at every place alike, and answers as `grams` does; a state without bits is at the ceiling's place."""
    task = NgramRetrieval(length=4, gram=2, alphabet=3)
    assert ceiling(task, 2) == gram_ceiling(4, 3, 2, 2)
    assert ceiling(NgramRetrieval(length=64), 186) == gram_ceiling(64, 64, 3, 186) < 0.7
    batch = task.sample(0, 4_000, seed=1, evaluate=True)
    found = Counter((tuple(row[:-1]), row[-1]) for row in batch.inputs.tolist())
    asked = Counter((data, question) for data, _ in found for (question,), _ in grams(2, data))
    assert set(found) <= set(asked)
    assert all(task.solve((*data, question)) == dict(grams(2, data))[(question,)] for data, question in found)


def test_repetitions_of_single_symbols_are_counted_exactly() -> None:
    """With all bits a state may still be told apart from a perfect one by the bound, but never beyond 1."""
    for length, alphabet in ((3, 2), (4, 3), (5, 2)):
        places = length - 1
        repeated = [
            sum(data[place] in data[:place] for place in range(places)) / places
            for data in itertools.product(range(alphabet), repeat=length)
        ]
        mean = sum(repeated) / len(repeated)
        chance = gram_ceiling(length, alphabet, 2, 0) - 1 / alphabet
        assert chance == pytest.approx(min(mean, (places - 1) / (2 * alphabet), 1 - 1 / alphabet))


def occurs(numbers: int, data: Data) -> list[tuple[Hashable, Hashable]]:
    return [(one, one in data) for one in range(numbers)]


@pytest.mark.parametrize(("numbers", "states"), [(2, 1), (2, 2), (3, 1), (3, 2), (3, 4), (4, 1)])
def test_no_state_knows_more_that_occurs(numbers: int, states: int) -> None:
    data = list(itertools.product(range(numbers), repeat=numbers))
    best = most_right(data, lambda one: occurs(numbers, one), states)
    assert best <= Fraction(occurrence_ceiling(numbers, states.bit_length() - 1))


def test_an_empty_state_is_near_its_ceiling() -> None:
    """The answer "yes", that a number occurs, is right with chance 1 - (1 - 1/n)^n; no empty state does much better."""
    for numbers in (16, 64, 256):
        guessed = 1 - (1 - 1 / numbers) ** numbers
        assert guessed <= occurrence_ceiling(numbers, 0) < guessed + 0.02


@pytest.mark.parametrize("numbers", [2, 3, 4, 5])
def test_the_entropy_of_the_set_by_listing(numbers: int) -> None:
    sets = Counter(frozenset(one) for one in itertools.product(range(numbers), repeat=numbers))
    chances = [count / numbers**numbers for count in sets.values()]
    assert float(_entropy_of_the_set(numbers)) == pytest.approx(-sum(chance * math.log(chance) for chance in chances))


@pytest.mark.parametrize("numbers", [2, 5, 16, 64])
def test_ceilings_rise_to_1_with_the_bits(numbers: int) -> None:
    whole = math.ceil(math.log2(math.factorial(numbers)))
    recall = [recall_ceiling(numbers, bits) for bits in range(whole + 1)]
    assert recall == sorted(recall)
    assert recall[-1] == 1.0 > recall[-2]
    occurrences = [occurrence_ceiling(numbers, bits) for bits in range(numbers + 1)]
    assert occurrences == sorted(occurrences)
    assert occurrences[-1] == 1.0 > occurrences[0]
    by_bits = [gram_ceiling(numbers, 8, 2, bits) for bits in range(0, 3 * numbers, 5)]
    assert by_bits == sorted(by_bits)


def test_an_empty_state_finds_grams_by_a_guess_or_repetition() -> None:
    """With c = 3, M = 62 places and S = 64: 1/64 for the guess, and 61 / (2 64^2) for a place that repeats an earlier one."""
    assert gram_ceiling(64, 64, 3, 0) == pytest.approx(1 / 64 + 61 / (2 * 64**2), rel=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: recall_ceiling(1, 0),
        lambda: occurrence_ceiling(4096, 0),
        lambda: gram_ceiling(3, 2, 4, 0),
        lambda: gram_ceiling(3, 2, 1, 0),
    ],
)
def test_wrong_arguments(wrong: Callable[[], float]) -> None:
    with pytest.raises(ValueError, match=r"numbers is|gram is"):
        wrong()
