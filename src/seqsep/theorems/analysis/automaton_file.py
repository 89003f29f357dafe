"""A deterministic finite automaton as others write it: seqsep's table, the dictionary of automata-lib, or a file of JFLAP.

FILE.json      {"table": [[..]], "start": 0, "accepting": [..]}, with a row of next states for each state
FILE.json      automata-lib's keys: states, input_symbols, transitions, initial_state, final_states
FILE.jff       JFLAP's finite automaton
FILE.py:NAME   a DFA of this package or of automata-lib, or a dictionary with its keys

Letters are numbered in the order 0 to 9, a to z, then the others by their characters. A missing transition leads to a new state
that is not left, the sink.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from seqsep.core.files import read_text
from seqsep.core.names import BadInput, excerpt, is_whole
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.regular import SYMBOLS

MOST_BYTES = 1 << 24
MOST_ENTRIES = 1 << 22
KEYS = ("input_symbols", "transitions", "initial_state", "final_states")
"""The keys of automata-lib's dictionary that are read; the states are those of `transitions`."""
TABLE_KEYS = ("table", "start", "accepting")


@dataclass(frozen=True)
class LetteredAutomaton:
    """An automaton, and the letter of each of its symbols."""

    automaton: DFA
    letters: tuple[str, ...]


def read_automaton_file(path: Path) -> LetteredAutomaton:
    """Read FILE.json or FILE.jff. Raises BadInput for another file, with what was expected and found."""
    if path.suffix.lower() == ".jff":
        return _of_jflap(path)
    try:
        data = json.loads(read_text(path, most=MOST_BYTES))
    except BadInput:
        raise
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: expected an automaton as JSON, found {type(error).__name__}: {excerpt(str(error))}") from error
    return automaton_of(data, str(path))


def is_automaton(value: object) -> bool:
    """Return True for a dictionary with the keys of an automaton, and for an automaton of automata-lib.

    >>> is_automaton({"table": [[0]], "start": 0, "accepting": []}), is_automaton({"format": "network"})
    (True, False)
    """
    if isinstance(value, Mapping):
        return all(key in value for key in TABLE_KEYS) or "transitions" in value
    return all(hasattr(value, key) for key in KEYS)


def automaton_of(value: Any, source: str) -> LetteredAutomaton:
    """Return the automaton of a dictionary or of an object of automata-lib; `source` is its name in errors.

    >>> parity = {"transitions": {"even": {"a": "even", "b": "odd"}, "odd": {"a": "odd", "b": "even"}}}
    >>> found = automaton_of(parity | {"input_symbols": ["b", "a"], "initial_state": "even", "final_states": ["odd"]}, "parity")
    >>> found.letters, found.automaton.table.tolist(), found.automaton.accepts([0, 1])
    (('a', 'b'), [[0, 1], [1, 0]], True)
    """
    if isinstance(value, Mapping) and all(key in value for key in TABLE_KEYS):
        dfa = _of_table(value, source)
        letters = dfa.table.shape[1]
        return LetteredAutomaton(dfa, tuple(SYMBOLS[one] if one < len(SYMBOLS) else f"<{one}>" for one in range(letters)))
    if not is_automaton(value):
        keys = f"table (a row of next states for each state), start and accepting (states), or {', '.join(KEYS)}"
        raise BadInput(f"{source}: expected an object with {keys}, found {excerpt(repr(value))}")
    given = value if isinstance(value, Mapping) else {key: getattr(value, key) for key in KEYS}
    missing = [key for key in KEYS if key not in given]
    if missing:
        raise BadInput(f"{source}: expected the keys {', '.join(KEYS)}, found no {missing[0]}")
    return _of_dictionary(given, source)


def _of_table(data: Mapping[str, Any], source: str) -> DFA:
    """Return the automaton of a table. Raises BadInput for a table that does not fit."""
    expected = f"{source}: expected an object with table (a row of next states for each state), start and accepting (states)"
    table = data["table"]
    rows = table if isinstance(table, list) and all(isinstance(row, list) for row in table) else []
    numbers = [number for row in rows for number in row]
    accepting: list[Any] = data["accepting"] if isinstance(data["accepting"], list) else [None]
    if not numbers or len({len(row) for row in rows}) > 1 or not all(map(is_whole, [*numbers, *accepting, data["start"]])):
        raise BadInput(f"{expected}, found no letter, rows of different lengths, or entries that are not whole numbers")
    if not all(0 <= state < len(rows) for state in [*numbers, *accepting, data["start"]]):
        raise BadInput(f"{source}: expected states from 0 to {len(rows) - 1}, found another number")
    flags = np.zeros(len(rows), dtype=bool)
    flags[[int(state) for state in accepting]] = True
    return DFA(np.array(rows), int(data["start"]), flags)


def _of_dictionary(given: Mapping[str, Any], source: str) -> LetteredAutomaton:
    """Return the automaton of automata-lib's keys. Raises BadInput for one that is not deterministic or has unknown names."""
    moves: dict[tuple[str, str], str] = {}
    transitions = given["transitions"]
    if not isinstance(transitions, Mapping) or not all(isinstance(row, Mapping) for row in transitions.values()):
        raise BadInput(f"{source}: expected transitions as a dictionary for each state, found {excerpt(repr(transitions))}")
    for state, row in transitions.items():
        for letter, target in row.items():
            if isinstance(target, set | frozenset | list | tuple | dict):
                raise _several(source, str(state), str(letter))
            moves[_name(state), _name(letter)] = _name(target)
    sets = {key: given[key] for key in ("input_symbols", "final_states")}
    for key, names in sets.items():
        if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
            raise BadInput(f"{source}: expected {key} as a list, found {excerpt(repr(names))}")
    states = [_name(state) for state in transitions]
    letters = [_name(letter) for letter in sets["input_symbols"]]
    return _numbered(
        source, _Named(states, letters, moves, start=_name(given["initial_state"]), final=set(map(_name, sets["final_states"])))
    )


def _name(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


@dataclass(frozen=True)
class _Named:
    """An automaton by the names of its states and letters; a missing move leads to the sink."""

    states: list[str]
    letters: list[str]
    moves: Mapping[tuple[str, str], str]
    start: str
    final: set[str]


def _numbered(source: str, named: _Named) -> LetteredAutomaton:
    """Return an automaton with numbers in place of names. Raises BadInput for a name that is neither a state nor a letter."""
    letters = sorted(set(named.letters), key=_order)
    states = list(dict.fromkeys(named.states))
    if not letters:
        raise BadInput(f"{source}: expected an automaton with a letter, found none")
    number = {state: place for place, state in enumerate(states)}
    place = {letter: at for at, letter in enumerate(letters)}
    for what in (named.start, *sorted(named.final), *named.moves.values(), *(state for state, _ in named.moves)):
        if what not in number:
            raise BadInput(f"{source}: expected states among {excerpt(', '.join(states))}, found {excerpt(repr(what))}")
    for _, letter in named.moves:
        if letter not in place:
            raise BadInput(f"{source}: expected letters among {excerpt(', '.join(letters))}, found {excerpt(repr(letter))}")
    if (len(states) + 1) * len(letters) > MOST_ENTRIES:
        raise BadInput(f"{source}: expected at most {MOST_ENTRIES:,} transitions, found {len(states) * len(letters):,}")
    table = np.full((len(states) + 1, len(letters)), len(states), dtype=np.int64)
    for (state, letter), target in named.moves.items():
        table[number[state], place[letter]] = number[target]
    flags = np.zeros(len(table), dtype=bool)
    flags[[number[state] for state in named.final]] = True
    used = len(states) + bool(np.any(table[:-1] == len(states)))
    return LetteredAutomaton(DFA(table[:used], number[named.start], flags[:used]), tuple(letters))


def _order(letter: str) -> tuple[bool, int, str]:
    is_symbol = len(letter) == 1 and letter in SYMBOLS
    return not is_symbol, SYMBOLS.index(letter) if is_symbol else 0, letter


def _several(source: str, state: str, letter: str) -> BadInput:
    """Return the error that an automaton is not deterministic."""
    shown = f"the letter {letter!r}" if letter else "no letter"
    return BadInput(
        f"{source}: expected a deterministic automaton, found several next states of the state {excerpt(state)!r} for {shown}; "
        "convert it first (JFLAP: Convert, Convert to DFA; automata-lib: DFA.from_nfa)"
    )


def _of_jflap(path: Path) -> LetteredAutomaton:
    """Read a file of JFLAP. Raises BadInput for another file, and for an automaton that is not deterministic."""
    text = read_text(path, most=MOST_BYTES)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadInput(f"{path}: expected a file of JFLAP, found a document type, which JFLAP does not write")
    try:
        structure = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise BadInput(f"{path}: expected a file of JFLAP, found an error of XML: {excerpt(str(error))}") from error
    kind = structure.findtext("type", "")
    if structure.tag != "structure" or kind.strip() != "fa":
        other = f"<{structure.tag}> of type {kind.strip()!r}"
        raise BadInput(f"{path}: expected a finite automaton of JFLAP (<structure> of type 'fa'), found {excerpt(other)}")
    within = structure.find("automaton")
    root = structure if within is None else within
    found = root.findall("state")
    states = [state.get("id", "") for state in found]
    starts = [state.get("id", "") for state in found if state.find("initial") is not None]
    if len(starts) != 1 or len(set(states)) < len(states):
        raise BadInput(f"{path}: expected states with different ids and one initial state, found {len(starts)} initial states")
    moves: dict[tuple[str, str], str] = {}
    for transition in root.findall("transition"):
        state, letter, target = ((transition.findtext(part) or "").strip() for part in ("from", "read", "to"))
        if (state, letter) in moves or not letter:
            raise _several(str(path), state, letter)
        if len(letter) != 1:
            raise BadInput(f"{path}: expected one letter for each transition, found {excerpt(repr(letter))}")
        moves[state, letter] = target
    final = {state.get("id", "") for state in found if state.find("final") is not None}
    return _numbered(str(path), _Named(states, [letter for _, letter in moves], moves, start=starts[0], final=final))
