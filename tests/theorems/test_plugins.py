"""A user's own theorem is loaded from its file, and whatever is not a theorem is refused in one line."""

from pathlib import Path

import numpy as np
import pytest

from seqsep.models.plugins.load import PlugInFails
from seqsep.theorems import BY_NAME, apply, bound, check
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.certificate import certify
from seqsep.theorems.laws import LAWS, LawFails, check_theorem, tried_laws
from seqsep.theorems.plugins import load_theorem

EXAMPLE = Path(__file__).parents[2] / "examples/own_theorem.py"
HEAD = """from typing import Annotated
from seqsep.theorems.base import Claim, Theorem
from seqsep.core.options import Range
CLAIM = Claim("mine", "own", "It holds")
def check(length: Annotated[int, Range(1, 9), "N, tokens."] = 4):
    return [CLAIM.upper(length=length, inputs=1, measured={"bits": 1}, bound={"bits": 1})]
"""
CLAIM = Claim("mine", "own", "It holds")


def written(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(HEAD + text)
    return f"{path}:MINE"


def test_the_example_is_a_theorem_and_answers_from_python():
    theorem = load_theorem(f"{EXAMPLE}:PARITY")
    assert (theorem.name, theorem.source, theorem.options) == ("parity-state", "own", ("length", "long", "seed"))
    check_theorem(theorem)
    assert [outcome.inputs for outcome in check(theorem, length=4)] == [16, 50, 2]
    assert bound(theorem, length=4) == {"state_bits": 1}
    assert b'"theorem":"one-way-cost"' in certify(theorem, length=4)
    with pytest.raises(ValueError, match="check parity-state: length is 2 to 16, found 17"):
        check(theorem, length=17)
    with pytest.raises(ValueError, match=r"apply\('parity-state'\): the answer is a sum"):
        list(apply(theorem, []))


@pytest.mark.unchecked
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MINE = 3", "mine.py:MINE: expected a seqsep.theorems.Theorem, found a int"),
        ("MINE = check", "expected a seqsep.theorems.Theorem, found a function"),
        ("MINE = Theorem('mine', check)", "claim: expected a seqsep.theorems.Claim, found a str"),
        ("MINE = Theorem(Claim('mine', None, 'x'), check)", "source of the claim: expected a text, found None"),
        ("MINE = Theorem(CLAIM, None)", "check: expected a function, found a NoneType"),
        ("MINE = Theorem(CLAIM, check, bound=3)", "bound: expected a function, found a int"),
        ("MINE = Theorem(CLAIM, lambda **options: [])", "check: expected each option as a parameter by name, found **options"),
        ("MINE = Theorem(CLAIM, lambda length: [])", "check: expected a default for length, found none"),
        ("def of(length: 'Missing' = 1): ...\nMINE = Theorem(CLAIM, of)", "parameters that can be read, found NameError"),
        ("MINE = Theorem(CLAIM, check)\nraise KeyError('x')", "expected a file that loads, found KeyError"),
    ],
)
def test_what_is_not_a_theorem_is_refused(tmp_path, text, said):
    with pytest.raises(PlugInFails) as refused:
        load_theorem(written(tmp_path, text))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_without_an_annotation_the_default_gives_the_type(tmp_path):
    theorem = load_theorem(written(tmp_path, "def of(length=5, name='a'): return check(length)\nMINE = Theorem(CLAIM, of)"))
    assert [option.kind for option in theorem.options_of("check")] == [int, str]


def outcome(**changed: object) -> Outcome:
    """An outcome with fields that its types do not allow, as a user's code may set them."""
    made = CLAIM.upper(length=1, inputs=1, measured={"bits": 1}, bound={"bits": 1})
    for name, value in changed.items():
        object.__setattr__(made, name, value)
    return made


@pytest.mark.parametrize(
    ("found", "law", "where"),
    [
        (None, "a list of outcomes", "found a NoneType"),
        ([3], "a list of outcomes", "found a int"),
        ([], "a list of outcomes", "no outcome"),
        ([outcome(theorem="other")], "outcomes of this theorem", "an outcome of other"),
        ([outcome(inputs=0)], "inputs tested", "no input tested"),
        ([outcome(inputs="8")], "inputs tested", "inputs is '8'"),
        ([outcome(length=None)], "inputs tested", "length is None"),
        ([outcome(measured={}, bound={})], "a bound for each measured size", "measures nothing"),
        ([outcome(measured={"bits": np.int64(1)})], "sizes that are numbers", "a int64"),
        ([outcome(bound={"bits": float("inf")})], "sizes that are numbers", "found inf"),
        ([outcome(witness={"input": np.zeros(2)})], "outcomes that are JSON", "ndarray"),
        ([outcome(), outcome(holds=False)], "each outcome holds", "holds=False"),
    ],
)
def test_each_law_can_fail(found, law, where):
    """And the laws after it are not tried."""
    theorem = Theorem(CLAIM, lambda: found)
    *held, (last, broken) = tried_laws(theorem, found)
    assert last == law
    assert where in broken
    assert [(name, None) for name in list(LAWS)[: len(held)]] == held
    with pytest.raises(LawFails, match=rf"mine: .* \(law: {law}\)"):
        check_theorem(theorem)


def test_all_laws_are_tried_on_a_sound_theorem():
    theorem = BY_NAME["index-random-protocol"]
    assert list(tried_laws(theorem, theorem.check())) == [(law, None) for law in LAWS]
