"""Numbers, bits and bytes that a model keeps, under the widths and the deployment that are asked for."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from seqsep.language_models.capacity.part import BITS, Part
from seqsep.language_models.capacity.widths import Width

MOST_TOKENS = 10**15


class Sizes:
    """The sizes of a model's state and cache.

    Numbers and bits are of the complete model. Bytes are of one device: with tensor parallelism, of the one that keeps most.
    """

    parts: Counter[Part]
    state_bits: Width
    cache_bits: Width
    value_bits: Width | None
    tensor_parallel: int
    block_size: int
    source_length: int

    @property
    def fixed_numbers(self) -> int:
        """Numbers that a step reads whatever the length."""
        return sum(count * part.fixed for part, count in self.parts.items())

    @property
    def allocated_numbers(self) -> int:
        """Fixed numbers with the spare ones that `transformers` allocates besides."""
        return sum(count * (part.fixed + part.spare) for part, count in self.parts.items())

    @property
    def window_numbers(self) -> int:
        """Numbers of full windows."""
        return sum(count * part.most_of_window for part, count in self.parts.items())

    @property
    def numbers_per_token(self) -> Fraction:
        """Numbers that each further token adds for good."""
        return sum((count * part.growth for part, count in self.parts.items()), Fraction(0))

    @property
    def numbers_per_source_token(self) -> int:
        """Numbers of cross-attention that each source token, or each position of an image, adds."""
        return sum(count * part.per_source for part, count in self.parts.items())

    @property
    def cross_numbers(self) -> int:
        """Numbers of cross-attention for all source tokens."""
        return self.numbers_per_source_token * self.source_length

    def bits(self, as_stored: bool = False) -> int:
        """Bits of the fixed state, full windows and cross-attention, rounded up.

        They are at the widths that were asked for, or as `transformers` stores them.
        """
        return _up(self._bits_of(self.parts.items(), as_stored))

    def state_bytes(self, as_stored: bool = False) -> int:
        """Bytes of the fixed state, full windows and cross-attention, rounded up."""
        return _up(self._bits_of(self._on_device().items(), as_stored) / 8)

    def bits_per_token(self) -> Fraction:
        """Bits that each further token adds for good."""
        return self._growth(self.parts.items())

    def bytes_per_token(self) -> Fraction:
        """Bytes that each further token adds for good."""
        return self._growth(self._on_device().items()) / 8

    def bytes_at(self, length: int, allocated: bool = False, full: bool = False) -> int:
        """Bytes kept after `length` tokens, rounded up; `full` takes the most that a compressed cache may have waiting."""
        bits = Fraction(0)
        for part, count in self._on_device().items():
            fixed = part.fixed + (part.spare if allocated else 0)
            seen = part.seen(length, self.block_size)
            growing = part.most_at(length, self.block_size) if full else part.at(length) - part.fixed
            if not full:
                growing += part.per_token * (seen - part.seen(length))
            values = part.values * seen if part.per_token else 0
            bits += count * (fixed * self.state_bits + self._cached(growing, values))
            bits += count * self.source_length * self._of_source(part)
        return _up(bits / 8)

    def _bits_of(self, parts: Iterable[tuple[Part, int]], as_stored: bool) -> Fraction:
        total = Fraction(0)
        for part, count in parts:
            values = part.values * (part.tokens or 0) if part.per_token else 0
            windows = part.most_of_window * part.bits if as_stored else self._cached(part.most_of_window, values)
            total += count * (part.fixed * (part.bits if as_stored else self.state_bits) + windows)
            source = part.per_source * part.bits if as_stored else self._of_source(part)
            total += count * self.source_length * source
        return total

    def _growth(self, parts: Iterable[tuple[Part, int]]) -> Fraction:
        total = Fraction(0)
        for part, count in parts:
            values = part.values if part.tokens is None and part.per_token else 0
            total += count * self._cached(part.growth, values)
        return total

    def _of_source(self, part: Part) -> Fraction:
        return self._cached(part.per_source, 0 if part.per_token else part.values)

    def _cached(self, numbers: int | Fraction, values: int) -> Fraction:
        """Bits of numbers of a cache, `values` of which are values."""
        wide = self.cache_bits if self.value_bits is None else self.value_bits
        return Fraction(self.cache_bits) * (numbers - values) + Fraction(wide) * values

    def _on_device(self) -> Counter[Part]:
        found: Counter[Part] = Counter()
        for part, count in self.parts.items():
            found[part.on_one_of(self.tensor_parallel)] += count
        return found

    def stored_beside_cache(self) -> Fraction:
        """Bits of the fixed state as `transformers` stores it, with windows at the width of the cache that was asked for."""
        share = Fraction(self.cache_bits) / BITS
        kept = self.parts.items()
        return sum((count * part.bits * (part.fixed + part.most_of_window * share) for part, count in kept), Fraction(0))

    def longest_in(self, memory: int, batch: int = 1) -> int | None:
        """The largest length whose state and cache fit in `memory` bytes, for each of `batch` sequences; None: every length.

        It is 0 if not even one token fits. Weights and activations are not counted.
        """
        if batch * self.bytes_at(MOST_TOKENS, full=True) <= memory:
            return None
        low = 0
        high = MOST_TOKENS
        while high - low > 1:
            middle = (low + high) // 2
            if batch * self.bytes_at(middle, full=True) <= memory:
                low = middle
            else:
                high = middle
        return low

    def batch_in(self, memory: int, length: int) -> int | None:
        """Return the number of sequences of a length that fit in `memory` bytes; None if nothing is kept."""
        each = self.bytes_at(length)
        return memory // each if each else None


def _up(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)
