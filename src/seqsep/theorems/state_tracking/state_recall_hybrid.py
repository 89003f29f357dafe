"""A hybrid solves state-based recall with m states of its recurrence; a recurrence or attention by itself does not.

Source: own; the definition of the task is ours too (`tasks.state_based_recall`), after Rawat et al. 2026 (arXiv:2604.21454). A
model reads values s_0 .. s_(m-1) out of 0 .. S - 1, and then permutations of m cells. A pointer starts at cell 0. A permutation
g moves it from cell p to cell g(p). The answer after each permutation is the value in the cell of the pointer.

*Upper bound.* Let q = max(1, ceil(log2 S)). A recurrence of m numbers and one attention head, of width m + 3 q + 2, solve the
task at every length. One of the m numbers is 1 and the others are 0, so the recurrence has m states. All numbers are on the
grid of nine values of `_hybrids`.

Residual stream: [one | moves | value: q | cell: m | same: q | other: q]. Each token has one = 1. A permutation has moves = 1. A
value has in `value` its q binary digits z as -1 and 1.

1. *Recurrence.* The state e_p shows the cell p, and the start is e_0. A value moves e_p to e_(p+1), and e_(m-1) to e_0. A value
   reads the state before its own step. So the value s_i reads e_i, and after the m values the state is e_0 again. A permutation
   moves e_p to e_g(p), and reads the state after its own step. So it reads the pointer.
2. *Attention.* The score of a token is 2 (cell . cell') - 2 - 2 moves', where cell is the query's, and cell' and moves' are the
   token's. It is 0 at the value in the pointer's cell, and -2 at the other values. At a permutation it is at most -2. So the
   gap is 2, and the head reads the right value with weight 1 exactly. It writes same = z - 1 and other = -z - 1, each 0 or -2.
3. *Read-out.* The logit of a class is the sum of same over its digits 1, and of other over its digits -1. So it is 0 for the
   answer, and at most -2 for every other class.

Margin: 2. Rounding: states, scores and logits are whole numbers, so rounding changes none of them. Losing scores and losing
logits are cut off at -2. Only the exponentials of losing scores are rounded. After the values, attention needs only the m
tokens of the values: every other token has weight 0 for ever.

*Lower bound for a recurrence without attention.* Let it have read the values and a permutation, and let another one follow.
Then it needs m S^m - (m - 1) S states for m >= 3, and S^2 for m = 2. Proof. A list s with pointer p leads to the
answers s(g(p)) for all g. Two lists with p = p' have equal answers only if they are equal. Let p and p' differ. The pair (g(p),
g(p')) can be any two different cells a, b. So equal answers say s(a) = s'(b) for all a and b that differ. For m >= 3 both lists
are then one value m times: the m S cases of these need S states. For m = 2, s' is s reversed: the 2 S^2 cases need S^2 states.

*Lower bound for attention without a recurrence.* Let Lambda layers of causal softmax attention have no positions, a grid of L
steps and a stepwise softmax. The width, the heads and the feed-forward parts may be any. Let R = Lambda (M + 1), where M is L^2
with "floor" and 2 L^2 with "nearest". The network is wrong after R or after R + 1 permutations. Proof. Let s_0 = 0 and s_1 = 1,
and let each permutation be the exchange of cells 0 and 1. By `_attention_alone` the answers after R and R + 1 of them are the
same. The right answers are 0 after an even number of them, and 1 after an odd number.
"""

from collections.abc import Callable, Mapping
from math import factorial
from typing import Annotated, Any

import numpy as np

from seqsep.core.options import Range
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import AttentionLayer, Network, whole
from seqsep.tasks import StateBasedRecall
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.blocks import ROUNDINGS, Scores, Spaces, head, side_by_side
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Alphabet, GridRounding, Length, Seed
from seqsep.theorems.protocols.small_models import SmallModel
from seqsep.theorems.protocols.state_bound import StateBound
from seqsep.theorems.state_tracking import _state_recall as recall
from seqsep.theorems.state_tracking._attention_alone import (
    AttentionLayers,
    AttentionNetworks,
    answers_after,
    drawn_attention,
    last_change,
    repeats,
)
from seqsep.theorems.state_tracking._hybrids import (
    GAP,
    HybridTrial,
    KindRecurrence,
    RecurrentHybrid,
    constant_grid,
    sign_bits,
    signs,
    sizes_of,
)

UPPER = "A recurrence of m states and one attention head, with nine values a number, solve state-based recall"
RECURRENT = "A recurrence without attention needs m S^m - (m - 1) S states for m >= 3, and S^2 for m = 2"
ATTENTION = (
    "Lambda layers of attention without positions on a grid of L steps are wrong after R or R + 1 permutations, for "
    "R = Lambda (L^2 + 1), or Lambda (2 L^2 + 1) with rounding to the nearest"
)
CLAIM = Claim(name="state-based-recall-hybrid", source="own", statement=f"{UPPER}; {RECURRENT}; {ATTENTION}")
StoredCells = Annotated[int, Range(2, 6), "m, the number of cells and of values."]
StoredValues = Annotated[Alphabet, Range(2, 1 << 10)]
MOST_BITS_RUN = 8
ATTENTION_WIDTH = 3


def hybrid(cells: StoredCells = 3, alphabet: StoredValues = 4, rounding: GridRounding = "floor") -> RecurrentHybrid:
    """Return the hybrid for any number of permutations; tokens are those of `StateBasedRecall`.

    >>> hybrid(5).sizes()["state_numbers"]
    5
    """
    digits = sign_bits(alphabet)
    spaces = Spaces(one=1, moves=1, value=digits, cell=cells, same=digits, other=digits)
    codes = signs(alphabet, digits)
    moves = recall.permutation_matrices(cells)
    values = spaces.embed(value=codes) + spaces["one"]
    permutation = np.repeat(spaces["one"] + spaces["moves"], len(moves), axis=0)
    readout = np.maximum(codes, 0) @ spaces["same"] + np.maximum(-codes, 0) @ spaces["other"]
    network = Network(
        name=CLAIM.name,
        grid=constant_grid(rounding),
        spaces=spaces.slices,
        symbols=None,
        vectors=whole(np.eye(spaces.width)),
        layers=((_find_cell(spaces), None),),
        readout=whole(readout),
        readout_bias=whole(np.zeros(alphabet)),
    )
    recurrence = KindRecurrence(
        kinds=np.concatenate([np.zeros(alphabet, dtype=np.int64), 1 + np.arange(len(moves))]),
        moves=np.concatenate([np.roll(np.eye(cells, dtype=np.int64), 1, axis=0)[None], moves]),
        reads_before=np.arange(1 + len(moves)) == 0,
        input=spaces.nothing(cells),
        write=spaces["cell"],
        start=np.eye(cells, dtype=np.int64)[0],
    )
    return RecurrentHybrid(np.concatenate([values, permutation]), recurrence, network)


def _find_cell(spaces: Spaces) -> AttentionLayer:
    """The head with the score 2 (cell . cell') - 2 - 2 moves', which reads z - 1 and -z - 1."""
    one = spaces["one"]
    scores = Scores(GAP * spaces["cell"], spaces["cell"]) + Scores(one, -GAP * one) + Scores(one, -GAP * spaces["moves"])
    value = np.concatenate([spaces["value"] - one, -spaces["value"] - one])
    return side_by_side(head(scores, value=value, output=np.concatenate([spaces["same"], spaces["other"]])))


def bound(cells: StoredCells = 3, alphabet: StoredValues = 4) -> dict[str, Number]:
    """Return every size, from m and S; `recurrent_bits` are those of a recurrent model without attention.

    >>> bound(5, 64)["state_bits"], bound(5, 64)["recurrent_bits"]
    (20, 33)
    """
    sizes = sizes_of(cells + 3 * sign_bits(alphabet) + 2, state_numbers=cells, values=2)
    return {**sizes, "recurrent_bits": ceil_log2(recall.states_needed(cells, alphabet))}


def check(
    length: Length = 16,
    cells: StoredCells = 3,
    alphabet: StoredValues = 4,
    rounding: GridRounding | None = None,
    layers: AttentionLayers = 1,
    networks: AttentionNetworks = 4,
    seed: Seed = 0,
) -> list[Outcome]:
    """Run the hybrid; count the states that a recurrence needs, and find inputs that smaller ones and attention answer wrongly.

    The hybrid runs on every input if there are at most 40,000, else on drawn ones. States are counted for up to 512 lists of
    values. Raises TheoremFails with an input.
    """
    roundings = ROUNDINGS if rounding is None else (rounding,)
    task = StateBasedRecall(length, cells=cells, values=alphabet)
    uppers = [check_hybrid(task, one, seed) for one in roundings]
    values = recall.run_alphabet(cells, alphabet)
    lowers = [check_recurrent(cells, values), *state_bound(cells, values).outcomes(SmallModel(seed=seed))]
    return uppers + lowers + [check_attention(task, one, layers, networks=networks, seed=seed) for one in roundings]


def check_hybrid(task: StateBasedRecall, rounding: str, seed: int, count: int = recall.DRAWN) -> Outcome:
    """Run the hybrid of one grid. Raises TheoremFails with the input that is answered wrongly."""
    tokens, exhaustive = recall.inputs_of(task, seed, count)
    trial = HybridTrial(CLAIM, hybrid(task.cells, task.values, rounding))
    at = np.broadcast_to(recall.places(task), (len(tokens), len(recall.places(task))))
    trial.require(tokens, recall.answers_to(task, tokens, at), at, task)
    sizes = bound(task.cells, task.values)
    del sizes["recurrent_bits"]
    variant = f"m = {task.cells}, S = {task.values}, grid {rounding}"
    return trial.outcome(UPPER, sizes, 2.0, length=task.length, exhaustive=exhaustive, variant=variant)


def state_bound(cells: int, alphabet: int) -> StateBound:
    """Return the lower bound on the state of a recurrence, to run on models that are too small."""
    task = recall.PointedLists.of(cells, alphabet)
    return StateBound(
        claim=CLAIM,
        statement=RECURRENT,
        task=task,
        needed=ceil_log2(recall.states_needed(cells, alphabet)),
        solve=task.recall.solve,
        reduced=task.kept,
        most_bits=MOST_BITS_RUN,
        prefix="recurrence: ",
    )


def check_recurrent(cells: int, alphabet: int) -> Outcome:
    """Count the lists of answers after one permutation. Raises TheoremFails for another number than the formula's."""
    counted = recall.count_states(cells, alphabet)
    proved = recall.states_needed(cells, alphabet)
    if counted != proved:
        raise CLAIM.fails({"cells": cells, "alphabet": alphabet, "lists of answers": counted, "proved": proved})
    return CLAIM.lower(
        statement=RECURRENT,
        length=2,
        inputs=cells * alphabet**cells * factorial(cells),
        exhaustive=True,
        measured={"recurrent_bits": ceil_log2(counted), "states": counted},
        bound={"recurrent_bits": ceil_log2(proved), "states": proved},
        variant=f"recurrence: m = {cells}, S = {alphabet}",
    )


def check_attention(task: StateBasedRecall, rounding: str, layers: int, *, networks: int, seed: int) -> Outcome:
    """Run random networks on R + 3 exchanges of two cells. Raises TheoremFails if the answers after R and more differ."""
    grid = constant_grid(rounding)
    generator = np.random.Generator(np.random.Philox(seed))
    most = repeats(grid, layers)
    words = recall.exchanges(task, most + 3)
    last = 0
    witness: dict[str, Any] = {}
    for number in range(networks):
        sizes = {"tokens": task.vocabulary, "classes": task.values, "width": ATTENTION_WIDTH}
        answers = answers_after(drawn_attention(grid, layers, generator=generator, **sizes), words)
        changed = last_change(answers)
        if changed > most:
            raise CLAIM.fails({"network": number, "seed": seed, "last change": changed})
        wrong = next(word for word in words[most : most + 2] if task.solve(tuple(word)) != answers[most])
        witness = {"network": number, "errs_on": wrong, "answer": answers[most]}
        last = max(last, changed)
    return CLAIM.lower(
        statement=ATTENTION,
        length=most + 1,
        inputs=networks * len(words),
        measured={"repeats": last},
        bound={"repeats": most},
        variant=f"attention: L = {grid.steps}, {layers} layers of width {ATTENTION_WIDTH}, {rounding}",
        witness=witness,
    )


def predictor(length: Length, cells: StoredCells = 3, alphabet: StoredValues = 4) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"values": [..], "permutations": [[1, 2, 0], ..]} by the built weights: the value after the last permutation.

    >>> predictor(length=4, cells=3, alphabet=9)({"values": [7, 5, 8], "permutations": [[1, 2, 0], [1, 2, 0]]})
    8
    """
    built = hybrid(cells, alphabet)
    task = StateBasedRecall(length, cells=cells, values=alphabet)

    def answer(given: Mapping[str, Any]) -> int:
        return int(built.run(np.array([recall.read_moves(given, task)])).execution.answers[0, 0])

    return answer


def certificate_witness(cells: StoredCells = 3, alphabet: StoredValues = 3) -> Evidence:
    """Return the bound for a recurrence: values and a permutation for each state that it needs.

    Raises ValueError for more than 200,000 inputs of two permutations.
    """
    return recall.distinct_lists(cells, alphabet)


def verify(seed: int = 0) -> list[Outcome]:
    """Run all inputs of small tasks, drawn ones of up to 10,000 permutations, and the two lower bounds."""
    sizes = [(1, 2, 4), (5, 2, 5), (3, 3, 2), (3, 3, 4), (2, 3, 8), (1, 4, 6)]
    sizes += [(64, cells, alphabet) for cells in range(2, 7) for alphabet in (2, 5, 64, 1024)]
    tasks = [StateBasedRecall(length, cells=cells, values=alphabet) for length, cells, alphabet in sizes]
    uppers = [check_hybrid(task, one, seed) for task in tasks for one in ROUNDINGS]
    longest = [StateBasedRecall(10_000, cells=cells, values=8) for cells in (3, 5)]
    uppers += [check_hybrid(task, one, seed, count=3) for task in longest for one in ROUNDINGS]
    lowers = [
        check_recurrent(cells, alphabet) for cells, most in ((2, 12), (3, 6), (4, 3), (5, 2)) for alphabet in range(2, most)
    ]
    task = StateBasedRecall(1, cells=3, values=4)
    drawn = [check_attention(task, one, layers, networks=12, seed=seed) for layers in (1, 2) for one in ROUNDINGS]
    return uppers + lowers + drawn


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run shows the answers of the hybrid on its grid. It counts the lists of answers of all lists and pointers. It "
    "shows an input that a smaller recurrence answers wrongly, and one that a random network without a recurrence answers "
    "wrongly. The certificate has the values and permutations that a recurrence must distinguish.",
    not_shown="This does not show the hybrid in floating-point numbers. This does not show the lower bounds for all models; "
    "the written proofs do. This does not show a lower bound for attention with positions. The state of the hybrid does not "
    "count the m values that its attention keeps.",
    bound=bound,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
)
