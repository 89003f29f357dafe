"""Tasks that follow a state: letters of a group, counts, registers, traces, and recall that depends on a parity.

*Letters that permute points* (word problem, modular count). Each letter is a bijection of a finite set of points, and letters
are drawn independently. Let c_k be the highest probability with which k letters lead from a point to a point, and let a state
of B bits have M = 2^B values.

Asked at the end: the answer is a function of the state, so it has at most M values, and for each k <= N

    accuracy <= the sum of the M highest probabilities of points after k letters                       (6)

*Proof.* The answers are a set T of M points. The letters after the first k are independent of these, and as bijections they map
a set of M points to T.

Asked after every letter: for each k >= 1

    accuracy <= (M c_k)^floor(N / (k + 1))                                                             (7)

*Proof.* An example is alive after t letters if its first t answers are right; let A_t be the probability. Let a(s, p) be the
probability of being alive after t + k letters with state s at point p. Each point leads to p in k letters with probability at
most c_k, so a(s, p) <= c_k A_t. An answer is a function of the state and the letter that follows it. As the letter is a
bijection, this answer is right for one point p only. So A_(t + k + 1) is at most the sum of max_p a(s, p) over the M states s,
which is at most M c_k A_t.

If all elements of a group G are letters, (7) with k = 1 is (M / |G|)^floor(N / 2). It is attained if G has a subgroup H of
order M. Then G is a union of M disjoint sets, each of which has one element in each coset g H. After an odd number of letters
the state says in which of these sets the product is. The next letter moves one element of this set into H, and the answer is
where. So if all answers are right, the product after an even number of letters is in H, and the state is the product.

*Registers* (flip-flop). The last token reads a uniform register. If every register has been written, the contents are uniform
and independent, and (*) holds for R items of V symbols. A token before the last writes a given register with probability q / R.
So all registers are written with probability at least 1 - R (1 - q / R)^(N - 1), and otherwise the answer may be right.

*A trace of swaps* (permutation trace). Before the last print the order of the m values is uniform, so (5) holds for m items.

*Recall by parity.* The N answers to the N queries are a list F. If S^N lists are possible, F is uniform and (*) holds. If only
S^N / 2 are, F has one bit less, and the proof of (*) holds with B + 1 in place of B.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import exp, log, log1p, nextafter

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks import FlipFlop, ModularCount, ParityConditionedRecall, PermutationTrace, Task, WordProblem
from seqsep.tasks.ceilings.answer_lists import counting_ceiling, large_counting_ceiling
from seqsep.tasks.ceilings.fano import DIGITS, rounded_up
from seqsep.tasks.ceilings.index_lookup import index_lookup_ceiling
from seqsep.tasks.ceilings.one_of_many import distinct_values_ceiling

MOST_CASES = 1 << 62
MOST_COUNTS = 64
MOST_EXACT_POWER = 64


def state_tracking_ceiling(task: Task, state_bits: int) -> float | None:
    """Return the highest accuracy on a task that follows a state, rounded up; None for another task.

    Arguments:
        task: a word problem, modular count, flip-flop, permutation trace or parity-conditioned recall.
        state_bits: B, bits of one example's state; from 0.

    >>> state_tracking_ceiling(WordProblem(length=100, ask="last"), state_bits=6)  # 64 of the 120 elements of S_5
    0.5333333333333334
    >>> state_tracking_ceiling(WordProblem(length=4, group="dihedral"), state_bits=0)  # 1/10 for every second letter
    0.01
    """
    if isinstance(task, WordProblem):
        acts_on_itself = task.ask != "pointer" or task.group in ("cyclic", "dicyclic")
        starts = 1 if acts_on_itself or task.letters == "all" else task.classes
        weights = np.ones(task.letter_count, dtype=np.int64)
        return _of_letters(Letters(task.moves(), weights, starts), task.length, state_bits, task.ask == "last")
    if isinstance(task, ModularCount):
        return _of_letters(_of_counts(task), task.length, state_bits, task.ask == "last")
    if isinstance(task, FlipFlop):
        return _of_registers(task, state_bits)
    if isinstance(task, PermutationTrace):
        return distinct_values_ceiling(task.variables, task.variables, state_bits)
    if isinstance(task, ParityConditionedRecall):
        is_merged = task.answer_lists < task.values**task.length
        return index_lookup_ceiling(task.length, task.values, state_bits + is_merged)
    return None


@dataclass(frozen=True)
class Letters:
    """Letters as bijections of points, the cases in which each is drawn, and the first points that count as starts.

    If a group acts on its own elements, or if all of them are letters, all starts are alike and one is enough.
    """

    moves: Int64[np.ndarray, "letters points"]
    cases: Int64[np.ndarray, "letters"]
    starts: int

    def after(self, most: int) -> Iterator[tuple[Int64[np.ndarray, "starts points"], int]]:
        """Yield the cases that lead from each start to each point, and all cases, after 1, 2, .. letters.

        It ends after `most` letters, after letters that lead everywhere alike, and before numbers of more than 62 bits.
        """
        points = self.moves.shape[1]
        found = np.eye(self.starts, points, dtype=np.int64)
        total = 1
        each = int(self.cases.sum())
        for _ in range(most):
            total *= each
            if total >= MOST_CASES:
                return
            before = found
            found = np.zeros_like(before)
            for move, cases in zip(self.moves, self.cases.tolist(), strict=True):
                found[:, move] += cases * before
            yield found, total
            if points * int(found.max()) == total:
                return


def _of_counts(task: ModularCount) -> Letters:
    """Return a symbol other than 1, and 1. So few letters are counted that they do not reach the 64th count."""
    counts = min(task.modulus, MOST_COUNTS)
    each = np.arange(counts)
    return Letters(np.stack([each, (each + 1) % counts]), np.array([task.alphabet - 1, 1]), starts=1)


def _of_letters(letters: Letters, length: int, state_bits: int, is_last: bool) -> float:
    """Return the least limit of (6) or (7) over the numbers of letters whose cases are counted."""
    if state_bits >= ceil_log2(letters.moves.shape[1]):
        return 1.0
    states = 1 << state_bits
    if is_last:
        *_, (found, total) = letters.after(length)
        return rounded_up(Fraction(int(np.sort(found[0])[-states:].sum()), total))
    limits = [(1, 1, 0)]
    for count, (found, total) in enumerate(letters.after(length - 1), start=1):
        limits.append((states * int(found.max()), total, length // (count + 1)))
    return _power(*min(limits, key=lambda limit: limit[2] * (log(limit[0]) - log(limit[1]))))


def _power(part: int, whole: int, times: int) -> float:
    """Return (part / whole)^times, rounded up, for part <= whole.

    >>> _power(1, 2, 3), _power(1, 2, 1000) >= 2.0**-1000
    (0.125, True)
    >>> 1 <= _power(2, 3, 1000) / (2 / 3) ** 1000 < 1 + 1e-9
    True
    """
    if times <= MOST_EXACT_POWER:
        return rounded_up(Fraction(part, whole) ** times)
    with localcontext(Context(prec=DIGITS + 10)):
        nats = times * (Decimal(whole).ln() - Decimal(part).ln())
    return large_counting_ceiling(nats, 0)


def _of_registers(task: FlipFlop, state_bits: int) -> float:
    """Return the limit for flip-flop: that of the contents if all registers are written, and else 1."""
    writes = (100 - task.ignored) / 200 / task.registers
    unwritten = task.registers * exp((task.length - 1) * log1p(-writes)) * (1 + 1e-9)
    if task.registers == 1:
        contents = counting_ceiling(task.values, state_bits)
    else:
        contents = index_lookup_ceiling(task.registers, task.values, state_bits)
    return min(1.0, nextafter(contents + unwritten, 2))
