"""The least state against closed forms and against brute force over automata; diagrams, expressions, bounds, partitions."""

import itertools
import math
import re

import numpy as np
import pytest

from seqsep.exact import diagrams, formulas, least_state, partial_states, partition_search, regular
from seqsep.exact.automata import DFA
from seqsep.exact.enumeration import OUTSIDE, Tabulated, alphabet_ranges, tabulate
from seqsep.exact.growth import growth
from seqsep.exact.layered import of_values
from seqsep.exact.least_state import DistinguishedPair, LeastState
from seqsep.exact.partial_states import Clique
from seqsep.tasks import BoundedDyck, IndexLookup


def least(function, alphabets) -> LeastState:
    return least_state.of_table(tabulate(function, alphabet_ranges(alphabets)))


def equal_halves(word):
    return word[: len(word) // 2] == word[len(word) // 2 :]


def meet(word, pairs):
    return any(word[one] and word[other] for one, other in pairs)


@pytest.mark.parametrize("alphabet", [2, 3, 5])
@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_index_lookup(alphabet, length):
    task = IndexLookup(length, alphabet)
    call = task.function(length)
    found = least_state.of_table(tabulate(lambda word: call(tuple(word)), task.alphabets(length)))
    assert found.classes == alphabet**length
    assert found.split == length
    assert found.state_bits == math.ceil(length * math.log2(alphabet) - 1e-9) == task.answer_bits()


@pytest.mark.parametrize("half", range(1, 7))
def test_equality_and_disjointness(half):
    bits, length = [2] * (2 * half), 2 * half
    assert least(equal_halves, bits).state_bits == half
    assert least(lambda word: meet(word, [(i, i + half) for i in range(half)]), bits).state_bits == half
    interleaved = least(lambda word: meet(word, [(i, i + 1) for i in range(0, length, 2)]), bits)
    assert (interleaved.classes, interleaved.state_bits) == ((3, 2) if half > 1 else (2, 1))


@pytest.mark.parametrize("length", range(1, 13))
def test_parity_and_majority(length):
    assert least(lambda word: sum(word) % 2, [2] * length).state_bits == 1
    found = least(lambda word: sum(word) > length / 2, [2] * length)
    assert found.classes == (length + 1) // 2 + 1
    assert found.state_bits == math.ceil(math.log2((length + 1) // 2 + 1))


@pytest.mark.parametrize("length", range(2, 9))
def test_bounded_dyck(length):
    call = BoundedDyck(8).function(length)
    found = least_state.of_table(tabulate(lambda word: call(tuple(word)), alphabet_ranges([4] * length)))
    assert found.state_bits == (0 if length % 2 else 2 if length == 2 else 3)
    if length % 2 == 0 and length > 2:
        assert found.classes == 6


def partitions(cells: int, most: int, used: int = 0):
    """Every way to name cells by blocks 0, 1, .. in the order of their first cells, with at most `most` blocks."""
    if cells == 0:
        yield ()
        return
    for block in range(min(used + 1, most)):
        for rest in partitions(cells - 1, most, max(used, block + 1)):
            yield (block, *rest)


def computable(length: int, states: int) -> np.ndarray:
    """Which Boolean functions of `length` bits some automaton with at most `states` states a layer computes.

    Every automaton is made, up to the names of its states: a layer says which (state, bit) cells of the layer before go to one
    state. Function f has the answer to input i as its binary digit i; the first bit of an input is the highest of i.
    """
    maps = {(0,)}
    for _ in range(length - 1):
        after = set()
        for states_of in maps:
            for row in partitions(2 * (max(states_of) + 1), states):
                after.add(tuple(row[2 * state + bit] for state in states_of for bit in (0, 1)))
        maps = after
    found = np.zeros(1 << (1 << length), dtype=bool)
    for states_of in maps:
        weights = [0] * (2 * (max(states_of) + 1))
        for prefix, state in enumerate(states_of):
            for bit in (0, 1):
                weights[2 * state + bit] += 1 << (2 * prefix + bit)
        tables = np.zeros(1, dtype=np.int64)
        for weight in weights:
            tables = np.concatenate([tables, tables + weight])
        if states == 1:
            tables = tables[[0, -1]]
        found[tables] = True
    return found


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_all_functions_against_all_automata(length):
    """The least widest layer of all 2^(2^N) functions, 65,536 at N = 4, is what trying all automata finds."""
    functions = np.arange(1 << (1 << length))
    by_brute_force = np.full(len(functions), 99)
    for states in range(1 << length, 0, -1):
        by_brute_force[computable(length, states)] = states
    values = (functions[:, None] >> np.arange(1 << length) & 1).astype(np.int64)
    together = of_values(values.reshape(len(functions), *[2] * length))
    widest = np.zeros(len(functions), dtype=np.int64)
    for split in range(length + 1):
        bits = np.arange(1 << split)[:, None] >> np.arange(split)[::-1] & 1
        prefixes = np.concatenate([np.repeat(functions, len(bits))[:, None], np.tile(bits, (len(functions), 1))], axis=1)
        states = np.sort(together.states(prefixes).reshape(len(functions), -1), axis=1)
        widest = np.maximum(widest, 1 + (states[:, 1:] != states[:, :-1]).sum(axis=1))
    np.testing.assert_array_equal(widest, by_brute_force)
    for function in np.random.default_rng(length).choice(len(functions), min(len(functions), 150), replace=False):
        found = least_state.of_table(Tabulated(alphabet_ranges([2] * length), *labelled(values[function])))
        assert found.classes == by_brute_force[function]
        assert found.inputs_run == 1 << length


def labelled(answers):
    values, labels = np.unique(answers, return_inverse=True)
    return labels.astype(np.int64), tuple(values.tolist())


def random_table(seed: int, most: int = 5, outside: float = 0.0) -> Tabulated:
    draws = np.random.default_rng(seed)
    alphabets = draws.integers(1, 4, draws.integers(1, most + 1)).tolist()
    count = math.prod(alphabets)
    labels = draws.integers(0, 1 + draws.integers(1, 4), count)
    labels[draws.random(count) < outside] = OUTSIDE
    return Tabulated(alphabet_ranges(alphabets), labels, tuple(range(4)))


@pytest.mark.parametrize("seed", range(25))
def test_classes_recurrence_witness_and_table(seed):
    """Against the definition: blocks of the table of answers; the recurrent model fits its bits and is right on every input."""
    table = random_table(seed)
    found = least_state.of_table(table)
    for split, classes in enumerate(found.classes_by_split):
        assert classes == len({tuple(row) for row in table.labels.reshape(math.prod(table.alphabets[:split]), -1).tolist()})
    machine = found.recurrence()
    assert machine.state_bits == found.state_bits == math.ceil(math.log2(max(found.classes_by_split)))
    words = list(itertools.product(*map(range, table.alphabets)))
    assert [machine.answer(word) for word in words] == table.labels.tolist()
    prefixes, suffixes, answers = found.distinguishing_table()
    assert len(np.unique(answers, axis=0)) == len(prefixes) == found.classes
    for prefix, row in zip(prefixes, answers.tolist(), strict=True):
        assert [machine.answer(prefix + suffix) for suffix in suffixes] == row
    witness = found.witness()
    assert (witness is None) == (found.classes == 1)
    if witness is not None:
        ends = [int(table.labels[words.index(one)]) for one in witness.inputs]
        assert ends == list(witness.labels)
        assert ends[0] != ends[1]
        assert witness.inputs[0][witness.split :] == witness.inputs[1][witness.split :]
        with pytest.raises(ValueError, match="DistinguishedPair"):
            DistinguishedPair(witness.split, (witness.prefixes[0],) * 2, witness.suffix, witness.labels).verify(found.automaton)


def test_partial_tables_are_refused():
    with pytest.raises(ValueError, match="every input"):
        least_state.of_table(Tabulated(alphabet_ranges([2]), np.array([0, OUTSIDE]), (1,)))


def test_tabulate():
    table = tabulate(lambda word: None if word == [1, 2] else word[0] == word[1], alphabet_ranges([2, 3]))
    assert table.answers == (1, 0)
    assert table.labels.tolist() == [0, 1, 1, 1, 0, OUTSIDE]
    assert table.word(5) == [1, 2]
    assert tabulate(lambda word: 10**30 * word[0], alphabet_ranges([2])).answers == (0, 10**30)
    assert tabulate(lambda word: word.pop(), [range(5, 7)]).answers == (5, 6)
    with pytest.raises(ValueError, match=r"mine\(\[1, 0\]\): expected an integer or None, found '0.5'"):
        tabulate(lambda word: 0.5 if word[0] else 1, alphabet_ranges([2, 2]), "mine")
    with pytest.raises(ValueError, match=r"mine\(\[0, 1\]\).* an error: ZeroDivisionError"):
        tabulate(lambda word: 1 // (1 - word[1]), alphabet_ranges([2, 2]), "mine")
    with pytest.raises(ValueError, match="33,554,432"):
        tabulate(sum, alphabet_ranges([2] * 25))


def random_formula(seed: int) -> formulas.Thresholds:
    draws = np.random.default_rng(seed)
    variables, features = int(draws.integers(1, 8)), []
    for _ in range(draws.integers(0, 10)):
        indices = draws.integers(1, variables + 1, draws.integers(0, 4)).tolist()
        if draws.random() < 0.6:
            signs = draws.choice([-1, 1], len(indices))
            features.append(
                formulas.AtLeast(tuple(int(i * s) for i, s in zip(indices, signs, strict=True)), int(draws.integers(3)))
            )
        else:
            features.append(formulas.TruthTable(tuple(indices), tuple(draws.integers(0, 2, 1 << len(indices)).tolist())))
    return formulas.Thresholds(variables, tuple(features), int(draws.integers(-1, len(features) + 1)))


@pytest.mark.parametrize("seed", range(40))
def test_diagrams_agree_with_enumeration(seed):
    formula = random_formula(seed)
    bits = [2] * formula.variables
    words = np.stack(np.unravel_index(np.arange(1 << formula.variables), bits), axis=1)
    expected = of_values(formula.evaluate(words).reshape(bits))
    found = diagrams.of_formula(formula)
    assert found.classes_by_split == expected.widths
    np.testing.assert_array_equal(found.automaton.run(words), formula.evaluate(words))


def test_diagrams_reach_length_64(monkeypatch):
    found = diagrams.of_formula(formulas.majority(64))
    assert (found.classes, found.split, found.state_bits, found.every_input) == (33, 32, 6, False)
    pairs = formulas.cnf(64, [(-index, index + 1) for index in range(1, 64, 2)])
    assert diagrams.of_formula(pairs).classes == 3
    monkeypatch.setattr(diagrams, "MOST_NODES", 5000)
    with pytest.raises(ValueError, match=r"mine: .* more than 5,000 nodes"):
        diagrams.of_formula(formulas.equality(64), "mine")
    with pytest.raises(ValueError, match="257"):
        diagrams.of_formula(formulas.majority(257))


PATTERNS = [
    "(0|1)*1",
    "(01)*",
    "0*(10*10*)*",
    "1{3}",
    "[01]{2,4}0?",
    ".*1.{3}",
    "",
    "2+.|0",
    "([^0]0)*",
    "1{2,}|0",
    "[0-2]*2",
    "1 0?",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_regular_expressions(pattern):
    found = regular.automaton(pattern)
    compiled = re.compile(pattern.replace(" ", ""))
    for length in range(7):
        for word in itertools.product(range(found.table.shape[1]), repeat=length):
            assert found.accepts(word) == bool(compiled.fullmatch("".join(map(str, word))))


@pytest.mark.parametrize("pattern", ["(0", "0)", "*", "1{", "1{3", "[0", "[2-", "{2}", "1{3,2}", "0{1001}"])
def test_wrong_regular_expressions(pattern):
    with pytest.raises(ValueError, match=r"character \d+: expected .*, found"):
        regular.automaton(pattern)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_automata_agree_with_enumeration(pattern):
    automaton = regular.automaton(pattern)
    tokens = automaton.table.shape[1]
    for length in (1, 2, 5):
        found = least_state.of_automaton(automaton, length)
        assert found.classes_by_split == least(lambda word: int(automaton.accepts(word)), [tokens] * length).classes_by_split


def test_automata_reach_any_length():
    counter = DFA(np.array([[0, 1], [1, 2], [2, 0]]), 0, np.array([True, False, False]))
    found = least_state.of_automaton(counter, 64)
    assert (found.classes, found.state_bits, found.every_input) == (3, 2, False)
    assert sorted(set(found.automaton.run(least_state.trial_inputs(found.automaton)[0]).tolist())) == [0, 1]


def least_partial(table: Tabulated) -> int:
    """The least widest layer over all total functions that extend a partial one."""
    open_inputs = np.flatnonzero(table.labels == OUTSIDE)
    most = 10**9
    for answers in itertools.product(range(len(table.answers)), repeat=len(open_inputs)):
        labels = table.labels.copy()
        labels[open_inputs] = answers
        most = min(most, max(of_values(labels.reshape(table.alphabets)).widths))
    return most


@pytest.mark.parametrize("seed", range(60))
def test_partial_functions_are_bounded(seed):
    """Lower bound <= the least over every extension <= upper bound, and both are what their witnesses show."""
    draws = np.random.default_rng(seed)
    labels = draws.integers(0, 2, 16)
    labels[draws.choice(16, int(draws.integers(1, 9)), replace=False)] = OUTSIDE
    table = Tabulated(alphabet_ranges([2] * 4), labels, (0, 1))
    found = partial_states.bounds(table)
    found.clique.verify(table)
    exactly = least_partial(table)
    assert found.lower_bits <= (exactly - 1).bit_length() <= found.upper_bits
    assert len(found.clique.prefixes) <= exactly <= max(found.automaton.widths)
    inside = labels != OUTSIDE
    np.testing.assert_array_equal(least_state.every_label(found.automaton)[inside], labels[inside])


def test_partial_functions_where_the_bounds_are_sharp():
    """Index lookup where a question past the middle is outside the domain: half of the symbols are enough."""
    length = 6
    table = tabulate(lambda word: word[word[-1]] if word[-1] < 3 else None, alphabet_ranges([2] * length + [length]))
    found = partial_states.bounds(table)
    assert found.lower_bits == found.upper_bits == 3
    with pytest.raises(ValueError, match="compatible"):
        Clique(length, (0, 1)).verify(table)
    empty = partial_states.bounds(tabulate(lambda word: None, alphabet_ranges([2, 2])))
    assert (empty.lower_bits, empty.upper_bits, empty.domain) == (0, 0, 0)


def test_cliques_are_maximum_where_the_search_ends():
    for seed in range(30):
        rows = np.random.default_rng(seed).integers(-1, 2, (9, 3))
        clashes = partial_states.incompatible(rows)
        best = max(
            len(some) for size in range(1, 10) for some in itertools.combinations(range(9), size)
            if all(clashes[one, other] for one, other in itertools.combinations(some, 2))
        )  # fmt: skip
        found = partial_states.clique(rows)
        assert len(found) == len(partial_states._search(clashes, [])) == best
        assert all(clashes[one, other] for one, other in itertools.combinations(found, 2))


def test_growth():
    assert growth([(2, 4), (3, 8)]) is None
    linear = growth([(length, 2**length) for length in range(2, 12)])
    assert (linear.kind, round(linear.slope, 9), linear.unit) == ("linear", 1, "bits per token")
    logarithmic = growth([(length, length**3) for length in range(2, 12)])
    assert (logarithmic.kind, round(logarithmic.slope, 9)) == ("logarithmic", 3)
    assert growth([(length, 1 if length % 2 else 6) for length in range(2, 12)]).kind == "constant"
    assert growth([(length, 1 if length % 2 else 2**length) for length in range(2, 14)]).kind == "linear"
    assert growth([(1, 2), (2, 3), (4, 4)]).points == ((1, 1.0), (2, math.log2(3)), (4, 2.0))


def shared(function, alphabets) -> partition_search.SharedFunction:
    return partition_search.SharedFunction.of_table(tabulate(function, alphabet_ranges(alphabets)))


@pytest.mark.parametrize("half", [1, 2, 4, 5, 6, 8])
def test_equality_needs_half_and_one_bit(half):
    """Two answers: 2^n leaves with 1 and, where n > 1, as many with 0. N = 16 is beyond trying all partitions."""
    found = partition_search.best_partition(shared(equal_halves, [2] * (2 * half)))
    assert found.bits == half + 1
    assert found.searched.startswith("all" if half <= 5 else "prefixes")
    found.verify()


@pytest.mark.parametrize("length", [4, 6, 8])
def test_bounded_dyck_needs_odd_against_even(length):
    """Lemma 1's fooling set, 2^(N-1) leaves with the answer 1; no prefix comes near it."""
    call = BoundedDyck(length).function(length)
    found = partition_search.best_partition(shared(lambda word: call(tuple(word)), [4] * length))
    assert found.alice == tuple(range(0, length, 2))
    assert found.parts[[part.label for part in found.parts].index(1)].leaves == 2 ** (length - 1)
    assert found.bits == length + 1


@pytest.mark.parametrize("seed", range(20))
def test_partition_bounds_are_below_the_exact_cost(seed):
    """Against D(f) of the same partition by search, and with inputs outside the domain too."""
    from seqsep.exact.communication import of_values as two_party
    from seqsep.exact.communication import protocol_cost

    table = random_table(seed, most=4, outside=0.0 if seed % 2 else 0.2)
    if len(table.alphabets) < 2 or not (table.labels != OUTSIDE).any():
        return
    found = partition_search.best_partition(partition_search.SharedFunction.of_table(table))
    found.verify()
    assert found.partitions == 2 ** (len(table.alphabets) - 1) - 1
    assert found.bits <= protocol_cost(two_party(table.values(), found.alice)).bits


def test_what_is_outside_the_domain_is_no_answer():
    """Equality where other pairs are outside the domain: no bit is needed, though the matrix of its ones has full rank."""
    found = partition_search.best_partition(shared(lambda word: 1 if equal_halves(word) else None, [2] * 6))
    assert (found.bits, found.measure) == (0, "fooling set")
    some = partition_search.best_partition(shared(lambda word: equal_halves(word) if word[0] else None, [2] * 6))
    assert some.bits == 3


def test_partitions_of_an_automaton():
    """From an automaton alone, beyond all enumeration: interleaved equality, where equal pairs stand apart."""
    same = regular.automaton("(00|11)*")
    found = partition_search.best_partition(
        partition_search.SharedFunction.of_automaton(least_state.of_automaton(same, 64).automaton)
    )
    assert found.bits >= 5
    assert len(set(found.alice)) < 64
    found.verify()
