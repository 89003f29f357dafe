"""From which length on one layer of a model is provably too narrow, as plain values and in words."""

from seqsep.language_models.capacity.answer import Capacity
from seqsep.language_models.capacity.one_layer import (
    composition_of,
    one_layer,
    recurrent_numbers,
    state_composition,
    state_never_below,
)
from seqsep.language_models.capacity.part import BITS, WIDE

WIDEST = 1024
"""Coordinates of a value up to which the bounds on exact weights are computed; at 1,024 they take half a second."""


def one_layer_record(found: Capacity) -> dict[str, int | None]:
    """Return the facts of `one_layer_sentences`; None if nothing is proved, or if config.json has no vocab_size of 4 or more.

    With exact weights, values of more than 1,024 coordinates are left out: they would take seconds to minutes.

    `composition.._fails_from` is an n of two functions over [n], `induction_fails_from` a number of tokens before the question.

    >>> from seqsep.language_models.capacity import capacity
    >>> llama = {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
    >>> record = one_layer_record(capacity({**llama, "num_key_value_heads": 8, "vocab_size": 32_000}))
    >>> [record[name] for name in ("heads", "value_width", "composition_fails_from", "induction_fails_from")]
    [32, 128, 5372, 16788]
    """
    layer = one_layer(found)
    numbers = recurrent_numbers(found) if layer is None else 0
    record: dict[str, int | None] = {
        "heads": None if layer is None else layer.heads,
        "value_width": None if layer is None else layer.width,
        "window": None if layer is None else layer.window,
        "state_numbers": numbers or None,
    }
    for name, bits in (("", BITS), ("_wide", WIDE)):
        recurrent = composition_of(numbers * bits) if numbers else None
        record[f"composition{name}_fails_from"] = recurrent if layer is None else layer.composition(bits)
    exact = layer if layer is not None and layer.width <= WIDEST else None
    symbols = found.fields.optional("vocab_size") or 0
    return record | {
        "composition_exact_fails_from": None if exact is None else exact.composition_exact(BITS),
        "induction_fails_from": None if exact is None or symbols < 4 else exact.induction(BITS, symbols),
        "model_composition_fails_from": state_composition(found),
    }


def one_layer_sentences(found: Capacity) -> list[str]:
    """Return a sentence for each length, with its subject and the questions that it leaves open.

    >>> from seqsep.language_models.capacity import capacity
    >>> mamba = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}
    >>> print(one_layer_sentences(capacity(mamba))[0])
    One layer alone, the recurrence with the largest state (112 numbers), cannot, whatever its weights:
    """
    record = one_layer_record(found)
    numbers = {name: "" if value is None else f"{value:,}" for name, value in record.items()}
    compose, wide, exact = (numbers[f"composition{name}_fails_from"] for name in ("", "_wide", "_exact"))
    if record["heads"] is not None:
        window = f", window {numbers['window']}" if record["window"] is not None else ""
        head = f"One attention layer alone ({numbers['heads']} heads, values of {numbers['value_width']} coordinates{window})"
        lines = [
            f"{head}, between embeddings and any feed-forward part, cannot, whatever its weights:",
            f"  compose two functions over [n]: from n = {compose} on by sums of {BITS} bits read in order,",
            f"    {wide} by sums of {WIDE} bits, {exact or 'not computed'} by exact weights and means of {BITS} bits",
            "    (seqsep check composition-one-layer)",
        ]
        if record["induction_fails_from"] is not None:
            tokens = numbers["induction_fails_from"]
            lines += [
                f"  do induction heads: behind {tokens} tokens or more, by exact weights and means of {BITS} bits",
                "    (seqsep check induction-one-layer); of rounded sums nothing is proved",
            ]
    elif record["state_numbers"] is not None:
        state = f"the recurrence with the largest state ({numbers['state_numbers']} numbers)"
        lines = [
            f"One layer alone, {state}, cannot, whatever its weights:",
            f"  compose two functions over [n] from n = {compose} on at {BITS} bits a number, {wide} at {WIDE}.",
        ]
    else:
        lines = ["One layer alone: nothing is proved of a layer of this form."]
    return [*lines, "Two layers are excluded by none of this.", _whole(found)]


def _whole(found: Capacity) -> str:
    """Return the tasks that the complete state excludes, whatever the depth."""
    first = state_composition(found)
    if first is None:
        return f"The whole model: its cache grows, and excludes no composition below n = 10^{state_never_below(found):,}."
    because = "the bits of its state" if found.horizon_tokens is None else "its state and the horizon of its windows"
    return f"The whole model, by {because}, cannot compose two functions over [n] from n = {first:,} on."
