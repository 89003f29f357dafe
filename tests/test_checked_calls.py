"""Calls of seqsep are checked in tests: parameters, what is returned, fields of data classes, and shapes."""

from dataclasses import dataclass

import jaxtyping
import pytest
import torch
from beartype import beartype
from jaxtyping import Float
from torch import Tensor

from seqsep.core.names import printable
from support.checked_calls import WITH_SHAPES, checked, has_an_array

decorate = checked(typechecker=beartype)
Rows = list[Float[Tensor, "a b"] | None]


@decorate
def number_of(word: "str", base: int = 10, *, wrong: bool = False) -> int:
    return word if wrong else int(word, base)


@decorate
def product(left: Float[Tensor, "a b"], right: Float[Tensor, "b c"]) -> Float[Tensor, "a c"]:
    return left @ right if left.shape[0] > 1 else right


@decorate
@dataclass
class Pair:
    left: int
    right: tuple[int, ...] = ()


@pytest.mark.parametrize(
    "wrong", [lambda: number_of(3), lambda: number_of("3", "8"), lambda: number_of("3", wrong=True), lambda: Pair("3"),
              lambda: Pair(3, (1, "2")), lambda: product(torch.ones(2, 3), torch.ones(2, 3)),
              lambda: product(torch.ones(1, 2), torch.ones(2, 3)), lambda: printable(3)]
)  # fmt: skip
def test_what_is_of_another_type_or_shape_is_an_error(wrong):
    with pytest.raises(Exception, match=r"type|violates") as raised:
        wrong()
    assert "eartype" in type(raised.value).__module__ or isinstance(raised.value, jaxtyping.TypeCheckError)


def test_what_is_right_is_returned():
    assert (number_of("11", 2), number_of(word="7"), Pair(3).right) == (3, 7, ())
    assert product(torch.ones(2, 3), torch.ones(3, 1)).tolist() == [[3.0], [3.0]]


@pytest.mark.unchecked
def test_nothing_is_checked_where_a_test_says_so():
    assert (number_of("3", wrong=True), Pair("3").left) == ("3", "3")


def test_shapes_are_found_wherever_they_stand_in_an_annotation():
    assert has_an_array(Rows)
    assert not has_an_array(dict[str, list[Tensor]])
    assert jaxtyping.jaxtyped is checked
    assert WITH_SHAPES is not checked
