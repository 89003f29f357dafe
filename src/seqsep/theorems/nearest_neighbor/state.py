"""A recurrent model that answers nearest neighbour on N points needs at least floor(N/2) bits of state.

Two parties could use its state to decide disjointness (DISJ): whether two subsets of a set of floor(N/2) elements have an
element in common. That needs floor(N/2) bits. Two attention layers need only a width that grows as log N: see
`nearest-neighbor-two-layers`.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), Theorem 8 and appendix G.1, by disjointness and multi-query recall (MQAR).

We differ:
* n = floor(N/2) replaces N/2.
* DISJ is 1 if the sets meet, as appendix B.1 defines it.
* Alice sends only one message. So the proof needs only the cost of DISJ for one-way protocols, which is exactly n bits. Fact 1
  of the paper is about two-way protocols, which is more than the proof uses.

The task. The input is x_1 y_1 .. x_n y_n, then x_(n+1), its answer y_(n+1), then x_(n+2) and so on, up to N points. The answer
to a point is the label of the nearest point before it. In MQAR the queried points are the first n again, each once. Then the
nearest point is the queried point itself, whose product is 1, and it has the label that is asked for. So a model for nearest
neighbour solves MQAR.

The protocol. Alice has a and Bob has b, both in {0,1}^n. They know the model and n distinct points v_1 .. v_n (`points`).
Alice gives the model the points with her bits as labels, and sends the state. Bob continues the model from this state and asks
for each point. If the model is right, he learns all of a, and so max a_i b_i.

The cost. DISJ on n bits has the one-way cost n. To see this, let a and a' differ at i. If Bob has b = e_i, the string with a 1
only at i, the two answers differ. So each of the 2^n strings a needs a different message. Hence the state has B >= n =
floor(N/2) bits.

The proof continues at `alice`, `bob` and `must_err` (a model with fewer bits).

More labels. With C labels the same argument gives n log2 C bits (`associative-recall-state`). That page also has an exact
model for keys in order, with n bits for two labels. So the bound is attained on the inputs of this proof.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float64

from seqsep.core.names import required
from seqsep.maths.arithmetic.integers import digits_of
from seqsep.maths.automata.automata import Recurrence
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Claim, Outcome, Theorem
from seqsep.theorems.options import LengthFrom2
from seqsep.theorems.protocols.collision import RecallTask, search
from seqsep.theorems.protocols.machine import AnyModel, BitMachine, as_machine, choice
from seqsep.theorems.protocols.one_way_protocol import Message, carry
from seqsep.theorems.protocols.small_models import OfSmallModel, SmallModel
from seqsep.theorems.retrieval.associative_recall_state import build as build_recall
from seqsep.theorems.retrieval.associative_recall_state import recall, with_fewer_bits

CLAIM = Claim(
    name="nearest-neighbor-state",
    source="Bhattamishra et al. 2024, Theorem 8",
    statement="A recurrent model that answers nearest neighbour on N points decides disjointness of floor(N/2) "
    "bits by its state",
)
ERRS = "A recurrent model with fewer than floor(N/2) state bits is wrong on nearest neighbour and in its protocol for DISJ"
EXHAUSTIVE_SETS = 6
SPREAD_SETS = 200
MOST_TABLE_STATES = 256
MOST_BITS_RUN = 10

Bits = Sequence[int]
Encode = Callable[[int], Any]
"""The two forms of a token as input of a model: as it is, or as a vector."""


def disjointness(a: Bits, b: Bits) -> int:
    """Return max a_i b_i: 1 if the sets meet.

    >>> disjointness((1, 0, 1), (0, 1, 0)), disjointness((1, 0, 1), (0, 1, 1))
    (0, 1)
    """
    return max(first * second for first, second in zip(a, b, strict=True))


def labelled(a: Bits) -> list[int]:
    """Return v_1 a_1 .. v_n a_n as tokens: points are 0 .. n - 1, the labels n and n + 1.

    >>> labelled((1, 0))
    [0, 3, 1, 2]
    """
    return [token for point, label in enumerate(a) for token in (point, len(a) + label)]


def build(length: int) -> Recurrence:
    """The exact model for MQAR on N points with two labels and keys in order: floor(N/2) state bits.

    >>> build(length=9).state_bits
    4
    """
    return build_recall(_half(length), 2)


def build_network(length: int) -> Network:
    """The same model as a table that differs by time step, for floor(N/2) <= 8; it loads into `Model`.

    Raises ValueError beyond that.
    """
    n = _half(length)
    states = 2**n
    tokens = n + 2
    if states > MOST_TABLE_STATES:
        raise ValueError(f"build_network(length={length}): {states} states, at most {MOST_TABLE_STATES}")
    exact = build(length)
    table = np.zeros((4 * n, states, tokens), dtype=np.int64)
    for t, state, token in itertools.product(range(4 * n), range(states), range(tokens)):
        if _occurs(t, state, token, n):
            table[t, state, token] = exact.move(t, state, token)
    answers = np.array([exact.read(0, state) for state in range(states)])
    return Network.of_table(CLAIM.name, table, answers)


def _occurs(t: int, state: int, token: int, n: int) -> bool:
    """Return True if a token may come in a state at a time.

    Until token 2 n, points and labels alternate, and no label is known yet.
    """
    if t >= 2 * n:
        return True
    if t % 2 == 0:
        return token < n
    return token >= n and state < 1 << t // 2


def points(count: int) -> Float64[Any, "tokens coordinates"]:
    """Return tokens as vectors of the task, in a tensor: point i is [x_i, 0], label y is [0, one-hot of y].

    The x_i are distinct points of the hypercube {-1/sqrt d, 1/sqrt d}^d, with d = max(1, ceil(log2 n)). They have norm 1, and
    products of at most 1 - 2/d. `points(n).__getitem__` is an `encode` for models on vectors.
    """
    import torch

    dimension = digits_of(count)
    vectors = torch.zeros(count + 2, dimension + 2, dtype=torch.float64)
    digits = torch.arange(count)[:, None] >> torch.arange(dimension) & 1
    vectors[:count, :dimension] = (2 * digits - 1) / dimension**0.5
    vectors[count, dimension] = 1
    vectors[count + 1, dimension + 1] = 1
    return vectors


def recall_twice(n: int) -> RecallTask:
    """Return the labels of n points as values to remember; each is queried, and its answer read: 4 n tokens."""
    task = recall(n, 2)
    return replace(task, sizes=task.sizes._replace(longest=4 * n))


def alice(model: AnyModel, a: Bits, encode: Encode = int) -> Message:
    """Alice reads v_1 a_1 .. v_n a_n (2 n tokens) and sends the state: B bits (Theorem 2).

    >>> alice(build(length=4), (1, 0))
    Message(number=1, bits=2)
    """
    party = as_machine(model)
    _, state = party.read([encode(token) for token in labelled(a)])
    number, bits = party.pack(state)
    return Message(number, bits)


def bob(
    model: AnyModel, message: Message, b: Bits, encode: Encode = int, order: Sequence[int] | None = None
) -> tuple[int, tuple[int, ...]]:
    """Bob restores the state and asks for every point in an order of his choice; he reads each answer as the point's label.

    While all answers so far are right, his tokens continue an input of the task, so a right model answers a_i. Returns the
    value of DISJ on his set b and on the set that he has read, and the list of the model's answers. In the first, any answer
    other than 1 counts as 0. An answer that is not a label is fed back as label 0.

    >>> bob(build(length=4), Message(number=1, bits=2), b=(1, 1))
    (1, (1, 0))
    """
    party = as_machine(model)
    n = len(b)
    state = party.unpack(message.number)
    t = 2 * n
    answers = [0] * n
    for point in range(n) if order is None else order:
        (output,), state = party.read([encode(point)], state, t)
        answers[point] = choice(output)
        label = encode(n + int(answers[point] == 1))
        _, state = party.read([label], state, t + 1)
        t += 2
    return disjointness([int(answer == 1) for answer in answers], b), tuple(answers)


@dataclass(frozen=True)
class Mistake:
    """Sets on which the protocol fails, and an input that the model answers wrongly (tokens; the last is the queried point)."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    decided: int
    expected: int
    errs_on: tuple[int, ...]
    answer: int
    bits: int

    def record(self) -> dict[str, Any]:
        """The fields as a JSON object, without the bits of the message."""
        return {
            "a": list(self.a),
            "b": list(self.b),
            "decided": self.decided,
            "expected": self.expected,
            "errs_on": list(self.errs_on),
            "answer": self.answer,
        }


def mistake(model: AnyModel, a: Bits, b: Bits, encode: Encode = int) -> Mistake | None:
    """Run the protocol on one pair of sets; None if it decides rightly.

    If it does not, the model gave a wrong answer to some point. The input up to the first such point has only right labels.
    The model answers this input wrongly.
    """
    receiver = as_machine(model).another()
    message = carry(alice(model, a, encode), receiver)
    decided, answers = bob(receiver, message, b, encode)
    expected = disjointness(a, b)
    if decided == expected:
        return None
    wrong = next(point for point in range(len(a)) if answers[point] != a[point])
    pairs = labelled(a)
    return Mistake(
        a=tuple(a),
        b=tuple(b),
        decided=decided,
        expected=expected,
        errs_on=(*pairs, *pairs[: 2 * wrong], wrong),
        answer=answers[wrong],
        bits=message.bits,
    )


def must_err(model: AnyModel, length: int, seed: int = 0) -> Mistake:
    """Find sets on which the protocol of a model with fewer than floor(N/2) bits fails. Tokens are ids.

    Two strings a and a' lead to the same state, and they differ at some i. Bob gives (a, e_i) and (a', e_i) the same answer,
    and one of the two answers is wrong. Raises ValueError for a model with as many bits or more, or if no collision was found
    (`protocols.collision.search`). Raises TheoremFails if the protocol decides both rightly.
    """
    n = _half(length)
    party = as_machine(model)
    if party.bits >= n:
        raise ValueError(f"must_err(length={length}): the model has {party.bits} state bits, not fewer than {n}")
    collision = required(search(party, recall(n, 2), seed), "a collision of 2^n prefixes in fewer bits")
    differs = required(collision.position, "the position that a recall asks for") - 1
    b = tuple(int(point == differs) for point in range(n))
    for a in collision.prefixes:
        error = mistake(party, a, b)
        if error is not None:
            return error
    raise CLAIM.fails({"a": collision.prefixes, "b": b, "state bits": party.bits, "protocol": "right on both"})


def check(
    length: LengthFrom2 = 8,
    **model: OfSmallModel,
) -> list[Outcome]:
    """Decide DISJ by the exact model's state, and find an input that each smaller model answers wrongly.

    The exact model runs on all pairs of sets up to N = 13, else on 200, and up to N = 9 as a table in `Model` too. The smaller
    ones are by default the exact model with its highest bits dropped, and an LSTM of signs. With `mixer` (and `width`,
    `heads`), a model of that layer with random weights; with `checkpoint`, a trained one; its state is kept at `precision` bits
    a number (by default 1). Raises ValueError for a length below 2, a model with floor(N/2) bits or more, or if no collision
    was found.
    """
    n = _half(length)
    small = SmallModel(**model)
    models = small.models(recall_twice(n), n, reduced=partial(with_fewer_bits, n, 2), most_bits=MOST_BITS_RUN)
    exact: list[tuple[str, AnyModel]] = [("exact model", build(length))]
    if n <= 4:
        from seqsep.models.model import Model  # brings torch

        exact.append(("exact model as a table in Model", Model.load(build_network(length))))
    outcomes = [_decides(length, name, model, small.seed) for name, model in exact]
    return [*outcomes, *(_errs(length, name, model, small.seed) for name, model in models)]


def _half(length: int) -> int:
    """Return n = floor(N/2). Raises ValueError below 2 points."""
    if length < 2:
        raise ValueError(f"nearest neighbour (length={length}): at least 2 points, one labelled and one queried")
    return length // 2


def _decides(length: int, name: str, model: AnyModel, seed: int) -> Outcome:
    """Decide DISJ by the protocol: all sets with all sets up to n = 6, else random ones; Bob asks in a random order."""
    n = _half(length)
    random = np.random.default_rng(seed)
    party = as_machine(model)
    receiver = party.another()
    every = list(itertools.product((0, 1), repeat=n)) if n <= EXHAUSTIVE_SETS else []
    sets_of_alice = every or [tuple(bits) for bits in random.integers(0, 2, (SPREAD_SETS, n)).tolist()]
    tried = 0
    sent = 0
    for a in sets_of_alice:
        message = carry(alice(party, a), receiver)
        sent = max(sent, message.bits)
        sets_of_bob = every or [tuple(random.integers(0, 2, n).tolist())]
        _, recovered = bob(receiver, message, sets_of_bob[0], order=random.permutation(n).tolist())
        for b in sets_of_bob:
            decided = disjointness(recovered, b)
            if recovered != a or decided != disjointness(a, b):
                raise CLAIM.fails({"model": name, "a": a, "b": b, "recovered": recovered, "decided": decided})
            tried += 1
    return CLAIM.lower(
        length=length,
        inputs=tried,
        exhaustive=bool(every),
        measured={"message_bits": sent, "state_bits": party.bits},
        bound={"message_bits": party.bits, "state_bits": n},
        as_printed={"state_bits": length / 2},
        variant=name,
    )


def _errs(length: int, name: str, model: BitMachine, seed: int) -> Outcome:
    """Find, for a model of too few bits, sets on which its protocol fails and an input that it answers wrongly."""
    error = must_err(model, length, seed)
    return CLAIM.lower(
        statement=ERRS,
        length=length,
        inputs=2,
        measured={"message_bits": error.bits, "state_bits": model.bits},
        bound={"message_bits": model.bits, "state_bits": _half(length)},
        as_printed={"state_bits": length / 2},
        variant=name,
        witness=error.record(),
    )


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("lower",),
    shown="A run shows that the protocol of the proof decides DISJ. Up to N = 13 it does so for all pairs of sets. Its models "
    "answer multi-query recall, whose inputs are a part of those of nearest neighbour. The messages have the counted bits. "
    "Each smaller model that is tested gives a wrong answer.",
    not_shown="This does not show that every smaller model fails. The proof shows that.",
    nothing_to_certify="it is a reduction from disjointness, and a run shows no finite object for it",
    nothing_to_apply="a lower bound; nearest-neighbor-two-layers answers points, and associative-recall-state has the exact "
    "recurrent model of its pairs",
)
