"""The fields over which codes of ceilings are taken, and what a ceiling of grams asks for."""

import pytest

from seqsep.tasks.ceilings import codes
from seqsep.tasks.ceilings.retrieval import gram_ceiling


def test_fields_have_as_many_elements_as_a_power_of_a_prime() -> None:
    powers = {2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32}
    assert {number for number in range(1, 33) if codes._is_prime_power(number)} == powers


@pytest.mark.parametrize(("alphabet", "state_bits"), [(1, 5), (0, 5), (2, -1)])
def test_grams_ask_for_two_symbols_and_no_negative_state(alphabet: int, state_bits: int) -> None:
    with pytest.raises(ValueError, match="alphabet is at least 2, state_bits at least 0"):
        gram_ceiling(10, alphabet, 2, state_bits)
    assert 0 < gram_ceiling(10, 2, 2, 0) <= 1
