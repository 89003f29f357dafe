"""The numbers that one layer keeps between tokens: at any length, read and allocated, and how wide they are stored."""

from dataclasses import dataclass, replace
from fractions import Fraction

BITS = 16
WIDE = 32


@dataclass(frozen=True)
class Part:
    """One thing that a layer keeps, counted in numbers.

    Fields:
        kind: "recurrent", "conv", "shift", "attention", "latent", "index", "window", "compressed" or "cross".
        fixed: numbers that the next step reads whatever the length.
        spare: further numbers that are allocated for them.
        per_token: numbers that are kept of each token.
        tokens: the last tokens that `per_token` is kept of; None for all tokens.
        rate: tokens of one entry of a compressed cache; 0 for any other part.
        entry: numbers of such an entry.
        waiting: numbers of each token that is not yet in an entry.
        overlap: numbers that are kept as soon as there is an entry.
        bits: width of a number in a model of 16 bits.
        values: those of `per_token` or `per_source` that are values; the others are keys, or are both.
        shares: equal shares among which tensor parallelism divides the numbers; 1 if each device keeps all.
        per_source: numbers that are kept of each source token of an encoder-decoder, or of each position of an image.

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
    values: int = 0
    shares: int = 1
    per_source: int = 0

    def at(self, length: int, allocated: bool = False, source: int = 0) -> int:
        """Return the numbers kept after `length` tokens, with the spare ones if `allocated`."""
        total = self.fixed + self.per_token * self.seen(length) + (self.spare if allocated else 0) + self.per_source * source
        if self.rate:
            total += length // self.rate * self.entry + length % self.rate * self.waiting
            total += self.overlap if length >= self.rate else 0
        return total

    def seen(self, length: int, block: int = 1) -> int:
        """Return the tokens that `per_token` is kept of, in whole blocks: a window may begin and end inside of one.

        >>> Part("attention", per_token=1).seen(17, block=16), Part("window", per_token=1, tokens=16).seen(99, block=16)
        (32, 32)
        """
        whole = -(-length // block) * block
        if self.tokens is None or length <= self.tokens:
            return whole
        return min(whole, ((self.tokens + block - 2) // block + 1) * block) if self.tokens else 0

    def most_at(self, length: int, block: int = 1) -> int:
        """Return the most numbers of a cache at some length up to this one."""
        total = self.per_token * self.seen(length, block)
        if self.rate:
            total += length // self.rate * self.entry + self.waiting * min(length, self.rate - 1) + self.overlap
        return total

    def on_one_of(self, devices: int) -> "Part":
        """Return what one of several devices keeps: the largest share. A share is not divided further.

        >>> part = Part("attention", per_token=80, values=40, shares=8)
        >>> [part.on_one_of(devices).per_token for devices in (1, 2, 3, 8, 16)]
        [80, 40, 30, 10, 10]
        """
        if devices == 1 or self.shares == 1:
            return self
        names = ("fixed", "spare", "per_token", "values", "per_source")
        shares = -(-self.shares // devices)
        return replace(self, **{name: -(-getattr(self, name) * shares // self.shares) for name in names})

    @property
    def growth(self) -> Fraction:
        """Numbers that a further token adds for good, on average."""
        return Fraction(self.per_token if self.tokens is None else 0) + (Fraction(self.entry, self.rate) if self.rate else 0)

    @property
    def most_of_window(self) -> int:
        """Numbers of a full window, or the most that wait for an entry; 0 for any other part."""
        most = 0 if self.tokens is None else self.per_token * self.tokens
        return most + (self.waiting * (self.rate - 1) + self.overlap if self.rate else 0)
