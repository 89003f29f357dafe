"""Numbers, bits and bytes that a model keeps, under the widths and the deployment that are asked for."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from seqsep.core.names import BadInput, whole
from seqsep.language_models.capacity.part import Part
from seqsep.language_models.capacity.widths import Width

MOST_TOKENS = 10**15


class StateSizes:
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
        """Return bits of the fixed state, full windows and cross-attention, rounded up.

        They are at the widths that were asked for, or as `transformers` stores them.
        """
        return _up(self._bits_of(self.parts.items(), as_stored))

    def state_bytes(self, as_stored: bool = False) -> int:
        """Return bytes of the fixed state, full windows and cross-attention, rounded up."""
        return _up(self._bits_of(self._on_device().items(), as_stored) / 8)

    def bits_per_token(self) -> Fraction:
        """Return the bits that each further token adds permanently."""
        return self._growth(self.parts.items())

    def bytes_per_token(self) -> Fraction:
        """Return the bytes that each further token adds permanently."""
        return self._growth(self._on_device().items()) / 8

    def bytes_at(self, length: int, allocated: bool = False, full: bool = False) -> int:
        """Return the bytes kept after `length` tokens, rounded up.

        `full` takes the most that a compressed cache may have waiting. Raises BadInput if `length` is not a whole number, or is
        below 0.
        """
        length = _at_least(0, length, "bytes_at: length")
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
            stored = part.bits * (part.most_of_window + part.per_source * self.source_length)
            total += count * part.fixed * (part.bits if as_stored else self.state_bits)
            total += count * (stored if as_stored else self._beside_state(part))
        return total

    def _beside_state(self, part: Part) -> Fraction:
        """Bits of a full window and of all source tokens, at the widths of the cache."""
        values = part.values * (part.tokens or 0) if part.per_token else 0
        return self._cached(part.most_of_window, values) + self.source_length * self._of_source(part)

    def _growth(self, parts: Iterable[tuple[Part, int]]) -> Fraction:
        total = Fraction(0)
        for part, count in parts:
            values = part.values if part.tokens is None and part.per_token else 0
            total += count * self._cached(part.growth, values)
        return total

    def _of_source(self, part: Part) -> Fraction:
        return self._cached(part.per_source, 0 if part.per_token else part.values)

    def _cached(self, numbers: int | Fraction, values: int) -> Fraction:
        """Return the bits of `numbers` numbers of a cache, `values` of which are values."""
        wide = self.cache_bits if self.value_bits is None else self.value_bits
        return Fraction(self.cache_bits) * (numbers - values) + Fraction(wide) * values

    def _on_device(self) -> Counter[Part]:
        found: Counter[Part] = Counter()
        for part, count in self.parts.items():
            found[part.on_one_of(self.tensor_parallel)] += count
        return found

    def bits_beside_cache(self, as_stored: bool) -> Fraction:
        """Bits of the fixed state, full windows and cross-attention, as `bits` without rounding.

        `as_stored` takes only the fixed state as `transformers` stores it: the rest is at the widths of the cache.
        """
        if not as_stored:
            return self._bits_of(self.parts.items(), as_stored=False)
        kept = self.parts.items()
        return sum((count * (part.fixed * part.bits + self._beside_state(part)) for part, count in kept), Fraction(0))

    def twin_bits(self, numbers_per_token: int) -> Fraction:
        """Bits a token of a cache in which no token is left out: of this model, else of its windows, else of the twin.

        The twin keeps `numbers_per_token`, half of which are values.
        """
        windows = sum((count * self._cached(part.per_token, part.values) for part, count in self._windows()), Fraction(0))
        return self.bits_per_token() or windows or self._cached(numbers_per_token, numbers_per_token // 2)

    def _windows(self) -> list[tuple[Part, int]]:
        return [(part, count) for part, count in self.parts.items() if part.per_token and part.tokens is not None]

    def longest_in(self, memory: int, batch: int = 1) -> int | None:
        """Return the largest length whose state and cache fit in `memory` bytes, for each of `batch` sequences; None: every
        length.

        It is 0 if not even one token fits. Weights and activations are not counted. Raises BadInput if `memory` is not a whole
        number from 0, or `batch` is not one from 1.
        """
        memory = _at_least(0, memory, "longest_in: memory")
        batch = _at_least(1, batch, "longest_in: batch")
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
        """Return the number of sequences of a length that fit in `memory` bytes; None if nothing is kept.

        Raises BadInput if `memory` or `length` is not a whole number from 0.
        """
        memory = _at_least(0, memory, "batch_in: memory")
        length = _at_least(0, length, "batch_in: length")
        each = self.bytes_at(length)
        return memory // each if each else None


def _at_least(least: int, value: Any, where: str) -> int:
    found = whole(value, where)
    if found < least:
        raise BadInput(f"{where}: expected a whole number from {least}, found {found}")
    return found


def _up(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)
