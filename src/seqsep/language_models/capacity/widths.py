"""The widths of numbers: bits, fractions of a bit, and the names of formats with the scales of their blocks counted."""

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite

from seqsep.core.names import BadInput, excerpt, nearest, printable

Width = int | Fraction
MOST_BITS = 64
FORMATS: Mapping[str, Width] = {
    **dict.fromkeys(("f32", "fp32", "float32"), 32),
    **dict.fromkeys(("f16", "fp16", "float16", "bf16", "bfloat16", "auto"), 16),
    **dict.fromkeys(("fp8", "fp8_e4m3", "fp8_e5m2", "int8"), 8),
    "mxfp8": Fraction(33, 4),
    "q8_0": Fraction(17, 2),
    "q5_1": 6,
    "q5_0": Fraction(11, 2),
    "q4_1": 5,
    **dict.fromkeys(("q4_0", "iq4_nl", "nvfp4"), Fraction(9, 2)),
    "mxfp4": Fraction(17, 4),
    **dict.fromkeys(("fp4", "int4"), 4),
}
"""Bits of a number in each format. Blocks: ggml's q formats have 32 numbers and a scale of 16 bits (`_1`: two), NVFP4 has 16
numbers and a scale of 8 bits, the MX formats have 32 numbers and a scale of 8 bits."""


def width(name: str, given: object) -> Width:
    """Return a number of bits, or a format's. Raises BadInput for anything else.

    >>> width("cache_bits", "q8_0"), width("cache_bits", 8.5), width("cache_bits", "8"), width("cache_bits", "nvfp4")
    (Fraction(17, 2), Fraction(17, 2), 8, Fraction(9, 2))
    """
    expected = f"{name}: expected bits from 1 to {MOST_BITS}, or a format such as fp8, q8_0 or nvfp4"
    if isinstance(given, str):
        word = given.strip().lower()
        if word in FORMATS:
            return FORMATS[word]
        if not word.replace(".", "", 1).isdecimal() or not word.isascii() or len(word) > 12:
            raise BadInput(f"{expected}, found {excerpt(printable(given))!r}{nearest(word, FORMATS)}")
        bits = Fraction(word)
    elif isinstance(given, bool) or not isinstance(given, int | float | Fraction) or not isfinite(given):
        raise BadInput(f"{expected}, found {excerpt(printable(repr(given)))}")
    else:
        bits = Fraction(given)
    if not 1 <= bits <= MOST_BITS:
        raise BadInput(f"{expected}, found {excerpt(str(given))}")
    return int(bits) if bits.denominator == 1 else bits


def keys_and_values(name: str, given: object) -> tuple[Width, Width | None]:
    """Return the widths of keys and of values: one for both, or two with a slash between them.

    >>> keys_and_values("cache_bits", "q8_0/q4_0"), keys_and_values("cache_bits", 16)
    ((Fraction(17, 2), Fraction(9, 2)), (16, None))
    """
    if isinstance(given, str) and given.count("/") == 1:
        keys, values = given.split("/")
        return width(name, keys), width(name, values)
    return width(name, given), None


def bits_in_words(bits: Width) -> str:
    """Return a number of bits as people write it.

    >>> bits_in_words(8), bits_in_words(Fraction(17, 2))
    ('8', '8.5')
    """
    return str(bits if isinstance(bits, int) else float(bits))
