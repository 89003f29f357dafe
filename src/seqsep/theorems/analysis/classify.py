"""The class of a regular language, and what it says of architectures.

The classes are decided on the syntactic monoid (`maths.automata.identities`) and on the least automaton
(`maths.automata.separation`). What a class says of models is in `statements`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import wrap
from typing import Any

import numpy as np

from seqsep.core.names import whole
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.identities import CLASSES, Identities, OutsideClass
from seqsep.maths.automata.multiplication import Multiplication, multiplication
from seqsep.maths.automata.point_actions import PointAction, fewest_points
from seqsep.maths.automata.separation import Inseparable, separate
from seqsep.maths.automata.witnesses import Witness
from seqsep.theorems.analysis.function import Fields
from seqsep.theorems.analysis.languages import Language, find_language, shown
from seqsep.theorems.analysis.statements import (
    ARCHITECTURES,
    HORIZONS,
    MOST_POINTS,
    PREDICTOR,
    STATEMENTS,
    ArchitectureVerdict,
    Verdicts,
)

WIDTH = 128
"""Characters of a line."""


@dataclass(frozen=True)
class ClassVerdict:
    """A class that a language is in, or not in; `holds` is None if it is not decided.

    A proof is of "not in"; for NC1-complete, of "in".
    """

    name: str
    holds: bool | None
    proof: Witness | Inseparable | None = None
    why: str = ""

    def verify(self, automaton: DFA) -> None:
        """Check the proof, if there is one. Raises ValueError if it does not show the verdict."""
        if isinstance(self.proof, Inseparable):
            self.proof.verify(automaton)
        if isinstance(self.proof, Witness):
            self.proof.verify(automaton, "acc0" if self.name == "nc1_complete" else self.name)

    def record(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return {"holds": self.holds, "witness": None if self.proof is None else self.proof.record(), "why": self.why}


@dataclass(frozen=True)
class Classification:
    """The classes of a language.

    Fields:
        language: the language.
        verdicts: its classes.
        monoid: its syntactic monoid.
        groups: order and derived length of each maximal group.
        rounds: the rounds that C-RASP needs, if the language is in it.
        action: if the monoid is a group: its action on the fewest points, None if these are more than 9.

    >>> from seqsep.theorems.analysis.classify import classify
    >>> [name for name, verdict in classify("(01)*").verdicts.items() if verdict.holds]
    ['locally_testable', 'aperiodic', 'c_rasp', 'r_infinity', 'ac0', 'acc0']
    """

    language: Language
    verdicts: dict[str, ClassVerdict]
    monoid: Multiplication
    groups: list[tuple[int, int | None]]
    rounds: int | None
    action: PointAction | None = None

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
        holds = {name: verdict.holds for name, verdict in self.verdicts.items()}
        is_group = any(size == self.monoid.size for size, _ in self.groups)
        states = len(self.language.automaton.table)
        known = Verdicts(holds, self.derived_length, is_group, states)
        if self.action is not None:
            swaps = self.action.swaps(self.monoid.right[0].tolist())
            known = replace(known, points=self.action.points, swaps=swaps)
        return [judge(known) for judge in ARCHITECTURES]

    def verify(self) -> None:
        """Check each proof on the least automaton. Raises ValueError if one does not show its verdict."""
        for verdict in self.verdicts.values():
            verdict.verify(self.language.automaton)

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
            "permutations": None
            if self.action is None
            else [self.action.images(letter) for letter in self.monoid.right[0].tolist()],
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
            text = f"The function agrees with this automaton on all words of at most {learned.length} letters, and on "
            text += f"{learned.longer_words:,} longer ones of at most {learned.longest}. Other words were not tested."
            found += wrap(text, WIDTH)
        found += ["", f"{'class':<21} {'in it':<8} what it says"]
        for name, statement in STATEMENTS.items():
            word = {True: "yes", False: "no", None: "unknown"}[self.verdicts[name].holds]
            found.append(f"{statement.title:<21} {word:<8} {statement.meaning}")
        found += ["", *wrap(PREDICTOR, WIDTH), "", f"{'architecture':<52} {'verdict':<13} why"]
        architectures = self.architectures()
        found += [f"{one.architecture:<52} {one.said:<13} {one.why} [{n}]" for n, one in enumerate(architectures, 1)]
        found += wrap(HORIZONS, WIDTH)
        for n, one in enumerate(architectures, 1):
            found += wrap(f"[{n}] {one.setting}; {one.source}", WIDTH, subsequent_indent="    ")
        reasons = [f"  {self._said(name)}: {reason}" for name in STATEMENTS if (reason := self.reason(name))]
        if reasons:
            found += [
                "",
                "Witnesses: products of words, read from left to right, as maps of the states (--json has whole words)",
            ]
        for line in reasons:
            found += wrap(line, WIDTH, subsequent_indent="    ")
        return found

    def _said(self, name: str) -> str:
        verdict = self.verdicts[name]
        return f"{'unknown' if verdict.holds is None else 'not'} {STATEMENTS[name].title}"

    def reason(self, name: str) -> str:
        """Return a witness in one line, or why a class is missed or not decided; an empty text for a class that holds."""
        verdict = self.verdicts[name]
        if verdict.holds or name == "nc1_complete":
            return ""
        if isinstance(verdict.proof, Witness):
            words = ", ".join(f"{key} = {shown(word)}" for key, word in verdict.proof.words.items())
            equal, different = verdict.proof.equations()
            return f"{words}: {', '.join([*equal, different.replace('=', '!=')])}"
        if isinstance(verdict.proof, Inseparable):
            join = verdict.proof.joins[0]
            return f"no counts separate the states {join.start} and {join.end} of one component (--json has the proof)"
        return verdict.why


def classify(
    target: str | DFA | Callable[[list[int]], int | None],
    alphabet: Sequence[int] | int | None = None,
    *,
    fields: Fields | None = None,
    is_regular: bool = False,
    length: int | None = None,
) -> Classification:
    """Decide which classes a regular language is in, such as the aperiodic languages, AC0 and ACC0.

    These classes tell which architectures can recognise the language. The classes are the keys of `verdicts`.

    Arguments:
        target: a regular expression, FILE.py:NAME with a function or a DFA, FILE.json with a DFA, a task, a DFA, or a function
            from a list of letters to 1 for words in the language and 0 for others.
        alphabet: number of letters; by default 2, or those that an expression uses.
        fields: fields of a task.
        is_regular: True to read the target as a regular expression in any case.
        length: if the target is a function, its automaton is compared with it on all words of at most this many letters.

    Raises BadInput or ValueError if the target has no automaton, or if its monoid has more than 5,000 elements.

    >>> parity = classify("(0|1 0* 1)*")
    >>> parity.verdicts["aperiodic"].holds, parity.groups, parity.state_bits
    (False, [(2, 1)], 1)
    """
    given = [] if alphabet is None else alphabet if isinstance(alphabet, Sequence) else [alphabet]
    sizes = None if alphabet is None else [whole(size, "classify: alphabet") for size in given]
    length = None if length is None else whole(length, "classify: length")
    language = find_language(target, sizes, fields, is_regular=is_regular, length=length)
    try:
        monoid = multiplication(language.automaton, is_least=True)
    except ValueError as error:
        raise ValueError(f"{language.name}: {error}") from error
    identities = Identities(monoid)
    verdicts = {name: _verdict(name, decide(identities)) for name, decide in CLASSES.items()}
    verdicts["c_rasp"], rounds = _c_rasp(language.automaton, verdicts["r_infinity"])
    solvable = verdicts["acc0"]
    verdicts["nc1_complete"] = ClassVerdict("nc1_complete", not solvable.holds, solvable.proof, solvable.why)
    ordered = {name: verdicts[name] for name in STATEMENTS}
    groups = [group for _, group in identities.groups if group.size == monoid.size]
    action = fewest_points(groups[0], MOST_POINTS) if groups else None
    return Classification(language, ordered, monoid, groups=identities.derived_lengths(), rounds=rounds, action=action)


def _verdict(name: str, outside: OutsideClass | None) -> ClassVerdict:
    if outside is None:
        return ClassVerdict(name, True)
    return ClassVerdict(name, False, outside.witness, outside.why)


def _c_rasp(automaton: DFA, larger: ClassVerdict) -> tuple[ClassVerdict, int | None]:
    """Decide C-RASP, and return the rounds that it needs; a language outside of R-infinity is outside of C-RASP too."""
    if not larger.holds:
        return ClassVerdict("c_rasp", False, larger.proof, "outside of R-infinity, of which C-RASP is a part"), None
    try:
        separation = separate(automaton, is_least=True)
    except ValueError as error:
        return ClassVerdict("c_rasp", None, why=str(error)), None
    if separation.inseparable is not None:
        return ClassVerdict("c_rasp", False, separation.inseparable), None
    return ClassVerdict("c_rasp", True), separation.rounds


def count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count(1, "bit"), count(2000, "state")
    ('1 bit', '2,000 states')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
