"""A recurrent model needs N log2 S bits of state to answer index lookup, and ceil(N log2 S) bits are enough.

The model reads N symbols from an alphabet of size S. Then it reads the query, which is one of the N positions. It answers with
the symbol at this position. The query may be any position. So the state before the query must differ between any two of the
S^N lists of symbols. This separates recurrent models from attention: `index-lookup-attention` answers the same task with a
width of O(log N).

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 3 and appendix C.1.

We differ: in the paper the state has m numbers of p bits each. The paper uses two symbols of the alphabet and shows m p >= N.
The same proof with all S symbols gives m p >= N log2 S. So a state needs at least ceil(N log2 S) bits, and the state of
`build` has exactly this number of bits.

Upper bound. The state of `build` is a number whose digits in base S are the symbols so far. There are S^N such numbers, and
ceil(N log2 S) bits distinguish them. The state also works as a message between two parties. Alice reads the symbols and sends
the state to Bob. Bob queries every position from this state, and so he recovers all N symbols.

Lower bound. This is the pigeonhole principle. If a state has fewer than N log2 S bits, two different lists of N symbols lead
to the same state. The two lists differ at some position i. After both lists the model gives the same answer to the query i. So
it answers wrongly after one of the lists.

A chain of thought (`thought=True`) does not help. It is text that the model writes before its answer, and the model computes
it from the state and the query. So after the two lists it writes the same text and gives the same answer. Wen, Dang, Lyu 2025
(arXiv:2402.18510), Theorem 4.6 (Index), shows that Omega(N) bits are needed with any chain of thought. The proof here gives N
log2 S bits.

The search. `collide` takes a `Recurrence`, or any object with the methods `start` and `step`. So you can give it your own
model. It finds two lists that lead to the same state, and a query that the model answers wrongly after one of them. By default
it runs the model at its own precision. On request it rounds each number of the state to b bits. The search is in
`protocols.collision`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.automata.automata import Recurrence
from seqsep.maths.networks.network import Network
from seqsep.tasks import IndexLookup
from seqsep.theorems.base import Choice, Claim, Erratum, Number, Outcome, Theorem
from seqsep.theorems.evidence import DistinguishingTable, Evidence
from seqsep.theorems.options import Alphabet, Length
from seqsep.theorems.protocols.collision import Collision, RecallTask, TaskSizes, scattered, search
from seqsep.theorems.protocols.machine import AnyModel
from seqsep.theorems.protocols.sequences import Sequences
from seqsep.theorems.protocols.small_models import RECURRENT, OfSmallModel, SmallModel
from seqsep.theorems.protocols.state_bound import StateBound
from seqsep.theorems.retrieval._index_lookup_trials import read

UPPER = "A recurrent model with ceil(N log2 S) state bits answers index lookup, and its state determines all N symbols"
LOWER = "A recurrent model with fewer than N log2 S state bits is wrong on some input of index lookup"
Thought = Annotated[bool, "Let the model write a chain of thought before its answer."]

CLAIM = Claim(
    name="index-lookup-state",
    source="Bhattamishra et al. 2024, Theorem 3",
    statement=f"{UPPER}; {LOWER}",
)
WITH_A_THOUGHT = Claim(
    name=CLAIM.name,
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.6",
    statement="With fewer than N log2 S state bits a recurrent model with any chain of thought is wrong on some input of index "
    "lookup",
)
FACT = Claim(
    name=CLAIM.name,
    source="Bhattamishra et al. 2024, Fact 3",
    statement="Bob recovers all N symbols from Alice's message, so it has N log2 S bits; as many are enough",
)
"""Fact 3, INDEX, as docs/reference/theorems/index.md has it: the state of `build` is the message."""
MOST_TABLE_STATES = 4096
MOST_BITS_RUN = 18


def build(length: int, alphabet: int) -> Recurrence:
    """The exact model: the symbols so far as a number in base S, and after the question p its p-th digit.

    At time t <= N there are S^t states, so ceil(N log2 S) bits hold every one.

    >>> model = build(length=3, alphabet=4)
    >>> model.state_bits, [model.answer((3, 0, 2, 4 + p)) for p in range(3)]
    (6, [3, 0, 2])
    """
    task = IndexLookup(length, alphabet)

    def move(t: int, state: int, token: int) -> int:
        if t < length:
            return state * alphabet + token
        later_symbols = length - 1 - (token - alphabet)
        return state // alphabet**later_symbols % alphabet

    return Recurrence(task.answer_bits(), 0, move, lambda t, state: state)


def build_network(length: int, alphabet: int) -> Network:
    """The same model as a table that differs by time step, for S^N <= 4,096; it loads into `Model`.

    Raises ValueError beyond that size.
    """
    states = alphabet**length
    if states > MOST_TABLE_STATES:
        raise ValueError(f"build_network(length={length}, alphabet={alphabet}): {states} states, at most {MOST_TABLE_STATES}")
    exact = build(length, alphabet)
    tokens = alphabet + length
    table = np.zeros((length + 1, states, tokens), dtype=np.int64)
    for t in range(length + 1):
        for state in range(alphabet**t):
            for token in range(alphabet) if t < length else range(alphabet, tokens):
                table[t, state, token] = exact.move(t, state, token)
    numbers = np.arange(states)
    answers = np.where(numbers < alphabet, numbers, -1)
    return Network.of_table(CLAIM.name, table, answers, classes=alphabet, indices=length)


def recall(length: int, alphabet: int) -> RecallTask:
    """Index lookup as a list of values to remember: the symbols; position p is asked for by the token S + p - 1."""
    task = IndexLookup(length, alphabet)
    return RecallTask(
        length,
        alphabet,
        write=lambda values: values,
        question=lambda position: (alphabet + position,),
        sizes=TaskSizes(task.vocabulary, task.classes, task.longest),
    )


def sequences(length: int, alphabet: int) -> Sequences:
    """Index lookup for models that may write a thought: the answer is the first symbol written.

    >>> sequences(length=3, alphabet=2).distinguishing_suffix((1, 0, 1), (1, 1, 0))
    DistinguishingSuffix(continuation=(3,), answers=(0, 1), position=None)
    """
    task = IndexLookup(length, alphabet)

    def continuation(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
        differing = (place for place in range(length) if first[place] != second[place])
        place = next(differing, None)
        return None if place is None else (alphabet + place,)

    return Sequences(
        length=length,
        alphabet=alphabet,
        longest=task.longest,
        vocabulary=task.vocabulary,
        answers=range(alphabet),
        continuation=continuation,
        solve=task.solve,
    )


def collide(model: AnyModel, length: int, alphabet: int, seed: int = 0, precision: int | None = None) -> Collision | None:
    """Two prefixes of `length` symbols that leave the model in one state, and an input that it must answer wrongly.

    With `precision`, a model on tensors keeps its state at that many bits per number (`protocols.machine`).
    None: no two prefixes collide (then B >= N log2 S). Raises ValueError if the search ends without a collision and
    prefixes remain: after 2^21 of them, 2^17 for a model on tensors.
    """
    return search(model, recall(length, alphabet), seed, precision)


def with_fewer_bits(length: int, alphabet: int, bits: int) -> Recurrence:
    """The exact model with its highest bits dropped."""
    return build(length, alphabet).cut_down(bits)


def state_bound(length: int, alphabet: int, thought: bool = False) -> StateBound:
    """Return the lower bound on state, to run on models that are too small, and may write a thought."""
    task = IndexLookup(length, alphabet)
    return StateBound(
        claim=WITH_A_THOUGHT if thought else CLAIM,
        statement=WITH_A_THOUGHT.statement if thought else LOWER,
        task=sequences(length, alphabet) if thought else recall(length, alphabet),
        needed=task.answer_bits(),
        solve=task.solve,
        reduced=partial(with_fewer_bits, length, alphabet),
        most_bits=MOST_BITS_RUN,
        as_printed={"state_bits": length},
    )


def check(
    length: Length = 7,
    alphabet: Alphabet = 3,
    thought: Thought = False,
    **model: OfSmallModel,
) -> list[Outcome]:
    """Check the exact model, and find an input that each smaller one answers wrongly.

    The exact model answers every position after all prefixes if S^N <= 4,096, else after 20 drawn ones. The smaller ones are
    by default the exact model with its highest bits dropped, and an LSTM of signs. With `mixer` (and `width`, `heads`), a model
    of that layer with random weights; with `checkpoint`, a trained one. Its state is kept at `precision` bits per number (by
    default 1). With `thought` they may write up to 16 tokens before they answer; their tokens and classes are then S + N + 4,
    the last four to think with. Raises ValueError if it has N log2 S bits or more, or no collision was found; TheoremFails if
    it collides and still answers rightly.
    """
    task = IndexLookup(length, alphabet)
    small = SmallModel(**model)
    return [_check_upper(task, small.seed), *state_bound(length, alphabet, thought).outcomes(small)]


def _check_upper(task: IndexLookup, seed: int) -> Outcome:
    """Recover every prefix from the exact model's state, and from that of its table in `Model` if it has one."""
    exact = build(task.length, task.alphabet)
    exhaustive = task.alphabet**task.length <= MOST_TABLE_STATES
    prefixes = list(scattered(task.length, task.alphabet, seed)) if exhaustive else _random_prefixes(task, seed)
    questions = list(range(task.alphabet, task.alphabet + task.length))
    for prefix in prefixes:
        state = exact.state(prefix)
        recovered = tuple(exact.answer((question,), state, task.length) for question in questions)
        if recovered != prefix:
            raise CLAIM.fails({"symbols": prefix, "recovered": recovered})
    if exhaustive:
        from seqsep.models.model import Model  # brings torch

        table = Model.load(build_network(task.length, task.alphabet))
        _require_model_recovers(table, np.array(prefixes, dtype=np.int64), questions)
    return CLAIM.upper(
        statement=UPPER,
        length=task.length,
        inputs=len(prefixes) * task.length,
        exhaustive=exhaustive,
        measured={"state_bits": exact.state_bits, "symbols_recovered": task.length},
        bound={"state_bits": task.answer_bits(), "symbols_recovered": task.length},
    )


def _require_model_recovers(model: Any, prefixes: Int64[np.ndarray, "batch length"], questions: list[int]) -> None:
    import torch

    with torch.no_grad():
        state = model.prefill(torch.from_numpy(prefixes))
    for place, question in enumerate(questions):
        with torch.no_grad():
            logits, _ = model.step(torch.full((len(prefixes),), question), state, prefixes.shape[1])
        wrong = np.flatnonzero(logits.argmax(-1).numpy() != prefixes[:, place])
        if len(wrong):
            raise CLAIM.fails({"symbols": prefixes[wrong[0]].tolist(), "position": place + 1, "run": "Model"})


def _random_prefixes(task: IndexLookup, seed: int) -> list[tuple[int, ...]]:
    return [tuple(inputs[: task.length].tolist()) for inputs in task.sample(0, 20, seed, evaluate=True).inputs]


def verify(seed: int = 0) -> list[Outcome]:
    """Answer every input of small sizes, then drawn ones up to N = 4,096; find where small models answer wrongly, a chain of
    thought included.
    """
    small = [
        _check_upper(IndexLookup(length, alphabet), seed) for length, alphabet in ((1, 9), (2, 64), (3, 16), (6, 4), (12, 2))
    ]
    tasks = [IndexLookup(length, alphabet) for length in (16, 64, 256, 1024, 4096) for alphabet in (2, 64)]
    outcomes = small + [_check_upper(task, seed) for task in tasks]
    for thought in (False, True):
        for length, alphabet in ((7, 3), (20, 2), (16, 64)):
            outcomes += state_bound(length, alphabet, thought).outcomes(SmallModel(seed=seed))
        for mixer in RECURRENT:
            outcomes += state_bound(120, 64, thought).outcomes(SmallModel(mixer=mixer, width=2, seed=seed))
    return outcomes


def predictor(length: Length, alphabet: Alphabet = 64) -> Callable[[Mapping[str, Any]], int]:
    """Answer {"symbols": [..], "position": p} by the exact model: exactly N symbols from 0 to S - 1, p from 1.

    The answer raises ValueError with the field's name for any other input.
    """
    exact = build(length, alphabet)

    def answer(given: Mapping[str, Any]) -> int:
        symbols, position = read(given, alphabet, least=length, most=length)
        return exact.answer((*symbols, alphabet + position - 1))

    return answer


def certificate_witness(length: Length = 7, alphabet: Alphabet = 3) -> Evidence:
    """Show all S^N prefixes, every two of them distinguished by a question. Raises ValueError beyond 2^16 prefixes."""
    task = IndexLookup(length, alphabet)
    if alphabet**length > 1 << 16:
        raise ValueError(f"certify(length={length}, alphabet={alphabet}): {alphabet}^{length} prefixes, at most 65,536")
    rows = [list(prefix) for prefix in product(range(alphabet), repeat=length)]
    questions = [[question] for question in task.alphabets(length)[-1]]
    witness = DistinguishingTable(alice=list(range(length)), rows=rows, columns=questions)
    return Evidence(task.name, {"length": length, "alphabet": alphabet}, witness)


def constants(length: Length, alphabet: Alphabet) -> dict[str, Number]:
    """The bound at one length; nothing is built."""
    return {"state_bits": IndexLookup(length, alphabet).answer_bits()}


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper", "lower"),
    shown="A run checks the model of `build`. For each given model with fewer bits it shows a query that the model answers "
    "wrongly. If the search ends without such a query, the run stops with an error.",
    not_shown="This does not show that every model with fewer bits answers some query wrongly. The lower bound in the proof "
    "shows that.",
    bound=constants,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    choices=(
        Choice(
            where="Theorem 3, appendix C.1",
            printed="m >= N/p",
            found="the proof gives more. With all S symbols in place of two it gives m p >= N log2 S, and this size is enough",
            built="a model with ceil(N log2 S) state bits, which is always right. For a given model with fewer bits, the check "
            "finds an input that this model answers wrongly",
            test="tests/theorems/test_theorems.py::test_index_lookup_state_both_sides",
        ),
    ),
    errata=(
        Erratum(
            where="Appendix B.2",
            printed='"the size of the set is |Q_p| = N^(2 Kc) => p = 2 Kc log N", for Q_p = {-N^Kc, ..., 0, D, 2 D, ..., '
            "N^Kc}, D = N^-Kc",
            found="Q_p holds 2 N^(2 Kc) + 1 numbers, so p = bit_length(2 N^(2 Kc)): two bits more at powers of two",
            built="`Grid.precision`. Our grid has L = b^Kc in place of N^Kc. Here b is the number of tokens, but at least 4. "
            "With a smaller b, a uniform weight would round down to 0",
            test="tests/maths/arithmetic/test_grid.py::test_precision_and_base",
        ),
    ),
)
