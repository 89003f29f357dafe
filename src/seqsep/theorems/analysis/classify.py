"""The class of a regular language, and what it says of architectures.

A language is a regular expression, an automaton (in a Python file, or as JSON), the task of bounded brackets, or a Python
function that returns 1 for the words that are in it. The classes are decided on the syntactic monoid
(`maths.automata.identities`) and on the least automaton (`maths.automata.separation`). What a class says of models is in
`statements`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from seqsep.core.files import read_text
from seqsep.core.names import BadInput, is_whole
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.identities import CLASSES, Identities, Outside, Witness
from seqsep.maths.automata.learned import Learned, learn
from seqsep.maths.automata.monoids import Word
from seqsep.maths.automata.multiplication import Multiplication, multiplication
from seqsep.maths.automata.separation import Inseparable, separate
from seqsep.theorems.analysis.function import Fields, Function, NamedFunction, resolve
from seqsep.theorems.analysis.statements import ARCHITECTURES, PREDICTOR, STATEMENTS, ArchitectureVerdict, Verdicts

MOST_BYTES = 1 << 24
MOST_SHOWN = 24
"""Letters of a word that a line shows."""
SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Language:
    """A regular language under its name, by its least automaton; `learned` says how a function's automaton was found."""

    name: str
    kind: str
    automaton: DFA
    learned: Learned | None = None


@dataclass(frozen=True)
class ClassVerdict:
    """A class that a language is in, or not in; `holds` is None if it is not decided. A proof is of "not in"."""

    name: str
    holds: bool | None
    proof: Witness | Inseparable | None = None
    why: str = ""

    def record(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return {"holds": self.holds, "witness": None if self.proof is None else self.proof.record(), "why": self.why}


@dataclass(frozen=True)
class Classification:
    """The classes of a language.

    >>> from seqsep.theorems.analysis.classify import classify
    >>> [name for name, verdict in classify("(01)*").verdicts.items() if verdict.holds]
    ['locally_testable', 'aperiodic', 'c_rasp', 'r_infinity', 'ac0', 'acc0']
    """

    language: Language
    verdicts: dict[str, ClassVerdict]
    monoid: Multiplication
    groups: list[tuple[int, int | None]]
    rounds: int | None

    @cached_property
    def state_bits(self) -> int:
        """The bits of the least state of a recurrent model that answers from its state."""
        return ceil_log2(len(self.language.automaton.table))

    @property
    def derived_length(self) -> int | None:
        """The greatest derived length of a maximal group, 0 without one; None if one is not solvable."""
        lengths = [length for _, length in self.groups]
        return None if None in lengths else max((length for length in lengths if length is not None), default=0)

    def architectures(self) -> list[ArchitectureVerdict]:
        """Return what is known of each architecture for this language."""
        known = Verdicts(
            {name: verdict.holds for name, verdict in self.verdicts.items()}, self.derived_length, self.groups, self.state_bits
        )
        return [judge(known) for judge in ARCHITECTURES]

    def record(self) -> dict[str, Any]:
        """Return everything for JSON."""
        automaton = self.language.automaton
        learned = self.language.learned
        verdicts: dict[str, Any] = {name: verdict.record() for name, verdict in self.verdicts.items()}
        numbers = {"derived_length": self.derived_length, "state_bits": self.state_bits, "monoid_size": self.monoid.size}
        return {
            "language": self.language.name,
            "kind": self.language.kind,
            "learned_on_words_of_length": None if learned is None else learned.length,
            "alphabet": automaton.table.shape[1],
            "automaton": {
                "table": automaton.table.tolist(),
                "start": automaton.start,
                "accepting": np.flatnonzero(automaton.accepting).tolist(),
            },
            "verdicts": verdicts | {name: {"value": value} for name, value in numbers.items()},
            "groups": [{"size": size, "derived_length": length} for size, length in self.groups],
            "c_rasp_rounds": self.rounds,
            "architectures": [one.record() for one in self.architectures()],
        }

    def lines(self) -> list[str]:
        """Return the classification for a person."""
        automaton = self.language.automaton
        head = f"{self.language.name}: {count(len(automaton.table), 'state')}, {count(self.state_bits, 'bit')} of state, "
        head += f"a monoid of {count(self.monoid.size, 'element')}, over {count(automaton.table.shape[1], 'letter')}"
        found = [head]
        if learned := self.language.learned:
            found.append(
                f"The function agrees with this automaton on all words of at most {learned.length} letters, and on "
                f"{learned.random_words} random ones of at most {learned.longest}; longer words were not tested."
            )
        found += ["", f"{'class':<18} {'in it':<8} what it says"]
        for name, statement in STATEMENTS.items():
            verdict = self.verdicts[name]
            word = {True: "yes", False: "no", None: "unknown"}[verdict.holds]
            found.append(f"{statement.title:<18} {word:<8} {statement.meaning}")
        found += ["", PREDICTOR, "", f"{'architecture':<52} {'verdict':<14} why"]
        found += [f"{one.architecture:<52} {one.verdict:<14} {one.why}" for one in self.architectures()]
        shown = [f"  not {STATEMENTS[name].title}: {reason}" for name in STATEMENTS if (reason := self.reason(name))]
        return found + (
            ["", "Witnesses (products of words, read from left to right, as maps of the states)", *shown] if shown else []
        )

    def reason(self, name: str) -> str:
        """Return a witness in one line, or an empty text."""
        verdict = self.verdicts[name]
        if verdict.holds is not False:
            return ""
        if isinstance(verdict.proof, Witness):
            words = ", ".join(f"{key} = {shown(word)}" for key, word in verdict.proof.words.items())
            equal = [f"{_product(left)} = {_product(right)}" for left, right in verdict.proof.equal]
            different = [f"{_product(left)} != {_product(right)}" for left, right in verdict.proof.different]
            return f"{words}: {', '.join(equal + different)}"
        if isinstance(verdict.proof, Inseparable):
            classes: dict[int, list[int]] = {}
            for state, number in verdict.proof.classes.items():
                classes.setdefault(number, []).append(state)
            joined = next(states for states in classes.values() if len(states) > 1)
            return f"no counts separate the states {' and '.join(map(str, joined[:2]))} of one component (--json has the proof)"
        return verdict.why


def classify(
    target: str | DFA,
    alphabet: Sequence[int] | int | None = None,
    *,
    fields: Fields | None = None,
    is_regular: bool = False,
    length: int | None = None,
) -> Classification:
    """Decide the classes of a regular language.

    Arguments:
        target: a regular expression, FILE.py:NAME with a function or a DFA, FILE.json with a DFA, a task, or a DFA.
        alphabet: number of letters; by default 2, or those that an expression uses.
        fields: fields of a task.
        is_regular: True to read the target as a regular expression in any case.
        length: letters of the longest word on which a function is compared with its automaton completely.

    Raises BadInput or ValueError if there is no automaton, or if its monoid has more than 5,000 elements.

    >>> parity = classify("(0|1 0* 1)*")
    >>> parity.verdicts["aperiodic"].holds, parity.groups, parity.state_bits
    (False, [(2, 1)], 1)
    """
    sizes = [alphabet] if isinstance(alphabet, int) else alphabet
    language = find_language(target, sizes, fields, is_regular=is_regular, length=length)
    monoid = multiplication(language.automaton)
    identities = Identities(monoid)
    verdicts = {name: _verdict(name, decide(identities)) for name, decide in CLASSES.items()}
    rounds = None
    try:
        separation = separate(language.automaton)
    except ValueError as error:
        verdicts["c_rasp"] = ClassVerdict("c_rasp", None, why=str(error))
    else:
        inside = separation.inseparable is None
        verdicts["c_rasp"] = ClassVerdict("c_rasp", inside, separation.inseparable)
        rounds = separation.rounds if inside else None
    solvable = verdicts["acc0"]
    verdicts["nc1_complete"] = ClassVerdict("nc1_complete", not solvable.holds, why=solvable.why)
    ordered = {name: verdicts[name] for name in STATEMENTS}
    return Classification(language, ordered, monoid, identities.derived_lengths(), rounds)


def _verdict(name: str, outside: Outside | None) -> ClassVerdict:
    if outside is None:
        return ClassVerdict(name, True)
    return ClassVerdict(name, False, outside.witness, outside.why)


def find_language(
    target: str | DFA, alphabet: Sequence[int] | None, fields: Fields | None, *, is_regular: bool, length: int | None
) -> Language:
    """Return the language of this name with its least automaton. Raises BadInput or ValueError if it has none."""
    if isinstance(target, DFA):
        return Language("DFA", "automaton", target.minimal())
    if target.endswith(".json") and not is_regular:
        return Language(target, "automaton", read_automaton(Path(target)).minimal())
    named = resolve(target, alphabet, fields, is_regular)
    if named.automaton is not None:
        return Language(named.name, named.kind, named.automaton().minimal())
    if named.kind != "function":
        raise BadInput(f"{target}: expected a language of words of every length, found a {named.kind} for one length at a time")
    learned = _learn(named, length)
    return Language(named.name, named.kind, learned.automaton, learned)


def _learn(named: NamedFunction, length: int | None) -> Learned:
    first, second = named.at(1), named.at(2)
    sizes = {len(symbols) for symbols in (*first.symbols, *second.symbols)}
    if len(sizes) > 1 or first.call is None:
        raise BadInput(f"{named.name}: expected one alphabet for all positions, found sizes {sorted(sizes)}")
    try:
        return learn(lambda word: _answer(named.name, first.call, word), sizes.pop(), length)
    except BadInput:
        raise
    except ValueError as error:
        raise BadInput(f"{named.name}: {error}") from error


def _answer(name: str, call: Function | None, word: Word) -> bool:
    """Return True for a word in the language. Raises BadInput for another answer than 0 or 1."""
    answer = None if call is None else call(list(word))
    if answer not in (0, 1):
        raise BadInput(f"{name}: expected 0 or 1 for the word {shown(word)}, found {str(answer)[:60]}")
    return bool(answer)


def read_automaton(path: Path) -> DFA:
    """Read {"table": [[..]], "start": 0, "accepting": [..]} with a row for each state and the accepting states' numbers.

    Raises BadInput for another file.
    """
    try:
        data = json.loads(read_text(path, most=MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: expected an automaton as JSON, found {type(error).__name__}") from error
    expected = f"{path}: expected an object with table (a row of next states for each state), start and accepting (states)"
    if not isinstance(data, dict) or not {"table", "start", "accepting"} <= set(data):
        raise BadInput(f"{expected}, found {str(data)[:60]}")
    table = data["table"]
    rows = table if isinstance(table, list) and all(isinstance(row, list) for row in table) else []
    numbers = [number for row in rows for number in row]
    accepting: list[Any] = data["accepting"] if isinstance(data["accepting"], list) else [None]
    if not numbers or len({len(row) for row in rows}) > 1 or not all(map(is_whole, [*numbers, *accepting, data["start"]])):
        raise BadInput(f"{expected}, found rows of different lengths, or entries that are not whole numbers")
    if not all(0 <= state < len(rows) for state in [*numbers, *accepting, data["start"]]):
        raise BadInput(f"{path}: expected states from 0 to {len(rows) - 1}, found another number")
    flags = np.zeros(len(rows), dtype=bool)
    flags[[int(state) for state in accepting]] = True
    return DFA(np.array(rows), int(data["start"]), flags)


def shown(word: Word) -> str:
    """Return a word in symbols; a long one is cut.

    >>> shown((0, 1, 10)), shown(())
    ('01a', 'the empty word')
    """
    if not word:
        return "the empty word"
    text = "".join(SYMBOLS[letter] if letter < len(SYMBOLS) else f"<{letter}>" for letter in word[:MOST_SHOWN])
    return text + (".." if len(word) > MOST_SHOWN else "")


def _product(names: Sequence[str]) -> str:
    """Return a product as text, equal factors as a power.

    >>> _product(("a", "a", "b"))
    'a^2 b'
    """
    parts: list[list[Any]] = []
    for name in names:
        if parts and parts[-1][0] == name:
            parts[-1][1] += 1
        else:
            parts.append([name, 1])
    return " ".join(name if times == 1 else f"{name}^{times}" for name, times in parts)


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "bit"), count(2000, "state")
    ('1 bit', '2,000 states')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
