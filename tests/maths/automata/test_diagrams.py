"""Decision diagrams agree with enumeration, reach 64 variables, and are refused beyond their limits."""

import numpy as np
import pytest

from seqsep.maths import formulas
from seqsep.maths.automata import diagrams
from seqsep.maths.automata.layered import of_values


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
    minimal = diagrams.of_formula(formula)
    assert minimal.classes_by_split == expected.widths
    np.testing.assert_array_equal(minimal.automaton.run(words), formula.evaluate(words))


@pytest.mark.parametrize("seed", range(12))
def test_the_order_of_reading(seed):
    """Read in any order of its variables, a formula has the same answers."""
    formula = random_formula(seed)
    places = np.random.default_rng(seed).permutation(formula.variables).tolist()
    words = np.stack(np.unravel_index(np.arange(1 << formula.variables), [2] * formula.variables), axis=1)
    np.testing.assert_array_equal(diagrams.read_in(formula, places).run(words[:, places]), formula.evaluate(words))
    with pytest.raises(ValueError, match="positions 0 to"):
        diagrams.read_in(formula, [*places[1:], formula.variables])


def test_diagrams_reach_length_64(monkeypatch):
    minimal = diagrams.of_formula(formulas.majority(64))
    assert (minimal.classes, minimal.split, minimal.state_bits, minimal.every_input) == (33, 32, 6, False)
    pairs = formulas.cnf(64, [(-index, index + 1) for index in range(1, 64, 2)])
    assert diagrams.of_formula(pairs).classes == 3
    monkeypatch.setattr(diagrams, "MOST_NODES", 5000)
    with pytest.raises(ValueError, match=r"mine: .* more than 5,000 nodes"):
        diagrams.of_formula(formulas.equality(64), "mine")
    with pytest.raises(ValueError, match="257"):
        diagrams.of_formula(formulas.majority(257))
