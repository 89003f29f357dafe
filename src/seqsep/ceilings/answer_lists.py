"""Many questions in an example, all of which have to be answered right.

    accuracy <= 2^B / V                                               (**)

holds for examples that are right only if every answer in them is right, if the V lists of answers are equally likely and
independent of the questions' order: multi-query recall with n pairs (V = S^n, or S (S - 1) .. (S - n + 1) if values differ),
nearest neighbour with n labels of S kinds (V = S^n), and next characters in equality (V = S^(N/2)).
Proof. Fix the order and the state Z before the first question. Later inputs are questions, or answers that are already due.
While all answers are right these are the model's own, so at most one list of answers is right throughout. There are at most
2^B states for V lists.
"""

from fractions import Fraction

from seqsep.ceilings.fano import require, rounded_up
from seqsep.exact.integers import ceil_log2


def counting_ceiling(possibilities: int, state_bits: int) -> float:
    """The ceiling (**): 2^B / V for V = `possibilities` equally likely lists of answers, at most 1, rounded up.

    >>> counting_ceiling(possibilities=2**10, state_bits=8)
    0.25
    """
    call = f"counting_ceiling(possibilities={possibilities}, state_bits={state_bits})"
    require(possibilities >= 1 and state_bits >= 0, call, "possibilities is at least 1, state_bits at least 0")
    if state_bits >= ceil_log2(possibilities):
        return 1.0
    return rounded_up(Fraction(1 << state_bits, possibilities))
