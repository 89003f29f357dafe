"""A memory of named registers, each with a number of bits: a program's numbers in it are counted, and a number that does not
fit is refused.
"""


class Registers:
    """Registers with whole numbers from 0, all 0 at first; `bits` is their size together, `writes` counts assignments.

    Raises ValueError for a number that does not fit its register, and KeyError for a register that there is not.

    >>> memory = Registers(place=3, parity=1)
    >>> memory["place"] = 7
    >>> memory["place"], memory.bits, memory.writes
    (7, 4, 1)
    >>> memory["parity"] = 2
    Traceback (most recent call last):
    ValueError: register parity of 1 bits: expected 0 to 1, found 2
    """

    def __init__(self, **bits: int) -> None:
        self._bits = bits
        self._values = dict.fromkeys(bits, 0)
        self.writes = 0

    @property
    def bits(self) -> int:
        """The bits of all registers together."""
        return sum(self._bits.values())

    def __getitem__(self, name: str) -> int:
        return self._values[name]

    def __setitem__(self, name: str, value: int) -> None:
        bits = self._bits[name]
        if not 0 <= value < 1 << bits:
            raise ValueError(f"register {name} of {bits} bits: expected 0 to {(1 << bits) - 1}, found {value}")
        self._values[name] = value
        self.writes += 1
