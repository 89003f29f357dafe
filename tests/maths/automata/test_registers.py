"""Registers count their bits and their writes, and refuse what does not fit."""

import pytest

from seqsep.maths.automata.registers import Registers


def test_bits_writes_and_what_does_not_fit():
    memory = Registers(place=3, parity=1)
    assert (memory.bits, memory.writes, memory["place"]) == (4, 0, 0)
    memory["place"] = 7
    memory["parity"] ^= 1
    assert (memory["place"], memory["parity"], memory.writes) == (7, 1, 2)
    for value in (8, -1):
        with pytest.raises(ValueError, match=f"register place of 3 bits: expected 0 to 7, found {value}"):
            memory["place"] = value
    assert memory["place"] == 7
    with pytest.raises(KeyError, match="weight"):
        memory["weight"] = 0
