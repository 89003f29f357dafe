"""The size of a model's state, from its config.json only, and the limits that follow from it."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from seqsep.core.names import BadInput, excerpt, printable, whole_arguments
from seqsep.core.tables import Tabular
from seqsep.language_models.capacity.attention import twin_per_token
from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.declare import Layer, declare
from seqsep.language_models.capacity.families import COUNTED
from seqsep.language_models.capacity.limits import Limit, limits
from seqsep.language_models.capacity.part import BITS, Part
from seqsep.language_models.capacity.quantized import cache_width, unknown_method
from seqsep.language_models.capacity.read import read_model
from seqsep.language_models.capacity.sizes import StateSizes
from seqsep.language_models.capacity.spellings import require_sizes
from seqsep.language_models.capacity.widths import Width, keys_and_values, width

Number = int | float
MOST_TOKENS = 10**9
MOST_DEVICES = 1 << 16


@whole_arguments
def capacity(
    config: Path | str | Mapping[str, Any],
    *,
    state_bits: Width | float | str = BITS,
    cache_bits: Width | float | str | None = None,
    source_length: int | None = None,
    tensor_parallel: int = 1,
    block_size: int = 1,
    defaults: bool = False,
) -> "Capacity":
    """Read a config.json, or a dict like it, and count the numbers that the model keeps between tokens.

    Arguments:
        config: path of a config.json or of a .gguf file, the folder of a config.json, or its content as a dict.
        state_bits: bits of each number in a fixed state, or a format such as "fp8".
        cache_bits: the same for a cache, or "q8_0/q4_0" for keys and values; default: 16, or what the file says.
        source_length: tokens that the encoder reads, or positions of the images, for cross-attention.
        tensor_parallel: devices among which heads are divided; bytes are those of one device.
        block_size: tokens of a block of a paged cache.
        defaults: take depth and width from the library's defaults if the file has neither.

    Raises BadInput with the file and the field for a configuration that cannot be read.

    >>> found = capacity({"model_type": "mamba", "hidden_size": 768, "num_hidden_layers": 24, "vocab_size": 50280})
    >>> found.fixed_numbers, found.state_bytes(), found.crossing(), found.limits[0].beyond
    (700416, 1400832, 19, 1867776)
    """
    for name, value, most in (
        ("source_length", source_length, MOST_TOKENS),
        ("tensor_parallel", tensor_parallel, MOST_DEVICES),
        ("block_size", block_size, MOST_TOKENS),
    ):
        if value is not None and not (0 if name == "source_length" else 1) <= value <= most:
            raise BadInput(f"capacity: {name}: expected a whole number up to {most:,}, found {value}")
    where = _name_of(config)
    read = config if isinstance(config, Mapping) else read_model(config)
    declared = declare(where, read)
    if not defaults:
        require_sizes(declared.fields.where, declared.taken)
    from_file = cache_width(where, read) if cache_bits is None else None
    keys, values = keys_and_values("cache_bits", (from_file or BITS) if cache_bits is None else cache_bits)
    source = declared.source if source_length is None else source_length
    return Capacity(
        model_type=declared.family,
        named=declared.model_type,
        where=where,
        layers=declared.layers,
        fields=declared.fields,
        state_bits=width("state_bits", state_bits),
        cache_bits=keys,
        value_bits=values,
        source_length=source or 0,
        tensor_parallel=tensor_parallel,
        block_size=block_size,
        basis=declared.basis,
        defaults=dict(declared.taken),
        spellings=dict(declared.spellings),
        cache_bits_of_file=from_file,
        unknown_quantization=unknown_method(where, read),
    )


def _name_of(config: Any) -> str:
    """Return the name of a configuration in messages. Raises BadInput for what is no path and no dict with texts as keys."""
    try:
        if isinstance(config, Mapping):
            fits = all(isinstance(name, str) for name in config)
        else:
            fits = isinstance(config, str | os.PathLike) and b"\0" not in os.fsencode(config)
    except UnicodeEncodeError:
        fits = False
    if not fits:
        found = excerpt(printable(repr(config), kept=""))
        raise BadInput(f"capacity: config: expected a path, or a dict like a config.json, found {found}")
    return "config" if isinstance(config, Mapping) else str(config)


@dataclass(frozen=True, repr=False)
class Capacity(StateSizes, Tabular):
    """The numbers that a model keeps between tokens, for one sequence.

    Fields:
        model_type: family of the model, as in its config.json.
        where: name of the configuration in error messages.
        layers: the parts that each layer keeps.
        fields: fields of the configuration.
        state_bits: bits of each number in a fixed state.
        cache_bits: bits of each number in a cache, or of each key if `value_bits` is given.
        value_bits: bits of each value in a cache, if they differ from those of keys.
        source_length: tokens of the source, or positions of images, that cross-attention keeps.
        tensor_parallel: devices among which the heads are divided; bytes are those of one device.
        block_size: tokens of a block of the cache; a cache consists of complete blocks.
        named: the model_type of the file, which may be read by the rules of another family.
        basis: "counted", "published code", "rule" or "by-hand": where the rules are from.
        defaults: fields that are not in the file but change the result, with the default value that is used.
        spellings: fields that were read under another name, and that name.
        cache_bits_of_file: bits of each number in a cache by the file, if they are used.
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
    state_bits: Width = BITS
    cache_bits: Width = BITS
    value_bits: Width | None = None
    source_length: int = 0
    tensor_parallel: int = 1
    block_size: int = 1
    named: str | None = None
    basis: str = COUNTED
    defaults: Mapping[str, Any] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    cache_bits_of_file: Width | None = None
    unknown_quantization: str | None = None
    parts: Counter[Part] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", Counter(part for layer in self.layers for part in layer))

    def __repr__(self) -> str:
        return self.table()

    def title(self) -> str:
        """Return the line above the table."""
        growth = f"{plain(self.numbers_per_token):,} numbers a token"
        window = f", {self.window_numbers:,} in windows" if self.window_numbers else ""
        cross = f", {self.numbers_per_source_token:,} numbers a source token" if self.numbers_per_source_token else ""
        return f"{self.model_type}: {len(self.layers)} layers, {self.fixed_numbers:,} fixed numbers{window}, {growth}{cross}"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each kind of part: layers, numbers read and allocated, numbers per token, its window, bits as
        stored.
        """
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
        """The number of layers that keep a part of each kind."""
        found: Counter[str] = Counter()
        for part, count in self.parts.items():
            found[part.kind] += count
        return dict(found)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Return the limits of every model with this state, however trained, at these widths of numbers."""
        vocabulary = self.fields.get("vocab_size")
        known = isinstance(vocabulary, int) and not isinstance(vocabulary, bool) and 1 < vocabulary < 1 << 31
        return limits(self.bits(), self.bits_per_token(), vocabulary if known else None)

    def crossing(self, as_stored: bool = False) -> int | None:
        """Return the number of tokens from which the cache is as large as the fixed state and full windows; `twin` says whose
        cache.

        The cache is at its width; `as_stored` takes the state as `transformers` stores it.
        """
        per_token = self.twin_bits(twin_per_token(self.fields, len(self.layers)) or 0)
        return int(-(-self.bits_beside_cache(as_stored) // per_token)) if per_token else None

    @property
    def twin(self) -> str:
        """The owner of the crossing's cache: this model or a twin."""
        if self.numbers_per_token:
            return "its own attention layers"
        if self.window_numbers:
            return "a twin whose windows keep every token"
        return "a twin Transformer of this width and depth (2 x width numbers a token and layer)"

    @property
    def horizon_tokens(self) -> int | None:
        """The distance in tokens beyond which a token has no influence, if every layer that keeps anything has a window."""
        keeping = [layer for layer in self.layers if layer]
        only = all(part.kind == "window" for layer in keeping for part in layer)
        return sum(max(part.tokens or 0 for part in layer) for layer in keeping) if keeping and only else None

    def record(self) -> dict[str, Any]:
        """Return the answer as plain values, for JSON."""
        return {
            "model_type": self.model_type,
            "layers": len(self.layers),
            "layers_by_kind": self.layers_by_kind,
            "fixed_numbers": self.fixed_numbers,
            "allocated_numbers": self.allocated_numbers,
            "window_numbers": self.window_numbers,
            "numbers_per_token": plain(self.numbers_per_token),
            "state_bits": plain(Fraction(self.state_bits)),
            "cache_bits": plain(Fraction(self.cache_bits)),
            "fixed_bytes": self.state_bytes(),
            "fixed_bytes_as_transformers": self.state_bytes(as_stored=True),
            "bytes_per_token": plain(self.bytes_per_token()),
            "crossing_tokens": self.crossing(),
            "crossing_tokens_as_transformers": self.crossing(as_stored=True),
            "crossing_of": self.twin,
            "horizon_tokens": self.horizon_tokens,
            "limits": [limit.record() for limit in self.limits],
            "basis": self.basis,
            "defaults": dict(self.defaults),
            "spellings": dict(self.spellings),
            **self._deployment(),
            **({"unknown_quantization": self.unknown_quantization} if self.unknown_quantization else {}),
        }

    def _deployment(self) -> dict[str, Any]:
        """Return the given settings of the deployment, by name."""
        cross = {"numbers_per_source_token": self.numbers_per_source_token, "source_length": self.source_length}
        return {
            **({} if self.value_bits is None else {"value_bits": plain(Fraction(self.value_bits))}),
            **(cross if self.numbers_per_source_token else {}),
            **({"tensor_parallel": self.tensor_parallel} if self.tensor_parallel > 1 else {}),
            **({"block_size": self.block_size} if self.block_size > 1 else {}),
        }


def plain(value: Fraction) -> Number:
    """Return a fraction as a whole number if it is one."""
    return int(value) if value.denominator == 1 else float(value)
