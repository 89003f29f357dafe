"""Many questions in an example, all of which have to be answered right.

    accuracy <= 2^B / V                                               (**)

holds for examples that are right only if every answer in them is right, if the V lists of answers are equally likely and
independent of the questions' order: multi-query recall with n pairs (V = S^n, or S (S - 1) .. (S - n + 1) if values differ),
nearest neighbour with n labels of S kinds (V = S^n), and next characters in equality (V = S^(N/2)).
Proof. Fix the order and the state Z before the first question. Later inputs are questions, or answers that are already due.
While all answers are right these are the model's own, so at most one list of answers is right throughout. There are at most
2^B states for V lists.
It is attained: the state says which of 2^B chosen lists it is, and these are answered right in every order.
"""

from decimal import MAX_EMAX, ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks.ceilings.fano import DIGITS, MARGIN, float_above, require, rounded_up


def counting_ceiling(possibilities: int, state_bits: int) -> float:
    """Return the highest accuracy on a task that counts an example as right only if all its answers are right.

    An example has a list of right answers. The formula is for tasks with V such lists, which are equally likely and do not
    depend on the order of the queries. These are multi-query recall and nearest neighbour. The result is 2^B / V, rounded up,
    but at most 1.

    Arguments:
        possibilities: V, number of lists of answers; from 1.
        state_bits: B, bits of one example's state; from 0.

    >>> counting_ceiling(possibilities=2**10, state_bits=8)
    0.25
    """
    call = f"counting_ceiling(possibilities={possibilities}, state_bits={state_bits})"
    require(possibilities >= 1 and state_bits >= 0, call, "possibilities is at least 1, state_bits at least 0")
    if state_bits >= ceil_log2(possibilities):
        return 1.0
    return rounded_up(Fraction(1 << state_bits, possibilities))


def large_counting_ceiling(nats: Decimal, state_bits: int) -> float:
    """Return the ceiling (**) for lists that are so numerous that only the logarithm of their number, `nats`, is known. It is
    rounded up.

    `nats` may be too large by at most 10^-45.

    >>> large_counting_ceiling(Decimal(8).ln(), state_bits=2)
    0.5000000000000001
    """
    with localcontext(Context(prec=DIGITS + len(str(state_bits)), rounding=ROUND_CEILING)):
        missing = nats - state_bits * Decimal(2).ln() - MARGIN
        if missing <= 0:
            return 1.0
        # A number that underflows to 0 is still above 0.
        return min(1.0, float_above((-missing).exp() + Decimal("1e-400")))


@cache
def nats_of_distinct(values: int, items: int) -> Decimal:
    """Return the logarithm of the number S (S - 1) .. (S - n + 1) of lists of n different values, within 10^-45.

    >>> round(nats_of_distinct(values=4, items=2), 6) == round(Decimal(12).ln(), 6)
    True
    """
    with localcontext(Context(prec=DIGITS + 10, Emax=MAX_EMAX)):
        product = Decimal(1)
        for taken in range(items):
            product *= values - taken
        return product.ln()
