"""The spellings of a model's sizes: depth, width and heads under the names of other libraries' files.

A spelling is read only if the file gives no value under the name that the family's own library reads.
"""

from collections.abc import Collection, Mapping
from typing import Any

from seqsep.core.names import BadInput

DEPTH = "num_hidden_layers"
WIDTH = "hidden_size"
HEADS = "num_attention_heads"
KEPT_HEADS = "num_key_value_heads"
HEAD_DIM = "head_dim"
SPELLINGS: dict[str, tuple[str, ...]] = {
    DEPTH: ("n_layers", "n_layer", "num_layers", "num_layer", "n_blocks", "num_blocks", "n_block", "depth"),
    WIDTH: ("d_model", "n_embd", "n_embed", "dim", "model_dim", "embed_dim", "emb_dim", "embedding_dim", "hidden_dim"),
    HEADS: ("n_heads", "n_head", "num_heads", "num_head", "attention_heads", "n_attention_heads"),
    KEPT_HEADS: ("n_kv_heads", "n_kv_head", "num_kv_heads", "n_head_kv", "kv_n_heads", "num_attention_groups"),
    HEAD_DIM: ("d_head", "dim_head", "head_size", "hidden_size_per_head", "attention_head_dim"),
}
"""The names of transformers, and for each its other spellings, the more common one first.

`hidden_dim` is the last one of the width: files with `dim` use it for the feed-forward part.
"""


def spelt(where: str, config: Mapping[str, Any], known: Collection[str] = ()) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values that a file gives under other spellings, and the spelling of each. `known` names need no other.

    Raises BadInput if two spellings of depth or heads disagree.

    >>> spelt("config.json", {"n_layers": 64, "dim": 512, "hidden_dim": 2048})
    ({'num_hidden_layers': 64, 'hidden_size': 512}, {'num_hidden_layers': 'n_layers', 'hidden_size': 'dim'})
    """
    values: dict[str, Any] = {}
    names: dict[str, str] = {}
    for name, others in SPELLINGS.items():
        if name in config or name in known:
            continue
        given = [other for other in others if is_size(config.get(other))]
        if not given:
            continue
        if name != WIDTH and len({config[other] for other in given}) > 1:
            raise BadInput(f"{where}: {given[0]} and {given[1]} are spellings of {name}: expected the same value, found two")
        values[name] = config[given[0]]
        names[name] = given[0]
    return values, names


def is_size(value: Any) -> bool:
    """Return whether a value can be a size.

    >>> is_size(3), is_size(True), is_size("3")
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def has_depth(config: Mapping[str, Any]) -> bool:
    """Return whether a file gives a depth, under any spelling.

    >>> has_depth({"n_layer": 2}), has_depth({"vocab_size": 2})
    (True, False)
    """
    return any(is_size(config.get(name)) for name in (DEPTH, *SPELLINGS[DEPTH]))


DEPTHS = (DEPTH, "decoder_layers", "num_decoder_layers", "num_layers")
WIDTHS = (WIDTH, "d_model", "embedding_dim")


def require_sizes(where: str, taken: Mapping[str, Any]) -> None:
    """Raise BadInput if depth or width would be a default that decides a number.

    >>> require_sizes("config.json", {"head_dim": 128})
    >>> require_sizes("config.json", {"num_hidden_layers": 32})
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: config.json: num_hidden_layers: expected a depth in the file, found no name of one; ...
    """
    depth = [name for name in taken if name in DEPTHS][:1]
    wide = [name for name in taken if name in WIDTHS][:1]
    if not depth and not wide:
        return
    what = " and ".join((["a depth"] if depth else []) + (["a width"] if wide else []))
    names = depth + wide
    values = ", ".join(f"{name} = {taken[name]:,}" for name in names)
    missing = "one" if len(names) == 1 else "either"
    raise BadInput(
        f"{where}: {' and '.join(names)}: expected {what} in the file, found no name of {missing}; "
        f"--defaults (in Python: defaults=True) takes those of the library: {values}"
    )
