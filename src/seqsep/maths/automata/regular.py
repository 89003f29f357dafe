r"""Regular expressions over symbols as minimal DFAs, by the positions of their symbols.

Syntax: that of Python's `re` for a match of the complete word. A digit 0 .. 9 is that symbol, and a letter a .. z is symbol
10 .. 35. `.` is any symbol, [013] and [0-3] are one of those, [^01] is any other one, \d is 0 to 9, \D a letter and \w any
symbol. Juxtaposition is concatenation, | is union, ( ) and (?: ) group, and * + ? {n} {n,} {,m} {n,m} repeat, with ? after
them or not. ^ is read at the beginning and $ at the end. Blanks are skipped. Look-ahead, look-behind, back-references,
possessive repeats, flags and word boundaries are refused.

Source: Glushkov 1961, "The abstract theory of automata"; McNaughton and Yamada 1960. Each symbol of the expression, repeats
written out, is a position. A state is the set of positions that may be read next, the end among them; the word that was read
matches if the end is. After a symbol come the positions that may follow one of those that it matches.
"""

from dataclasses import dataclass, field

import numpy as np

from seqsep.core.names import excerpt
from seqsep.maths.automata._pattern import SYMBOLS, Expression, Tree
from seqsep.maths.automata.automata import DFA

SPECIAL = "()[]{}*+?|.^$-, \\:=!<>DW"
MOST_CHARACTERS = 10_000
MOST_STATES = 4096
MOST_STEPS = 1 << 20


def looks_regular(text: str) -> bool:
    """Return True if a text may be meant as a regular expression: only characters of the syntax, and an operator among them.

    >>> looks_regular("(01)*"), looks_regular("bounded-dyck")
    (True, False)
    """
    return bool(text) and set(text) <= set(SYMBOLS + SPECIAL) and bool(set(text) & set("()[]{}*+?|\\$^"))


def automaton(pattern: str, alphabet: int | None = None) -> DFA:
    """The minimal DFA of the words that match, over 0 .. alphabet - 1; by default as many symbols as are used, at least 2.

    Raises ValueError, with the place, for a pattern that cannot be read; for more than 10,000 characters, 4,096 symbols with
    repeats written out, 4,096 states, or 1,048,576 steps from a position of a state to those after it; and for groups or
    repeats more than 50 deep.

    >>> automaton("(0|1 0* 1)*").table.tolist()  # an even number of ones
    [[0, 1], [1, 0]]
    """
    name = f"regular expression {excerpt(pattern)!r}"
    if len(pattern) > MOST_CHARACTERS:
        raise ValueError(f"{name}: expected at most {MOST_CHARACTERS:,} characters, found {len(pattern):,}")
    if alphabet is not None and not 1 <= alphabet <= len(SYMBOLS):
        raise ValueError(f"{name}: expected an alphabet of 1 to {len(SYMBOLS)} symbols, found {alphabet}")
    expression = Expression(pattern, alphabet)
    size = expression.size
    tree = expression.whole()
    end = 1 << tree.positions
    positions = _Positions(size)
    queue = [positions.enter(tree, end)]
    number = {queue[0]: 0}
    rows = []
    steps = 0
    for state in queue:
        reads = [state & matched for matched in positions.matched]
        steps += sum(read.bit_count() for read in set(reads))
        if steps > MOST_STEPS:
            raise ValueError(f"{name}: more than {MOST_STEPS:,} steps between its symbols")
        behind = {read: positions.behind(read) for read in set(reads)}
        for read in reads:
            if behind[read] not in number:
                number[behind[read]] = len(number)
                queue.append(behind[read])
        if len(number) > MOST_STATES:
            raise ValueError(f"{name}: more than {MOST_STATES:,} states")
        rows.append([number[behind[read]] for read in reads])
    table = np.array(rows, dtype=np.int64)
    return DFA(table, 0, np.array([bool(state & end) for state in queue])).minimal()


@dataclass
class _Positions:
    """The positions of an expression, as bits of whole numbers, in the reverse order of the text.

    matched[s] are those that symbol s matches, and following[p] are those that may be read after p.
    """

    size: int
    matched: list[int] = field(init=False)
    following: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.matched = [0] * self.size

    def behind(self, read: int) -> int:
        """The positions that may be read after one of those that were read."""
        bits = bin(read)[:1:-1]
        after = 0
        position = bits.find("1")
        while position >= 0:
            after |= self.following[position]
            position = bits.find("1", position + 1)
        return after

    def enter(self, tree: Tree, after: int) -> int:
        """Number the positions of a tree before `after`; return those that may be read first, `after` if it may be empty."""
        if tree.kind == "symbols":
            position = 1 << len(self.following)
            self.following.append(after)
            for symbol in tree.symbols:
                self.matched[symbol] |= position
            return position
        if tree.kind == "or":
            first = 0
            for part in tree.parts:
                first |= self.enter(part, after)
            return first
        if tree.kind == "repeat":
            return self._enter_repeated(tree, after)
        for part in reversed(tree.parts):
            after = self.enter(part, after)
        return after

    def _enter_repeated(self, tree: Tree, after: int) -> int:
        """Copies from the last to the first. The last of a repetition without end may also be followed by itself."""
        part = tree.parts[0]
        loops = tree.most is None
        if loops:
            entered = self.enter(part, after | _first(part, len(self.following)))
            after = entered | after if tree.least == 0 else entered
        optional = 0 if tree.most is None else tree.most - tree.least
        for copy in range(tree.copies - loops):
            entered = self.enter(part, after)
            after = entered | after if copy < optional else entered
        return after


def _first(tree: Tree, begun: int) -> int:
    """The positions of a tree that may be read first, if `_Positions` numbers them from `begun`."""
    if tree.kind == "symbols":
        return 1 << begun
    parts = tree.parts if tree.kind == "or" else tree.parts[::-1]
    if tree.kind == "repeat":
        parts *= tree.copies
    firsts = []
    for part in parts:
        firsts.append(_first(part, begun))
        begun += part.positions
    if tree.kind == "or":
        return sum(firsts)
    first = 0
    for mask, part in zip(reversed(firsts), reversed(parts), strict=True):
        first |= mask
        if not part.has_empty_word and not (tree.kind == "repeat" and tree.least == 0):
            break
    return first
