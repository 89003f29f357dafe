"""What an attention layer keeps of each token: keys and values, a latent, an indexer's keys; of all tokens, or of a window."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.part import BITS, WIDE, Part


def head_dim(fields: Fields) -> int:
    """Coordinates of a head: the file's, or the width divided among the heads where it says nothing."""
    return fields.optional("head_dim") or fields.divided("hidden_size", "num_attention_heads")


def key_value_heads(fields: Fields) -> int:
    """Heads with keys and values of their own; as many as there are heads where the file says nothing."""
    return fields.optional("num_key_value_heads") or fields.instead("num_key_value_heads", fields.whole("num_attention_heads"))


def grouped(fields: Fields) -> list[Part]:
    """Keys and values of every head that has its own."""
    return [_pairs(key_value_heads(fields), head_dim(fields))]


def _pairs(heads: int, width: int, value_width: int | None = None) -> Part:
    """A key and a value for each head, of one width unless values have their own."""
    values = heads * (width if value_width is None else value_width)
    return Part("attention", per_token=heads * width + values, values=values, shares=heads)


def latent(fields: Fields) -> list[Part]:
    """One latent and one rotated key a token, shared by all heads."""
    return [Part("latent", per_token=fields.whole("kv_lora_rank") + fields.whole("qk_rope_head_dim", least=0))]


def ungrouped(fields: Fields) -> list[Part]:
    """Every head has keys and values, and the heads divide the width: files' other fields are not read."""
    width = fields.whole("hidden_size")
    heads = fields.optional("num_attention_heads") or 1
    return [Part("attention", per_token=2 * width, values=width, shares=heads if width % heads == 0 else 1)]


def _split(fields: Fields) -> list[Part]:
    """Width over heads, whatever head_dim says."""
    return [_pairs(key_value_heads(fields), fields.divided("hidden_size", "num_attention_heads"))]


def _falcon(fields: Fields) -> list[Part]:
    """Falcon's newer architecture shares keys and values, but they are copied to every head before they are kept."""
    width = fields.divided("hidden_size", "num_attention_heads")
    heads = fields.whole("num_attention_heads")
    if fields.flag("multi_query") and not fields.flag("new_decoder_architecture"):
        heads = 1
    return [_pairs(heads, width)]


def _bigcode(fields: Fields) -> list[Part]:
    width = fields.divided("hidden_size", "num_attention_heads")
    return [_pairs(1 if fields.flag("multi_query") else fields.whole("num_attention_heads"), width)]


def _dbrx(fields: Fields) -> list[Part]:
    inner = fields.inner("attn_config")
    heads = inner.optional("kv_n_heads") or 1
    return [_pairs(heads, fields.divided("hidden_size", "num_attention_heads"))]


def _two_widths(fields: Fields) -> list[Part]:
    """Keys and values of different widths."""
    return [_pairs(key_value_heads(fields), head_dim(fields), fields.whole("v_head_dim"))]


def _chatglm(fields: Fields) -> list[Part]:
    """ChatGLM 2 to 4: groups of heads if multi_query_attention is set."""
    heads = fields.whole("num_attention_heads")
    if fields.flag("multi_query_attention"):
        heads = fields.whole("multi_query_group_num")
    return [_pairs(heads, fields.optional("kv_channels") or fields.divided("hidden_size", "num_attention_heads"))]


def _doubled_width(fields: Fields) -> list[Part]:
    """Zamba: the block sees the stream beside the embeddings, so its heads are twice as wide."""
    width = 2 * fields.whole("hidden_size") // fields.whole("num_attention_heads")
    width = fields.optional("attention_head_dim") or width
    return [_pairs(key_value_heads(fields), width)]


def _of_decoder(fields: Fields) -> list[Part]:
    """BART and what follows it: keys and values of the decoder's own tokens, and of the source."""
    width = fields.whole("d_model" if fields.has("d_model") else "hidden_size")
    heads = fields.optional("decoder_attention_heads") or fields.optional("num_decoder_attention_heads") or 1
    own = Part("attention", per_token=2 * width, values=width, shares=heads if width % heads == 0 else 1)
    return [own, cross(own)]


def _of_t5(fields: Fields) -> list[Part]:
    own = _pairs(fields.whole("num_heads"), fields.whole("d_kv"))
    return [own, cross(own)]


def cross(part: Part) -> Part:
    """Return the keys and values that cross-attention keeps of each source token, from those of a layer's own tokens."""
    return replace(part, kind="cross", per_token=0, per_source=part.per_token)


ATTENTION: dict[str, Callable[[Fields], list[Part]]] = {
    "grouped": grouped,
    "latent": latent,
    "ungrouped": ungrouped,
    "split": _split,
    "falcon": _falcon,
    "bigcode": _bigcode,
    "dbrx": _dbrx,
    "two-widths": _two_widths,
    "doubled-width": _doubled_width,
    "decoder": _of_decoder,
    "t5": _of_t5,
    "chatglm": _chatglm,
}


def index(fields: Fields, keys: str) -> Part:
    """The indexer's keys of each token: `keys` is the field of their width, or "glm5", with a gate and a mark besides."""
    if keys == "glm5":
        return Part("index", per_token=2 * fields.whole("index_head_dim") + 1)
    heads = fields.optional("indexer_kv_heads") or 1
    name, *rest = keys.split(" ", 1)
    return Part("index", per_token=heads * fields.whole(name), bits=WIDE if rest == ["in float32"] else BITS)


def windowed(parts: list[Part], window: int) -> list[Part]:
    """The same parts, kept of a window: the asking token is its last, so one less is kept."""
    return [replace(part, kind="window", tokens=window - 1) for part in parts]


def compressed(fields: Fields, kind: str) -> list[Part]:
    """DeepSeek-V4: a window beside entries that stand for `rate` tokens each, and what waits for the next entry.

    Keys are values, so a token is `head_dim` numbers, but in layers of a window alone they are kept twice. What overlaps two
    entries is kept once there is one.
    """
    width = fields.whole("head_dim")
    copies = 2 if kind == "sliding_attention" else 1
    window = windowed([Part("attention", per_token=copies * width)], fields.whole("sliding_window"))
    if kind == "sliding_attention":
        return window
    rates = fields.inner("compress_rates")
    older = {"compressed_sparse_attention": "compress_rate_csa", "heavily_compressed_attention": "compress_rate_hca"}[kind]
    rate = rates.optional(kind) or fields.whole(older)
    if kind == "heavily_compressed_attention":
        return [*window, Part("compressed", rate=rate, entry=width, waiting=2 * width)]
    both = width + fields.whole("index_head_dim")
    return [*window, Part("compressed", rate=rate, entry=both, waiting=4 * both, overlap=2 * rate * both)]


def twin_per_token(fields: Fields, layers: int) -> Fraction | None:
    """Numbers a token of a Transformer of this width and depth with a key and a value for every coordinate."""
    width = fields.get("hidden_size")
    return Fraction(2 * width * layers) if isinstance(width, int) and not isinstance(width, bool) else None
