"""A model that is described by hand: groups of layers, each with its numbers."""

from seqsep.language_models.capacity.config import MOST_LAYERS, Fields
from seqsep.language_models.capacity.part import WIDE, Part

BY_HAND = "by-hand"


def layers_by_hand(fields: Fields) -> tuple[tuple[Part, ...], ...]:
    """Return the layers of {"model_type": "by-hand", "layers": [{"count", "fixed_numbers", "numbers_per_token", "window"}]}.

    A window of W tokens keeps W - 1 past ones. Fixed numbers are float32 as stored.

    >>> layers_by_hand(Fields("own.json", {"layers": [{"count": 2, "fixed_numbers": 8}]}, {}))[0][0].fixed
    8
    """
    groups = fields.get("layers")
    if not isinstance(groups, list) or not 0 < len(groups) <= MOST_LAYERS:
        fields.refuse("layers", "a list of objects, at least one")
    layers: list[tuple[Part, ...]] = []
    for place, group in enumerate(groups):
        inner = Fields(fields.where, {f"layers {place}": group}, {}).inner(f"layers {place}")
        strange = sorted(set(inner.values) - {"count", "fixed_numbers", "numbers_per_token", "window"})
        if strange:
            fields.refuse(f"layers {place}: {strange[0][:60]}", "count, fixed_numbers, numbers_per_token or window")
        fixed = inner.optional("fixed_numbers", least=0) or 0
        growing = inner.optional("numbers_per_token", least=0) or 0
        window = inner.optional("window")
        parts = [Part("recurrent", fixed=fixed, bits=WIDE)] if fixed else []
        kind = "window" if window else "attention"
        parts += [Part(kind, per_token=growing, tokens=window - 1 if window else None)] if growing else []
        count = inner.whole("count", most=MOST_LAYERS) if inner.has("count") else 1
        if len(layers) + count > MOST_LAYERS:
            fields.refuse("layers", f"at most {MOST_LAYERS:,} layers")
        layers += [tuple(parts)] * count
    return tuple(layers)
