"""Index lookup, and what is like it: one question about N independent symbols.

    B >= N (log2 S - h(e) - e log2(S - 1)),   e <= 1 - 1/S                    (*)

holds for index lookup with N uniform and independent symbols from an alphabet of S, a uniform question, and a state of B bits
that is computed before the question is seen. e is the error rate over symbols and question, so 1 - e is the accuracy, a
fraction; h is the binary entropy in bits.

Source: Fano's inequality at each position and the data-processing inequality.
Proof. Let Z be the state, X_i the symbols, e_i the error rate when position i is asked. Z takes at most 2^B values, so
B >= H(Z) >= I(X_1 .. X_N; Z) >= sum_i I(X_i; Z), the last step since the X_i are independent. The answer to question i is a
function of Z (and of coins independent of X), so Fano gives I(X_i; Z) >= log2 S - h(e_i) - e_i log2(S - 1). The right side is
convex in e_i, as h is concave, so by Jensen the sum over i is at least N times its value at e, the mean of the e_i. That value
falls from log2 S at e = 0 to 0 at e = 1 - 1/S: the least e that (*) allows is its smaller root, and accuracy is at most 1 - e.

Associative recall of N pairs, with uniform and independent values given the keys, is the same: (*) holds given the keys.
"""

from decimal import ROUND_CEILING, Context, Decimal, localcontext
from functools import cache

from seqsep.maths.arithmetic.lookup_length import least_length_beyond
from seqsep.tasks.ceilings.fano import DIGITS, highest_accuracy, require


@cache
def index_lookup_ceiling(length: int, alphabet: int, state_bits: int) -> float:
    """Return the highest accuracy on index lookup by Fano's inequality, rounded up.

    The limit is 1/S for an empty state. It is 1 if state_bits >= length log2 alphabet, or if the exact limit is closer to 1
    than a float can show.

    Arguments:
        length: N, independent and uniform symbols of an input.
        alphabet: S, symbols to choose from.
        state_bits: B, bits of one example's state; from 0.

    >>> index_lookup_ceiling(length=100, alphabet=64, state_bits=600)
    1.0
    >>> round(index_lookup_ceiling(length=100, alphabet=64, state_bits=0), 9) == 1 / 64
    True
    """
    call = f"index_lookup_ceiling(length={length}, alphabet={alphabet}, state_bits={state_bits})"
    require(length >= 1, call, "length is at least 1 symbol")
    first = length_where_it_bites(alphabet, state_bits)
    if first is None or length < first:
        return 1.0
    with localcontext(Context(prec=DIGITS, rounding=ROUND_CEILING)):
        missing_nats = Decimal(alphabet).ln() - Decimal(state_bits) / length * Decimal(2).ln()
    return highest_accuracy(missing_nats, alphabet)


@cache
def length_where_it_bites(alphabet: int, state_bits: int, bits_per_token: int = 0) -> int | None:
    """Return the least length N of index lookup at which a state cannot answer every input.

    This is the least N with state_bits + N bits_per_token < N log2 alphabet. At this N and every greater one the ceiling is
    below 1. The result is exact for any sizes. It is None if a state can answer every input at every length. This is so if the
    state grows at least as fast as the input, like the cache of an attention layer, or if the alphabet has one symbol.

    Arguments:
        alphabet: S, symbols to choose from.
        state_bits: bits of the state that do not depend on the length; from 0.
        bits_per_token: bits of the state for each token; from 0.

    >>> length_where_it_bites(alphabet=64, state_bits=300)
    51
    >>> length_where_it_bites(alphabet=64, state_bits=300, bits_per_token=2048) is None
    True
    """
    call = f"length_where_it_bites(alphabet={alphabet}, state_bits={state_bits}, bits_per_token={bits_per_token})"
    require(alphabet >= 1, call, "alphabet is at least 1 symbol")
    require(state_bits >= 0 and bits_per_token >= 0, call, "state_bits and bits_per_token are at least 0")
    return least_length_beyond(alphabet, state_bits, bits_per_token)
