"""The fields over which codes of ceilings are taken."""

from seqsep.ceilings import codes


def test_fields_have_as_many_elements_as_a_power_of_a_prime() -> None:
    powers = {2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32}
    assert {number for number in range(1, 33) if codes._is_prime_power(number)} == powers
