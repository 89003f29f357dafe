"""What one layer keeps between tokens: numbers at any length, read and allocated, and how wide they are stored."""

from dataclasses import dataclass
from fractions import Fraction

BITS = 16
WIDE = 32


@dataclass(frozen=True)
class Part:
    """One thing that a layer keeps, counted in numbers.

    `kind` is "recurrent", "conv", "shift", "attention", "latent", "index", "window" or "compressed". `fixed` numbers are what
    the next step reads whatever the length, `spare` numbers more are allocated for it. `per_token` numbers are kept of each
    token, of the last `tokens` of them if that is given. A compressed cache keeps besides `entry` numbers for every `rate`
    tokens, `waiting` numbers for each token that is not yet in an entry, and `overlap` numbers once there is an entry. `bits`
    is the width of a number in a model of 16 bits.

    >>> part = Part("window", per_token=10, tokens=7)
    >>> part.at(5), part.at(100), part.most_of_window, part.growth
    (50, 70, 70, Fraction(0, 1))
    """

    kind: str
    fixed: int = 0
    spare: int = 0
    per_token: int = 0
    tokens: int | None = None
    rate: int = 0
    entry: int = 0
    waiting: int = 0
    overlap: int = 0
    bits: int = BITS

    def at(self, length: int, allocated: bool = False) -> int:
        """Numbers kept after so many tokens; what is allocated counts the spare ones."""
        seen = length if self.tokens is None else min(length, self.tokens)
        total = self.fixed + self.per_token * seen + (self.spare if allocated else 0)
        if self.rate:
            total += length // self.rate * self.entry + length % self.rate * self.waiting
            total += self.overlap if length >= self.rate else 0
        return total

    def most_at(self, length: int) -> int:
        """The most numbers of a cache at some length up to this one."""
        seen = length if self.tokens is None else min(length, self.tokens)
        total = self.per_token * seen
        if self.rate:
            total += length // self.rate * self.entry + self.waiting * min(length, self.rate - 1) + self.overlap
        return total

    @property
    def growth(self) -> Fraction:
        """Numbers that a further token adds for good, on average."""
        return Fraction(self.per_token if self.tokens is None else 0) + (Fraction(self.entry, self.rate) if self.rate else 0)

    @property
    def most_of_window(self) -> int:
        """Numbers of a full window, or the most that wait for an entry; 0 for what is no window."""
        most = 0 if self.tokens is None else self.per_token * self.tokens
        return most + (self.waiting * (self.rate - 1) + self.overlap if self.rate else 0)
