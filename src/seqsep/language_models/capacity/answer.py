"""How large the state of a model is, from its config.json alone, and what follows from that."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from seqsep.core.names import BadInput, whole_arguments
from seqsep.core.tables import Tabular
from seqsep.language_models.capacity.attention import twin_per_token
from seqsep.language_models.capacity.config import Fields, read_config
from seqsep.language_models.capacity.declare import Layer, declare
from seqsep.language_models.capacity.limits import Limit, limits
from seqsep.language_models.capacity.part import BITS, Part
from seqsep.language_models.capacity.quantized import unknown_method

Number = int | float
MOST_BITS = 64
MOST_TOKENS = 10**15
MOST_BATCH = 10**9


@whole_arguments
def capacity(config: Path | str | Mapping[str, Any], *, state_bits: int = BITS, cache_bits: int = BITS) -> "Capacity":
    """Read a config.json, or a dict like it, and count the numbers that the model keeps between tokens.

    Arguments:
        config: path of a config.json, its folder, or its content as a dict.
        state_bits: bits of each number in a fixed state.
        cache_bits: bits of each number in a cache.

    Raises BadInput with the file and the field for a configuration that cannot be read.

    >>> found = capacity({"model_type": "mamba", "hidden_size": 768, "num_hidden_layers": 24, "vocab_size": 50280})
    >>> found.fixed_numbers, found.state_bytes(), found.crossing(), found.limits[0].beyond
    (700416, 1400832, 19, 1867776)
    """
    for name, bits in (("state_bits", state_bits), ("cache_bits", cache_bits)):
        if not 1 <= bits <= MOST_BITS:
            raise BadInput(f"{name}: expected a whole number of bits from 1 to {MOST_BITS}, found {bits}")
    where = "config" if isinstance(config, Mapping) else str(config)
    read = config if isinstance(config, Mapping) else read_config(config)
    declared = declare(where, read)
    return Capacity(
        model_type=declared.family,
        where=where,
        layers=declared.layers,
        fields=declared.fields,
        state_bits=state_bits,
        cache_bits=cache_bits,
        unknown_quantization=unknown_method(where, read),
    )


@dataclass(frozen=True, repr=False)
class Capacity(Tabular):
    """The numbers that a model keeps between tokens, for one sequence.

    Fields:
        model_type: family of the model, as in its config.json.
        where: name of the configuration in error messages.
        layers: the parts that each layer keeps.
        fields: fields of the configuration.
        state_bits: bits of each number in a fixed state.
        cache_bits: bits of each number in a cache.
        unknown_quantization: method of quantization_config if `transformers` does not know it, else None.

    >>> print(capacity({"model_type": "by-hand", "layers": [{"count": 2, "fixed_numbers": 64}]}).table())
    by-hand: 2 layers, 128 fixed numbers, 0 numbers a token
    kind       layers  read  allocated  a token  window  stored bits
    recurrent       2   128        128        0       -           32
    """

    model_type: str
    where: str
    layers: tuple[Layer, ...]
    fields: Fields
    state_bits: int = BITS
    cache_bits: int = BITS
    unknown_quantization: str | None = None
    parts: Counter[Part] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", Counter(part for layer in self.layers for part in layer))

    def __repr__(self) -> str:
        return self.table()

    def title(self) -> str:
        """The line above the table."""
        growth = f"{plain(self.numbers_per_token):,} numbers a token"
        window = f", {self.window_numbers:,} in windows" if self.window_numbers else ""
        return f"{self.model_type}: {len(self.layers)} layers, {self.fixed_numbers:,} fixed numbers{window}, {growth}"

    def records(self) -> list[dict[str, Any]]:
        """A row for each kind of part: layers, numbers read and allocated, numbers per token, its window, bits as stored."""
        return [
            {
                "kind": part.kind,
                "layers": count,
                "read": count * (part.fixed + part.most_of_window),
                "allocated": count * (part.fixed + part.spare + part.most_of_window),
                "a token": plain(count * part.growth),
                "window": part.tokens,
                "stored bits": part.bits,
            }
            for part, count in self.parts.items()
        ]

    @property
    def layers_by_kind(self) -> dict[str, int]:
        """How many layers keep a part of each kind."""
        found: Counter[str] = Counter()
        for part, count in self.parts.items():
            found[part.kind] += count
        return dict(found)

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
    def limits(self) -> tuple[Limit, ...]:
        """What no model with this state can do, however trained, at these widths of numbers."""
        vocabulary = self.fields.get("vocab_size")
        known = isinstance(vocabulary, int) and not isinstance(vocabulary, bool) and 1 < vocabulary < 1 << 31
        return limits(self.bits(), self.numbers_per_token * self.cache_bits, vocabulary if known else None)

    def bits(self, as_stored: bool = False) -> int:
        """Bits of the fixed state and full windows, at the widths that were asked for or as `transformers` stores them."""
        total = 0
        for part, count in self.parts.items():
            total += count * part.fixed * (part.bits if as_stored else self.state_bits)
            total += count * part.most_of_window * (part.bits if as_stored else self.cache_bits)
        return total

    def state_bytes(self, as_stored: bool = False) -> int:
        """Bytes of the fixed state and full windows, rounded up."""
        return -(-self.bits(as_stored) // 8)

    def bytes_per_token(self) -> Fraction:
        """Bytes that each further token adds for good."""
        return self.numbers_per_token * self.cache_bits / 8

    def bytes_at(self, length: int, allocated: bool = False, full: bool = False) -> int:
        """Bytes kept after so many tokens, rounded up; `full` takes the most that a compressed cache may have waiting."""
        bits = 0
        for part, count in self.parts.items():
            fixed = part.fixed + (part.spare if allocated else 0)
            growing = part.most_at(length) if full else part.at(length) - part.fixed
            bits += count * (fixed * self.state_bits + growing * self.cache_bits)
        return -(-bits // 8)

    def crossing(self, as_stored: bool = False) -> int | None:
        """The tokens from which the cache is as large as the fixed state and full windows; `twin` says whose cache."""
        per_token = self._crossing_per_token()
        if not per_token:
            return None
        width = BITS if as_stored else self.cache_bits
        return int(-(-Fraction(self.bits(as_stored)) // (per_token * width)))

    @property
    def twin(self) -> str:
        """Whose cache the crossing is about: this model's own, or that of a twin."""
        if self.numbers_per_token:
            return "its own attention layers"
        if self.window_numbers:
            return "a twin whose windows keep every token"
        return "a twin Transformer of this width and depth (2 x width numbers a token and layer)"

    def _crossing_per_token(self) -> Fraction | None:
        if self.numbers_per_token:
            return self.numbers_per_token
        windows = sum(count * part.per_token for part, count in self.parts.items())
        return Fraction(windows) if windows else twin_per_token(self.fields, len(self.layers))

    @property
    def horizon_tokens(self) -> int | None:
        """How far back a token can have any influence, in tokens, where every layer that keeps anything has a window."""
        keeping = [layer for layer in self.layers if layer]
        only = all(part.kind == "window" for layer in keeping for part in layer)
        return sum(max(part.tokens or 0 for part in layer) for layer in keeping) if keeping and only else None

    def longest_in(self, memory: int, batch: int = 1) -> int | None:
        """The largest length whose state and cache fit in so many bytes, for each of `batch` sequences; None: every length.

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
        """How many sequences of a length fit in so many bytes; None where nothing is kept."""
        each = self.bytes_at(length)
        return memory // each if each else None

    def record(self) -> dict[str, Any]:
        """The answer as plain values, for JSON."""
        return {
            "model_type": self.model_type,
            "layers": len(self.layers),
            "layers_by_kind": self.layers_by_kind,
            "fixed_numbers": self.fixed_numbers,
            "allocated_numbers": self.allocated_numbers,
            "window_numbers": self.window_numbers,
            "numbers_per_token": plain(self.numbers_per_token),
            "state_bits": self.state_bits,
            "cache_bits": self.cache_bits,
            "fixed_bytes": self.state_bytes(),
            "fixed_bytes_as_transformers": self.state_bytes(as_stored=True),
            "bytes_per_token": plain(self.bytes_per_token()),
            "crossing_tokens": self.crossing(),
            "crossing_tokens_as_transformers": self.crossing(as_stored=True),
            "crossing_of": self.twin,
            "horizon_tokens": self.horizon_tokens,
            "limits": [limit.record() for limit in self.limits],
            **({"unknown_quantization": self.unknown_quantization} if self.unknown_quantization else {}),
        }


def plain(value: Fraction) -> Number:
    """A fraction as a whole number where it is one."""
    return int(value) if value.denominator == 1 else float(value)
