"""A program with O(log N) bits of memory computes N nearly orthogonal vectors, entry by entry.

A Transformer with these vectors as position codes needs no table of positions. The lemma of the paper is more general: a
linear map to few coordinates changes the inner products of given unit vectors only a little.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Lemma 3 and appendix B.3. The lemma is about a set Q of N unit vectors and
a number eps in (0, 1/2). It maps Q to few coordinates and changes no inner product by more than eps.

We differ:
* The paper's constructions use the lemma only for the N basis vectors. For these, our vectors T(1) .. T(N) come from a linear
  code with a Toeplitz generator. Appendix B.3 cites the derandomised Johnson-Lindenstrauss lemma (Sivakumar 2002).
* Entries are 1 or -1, since 1/sqrt(k) is in general not a number of p-bit arithmetic. So products are k times those of the
  paper.
* Every constant is explicit.

Basis vectors. Let b = max(1, ceil(log2 N)), and let k be
    k = ceil(2 (b + 2) ln 2 / eps^2)   <=   2 ln(8 N) / eps^2 + 1
A seed has s = k + b - 1 bits, and gives N vectors of k signs. So T_i . T_i = k. By the proof in `maths.codes.toeplitz` at
least half of the seeds are good: |T_i . T_j| <= eps k for all i != j.

The program `_log_space.find_seed` goes through the seeds in a fixed order. It tests each seed on all its 2^b vectors, which
are numbered by addresses of b bits. It ends, because there is a good seed. For a fixed eps its memory has
    2 s + b + 4 ceil(log2(k + 1)) + 2 ceil(log2(b + 1)) + 7 = (4 / (eps^2 log2 e) + 3) log2 N + O(log log N) bits
With a good seed, `entry` computes entry r of T_i without a search. The search takes at most 2^s N k b steps, a polynomial of N
for a fixed eps. In our runs the program finds a good seed after a few seeds. This is measured and not proved. The formula
above for k uses Hoeffding's inequality. A run uses the smaller k of `proved_dimension`, which counts the vectors with a large
sum exactly.

All sets Q. This is Lemma 3. Let d be the number of coordinates of the vectors in Q. Let A be a matrix of k x d independent
random signs, and T(x) = A x / sqrt(k). For every fixed x (Achlioptas 2003, section 3)
    P[| |T(x)|^2 - |x|^2 | > eps |x|^2]  <=  2 exp(-(k/2) (eps^2/2 - eps^3/3)).
Apply this to all vectors u + v, u - v and u with u, v in Q. These are at most N^2 vectors up to sign. If the event in brackets
occurs for none of them, then
    |<T(u), T(v)> - <u, v>| = | |T(u+v)|^2 - |u+v|^2 - |T(u-v)|^2 + |u-v|^2 | / 4 <= eps (|u+v|^2 + |u-v|^2) / 4 = eps.

So a good A exists if 2 N^2 exp(-(k/2) (eps^2/2 - eps^3/3)) < 1. This holds for k = 1 + floor(2 ln(2 N^2) / (eps^2/2 -
eps^3/3)). For N >= 2 this k is at most 19 ln N / eps^2. So the constant c of the lemma, in k = c log N / eps^2, is 19. Indeed
eps^2/2 - eps^3/3 >= eps^2/3 and ln(2 N^2) <= 3 ln N, which give k <= 1 + 18 ln N / eps^2.

The map depends on Q. For k < d each linear map sends some unit vector to 0 (`in_the_kernel`), so it changes the length of this
vector. So no fixed map, and no seed, is good for every Q.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.core.stream import Use, draws
from seqsep.maths.codes.toeplitz import Toeplitz, closed_form, proved_dimension
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Choice, Claim, Number, Outcome, Theorem
from seqsep.theorems.options import Coherence, Length, Seed
from seqsep.theorems.retrieval import _index_lookup_trials as trials
from seqsep.theorems.retrieval._log_space import entry, find_seed, memory_for, most_memory
from seqsep.theorems.retrieval.index_lookup_attention import assemble
from seqsep.theorems.trial import Trial

CLAIM = Claim(
    name="log-space-code",
    source="Bhattamishra et al. 2024, Lemma 3",
    statement="A program with O(log N) bits of memory finds N vectors of signs with cosines of at most eps, and returns each "
    "entry",
)
ANY = "For N unit vectors some linear map to O(log N / eps^2) coordinates of signs changes no inner product by more than eps"
LOOKED_UP = "One attention layer answers index lookup with the vectors found in O(log N) bits as its positions"
MOST_ADDRESSES = 4096
ENTRIES_COMPARED = 20_000
SIDE = 8


def build(count: int, coherence: Fraction = Fraction(1, 4)) -> tuple[Toeplitz, int, int]:
    """Run the program: the code of the first good seed for N addresses, the bits that it held, and how often it wrote.

    Raises ValueError for a coherence outside (0, 1), or a count outside 2 to 4,096, beyond which the search takes minutes.

    >>> code, bits, _ = build(32)
    >>> code.dimension, code.two_sided_coherence, bits
    (92, Fraction(9, 46), 238)
    """
    if not 2 <= count <= MOST_ADDRESSES or not 0 < coherence < 1:
        raise ValueError(
            f"build(count={count}, coherence={coherence}): count is 2 to {MOST_ADDRESSES:,}, and coherence between 0 and 1"
        )
    memory = memory_for(count, proved_dimension(count, coherence, two_sided=True), coherence)
    code = Toeplitz(count, memory["dimension"], find_seed(memory))
    _require_entries(code, coherence)
    return code, memory.bits, memory.writes


def _require_entries(code: Toeplitz, coherence: Fraction) -> None:
    """Compare what `entry` gives with the code's vectors, address by address, up to 20,000 entries."""
    memory = memory_for(code.count, code.dimension, coherence)
    memory["seed"] = code.seed
    step = max(1, code.count * code.dimension // ENTRIES_COMPARED)
    for address in range(0, code.count, step):
        memory["address"] = address
        vector = code.keys(np.array([address]))[0]
        for place in range(code.dimension):
            memory["place"] = place
            if 1 - 2 * entry(memory) != vector[place]:
                raise CLAIM.fails({"address": address, "place": place, "entry of the vector": int(vector[place])})


def products(code: Toeplitz) -> Int64[np.ndarray, "count count"]:
    """T_i . T_j of all pairs, each computed; exact, as float32 sums of signs are integers below 2^24.

    >>> products(Toeplitz(4, dimension=3, seed=0b0111)).tolist()
    [[3, -3, -1, 1], [-3, 3, 1, -1], [-1, 1, 3, -3], [1, -1, -3, 3]]
    """
    vectors = code.keys(np.arange(code.count)).astype(np.float32)
    return (vectors @ vectors.T).astype(np.int64)


def dimension_of_any(count: int, error: Fraction) -> int:
    """floor(2 ln(2 N^2) / (eps^2/2 - eps^3/3)) + 1, in which a random map keeps the products of N unit vectors with some
    chance.

    >>> dimension_of_any(64, Fraction(1, 4))
    693
    """
    exponent = float(error**2 / 2 - error**3 / 3)
    return math.floor(2 * math.log(2 * count**2) / exponent) + 1


def least_error(vectors: Int64[np.ndarray, "count d"], error: Fraction) -> tuple[Fraction, int]:
    """Draw A until |<T(u), T(v)> - <u, v>| <= eps for all u, v in Q; return the greatest of them, exactly, and how many draws.

    The rows of `vectors` are whole numbers with one sum of squares, c^2 times a unit vector.

    >>> least_error(np.eye(3, dtype=np.int64), Fraction(1, 4))[0] < Fraction(1, 4)
    True
    """
    count, d = vectors.shape
    square = int(vectors[0] @ vectors[0])
    k = dimension_of_any(count, error)
    wanted = vectors @ vectors.T
    draw = 0
    while True:
        words = draws(seed=draw, use=Use.CODE, start=0, count=k, each=-(-d // 32))
        bits = (words[:, :, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)
        signs = 2 * bits.reshape(k, -1)[:, :d].astype(np.int64) - 1
        mapped = (vectors @ signs.T).astype(np.float64)  # exact: sums of whole numbers below 2^53
        found = (mapped @ mapped.T).astype(np.int64)
        greatest = Fraction(int(np.abs(found - k * wanted).max()), k * square)
        draw += 1
        if greatest <= error:
            return greatest, draw


def in_the_kernel(signs: Int64[np.ndarray, "k d"]) -> Int64[np.ndarray, "d"]:
    """A vector other than 0 with A x = 0, for k < d, of whole numbers: T keeps it from no length at all.

    >>> in_the_kernel(np.array([[1, 1, 1], [1, -1, 1]])).tolist()
    [-1, 0, 1]
    """
    rows = [[Fraction(int(one)) for one in row] for row in signs]
    columns = signs.shape[1]
    pivots: list[int] = []
    for column in range(columns):
        below = len(pivots)
        chosen = next((place for place in range(below, len(rows)) if rows[place][column]), None)
        if chosen is None:
            return _solution(rows, pivots, column, columns)
        rows[below], rows[chosen] = rows[chosen], rows[below]
        rows[below] = [one / rows[below][column] for one in rows[below]]
        for place, row in enumerate(rows):
            if place != below and row[column]:
                rows[place] = [one - row[column] * other for one, other in zip(row, rows[below], strict=True)]
        pivots.append(column)
    raise ValueError(f"in_the_kernel(a {signs.shape[0]} x {columns} matrix): its columns are independent")


def _solution(rows: list[list[Fraction]], pivots: list[int], free: int, columns: int) -> Int64[np.ndarray, "d"]:
    """The solution with 1 at the free column, times the least number that makes it whole."""
    values = [Fraction(0)] * columns
    values[free] = Fraction(1)
    for place, pivot in enumerate(pivots):
        values[pivot] = -rows[place][free]
    whole = math.lcm(*(value.denominator for value in values))
    return np.array([int(value * whole) for value in values], dtype=np.int64)


def unit_vectors(count: int, seed: int) -> Iterator[tuple[str, Int64[np.ndarray, "count d"]]]:
    """Sets Q of N different vectors, times a whole number: the basis; signs in 64 coordinates; signs that differ in few of
    them.

    >>> [name for name, _ in unit_vectors(4, seed=0)]
    ['basis', 'drawn', 'near']
    """
    d = SIDE * SIDE
    random = np.random.default_rng(seed)
    yield "basis", np.eye(count, dtype=np.int64)
    drawn = np.unique(2 * random.integers(2, size=(2 * count, d)) - 1, axis=0)
    yield "drawn", drawn[:count]
    flipped = np.arange(count)[:, None] >> np.arange(d) & 1
    yield "near", drawn[0] * (1 - 2 * flipped)


def check(
    length: Annotated[Length, Range(2, 1 << 12)] = 64, coherence: Coherence | None = None, seed: Seed = 0
) -> list[Outcome]:
    """Run the program for N = `length` addresses, compute every pair, look up with the vectors, and map drawn unit vectors.

    `coherence` is eps, between 0 and 1, by default 1/4; lookup takes vectors of at most 1/4, and maps of any Q eps below 1/2.
    Raises ValueError for a length outside 2 to 4,096; TheoremFails with the pair, or the input, otherwise.
    """
    coherence = Fraction(1, 4) if coherence is None else coherence
    code, bits, writes = build(length, coherence)
    outcomes = [_check_pairs(code, coherence, bits, writes=writes)]
    if coherence <= Fraction(1, 4):
        outcomes.append(_check_lookup(code, seed))
    if coherence < Fraction(1, 2):
        outcomes += [_check_any(name, vectors, coherence) for name, vectors in unit_vectors(length, seed)]
    return outcomes


def verify() -> list[Outcome]:
    """Check the program at 14 lengths from 2 to 1,000 for eps = 1/4, and at 64 for 1/2, 1/8 and 1/16."""
    lengths = (2, 3, 4, 7, 8, 15, 16, 33, 64, 100, 128, 256, 512, 1000)
    settings = [(length, Fraction(1, 4)) for length in lengths]
    settings += [(64, Fraction(1, inverse)) for inverse in (2, 8, 16)]
    return [outcome for length, coherence in settings for outcome in check(length, coherence)]


def _check_pairs(code: Toeplitz, coherence: Fraction, bits: int, *, writes: int) -> Outcome:
    """Every pair of addresses, with themselves."""
    count = code.count
    k = code.dimension
    found = products(code)
    if not (found.diagonal() == k).all():
        raise CLAIM.fails({"T_i . T_i": found.diagonal().tolist(), "expected": k})
    apart = np.abs(found - k * np.eye(count, dtype=np.int64))
    bound: dict[str, Number] = {
        "dimension": closed_form(count, coherence, two_sided=True),
        "memory_bits": most_memory(count, coherence),
        "greatest_product": math.floor(coherence * k),
    }
    measured: dict[str, Number] = {"dimension": k, "memory_bits": bits, "greatest_product": int(apart.max())}
    return CLAIM.upper(
        length=count,
        inputs=count * (count + 1) // 2,
        exhaustive=True,
        measured=CLAIM.within(measured, bound),
        bound=bound,
        variant=f"eps {coherence}",
        witness={"seed": code.seed, "seed_bits": code.parameter_bits, "writes": writes},
    )


def _check_lookup(code: Toeplitz, seed: int) -> Outcome:
    """Theorem 1's layer with the code: N - 1 symbols, and the question in the last position."""
    task = IndexLookup(code.count - 1, alphabet=4)
    network = assemble(task, code)
    trial = Trial(CLAIM.name, network, trials.retrieved_margin(network))
    for sequence in trials.hard_sequences(task, seed):
        trials.require_answers(trial, np.array(sequence, dtype=np.int64), np.arange(len(sequence)), task.alphabet)
    width = 2 + 2 * code.dimension
    return CLAIM.upper(
        statement=LOOKED_UP,
        length=task.length,
        inputs=trial.inputs,
        measured={"width": network.width, "seed_bits": network.code_bits},
        bound={"width": width, "seed_bits": code.parameter_bits},
        variant="index lookup",
    )


def _check_any(name: str, vectors: Int64[np.ndarray, "count d"], error: Fraction) -> Outcome:
    """Lemma 3 for one Q: every pair, with themselves."""
    count = len(vectors)
    greatest, drawn = least_error(vectors, error)
    measured: dict[str, Number] = {"dimension": dimension_of_any(count, error), "error": float(greatest)}
    bound: dict[str, Number] = {"dimension": math.floor(19 * math.log(count) / error**2), "error": float(error)}
    return CLAIM.upper(
        statement=ANY,
        length=count,
        inputs=count * (count + 1) // 2,
        exhaustive=True,
        measured=CLAIM.within(measured, bound),
        bound=bound,
        variant=f"Q {name}, eps {error}",
        witness={"draws": drawn, "d": vectors.shape[1]},
    )


TEST = "tests/theorems/retrieval/test_log_space_code.py::"
THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run shows that the program ends within the stated memory, counted register by register, and that its vectors "
    "have the stated products for every pair. The layer of Theorem 1 answers index lookup with them. For the lemma, "
    "random matrices A are tested on three sets Q of unit vectors: basis vectors, random vectors, and vectors that differ in "
    "few coordinates. Each product is computed exactly, and changes by at most eps.",
    not_shown="This does not show the claim at every N. The proof shows that.",
    verify=verify,
    nothing_to_apply="vectors that a program gives, and no model; index-lookup-attention has a model that uses such vectors",
    nothing_to_certify="it is about vectors and the memory of a program, and no type of certificate is about these",
    choices=(
        Choice(
            where="Lemma 3, appendix B.3",
            printed='"k = c/eps^2 log N", and "a derandomization of the Johnson-Lindenstrauss (JL) Lemma that can output '
            'the i-th vector in log-space and polynomial time", cited and not given',
            found="the constant c = 19 is enough, with the natural logarithm and N >= 2. For the basis vectors, a linear code "
            "with a seed of k + b - 1 bits is enough. At N = 256, eps = 1/4 and k = 151 this seed is found and read in 371 "
            "bits of memory",
            built="the program in counted registers, and all pairs of its vectors; for other Q, a map that is drawn and "
            "verified",
            test=TEST + "test_memory_is_what_the_registers_hold",
        ),
        Choice(
            where="Lemma 3, appendix B.3",
            printed='"there exists a linear map T(x)" for a set Q of unit vectors',
            found="the map depends on Q. For k < d each map sends some unit vector to 0, so no seed is good for every Q",
            built="a fixed map for the basis vectors, a drawn and verified one for every other Q",
            test=TEST + "test_no_one_map_keeps_every_unit_vector",
        ),
    ),
)
