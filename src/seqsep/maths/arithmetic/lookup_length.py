"""The least number of items that no state of B bits can list: integers and decimals only, so that it loads without NumPy."""

from decimal import Context, Decimal, localcontext

DIGITS = 50


def least_length_beyond(alphabet: int, state_bits: int, bits_per_item: int = 0) -> int | None:
    """Return the least N with state_bits + N bits_per_item < N log2 alphabet, exactly; None if there is none.

    >>> least_length_beyond(alphabet=64, state_bits=300), least_length_beyond(alphabet=64, state_bits=300, bits_per_item=6)
    (51, None)
    """
    symbol_bits = (alphabet - 1).bit_length()
    if bits_per_item >= symbol_bits:
        return None
    if alphabet == 1 << symbol_bits:
        return state_bits // (symbol_bits - bits_per_item) + 1
    if state_bits == 0:
        return 1
    digits = DIGITS
    while True:
        # log2 S is irrational here, so N = B / (log2 S - g) is never whole and enough digits separate its two neighbours.
        with localcontext(Context(prec=digits)):
            shortfall = Decimal(alphabet).ln() / Decimal(2).ln() - bits_per_item
            slack = Decimal(10) ** (len(str(bits_per_item)) + 5 - digits)
            low = state_bits / (shortfall + slack)
            high = state_bits / max(shortfall - slack, slack)
            if low.adjusted() < digits - 10 and int(low - slack * low) == int(high + slack * high):
                return int(low) + 1
        digits *= 2
