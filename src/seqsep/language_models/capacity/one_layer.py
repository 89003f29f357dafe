"""One attention layer of a model: its heads, the coordinates of their values, and the length from which it is too narrow.

It is about *one* layer, directly after the embeddings, with any feed-forward part and read-out after it, and not about the
model: two layers are not excluded by any of this. The proofs are in `theorems.retrieval.composition_one_layer` and
`induction_one_layer`, the arithmetic in `maths.communication.one_layer_message`.

Heads are those with queries of their own, since each has weights of its own, also where keys and values are shared. A latent
counts whole if it is wider than a value, as kernels that multiply it out last have sums of that width. A layer whose weights
depend on a choice among all tokens (an indexer), or whose cache is compressed, is not such a layer. A recurrence next to or
after the attention of a layer is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

from seqsep.language_models.capacity.answer import Capacity
from seqsep.language_models.capacity.attention import head_dim
from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.families import Family, family, model_types
from seqsep.language_models.capacity.patterns import FULL, SLIDING
from seqsep.maths.communication.one_layer_message import (
    composition_bites_from,
    exact_bits,
    induction_bites_from,
    sums_bits,
)


@dataclass(frozen=True)
class OneLayer:
    """An attention layer: H heads, m coordinates of a value, and how many tokens it sees (None: all).

    >>> layer = OneLayer(heads=32, width=128)
    >>> layer.composition(16), layer.composition(32), layer.composition_exact(16), layer.induction(16, symbols=32_000)
    (5372, 10017, 9559, 16788)
    """

    heads: int
    width: int
    window: int | None = None

    def composition(self, precision: int) -> int:
        """Return the least n from which it composes no two functions over [n], by sums of p bits read in order."""
        return self._composed(composition_of(sums_bits(self.heads, self.width, precision)))

    def composition_exact(self, precision: int) -> int:
        """Return the least n from which it composes no two functions over [n], by exact weights and means of p bits."""
        return self._composed(composition_bites_from(lambda values: exact_bits(self.heads, self.width, precision, values)))

    def induction(self, precision: int, symbols: int) -> int:
        """Return the least number of tokens before the question from which it does no induction heads, with exact weights."""
        first = induction_bites_from(lambda questions: exact_bits(self.heads, self.width, precision, questions), symbols)
        return first if self.window is None else min(first, self.window + 1)

    def _composed(self, first: int) -> int:
        """Return `first`, or less with a window: of 2n + 1 tokens the layer does not see f(0) once they are more than its
        window.
        """
        return first if self.window is None else min(first, -(-self.window // 2))


def composition_of(bits: int) -> int:
    """Return the least n from which the given bits of f are too few to compose it with a function over [n].

    >>> composition_of(24)  # 8 log2 8 are 24
    9
    """
    return composition_bites_from(lambda values: bits)


def one_layer(found: Capacity) -> OneLayer | None:
    """Return the attention layer of a model, one that sees all tokens if there is one; None without one of known form.

    >>> from seqsep.language_models.capacity import capacity
    >>> heads = {"num_attention_heads": 32, "num_key_value_heads": 8}
    >>> one_layer(capacity({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, **heads}))
    OneLayer(heads=32, width=128, window=None)
    >>> one_layer(capacity({"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2})) is None
    True
    """
    if found.model_type not in model_types():
        return None
    known = family(found.model_type)
    kinds = {part.kind for part in found.parts}
    if known.index or known.rule == "deepseek-v4" or not kinds & {"attention", "latent", "window"}:
        return None
    sees_all = bool(kinds & {"attention", "latent"})
    window = None if sees_all else max((part.tokens or 0) + 1 for part in found.parts if part.kind == "window")
    fields = _of_kind(found.fields, known.overlays.get(FULL if sees_all else SLIDING, {}))
    return OneLayer(fields.whole("num_attention_heads"), _value_width(fields, known), window)


def recurrent_numbers(found: Capacity) -> int:
    """Return the numbers of the largest fixed state of a layer; 0 without one.

    >>> from seqsep.language_models.capacity import capacity
    >>> recurrent_numbers(capacity({"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}))
    112
    """
    return max((sum(part.fixed for part in layer) for layer in found.layers), default=0)


def state_composition(found: Capacity) -> int | None:
    """Return the least n from which no model with this state composes two functions over [n], whatever its depth.

    The state after f tells all functions apart, n log2 n bits; of windows alone f(0), 2n tokens back, is within the horizon.
    None where a cache grows: see `state_never_below`.

    >>> from seqsep.language_models.capacity import capacity
    >>> state_composition(capacity({"model_type": "by-hand", "layers": [{"fixed_numbers": 64}]}))
    144
    """
    if found.numbers_per_token:
        return None
    first = composition_of(found.bits())
    horizon = found.horizon_tokens
    return first if horizon is None else min(first, horizon // 2 + 1)


def state_never_below(found: Capacity) -> int:
    """Return the largest k with 10^k <= 2^g, for a cache of g bits per token: below n = 10^k composition stays open.

    The cache has n g bits after f, and f has n log2 n bits, which are fewer up to n = 2^g. It is exact.

    >>> from seqsep.language_models.capacity import capacity
    >>> state_never_below(capacity({"model_type": "by-hand", "layers": [{"numbers_per_token": 16}]}))
    77
    """
    return power_of_ten_below(found.bits_per_token())


def power_of_ten_below(bits: Fraction) -> int:
    """Return the largest k with 10^k <= 2^bits, exactly: log10 2 is computed to more digits than `bits` has.

    >>> power_of_ten_below(Fraction(10)), power_of_ten_below(Fraction(93)), power_of_ten_below(Fraction(1_048_576))
    (3, 27, 315652)
    """
    digits = len(str(bits.numerator)) + len(str(bits.denominator)) + 20
    while True:
        with localcontext(Context(prec=digits)):
            slack = Decimal(10) ** (len(str(int(bits) + 1)) + 3 - digits)
            power = Decimal(bits.numerator) / bits.denominator * Decimal(2).log10()
            if int(power - slack) == int(power + slack) or not bits:
                return int(power)
        digits *= 2


def _of_kind(fields: Fields, overlay: Mapping[str, Any]) -> Fields:
    """Return the fields as layers of a kind read them."""
    changed = {name: fields.get(other) or default for name, (other, default) in overlay.items()}
    return fields.over({name: value for name, value in changed.items() if value is not None})


def _value_width(fields: Fields, known: Family) -> int:
    """Return the coordinates of a head's values."""
    if known.attention == "latent":
        return max(fields.whole("kv_lora_rank"), fields.optional("v_head_dim") or 0)
    if known.attention == "two-widths":
        return fields.whole("v_head_dim")
    if known.attention == "doubled-width":
        return fields.optional("attention_head_dim") or 2 * fields.whole("hidden_size") // fields.whole("num_attention_heads")
    if known.attention == "grouped":
        return head_dim(fields)
    return fields.divided("hidden_size", "num_attention_heads")
