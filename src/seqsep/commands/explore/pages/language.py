"""A regular language: its minimal automaton as a picture, its classes, and the architectures that recognise it."""

from dataclasses import dataclass
from shlex import quote

from markupsafe import Markup

from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.maths.automata.automata import DFA
from seqsep.report.figures.automaton_picture import MOST_DRAWN, automaton_svg
from seqsep.theorems.analysis.classify import Classification, classify
from seqsep.theorems.analysis.every_length import AutomatonAnalysis
from seqsep.theorems.analysis.statements import HORIZONS, STATEMENTS

MOST_CHARACTERS = 200
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("(01)*", "alternation"),
    ("(0|1 0* 1)*", "an even number of 1s: parity"),
    ("(0|1)*11", "the last two letters are 1"),
    ("0*1*", "all 0s before all 1s"),
    ("(0(01)*1)*", "brackets of depth 2"),
    ("(0|1(01*0)*1)*", "binary numbers divisible by 3"),
)
"""Expressions to start with, and what each describes."""
DEFAULT = EXAMPLES[0][0]


@dataclass(frozen=True)
class ClassLine:
    """A class with its title, its meaning, the verdict, and the witness if the language is not in it."""

    title: str
    meaning: str
    holds: bool | None
    reason: str


@dataclass(frozen=True)
class WordLine:
    """A word of the reader, and whether the language has it: `states` are those that the automaton visits."""

    word: str
    accepted: bool
    states: tuple[int, ...]


def content(visit: Visit) -> PageContent:
    """Return the page of a regular expression."""
    regex = visit.asked("regex", DEFAULT)
    error = ""
    values: dict[str, object] = {"found": None}
    try:
        values = _found(regex, visit.asked("word"))
    except (BadInput, ValueError) as wrong:
        error = text_of(wrong)
    command = f"seqsep classify --regex {quote(regex)}"
    shared = {"regex": regex, "examples": EXAMPLES, "horizons": HORIZONS}
    return PageContent(f"Language {regex}"[:60], "language.html", {**shared, **values}, error=error, command=command)


def _found(regex: str, word: str) -> dict[str, object]:
    """Return the values of the template. Raises BadInput for an expression that cannot be read, or is too long."""
    if len(regex) > MOST_CHARACTERS:
        raise BadInput(f"expression: expected at most {MOST_CHARACTERS} characters, found {len(regex):,}")
    found = classify(regex, is_regular=True)
    analysis = AutomatonAnalysis.of(regex, is_regular=True)
    drawn = analysis is not None and analysis.states_without_sink <= MOST_DRAWN
    return {
        "found": found,
        "analysis": analysis,
        "picture": Markup(automaton_svg(analysis, "automaton"))
        if drawn and analysis is not None
        else "",  # its words are escaped
        "most_drawn": MOST_DRAWN,
        "classes": class_lines(found),
        "architectures": found.architectures(),
        "word": None if analysis is None else word_line(word, analysis.automaton, analysis.letters),
    }


def class_lines(found: Classification) -> list[ClassLine]:
    """Return a line for each class.

    >>> [line.title for line in class_lines(classify("(0|1 0* 1)*")) if line.holds]
    ['commutative', 'ACC0']
    """
    return [
        ClassLine(statement.title, statement.meaning, found.verdicts[name].holds, found.reason(name))
        for name, statement in STATEMENTS.items()
    ]


def word_line(word: str, automaton: DFA, letters: tuple[str, ...]) -> WordLine | None:
    """Return the automaton's run on a word; None without a word. Raises BadInput for a letter that it does not have."""
    if not word:
        return None
    if len(word) > MOST_CHARACTERS:
        raise BadInput(f"word: expected at most {MOST_CHARACTERS} letters, found {len(word):,}")
    states = [automaton.start]
    for letter in word:
        if letter not in letters:
            raise BadInput(f"word: expected letters {' '.join(letters)}, found {excerpt(repr(letter))}")
        states.append(int(automaton.table[states[-1], letters.index(letter)]))
    return WordLine(word, bool(automaton.accepting[states[-1]]), tuple(states))
