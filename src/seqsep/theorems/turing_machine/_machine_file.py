"""Read a machine file (`_machine`, `_notations`), and name the file, the line and the reason if it is malformed."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

from seqsep.core.files import read_text
from seqsep.core.names import required
from seqsep.core.options import OneOf, Range, Read
from seqsep.theorems import options
from seqsep.theorems.turing_machine._machine import MOVES, Machine, Rule
from seqsep.theorems.turing_machine._notations import is_line, of_line, of_yaml

SHIPPED = Path(__file__).parent / "machines"
MOST_BYTES = 1 << 22
FIELDS = ("start", "halt", "blank", "rules")


def shipped() -> list[str]:
    """The names of the machines in the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.json"))


def machine_of(name: str) -> Machine:
    """Return the shipped machine of that name, the machine of bbchallenge's line, or else the machine in the file at that path.

    Raises FileNotFoundError for none of them, and ValueError with file and line for a malformed file.
    """
    path = SHIPPED / f"{name}.json" if name in shipped() else Path(name)
    if is_line(name) and not path.exists():
        return of_line(name, f"machine {name!r}")
    if not path.exists():
        raise FileNotFoundError(
            f"machine {name!r}: expected a file, a line such as 1RB1LB_1LA1RZ, or one of {', '.join(shipped())}; found none"
        )
    text = read_text(path, most=MOST_BYTES)
    if path.suffix in (".yaml", ".yml"):
        return of_yaml(text, name)
    return of_line(text, name) if is_line(text) else read(text, str(path))


Steps = Annotated[options.Steps, Range(0, 1 << 20)]
MachineName = Annotated[
    str,
    OneOf(or_file=True, listed=lambda: tuple(shipped())),
    "A machine: FILE.json, FILE.yaml of turingmachine.io, bbchallenge's line, or the name of a machine in the package.",
]
ReadMachine = Annotated[
    Machine,
    OneOf(or_file=True, listed=lambda: tuple(shipped())),
    Read(machine_of),
    "A machine: FILE.json, FILE.yaml of turingmachine.io, bbchallenge's line, or the name of a machine in the package.",
]


def read(text: str, source: str) -> Machine:
    """Return the machine that a file's text describes; `source` is the file's name in an error.

    Raises ValueError in these cases: the text is not such a JSON object; a field or key is missing, unknown or repeated (two
    rules for a state and a symbol: a machine that is not deterministic); a symbol is not one character; a move is not L, R or
    S; a state without rules is not a halting state; a halting state has rules.
    """
    return _Reader(text, source).machine()


class _Word(NamedTuple):
    """A string in the file, and its line."""

    text: str
    line: int


class _Reader:
    """Takes the tokens of a file one by one; an error names the line of the token."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.tokens = _tokens(text)
        self.next = next(self.tokens)
        self.rules: dict[tuple[str, str], Rule] = {}
        self.states: set[str] = set()
        self.mentioned: list[_Word] = []

    def machine(self) -> Machine:
        """The whole file: one object with the four fields, and how they must agree."""
        start: _Word | None = None
        blank: _Word | None = None
        halt: list[_Word] = []
        named = set()
        for field in self.keys("the machine"):
            named.add(field.text)
            if field.text == "start":
                start = self.word("a state")
            elif field.text == "blank":
                blank = self.symbol()
            elif field.text == "halt":
                halt = self.words("a halting state")
            elif field.text == "rules":
                self.read_rules()
            else:
                raise self.error(field.line, f"expected the fields {', '.join(FIELDS)}, found {field.text!r}")
        if self.next.text:
            raise self.error(self.next.line, f"expected the end of the file, found {self.next.text!r}")
        for missing in FIELDS:
            if missing not in named:
                raise self.error(self.next.line, f"expected the field {missing!r}, found the end of the file")
        begin = required(start, "the start state")
        self.require_states([begin, *self.mentioned], halt)
        halting = tuple(word.text for word in halt)
        return Machine(begin.text, halting, required(blank, "the blank symbol").text, self.rules)

    def read_rules(self) -> None:
        """{"A": {"0": ["B", "1", "R"], ...}, ...}."""
        for state in self.keys("the rules"):
            self.states.add(state.text)
            for symbol in self.keys(f"the rules of state {state.text!r}"):
                self.require_one_character(symbol)
                self.take("[", 'a rule such as ["B", "1", "R"]')
                target = self.word("a state")
                self.take(",", "a comma")
                written = self.symbol()
                self.take(",", "a comma")
                move = self.word("a move")
                self.take("]", "the end of the rule")
                if move.text not in MOVES:
                    raise self.error(move.line, f"expected a move L, R or S, found {move.text!r}")
                self.mentioned.append(target)
                self.rules[state.text, symbol.text] = Rule(target.text, written.text, MOVES[move.text])

    def require_states(self, mentioned: list[_Word], halt: list[_Word]) -> None:
        """Require that every state that is mentioned has rules or halts, and not both."""
        halting = {word.text for word in halt}
        for word in halt:
            if word.text in self.states:
                raise self.error(word.line, f"expected halting states without rules, found rules of {word.text!r}")
        for word in mentioned:
            if word.text not in self.states | halting:
                raise self.error(word.line, f"unknown state {word.text!r}: it has no rules and is not a halting state")

    def keys(self, of: str) -> Iterator[_Word]:
        """The keys of an object; the caller reads the value after each before the next."""
        self.take("{", f"{of} as an object")
        seen: set[str] = set()
        while self.next.text != "}":
            if seen:
                self.take(",", "a comma or the end of the object")
            key = self.word("a key")
            if key.text in seen:
                raise self.error(key.line, f"the key {key.text!r} occurs twice in {of}")
            seen.add(key.text)
            self.take(":", "a colon")
            yield key
        self.take("}", "the end of the object")

    def words(self, what: str) -> list[_Word]:
        """A list of strings."""
        self.take("[", "a list of states")
        found: list[_Word] = []
        while self.next.text != "]":
            if found:
                self.take(",", "a comma or the end of the list")
            found.append(self.word(what))
        self.take("]", "the end of the list")
        return found

    def symbol(self) -> _Word:
        """A string of one character."""
        word = self.word("a symbol")
        self.require_one_character(word)
        return word

    def require_one_character(self, word: _Word) -> None:
        """Raise unless the word can be a symbol."""
        if len(word.text) != 1:
            raise self.error(word.line, f"expected a symbol of one character, found {word.text!r}")

    def word(self, what: str) -> _Word:
        """The next token, which must be a string."""
        token = self.next
        if not token.text.startswith('"'):
            raise self.error(token.line, f"expected {what} in quotes, found {token.text or 'the end of the file'}")
        self.next = next(self.tokens)
        try:
            return _Word(json.loads(token.text), token.line)
        except json.JSONDecodeError as error:
            raise self.error(token.line, f"no JSON string: {token.text[:40]} ({error.msg})") from None

    def take(self, expected: str, what: str) -> None:
        """Step over a mark, which must be the next token."""
        if self.next.text != expected:
            raise self.error(self.next.line, f"expected {what}, found {self.next.text or 'the end of the file'}")
        self.next = next(self.tokens)

    def error(self, line: int, reason: str) -> ValueError:
        """The one line that gives the file, the line and the reason."""
        return ValueError(f"{self.source}, line {line}: {reason}")


def _tokens(text: str) -> Iterator[_Word]:
    """Strings with their quotes, and single characters between them; then the empty word, as often as it is read."""
    line = 1
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"|\s+|.', text):
        token = match.group()
        if not token.isspace():
            yield _Word(token, line)
        line += token.count("\n")
    while True:
        yield _Word("", line)
