"""Fields of forms come from annotations, and none of them is a file."""

import re
from pathlib import Path

import pytest

from seqsep.commands.explore.forms import fields_of, is_offered, taken, values_of, whole
from seqsep.commands.explore.pages.rendered import rendered
from seqsep.commands.explore.pages.theorem import shown_options
from seqsep.commands.explore.visit import Visit
from seqsep.core.names import BadInput
from seqsep.core.options import Option
from seqsep.theorems import BY_NAME, THEOREMS


def options(name):
    return {option.name: option for option in shown_options(BY_NAME[name])}


def test_a_range_and_a_meaning_are_those_of_the_annotation():
    [field] = fields_of([options("is-tree-state")["length"]], Visit(), {"length": 4})
    assert (field.kind, field.value, field.least, field.most) == ("number", "4", "2", "5")
    [field] = fields_of([options("index-lookup-attention")["code"]], Visit(query={"code": "binary"}), {})
    assert field.value == "binary"
    assert "kerdock" in field.choices


def test_no_field_of_any_theorem_takes_a_file():
    assert not is_offered(Option("text", Path, None))
    assert not is_offered(Option("name", str, None))
    for theorem in THEOREMS:
        for option in shown_options(theorem):
            assert not (is_offered(option) and option.kind is Path), (theorem.name, option.name)


@pytest.mark.parametrize("machine", ["/etc/passwd", "../../etc/passwd", "1RB1LB_1LA1RZ", "binary-increment.json"])
def test_a_machine_is_one_of_the_list(machine):
    """On the command line the option takes a file, too."""
    with pytest.raises(BadInput, match="expected one of"):
        values_of([options("turing-machine-hybrid")["machine"]], Visit(query={"machine": machine}))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("-1", "expected 1 to 24 on this page, found -1"),
        ("25", "expected 1 to 24 on this page, found 25"),
        ("1e3", "expected a whole number, found '1e3'"),
        ("9" * 13, "expected a whole number"),
        ("\u0663", "expected a whole number"),
        ("0x10", "expected a whole number"),
    ],
)
def test_a_wrong_number_is_refused_with_its_name(word, said):
    with pytest.raises(BadInput, match=f"length: {re.escape(said)}"):
        values_of([options("index-lookup-attention")["length"]], Visit(query={"length": word}))


def test_each_function_reads_a_word_in_its_own_way():
    values = {"machine": "binary-increment", "steps": 3}
    theorem = BY_NAME["turing-machine-hybrid"]
    assert taken(theorem.options_of("certify"), values)["machine"] == "binary-increment"
    assert taken(theorem.options_of("build"), values)["machine"].start == "right"


def test_a_number_may_have_space_around_it():
    assert whole("length", " 7\n") == 7


def test_the_page_says_which_field_is_wrong():
    page = rendered(Visit("theorem", "index-lookup-attention", {"length": "99"}))
    assert page.status == 400
    assert b"length: expected 1 to 24 on this page, found 99" in page.html
    assert b'value="99"' in page.html
