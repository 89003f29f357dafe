"""No scheme on tiny cases beats the ceiling, the ends are exact, and where it bites is decided on integers."""

import itertools
import math
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from seqsep.tasks import AssociativeRecall, BoundedDyck, Equality, IndexLookup, IsTree, MultiQueryRecall, NearestNeighbor, Task
from seqsep.tasks.ceilings import (
    best_accuracy,
    carried_bits,
    ceiling,
    code_accuracy,
    counting_ceiling,
    double_star_ceiling,
    first_bitten_length,
    index_lookup_ceiling,
    length_where_it_bites,
)
from seqsep.tasks.ceilings.fano import highest_accuracy
from seqsep.theorems.is_tree import _graphs, eight_numbers


def best_of_all_functions(length: int, alphabet: int, states: int) -> Fraction:
    """By trying every function from inputs to states, each with the most frequent symbol as its answer."""
    inputs = np.array(list(itertools.product(range(alphabet), repeat=length)))
    has = (inputs[:, :, None] == np.arange(alphabet)).astype(np.int32)
    functions = np.array(list(itertools.product(range(states), repeat=len(inputs) - 1)), dtype=np.int8)
    functions = np.pad(functions, ((0, 0), (1, 0)))
    right = sum(
        np.tensordot((functions == state).astype(np.int32), has, axes=(1, 0)).max(-1).sum(-1) for state in range(states)
    )
    return Fraction(int(np.max(right)), length * len(inputs))


@pytest.mark.parametrize(
    ("length", "alphabet", "state_bits"),
    [(1, 2, 0), (1, 3, 1), (1, 5, 1), (2, 2, 0), (2, 2, 1), (3, 2, 1), (3, 2, 2), (4, 2, 1), (2, 3, 1), (2, 3, 2), (2, 4, 1)],
)
def test_no_function_beats_the_ceiling(length: int, alphabet: int, state_bits: int) -> None:
    best = best_of_all_functions(length, alphabet, 2**state_bits)
    highest = index_lookup_ceiling(length, alphabet, state_bits)
    assert best <= Fraction(highest)
    assert best == best_accuracy(length, alphabet, state_bits) >= code_accuracy(length, alphabet, state_bits)
    assert highest < 1.0 or alphabet**length <= 2**state_bits


def test_the_ceiling_is_an_upper_limit_only() -> None:
    """N = 3, S = 2, one bit: no state is right more often than 3/4, where the ceiling says 0.826."""
    assert round(index_lookup_ceiling(3, 2, 1), 3) == 0.826
    assert best_of_all_functions(3, 2, 2) == best_accuracy(3, 2, 1) == code_accuracy(3, 2, 1) == Fraction(3, 4)


@pytest.mark.parametrize(("length", "alphabet"), [(5, 2), (6, 2), (3, 3), (2, 5), (3, 4), (2, 1)])
@pytest.mark.parametrize("state_bits", [0, 1, 2])
def test_code_best_code_and_ceiling_are_in_order(length: int, alphabet: int, state_bits: int) -> None:
    best = best_accuracy(length, alphabet, state_bits)
    assert Fraction(1, alphabet) <= code_accuracy(length, alphabet, state_bits) <= best
    assert best <= Fraction(index_lookup_ceiling(length, alphabet, state_bits))


@pytest.mark.parametrize(("length", "alphabet", "state_bits"), [(7, 2, 4), (4, 3, 4), (8, 2, 4), (9, 2, 5), (10, 2, 5)])
def test_the_code_is_a_code(length: int, alphabet: int, state_bits: int) -> None:
    """The stated accuracy is that of code words that are written out: Hamming words of a block, then symbols kept or guessed.

    With 7 symbols and 4 bits it is the code of 16 words, right on 7/8 of the symbols that are asked.
    """
    words = itertools.product(range(alphabet), repeat=length)
    redundancy, block = (3, 7) if alphabet == 2 and length in (7, 8) else (2, alphabet + 1)
    checks = [column for column in itertools.product(range(alphabet), repeat=redundancy) if leading(column) == 1]
    assert len(checks) == block
    kept = max(kept for kept in range(length) if alphabet**kept <= 2**state_bits)
    blocks = min(length // block, (length - kept) // redundancy, kept // (block - redundancy))
    free = kept - blocks * (block - redundancy)
    wrong = 0
    for word in words:
        for number in range(blocks):
            part = word[number * block : (number + 1) * block]
            syndrome = tuple(sum(a * c[row] for a, c in zip(part, checks, strict=True)) % alphabet for row in range(redundancy))
            wrong += any(syndrome)
        wrong += sum(symbol != 0 for symbol in word[blocks * block + free :])
    assert alphabet ** (blocks * (block - redundancy) + free) <= 2**state_bits
    assert code_accuracy(length, alphabet, state_bits) >= 1 - Fraction(wrong, length * alphabet**length)
    of_gf4 = (
        Fraction(15, 16) + Fraction(3, 4) - Fraction(1, 4)
    )  # a block of 5 that drops 2, and a symbol known to be 0, 1 or not
    assert code_accuracy(6, 4, 7) == 1 - of_gf4 / 6


def leading(column: tuple[int, ...]) -> int:
    """The first entry that is not 0, or 0."""
    return next((entry for entry in column if entry), 0)


def test_the_gap_to_the_ceiling_at_sizes_that_are_trained() -> None:
    """64 symbols: a code that keeps what fits and guesses the rest, or drops two of 65, beside the ceiling."""
    for length, state_bits in ((100, 300), (800, 4096), (65, 378)):
        reached = code_accuracy(length, 64, state_bits)
        assert reached <= Fraction(index_lookup_ceiling(length, 64, state_bits)) < reached + Fraction(16, 100)
    with pytest.raises(ValueError, match="at most 1,000,000 code books"):
        best_accuracy(10, 2, 4)


def test_a_perfect_code_comes_close() -> None:
    """Hamming over GF(64): 63 symbols kept, every word of 65 within one symbol of a code word."""
    accuracy = 1 - (1 - Fraction(1, 4096)) / 65
    assert accuracy <= Fraction(index_lookup_ceiling(65, 64, 6 * 63)) < accuracy + Fraction(4, 1000)


@pytest.mark.parametrize("alphabet", [2, 3, 7, 64, 1000, 2**31])
def test_an_empty_state_is_at_chance_rounded_up(alphabet: int) -> None:
    highest = index_lookup_ceiling(9, alphabet, 0)
    assert Fraction(highest) >= Fraction(1, alphabet)
    assert highest <= math.nextafter(1 / alphabet, 1) * (1 + 1e-15)


def test_never_below_the_root_in_fractions() -> None:
    """The deficit at e = 1/2 and S = 2 is exactly one bit; at S = 4, e = 3/4 two bits: both ends of the inequality."""
    assert Fraction(index_lookup_ceiling(10, 2, 0)) >= Fraction(1, 2)
    assert Fraction(index_lookup_ceiling(10, 4, 0)) >= Fraction(1, 4)
    error = 1 - index_lookup_ceiling(100, 64, 300)
    entropy = -error * math.log2(error) - (1 - error) * math.log2(1 - error)
    assert 100 * (6 - entropy - error * math.log2(63)) == pytest.approx(300, abs=1e-9)


def test_monotone_in_bits_and_length() -> None:
    for alphabet in (2, 3, 64):
        by_bits = [index_lookup_ceiling(12, alphabet, bits) for bits in range(0, 80, 7)]
        by_length = [index_lookup_ceiling(length, alphabet, 20) for length in range(1, 40, 5)]
        assert by_bits == sorted(by_bits)
        assert by_length == sorted(by_length, reverse=True)
        assert by_bits[-1] == by_length[0] == 1.0


@pytest.mark.parametrize("alphabet", [2, 3, 5, 6, 10, 63, 64, 65])
def test_it_bites_exactly_where_states_run_out(alphabet: int) -> None:
    for state_bits in (0, 1, 2, 5, 6, 7, 64, 300, 301, 4096):
        first = length_where_it_bites(alphabet, state_bits)
        assert first is not None
        assert alphabet ** (first - 1) <= 2**state_bits < alphabet**first
        assert index_lookup_ceiling(first, alphabet, state_bits) < 1.0
        if first > 1:
            assert index_lookup_ceiling(first - 1, alphabet, state_bits) == 1.0


def test_it_bites_exactly_at_near_misses() -> None:
    """Powers of three that come closest to a power of two, and a size whose power cannot be formed."""
    for length, bits in ((53, 84), (665, 1054), (31867, 50508)):
        first = length_where_it_bites(3, bits)
        assert first == (length + 1 if 3**length <= 2**bits else length)
        assert first is not None
        assert 3 ** (first - 1) <= 2**bits < 3**first
    assert length_where_it_bites(64, 6 * 10**40) == 10**40 + 1
    assert (
        length_where_it_bites(3, 10**60)
        == int(
            "630929753571457437099527114342760854299585640131880427870654"  # floor(10^60 log_3 2), from the digits of log_3 2
        )
        + 1
    )


def test_a_state_that_grows() -> None:
    assert length_where_it_bites(64, 0, 4096) is None
    assert length_where_it_bites(64, 60, 6) is None
    assert length_where_it_bites(64, 60, 4) == 31
    first = length_where_it_bites(65, 100, 6)
    assert first is not None
    assert 65 ** (first - 1) <= 2 ** (100 + 6 * (first - 1))
    assert 65**first > 2 ** (100 + 6 * first)


def test_an_alphabet_of_one_asks_for_nothing() -> None:
    assert length_where_it_bites(1, 0) is None
    assert index_lookup_ceiling(5, 1, 0) == 1.0


def test_dispatch() -> None:
    assert ceiling(IndexLookup(50), 300) == 1.0
    lower = ceiling(IndexLookup(50), 299)
    assert lower is not None
    assert 0.99 < lower < 1.0
    dyck = BoundedDyck(30)
    assert ceiling(dyck, dyck.answer_bits()) == 1.0
    assert ceiling(dyck, dyck.answer_bits() - 1) is None
    assert ceiling(IsTree(32), 5) == double_star_ceiling(32, 5) < 1
    assert ceiling(IsTree(32), IsTree(32).answer_bits()) == 1.0
    assert ceiling(IsTree(32, trace="walk"), 5) is None


@pytest.mark.parametrize("state_bits", [0, 1, 17, 64, 301])
@pytest.mark.parametrize("bits_per_token", [0, 1])
@pytest.mark.parametrize(
    "task", [IndexLookup(20, alphabet=9), Equality(20, "next", alphabet=9), NearestNeighbor(20, classes=9)]
)
def test_the_first_bitten_length_is_that_of_the_ceiling(task: Task, state_bits: int, bits_per_token: int) -> None:
    first, step = first_bitten_length(task, state_bits, bits_per_token), 1 if isinstance(task, IndexLookup) else 2
    assert first is not None

    def highest(length: int) -> float | None:
        return ceiling(replace(task, length=length), state_bits + length * bits_per_token)

    assert (highest(first) or 0) < 1
    assert all(highest(length) == 1 for length in range(step, first, step) if length >= 4)


def test_no_first_length_if_nothing_is_known_or_the_state_grows() -> None:
    assert first_bitten_length(Equality(20, "one"), 5) is None
    assert first_bitten_length(IndexLookup(20), 0, 6) is None
    assert first_bitten_length(Equality(20, "next"), 0, 5) is None


def test_recall() -> None:
    assert ceiling(AssociativeRecall(20, values=64), 60) == ceiling(IndexLookup(20, alphabet=64), 60)
    assert ceiling(MultiQueryRecall(4, values=4), 3) == 0.5
    assert ceiling(MultiQueryRecall(5, values=4), 4) == 1.0
    assert ceiling(NearestNeighbor(8, classes=2), 3) == 0.5
    assert ceiling(Equality(8, variant="next", alphabet=4), 7) == 0.5
    assert ceiling(Equality(8, variant="one"), 3) is None
    zoology = MultiQueryRecall.zoology(16, 4, vocab_size=16)
    assert (zoology.values, zoology.pairs) == (8, 4)
    assert ceiling(zoology, 10) == pytest.approx(1024 / (8 * 7 * 6 * 5), rel=1e-15)


@pytest.mark.parametrize(("pairs", "values", "states"), [(1, 3, 2), (2, 2, 1), (2, 2, 2), (2, 3, 2)])
def test_no_state_answers_more_lists_of_questions(pairs: int, values: int, states: int) -> None:
    """Every function to states, and for each state and order of questions the best answers, told what was right before."""
    lists = list(itertools.product(range(values), repeat=pairs))
    orders = list(itertools.permutations(range(pairs)))

    def most_right(left: list[tuple[int, ...]], order: tuple[int, ...]) -> int:
        if not order or not left:
            return len(left)
        return max(most_right([one for one in left if one[order[0]] == answer], order[1:]) for answer in range(values))

    best = 0
    for function in itertools.product(range(states), repeat=len(lists)):
        groups = [[one for one, state in zip(lists, function, strict=True) if state == chosen] for chosen in range(states)]
        best = max(best, sum(most_right(group, order) for group in groups for order in orders))
    assert Fraction(best, len(orders) * len(lists)) == Fraction(states, len(lists))


def test_counting_is_rounded_up_and_asks_for_whole_numbers() -> None:
    assert counting_ceiling(1, 0) == counting_ceiling(8, 3) == 1.0
    assert Fraction(counting_ceiling(3, 0)) >= Fraction(1, 3) > Fraction(math.nextafter(counting_ceiling(3, 0), 0))
    assert counting_ceiling(64**400, 2000) > 0
    with pytest.raises(ValueError, match="possibilities is at least 1"):
        counting_ceiling(0, 1)


def test_double_stars_without_state_leave_two_thirds() -> None:
    for vertices in (4, 5, 17, 128):
        assert Fraction(double_star_ceiling(vertices, 0)) >= Fraction(2, 3)
        assert double_star_ceiling(vertices, 0) == pytest.approx(2 / 3, rel=1e-15)
        assert double_star_ceiling(vertices, vertices - 2) == 1.0
    at_128 = [round(double_star_ceiling(128, bits), 3) for bits in (4, 16, 64)]
    assert at_128 == [0.763, 0.852, 0.973]
    with pytest.raises(ValueError, match="vertices is at least 4"):
        double_star_ceiling(3, 1)


@pytest.mark.parametrize(("vertices", "states"), [(4, 1), (4, 2), (5, 1), (5, 2), (6, 1)])
def test_no_state_answers_more_double_stars(vertices: int, states: int) -> None:
    """Every function of the coins read before the odd edge, at each of its places, and for each state the best answers.

    The hubs, the order of the star edges and the later coins are given away: the best of all states does no better than (***).
    """
    star_edges = vertices - 2
    right = Fraction(0)
    for before in range(star_edges + 1):
        coins = list(itertools.product((0, 1), repeat=star_edges))
        prefixes = list(itertools.product((0, 1), repeat=before))
        best = 0
        for function in itertools.product(range(states), repeat=len(prefixes)):
            state = dict(zip(prefixes, function, strict=True))
            tally: dict[object, list[int]] = {}
            for a, b in itertools.combinations(range(star_edges), 2):
                for coin in coins:
                    known = (a, b, state[coin[:before]], coin[before:])
                    tally.setdefault(known, [0, 0])[coin[a] ^ coin[b]] += 1
            best = max(best, sum(map(max, tally.values())))
        right += Fraction(best, math.comb(star_edges, 2) * len(coins) * (star_edges + 1))
    assert right <= Fraction(double_star_ceiling(vertices, states - 1))
    if states == 1:
        assert right == Fraction(2, 3)


@pytest.mark.unchecked
@pytest.mark.parametrize(("vertices", "least"), [(32, 0.6), (128, 0.62)])
def test_eight_numbers_come_near_two_thirds_of_double_stars(vertices: int, least: float) -> None:
    """Far fewer bits than the least state, and nearly the accuracy that an empty state may have at most."""
    random = np.random.default_rng(0)
    graphs = _graphs.shuffled(_graphs.double_stars(vertices, 1_000, random), random)
    model = eight_numbers.build(vertices)
    answers = [model.answer(eight_numbers.tokens(vertices, graph)) for graph in graphs.tolist()]
    accuracy = np.mean(answers == _graphs.trees_among(vertices, graphs))
    assert least < accuracy < double_star_ceiling(vertices, model.state_bits)
    assert model.state_bits <= 8 * math.ceil(math.log2(vertices + 1))


@pytest.mark.parametrize("arguments", [(0, 64, 1), (5, 0, 1), (5, 64, -1)])
def test_wrong_arguments(arguments: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        index_lookup_ceiling(*arguments)


@pytest.mark.parametrize("length", [1, 20, 100])
@pytest.mark.parametrize("alphabet", [2, 5, 64])
def test_carried_bits_are_the_ceiling_read_backwards(length, alphabet):
    """No state with fewer bits has this accuracy as its ceiling, and one with as many has."""
    task = IndexLookup(length, alphabet=alphabet)
    assert carried_bits(task, 1 / alphabet) == carried_bits(task, 0.0) == 0
    assert carried_bits(task, 1.0) == pytest.approx(length * math.log2(alphabet))
    for state_bits in range(1, int(length * math.log2(alphabet)), 7):
        assert carried_bits(task, ceiling(task, state_bits)) == pytest.approx(state_bits, abs=1e-6)


@pytest.mark.parametrize("classes", [2, 5])
def test_a_bound_just_above_a_float_is_rounded_to_the_next(classes):
    """The true bound is 3/4 + 10^-46, and what is missing is given with 50 digits, up to 10^-44 too large."""
    with localcontext(Context(prec=100)):
        error = Decimal(1) / 4 - Decimal(10) ** -46
        missing = error * ((classes - 1) / error).ln() - (1 - error) * (1 - error).ln()
        for too_large in (Decimal(0), Decimal(10) ** -45, Decimal(10) ** -44):
            assert highest_accuracy(missing + too_large, classes) == math.nextafter(0.75, 1)
    assert highest_accuracy(Decimal(10) ** -44, classes) == highest_accuracy(Decimal(-1), classes) == 1.0
