"""A recurrent model as a protocol between two parties: Alice's part, the message, Bob's part, and one bit of state less.

The model is the one of the theorem, which has the least number of state bits. The message crosses a channel that counts bits.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from seqsep.commands.explore.forms import whole, whole_between
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.core.names import BadInput, choose, excerpt, text_of
from seqsep.maths.automata.automata import Recurrence
from seqsep.theorems.equality import state as equality
from seqsep.theorems.protocols.one_way_protocol import Message, carry
from seqsep.theorems.retrieval import index_lookup_state as lookup

MOST_ALPHABET = 16
MOST_SYMBOLS = 12
MOST_BITS = 16
"""The most bits of state that the page runs: the search for a collision reads up to 2^bits prefixes."""
Tokens = tuple[int, ...]


@dataclass(frozen=True)
class SharedTask:
    """A task that two parties share: the first has the symbols, and the second has what comes after them.

    Fields:
        name: name of the task.
        theorem: name of the theorem of its least state.
        default: the input that the page opens with.
        build: the model for N and S.
        symbols: number of the symbols that Alice has, for a complete input.
        bound: bits that the message needs, for N and S, before rounding up.
        collide: two prefixes that a smaller model confuses, and the input that it answers wrongly.
        rule: the right answer, in a sentence.
    """

    name: str
    theorem: str
    default: str
    build: Callable[[int, int], Recurrence]
    symbols: Callable[[int], int]
    bound: Callable[[int, int], float]
    collide: Callable[[Recurrence, int, int], "Confusion | None"]
    rule: str


@dataclass(frozen=True)
class Confusion:
    """Two prefixes that leave one state, and the input that a model answers wrongly; `tried` prefixes were read."""

    prefixes: tuple[Tokens, Tokens]
    wrong_on: Tokens
    answer: int
    expected: int
    state: int
    tried: int


def _confused_lookup(model: Recurrence, length: int, alphabet: int) -> Confusion | None:
    found = lookup.collide(model, length, alphabet)
    if found is None:
        return None
    return Confusion(found.prefixes, found.errs_on, found.answer, found.expected, state=found.state, tried=found.prefixes_tried)


def _confused_equality(model: Recurrence, length: int, alphabet: int) -> Confusion | None:
    found = equality.collision.collide(model, length, alphabet)
    if found is None:
        return None
    state = model.state(found.halves[0])
    return Confusion(found.halves, found.errs_on, found.answer, found.expected, state=state, tried=found.tried)


TASKS: dict[str, SharedTask] = {
    task.name: task
    for task in (
        SharedTask(
            "index-lookup",
            "index-lookup-state",
            "3 1 0 2 1 3 ?4",
            build=lookup.build,
            symbols=lambda tokens: tokens - 1,
            bound=lambda length, alphabet: length * math.log2(alphabet),
            collide=_confused_lookup,
            rule="The answer is the symbol at the queried position.",
        ),
        SharedTask(
            "equality",
            "equality-state",
            "0 1 1 0 0 1 1 0",
            build=equality.build,
            symbols=lambda tokens: tokens // 2,
            bound=lambda length, alphabet: length / 2 * math.log2(alphabet),
            collide=_confused_equality,
            rule="The answer is 1 if both halves are equal, else 0.",
        ),
    )
}


@dataclass(frozen=True)
class ReadToken:
    """A token that a party reads, and the state after it, in bits; `changed` has the places that differ from before."""

    token: str
    bits: str
    changed: tuple[bool, ...]
    possible: str


@dataclass(frozen=True)
class ProtocolRun:
    """The protocol on one input: both parties' steps, the message, and the answer."""

    tokens: tuple[str, ...]
    split: int
    alice: tuple[ReadToken, ...]
    message: str
    carried: int
    bob: tuple[ReadToken, ...]
    answer: int
    state_bits: int
    bound: float
    confusion: Confusion | None
    smaller_answers: tuple[tuple[str, str, str], ...]
    shown_prefixes: tuple[str, ...]
    shown_wrong: str


def content(visit: Visit) -> PageContent:
    """Return the page of a task. Raises BadInput for an unknown one."""
    task = TASKS[choose("task", visit.name or "index-lookup", list(TASKS))]
    text = visit.asked("input", task.default)
    error = ""
    run = None
    try:
        run = protocol_run(task, text, visit.asked("alphabet"), visit.asked("split"))
    except (BadInput, ValueError) as wrong:
        error = text_of(wrong)
    values = {"task": task, "tasks": list(TASKS.values()), "run": run, "text": text, "most": (MOST_SYMBOLS, MOST_ALPHABET)}
    command = f"seqsep check {task.theorem}"
    return PageContent(f"Protocol of {task.name}", "protocol.html", values, error=error, command=command)


def protocol_run(task: SharedTask, text: str, alphabet_text: str = "", split_text: str = "") -> ProtocolRun:
    """Return the protocol on an input. Raises BadInput for a text that is not an input, or one that is too long.

    >>> run = protocol_run(TASKS["index-lookup"], "1 0 1 ?2")
    >>> run.message, run.carried, run.answer, run.confusion.expected != run.confusion.answer
    ('101', 3, 0, True)
    """
    symbols, query = _parsed(task, text)
    least = max(2, max(symbols, default=0) + 1)
    alphabet = whole_between("S", alphabet_text, 2, MOST_ALPHABET) if alphabet_text else least
    if least > alphabet:
        raise BadInput(f"S: expected at least {least}, as the input has the symbol {least - 1}, found {alphabet}")
    length = len(symbols)
    model = task.build(length, alphabet)
    if model.state_bits > MOST_BITS:
        raise BadInput(
            f"this page runs models of at most {MOST_BITS} bits of state, found {model.state_bits}; use a shorter input"
        )
    tokens = (*symbols, alphabet + query - 1) if query else symbols
    shown = tuple([str(symbol) for symbol in symbols] + ([f"?{query}"] if query else []))
    usual = task.symbols(len(tokens))
    split = whole_between("split", split_text, 1, len(tokens) - 1) if split_text else usual
    alice, state = _read(model, tokens[:split], shown[:split], t=0, state=model.start, alphabet=alphabet)
    heard = carry(Message(state, model.state_bits), model)
    bob, end = _read(model, tokens[split:], shown[split:], t=split, state=heard.number, alphabet=alphabet)
    smaller = model.cut_down(model.state_bits - 1)
    confusion = task.collide(smaller, length, alphabet)
    return ProtocolRun(
        tokens=shown,
        split=split,
        alice=alice,
        message=_binary(state, model.state_bits),
        carried=heard.bits,
        bob=bob,
        answer=model.read(len(tokens) - 1, end),
        state_bits=model.state_bits,
        bound=task.bound(length, alphabet),
        confusion=confusion,
        smaller_answers=() if confusion is None else _answers(task, smaller, model, found=confusion, alphabet=alphabet),
        shown_prefixes=() if confusion is None else tuple(" ".join(map(str, one)) for one in confusion.prefixes),
        shown_wrong="" if confusion is None else _shown(task, confusion.wrong_on, alphabet),
    )


def _parsed(task: SharedTask, text: str) -> tuple[Tokens, int]:
    """Return the symbols and the queried position, which is 0 if the task has none."""
    words = text.replace(",", " ").split()
    query = 0
    if task.name == "index-lookup":
        if not words or not words[-1].startswith("?"):
            raise BadInput(f"input: expected symbols and then a position as ?2, found {excerpt(repr(text))}")
        query = whole("position", words.pop()[1:])
    if not 1 <= len(words) <= MOST_SYMBOLS:
        raise BadInput(f"input: expected 1 to {MOST_SYMBOLS} symbols, found {len(words)}")
    if task.name == "equality" and (len(words) % 2 or len(words) < 2):
        raise BadInput(f"input: expected two halves of equal length, found {len(words)} symbols")
    symbols = tuple(whole_between("symbol", word, 0, MOST_ALPHABET - 1) for word in words)
    if (query and not 1 <= query <= len(symbols)) or (task.name == "index-lookup" and not query):
        raise BadInput(f"position: expected 1 to {len(symbols)}, found {query}")
    return symbols, query


def _read(
    model: Recurrence, tokens: Tokens, shown: tuple[str, ...], t: int, state: int, alphabet: int
) -> tuple[tuple[ReadToken, ...], int]:
    states = [state]
    for offset, token in enumerate(tokens):
        states.append(model.state((token,), states[-1], t + offset))
    bits = [_binary(one, model.state_bits) for one in states]
    read = tuple(
        ReadToken(
            token=token,
            bits=after,
            changed=tuple(one != other for one, other in zip(before, after, strict=True)),
            possible=f"{t + place} log2 {alphabet} = {(t + place) * math.log2(alphabet):.3g}",
        )
        for place, (token, (before, after)) in enumerate(zip(shown, pairwise(bits), strict=True), 1)
    )
    return read, states[-1]


def _answers(
    task: SharedTask, smaller: Recurrence, exact: Recurrence, found: Confusion, alphabet: int
) -> tuple[tuple[str, str, str], ...]:
    """Return, for each of the two prefixes with the same continuation: the input, the smaller model's answer, the right one."""
    after = found.wrong_on[len(found.prefixes[0]) :]
    inputs = [(*prefix, *after) for prefix in found.prefixes]
    return tuple((_shown(task, one, alphabet), str(smaller.answer(one)), str(exact.answer(one))) for one in inputs)


def _shown(task: SharedTask, tokens: Tokens, alphabet: int) -> str:
    if task.name == "equality":
        return " ".join(map(str, tokens))
    return " ".join(str(token) if token < alphabet else f"?{token - alphabet + 1}" for token in tokens)


def _binary(number: int, bits: int) -> str:
    return format(number, f"0{bits}b") if bits else ""
