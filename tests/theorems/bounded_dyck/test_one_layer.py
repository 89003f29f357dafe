"""Lemma 1 and Theorems 5 and 10: bounded Dyck is out of reach of one narrow attention layer."""

import itertools
from collections import Counter

import numpy as np
import pytest

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.communication.communication import of_values, rank_bound
from seqsep.maths.communication.witnesses import FoolingSet
from seqsep.maths.networks.executor import run
from seqsep.tasks import BoundedDyck
from seqsep.theorems import TheoremFails
from seqsep.theorems.bounded_dyck import one_layer as bounded_dyck_one_layer
from seqsep.theorems.bounded_dyck import state as bounded_dyck_state
from seqsep.theorems.bounded_dyck._collision import counting_model, erring_input
from seqsep.theorems.bounded_dyck._fooling_set import complete_by_halves, require_fooling_set, words
from seqsep.theorems.bounded_dyck.one_layer import CLAIM, cost, fails_from, grids, needed
from seqsep.theorems.protocols import one_layer_protocol
from seqsep.theorems.protocols import one_layer_trials as trials

pytestmark = pytest.mark.unchecked  # test_theorems.py runs each theorem's check with shapes checked


def every(length: int, kinds: int = 2) -> np.ndarray:
    return np.array(list(itertools.product(range(2 * kinds), repeat=length)), dtype=np.int64)


def as_two_party(length: int, depth: int, kinds: int = 2):
    values = BoundedDyck(length, kinds, depth).accepts(every(length, kinds)).astype(np.int64)
    return of_values(values.reshape((2 * kinds,) * length), range(0, length, 2))


def numbers(halves: np.ndarray, symbols: int) -> np.ndarray:
    return halves @ symbols ** np.arange(halves.shape[1] - 1, -1, -1)


@pytest.mark.parametrize("length", range(2, 15, 2))
def test_all_words_with_all_halves_different(length):
    given = words(length)
    require_fooling_set(CLAIM, given, 2)
    assert len(given) == 2 ** (length - 1) == bounded_dyck_state.build(2, 2).count_words(length)


@pytest.mark.parametrize("length", [2, 4, 6, 8])
def test_they_are_a_fooling_set_by_definition_at_every_depth(length):
    """Pair by pair, for Dyck-(2,k) with k = 2 .. 5, though its words are more from k = 3 on."""
    given = words(length)
    rows, columns = numbers(given[:, ::2], 4), numbers(given[:, 1::2], 4)
    for depth in (2, 3, 4, 5):
        FoolingSet(as_two_party(length, depth).matrix, 1, rows, columns).verify()


@pytest.mark.parametrize(("length", "kinds"), [(2, 1), (8, 1), (4, 3), (6, 3)])
def test_other_numbers_of_kinds(length, kinds):
    given = words(length, kinds)
    require_fooling_set(CLAIM, given, kinds)
    assert len(given) == kinds * (2 * kinds) ** (length // 2 - 1)
    f = as_two_party(length, 4, kinds)
    FoolingSet(f.matrix, 1, numbers(given[:, ::2], 2 * kinds), numbers(given[:, 1::2], 2 * kinds)).verify()


def test_the_rule_that_completes_an_odd_half():
    for length in (2, 4, 8, 12):
        for word in words(length)[:: max(1, 2**length // 512)]:
            assert np.array_equal(complete_by_halves(word[::2]), word)


def test_one_half_alone_does_not_make_a_fooling_set():
    """The printed argument, for another set whose words differ in their odd halves: (0, 0) and (1, 0), both with the answer 1.

    And for Dyck: the even halves differ too, since a word read backwards is a word with its halves exchanged.
    """
    matrix = np.array([[1, 0], [1, 0]])
    with pytest.raises(ValueError, match="fool nobody"):
        FoolingSet(matrix, 1, np.array([0, 1]), np.array([0, 0])).verify()
    for length in (4, 8):
        given = words(length)
        backwards = given[:, ::-1] ^ 1
        assert {tuple(word) for word in backwards.tolist()} == {tuple(word) for word in given.tolist()}
        assert np.array_equal(backwards[:, 1::2], given[:, ::2][:, ::-1] ^ 1)


def with_half_of(given: np.ndarray, first: int) -> np.ndarray:
    """Two words with one odd half (first = 0) or one even half (1)."""
    changed = given.copy()
    changed[1, first::2] = changed[0, first::2]
    return changed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda given: given[:-1], "words missing = 1"),
        (lambda given: np.concatenate([given[1:], [[0, 3, 0, 1, 0, 1]]]), "inputs that are not words = 1"),
        (lambda given: with_half_of(given, 0), "odd halves that are not new = 1"),
        (lambda given: with_half_of(given, 1), "even halves that are not new = 1"),
    ],
)
def test_what_is_no_complete_fooling_set(monkeypatch, change, message):
    """Each of the four is asked on its own."""
    if "halves" in message:
        monkeypatch.setattr(BoundedDyck, "accepts", lambda self, given: np.ones(len(given), dtype=bool))
    with pytest.raises(TheoremFails, match=message):
        require_fooling_set(CLAIM, change(words(6)), 2)


def test_depth_three_has_other_words_and_the_same_bound():
    """The set of all words is no fooling set from N = 6 on; rank and the words of depth 2 give N - 1 bits still."""
    for length, count, halves in ((4, 8, 8), (6, 40, 32), (8, 208, 128)):
        accepted = every(length)[BoundedDyck(length, 2, 3).accepts(every(length))]
        assert len(accepted) == count == bounded_dyck_state.build(2, 3).count_words(length)
        assert len(np.unique(accepted[:, ::2], axis=0)) == len(np.unique(accepted[:, 1::2], axis=0)) == halves
        if count > halves:
            rows = numbers(accepted[:, ::2], 4)
            columns = numbers(accepted[:, 1::2], 4)
            with pytest.raises(ValueError, match="fool nobody"):
                FoolingSet(as_two_party(length, 3).matrix, 1, rows, columns).verify()
    assert rank_bound(as_two_party(6, 3)).bits == 5


def test_the_bound_is_that_of_theorem_4_and_not_of_lemma_4():
    """Lemma 4 asks for the bits of an automaton's state: 3 for Dyck-(2,2), at every N; Theorem 4's bound grows."""
    grid = Grid.of(400, 2)
    assert bounded_dyck_state.build(2, 2).recurrence().state_bits == 3
    assert needed(800, grid)["printed"] > 1.9 * needed(400, grid)["printed"]
    assert needed(400, grid)["printed"] == pytest.approx(399 / (3 * (grid.precision + np.log2(400))), rel=0.05)


def test_from_which_length_it_bites():
    """m H of at least 3.0, 6.6, 41 and 3,303 by the printed constant, with Kc = 2 and p = bit_length(2 N^4)."""
    rows = {n: needed(n, Grid.of(n, 2)) for n in (400, 1024, 8192, 10**6)}
    assert [row["precision"] for row in rows.values()] == [36, 42, 54, 81]
    assert [f"{row['printed']:.2g}" for row in list(rows.values())[:3]] == ["3", "6.6", "41"]
    assert round(rows[10**6]["printed"]) == 3303
    assert [row["one head"] for row in rows.values()] == [6, 15, 101, 8263]
    assert [row["any heads"] for row in rows.values()] == [3, 5, 31, 2482]
    assert rows[8192]["printed"] == pytest.approx(8191 / (3 * (54 + 13)))
    assert (fails_from(64, 1, grids(2)), fails_from(64, 1, grids(2), printed=True)) == (4980, 13386)


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("grid_of", [grids(1), grids(2), grids(2, 12), grids(2, 4)])
def test_the_least_length_is_the_least(width, heads, grid_of):
    """Against every length up to 2,000."""
    for printed in (False, True):
        fails = [
            (
                one_layer_protocol.printed(n, width, heads, grid_of(n).precision)
                if printed
                else cost(n, width, heads, grid_of(n))
            )
            < n - 1
            for n in range(2, 2000)
        ]
        last_possible = max(n for n, fail in enumerate(fails, start=2) if not fail)
        least = fails_from(width, heads, grid_of, printed)
        assert least % 2 == 0
        assert last_possible < least <= last_possible + 2 < 1900


def test_bits_of_a_number_fix_the_finest_grid():
    for precision in (4, 5, 16, 33):
        grid = grids(2, precision)(100)
        assert grid.precision == precision
        assert Grid(grid.steps + 1).precision > precision or precision == 4


def test_check_reports_lemma_sizes_and_runs():
    lemma, sizes, early, forced, following = bounded_dyck_one_layer.check(length=8, width=4, heads=2, precision=20)
    assert (lemma.measured, lemma.exhaustive) == ({"words": 128, "bits": 7}, True)
    assert sizes.measured["bits"] < sizes.bound["bits"] == sizes.length - 1
    assert sizes.as_printed["bites_from"] == fails_from(4, 2, grids(2, 20), printed=True)
    assert early.measured["bits"] > early.bound["bits"]
    assert forced.measured["bits"] < forced.bound["bits"]
    assert "too small" in forced.variant
    assert (early.length, forced.length) == (6, fails_from(2, 1, grids(2)))
    assert following.inputs == 32
    for outcome in (early, forced):
        symbols = ["()[]".index(bracket) for bracket in outcome.witness["errs_on"]]
        assert len(symbols) == outcome.length
        is_word = BoundedDyck(outcome.length).solve(tuple(symbols))
        answer = run(counting_model(outcome.length), np.array([symbols]), at=-1).answers[0, 0]
        assert (is_word, answer) == (outcome.witness["expected"], outcome.witness["answer"])
        assert is_word != answer


def test_the_counting_model_counts():
    spaces = counting_model(4).spaces.values()
    assert [place for space in spaces for place in range(5)[space]] == list(range(5))
    for length in (2, 4, 6):
        given = every(length)
        counts = [Counter(word) for word in given.tolist()]
        balanced = [one[0] == one[1] and one[2] == one[3] for one in counts]
        assert run(counting_model(length), given, at=-1).answers[:, 0].tolist() == balanced


def test_random_models_err_where_two_transcripts_are_equal():
    """On coarse grids; whatever the classes say, a word and another input have the same logits."""
    random, collisions = np.random.default_rng(0), 0
    for _ in range(5):
        network = trials.random_network(random, trials.LayerSizes(8, 1, 2, 1), Grid(2))
        shown = erring_input(network, words(8)[::3])
        if shown is not None:
            collisions += 1
            first, second = (np.array(word) for word in shown.words)
            assert not np.array_equal(first, second)
            mixed = np.where(np.arange(8) % 2 == 0, first, second)
            assert trials.last_logits(network, mixed) == trials.last_logits(network, second)
            assert not BoundedDyck(8).solve(tuple(mixed.tolist()))
            assert shown.errs_on in (tuple(mixed.tolist()), tuple(second.tolist()))
            assert BoundedDyck(8).solve(shown.errs_on) == shown.expected != shown.answer
    assert collisions >= 3


def test_a_model_that_tells_all_words_apart_gives_no_collision(monkeypatch):
    """And a wrong transcript is found out: two words that are taken for equal."""
    network = counting_model(4)
    given = words(4)
    assert erring_input(network, given[:2]) is None or erring_input(network, given[:2]).words_tried == 2
    talk = one_layer_protocol.talk

    def blind(*arguments, **named):
        alice, bob, bits = talk(*arguments, **named)
        return alice, bob._replace(transcript=()), bits

    monkeypatch.setattr(one_layer_protocol, "talk", blind)
    with pytest.raises(TheoremFails):
        erring_input(network, np.array([[0, 1, 0, 1], [2, 3, 0, 1]]))


def test_the_evidence_is_the_whole_set():
    shown = bounded_dyck_one_layer.certificate_witness(6)
    assert (shown.task, dict(shown.parameters)) == ("bounded-dyck", {"depth": 2, "kinds": 2, "length": 6})
    assert (shown.witness.complete, len(shown.witness.words)) == (True, 32)
    assert shown.witness.alice == [0, 2, 4]
    assert sorted(shown.witness.words) == [word for word in every(6).tolist() if BoundedDyck(6).solve(tuple(word))]


def test_wrong_arguments_are_named():
    for length in (0, 5, 16):
        with pytest.raises(ValueError, match="an even length"):
            bounded_dyck_one_layer.check(length)
    for options in ({"width": 0}, {"heads": 0}, {"exponent": 0}, {"precision": 3}):
        with pytest.raises(ValueError, match="at least"):
            bounded_dyck_one_layer.check(4, **options)


def test_arithmetic_on_sizes_is_called_computed():
    """The row of Theorem 5's sizes ran no model, and says so; every other row ran one."""
    lines = {outcome.variant: outcome.line() for outcome in bounded_dyck_one_layer.check(length=6)}
    computed = [variant for variant, line in lines.items() if line.startswith("computed  ")]
    assert computed == ["m = 2, H = 1, L = N^2"]
    assert "4 sizes, no model ran" in lines[computed[0]]
