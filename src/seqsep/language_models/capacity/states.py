"""Fixed states: what a recurrent layer keeps, whatever the length.

Devices of tensor parallelism divide heads and channels; a convolution over groups is counted on each device.
A convolution of K taps reads K - 1 past columns; `transformers` allocates K, so one column is spare. Recurrences are stored as
float32 in a model of 16 bits unless said otherwise (counted in bfloat16 models).
"""

from collections.abc import Callable
from fractions import Fraction

from seqsep.core.names import BadInput
from seqsep.language_models.capacity.config import Fields
from seqsep.language_models.capacity.part import BITS, WIDE, Part


def _convolution(columns: int, taps: int, bits: int = BITS, shares: int = 1) -> Part:
    return Part("conv", fixed=columns * (taps - 1), spare=columns, bits=bits, shares=shares)


def _recurrence(numbers: int, bits: int = WIDE, heads: int = 1) -> Part:
    return Part("recurrent", fixed=numbers, bits=bits, shares=heads)


def _mamba(fields: Fields) -> list[Part]:
    """Return the parts of Mamba, from the file's intermediate_size, or expand times the width if there is none."""
    inner = fields.optional("intermediate_size") or int(fields.ratio("expand") * fields.whole("hidden_size"))
    return _channels(inner, fields.whole("conv_kernel"), fields.whole("state_size"))


def _channels(inner: int, taps: int, state: int, bits: int = WIDE) -> list[Part]:
    """Return the parts of Mamba's channels, which do not mix in the state: devices divide them."""
    return [_convolution(inner, taps, shares=inner), _recurrence(inner * state, bits=bits, heads=inner)]


def _mamba_of_hybrids(fields: Fields, bits: int = WIDE) -> list[Part]:
    """Return the parts of Jamba and Zamba: Mamba's state under other names."""
    inner = int(fields.ratio("mamba_expand") * fields.whole("hidden_size"))
    return _channels(inner, fields.whole("mamba_d_conv"), fields.whole("mamba_d_state"), bits)


def _hymba(fields: Fields) -> list[Part]:
    """Return the parts of Hymba: those of Jamba, but its published code stores the recurrence as wide as the cache."""
    return _mamba_of_hybrids(fields, BITS)


def _mamba2_state(heads: int, width: int, groups: int, **sizes: int) -> list[Part]:
    columns = heads * width + 2 * groups * sizes["state"]
    return [_convolution(columns, sizes["taps"]), _recurrence(heads * width * sizes["state"], heads=heads)]


def _mamba2(fields: Fields) -> list[Part]:
    sizes = {"state": fields.whole("state_size"), "taps": fields.whole("conv_kernel")}
    heads = fields.whole("num_heads")
    width = fields.whole("head_dim")
    inner = int(fields.ratio("expand") * fields.whole("hidden_size"))
    _require_product(fields, heads * width, "num_heads times head_dim", inner)
    return _mamba2_state(heads, width, fields.whole("n_groups"), **sizes)


def _mamba2_of_hybrids(fields: Fields) -> list[Part]:
    """Return the parts of Bamba, Granite 4 and Falcon-H1: a head's width may be "auto"."""
    heads = fields.whole("mamba_n_heads")
    inner = fields.optional("mamba_d_ssm") or int(fields.ratio("mamba_expand") * fields.whole("hidden_size"))
    width = _of_heads(fields, inner, heads) if fields.get("mamba_d_head") == "auto" else fields.whole("mamba_d_head")
    _require_product(fields, heads * width, "mamba_n_heads times mamba_d_head", inner)
    sizes = {"state": fields.whole("mamba_d_state"), "taps": fields.whole("mamba_d_conv")}
    return _mamba2_state(heads, width, fields.whole("mamba_n_groups"), **sizes)


def _of_heads(fields: Fields, inner: int, heads: int) -> int:
    if inner % heads:
        raise BadInput(f"{fields.where}: expected heads that divide the recurrence's width, {inner}, found {heads} heads")
    return inner // heads


def _require_product(fields: Fields, found: int, of: str, inner: int) -> None:
    """Raise BadInput unless heads times their width are the recurrence's width, as `transformers` does."""
    if found != inner:
        raise BadInput(f"{fields.where}: expected {of} to be the recurrence's width, {inner:,}, found {found:,}")


def _zamba2(fields: Fields) -> list[Part]:
    heads = fields.whole("n_mamba_heads")
    width = int(fields.ratio("mamba_expand") * fields.whole("hidden_size")) // heads
    sizes = {"state": fields.whole("mamba_d_state"), "taps": fields.whole("mamba_d_conv")}
    return _mamba2_state(heads, width, fields.whole("mamba_ngroups"), **sizes)


def _plamo2(fields: Fields) -> list[Part]:
    """Return the parts of PLaMo 2: the convolution is over the heads' channels only."""
    heads = fields.whole("mamba_num_heads")
    inner = heads * fields.whole("head_dim")
    return [
        _convolution(inner, fields.whole("mamba_d_conv"), shares=heads),
        _recurrence(inner * fields.whole("mamba_d_state"), heads=heads),
    ]


def _nemotron(fields: Fields) -> list[Part]:
    groups = fields.whole("mamba_n_groups" if fields.has("mamba_n_groups") else "n_groups")
    taps = fields.whole("mamba_d_conv" if fields.has("mamba_d_conv") else "conv_kernel")
    sizes = {"state": fields.whole("ssm_state_size"), "taps": taps}
    return _mamba2_state(fields.whole("mamba_num_heads"), fields.whole("mamba_head_dim"), groups, **sizes)


def _gated_delta(fields: Fields) -> list[Part]:
    """Return the parts of the gated delta rule. OLMo's hybrid derives the fields that the file leaves out."""
    key_heads = fields.optional("linear_num_key_heads") or fields.whole("num_attention_heads")
    heads = fields.optional("linear_num_value_heads") or fields.whole("num_attention_heads")
    derived = 3 * fields.whole("hidden_size") // (4 * key_heads)
    key = fields.optional("linear_key_head_dim") or derived
    value = fields.optional("linear_value_head_dim") or 2 * key
    columns = 2 * key_heads * key + heads * value
    return [_convolution(columns, fields.whole("linear_conv_kernel_dim")), _recurrence(heads * key * value, heads=heads)]


def _kda(fields: Fields) -> list[Part]:
    """Return the parts of Kimi delta attention: sizes in linear_attn_config, or under their own names."""
    inner = fields.inner("linear_attn_config")
    heads = inner.optional("num_heads") or fields.whole("linear_num_heads")
    width = inner.optional("head_dim") or fields.whole("linear_head_dim")
    taps = inner.optional("short_conv_kernel_size") or fields.whole("linear_conv_kernel_dim")
    return [_convolution(3 * heads * width, taps, shares=heads), _recurrence(heads * width * width, heads=heads)]


def _bailing(fields: Fields) -> list[Part]:
    """Return the parts of Ling's hybrid: the library overwrites head_dim, so in a saved file linear_head_dim is the state's."""
    heads = fields.optional("linear_num_heads") or fields.whole("num_attention_heads")
    width = fields.optional("linear_head_dim") or fields.whole("head_dim")
    taps = fields.optional("linear_conv_kernel_dim") or fields.whole("short_conv_kernel_size")
    return [_convolution(3 * heads * width, taps, shares=heads), _recurrence(heads * width * width, heads=heads)]


def _lightning(fields: Fields) -> list[Part]:
    heads = fields.whole("num_attention_heads")
    width = fields.optional("head_dim") or fields.divided("hidden_size", "num_attention_heads")
    return [_recurrence(heads * width * width, bits=BITS, heads=heads)]


def _rg_lru(fields: Fields) -> list[Part]:
    width = fields.optional("lru_width") or fields.whole("hidden_size")
    return [Part("conv", fixed=width * (fields.whole("conv1d_width") - 1)), _recurrence(width)]


def _rwkv(fields: Fields) -> list[Part]:
    """Return the parts of RWKV-4: two shifted tokens in the model's width, three numbers a channel of attention."""
    width = fields.whole("hidden_size")
    channels = fields.optional("attention_hidden_size") or width
    return [Part("shift", fixed=2 * width), _recurrence(3 * channels)]


def _mlstm(fields: Fields) -> list[Part]:
    """Return the parts of xLSTM: a matrix, a normaliser and a maximum a head. Sizes are rounded up to multiples of 64."""
    heads = fields.whole("num_heads")
    width = fields.whole("hidden_size" if fields.has("hidden_size") else "embedding_dim")
    key = _up_to_64(fields.ratio("qk_dim_factor") * width) // heads
    value = _up_to_64(fields.ratio("v_dim_factor") * width) // heads
    return [_recurrence(heads * (key * value + key + 1), bits=BITS, heads=heads)]


def _up_to_64(value: Fraction) -> int:
    return -(-value // 64) * 64


def _short_convolution(fields: Fields) -> list[Part]:
    return [_convolution(fields.whole("hidden_size"), fields.whole("conv_L_cache"))]


def _compressed_convolution(fields: Fields) -> list[Part]:
    """Return the parts of ZAYA: two convolutions over queries and keys, and half a value that waits."""
    kept = fields.whole("num_key_value_heads")
    width = fields.whole("head_dim")
    columns = (fields.whole("num_attention_heads") + kept) * width
    taps = fields.whole("cca_time0") + fields.whole("cca_time1")
    return [Part("conv", fixed=columns * (taps - 2)), _recurrence(kept * width // 2, bits=BITS)]


def _four_convolutions(fields: Fields) -> list[Part]:
    """Return the parts of Inkling: convolutions before keys and values, and after attention and MLP, kept as float32."""
    columns = 2 * fields.whole("num_key_value_heads") * fields.whole("head_dim") + 2 * fields.whole("hidden_size")
    return [_convolution(columns, fields.whole("conv_kernel_size"), bits=WIDE)]


STATES: dict[str, Callable[[Fields], list[Part]]] = {
    "mamba": _mamba,
    "mamba-of-hybrids": _mamba_of_hybrids,
    "hymba": _hymba,
    "mamba2": _mamba2,
    "mamba2-of-hybrids": _mamba2_of_hybrids,
    "zamba2": _zamba2,
    "nemotron": _nemotron,
    "plamo2": _plamo2,
    "gated-delta": _gated_delta,
    "kda": _kda,
    "bailing": _bailing,
    "lightning": _lightning,
    "rg-lru": _rg_lru,
    "rwkv": _rwkv,
    "mlstm": _mlstm,
    "short-convolution": _short_convolution,
    "compressed-convolution": _compressed_convolution,
    "four-convolutions": _four_convolutions,
}
