"""Lists with an entry for each layer, in files whose last layers predict further tokens and are not part of the model."""

from typing import TypeVar

from seqsep.language_models.capacity.config import Fields

Item = TypeVar("Item", str, int)


def without_drafts(fields: Fields, name: str, listed: list[Item] | None) -> list[Item] | None:
    """Return a list with an entry for each layer: without those of the layers that predict further tokens, if it has them.

    Raises BadInput for a list of another length.

    >>> without_drafts(Fields("config.json", {"num_hidden_layers": 2, "num_nextn_predict_layers": 1}, {}), "kinds", [7, 8, 9])
    [7, 8]
    """
    if listed is None:
        return None
    drafts = fields.get("num_nextn_predict_layers")
    if isinstance(drafts, int) and len(listed) == fields.layers + drafts:
        return listed[: fields.layers]
    if len(listed) != fields.layers:
        fields.refuse(name, f"a list of {fields.layers} entries (one a layer)")
    return listed
