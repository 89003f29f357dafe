"""A function as a user names it, at any length: a Python file, a task, a named formula, a DIMACS file, a regular expression.

FILE.py:NAME          a function from a list of integers to an answer (None: outside the domain), or an exact.automata.DFA, or
                      an exact.formulas.Thresholds; `alphabet(N)` in the file may give one size or N of them
TASK                  a task of seqsep; each flag is a field
FILE.npz, FILE.json   a network of causal attention without positions (`theorems.analysis.network_automaton`); any N
FILE.cnf, FILE.cnf.gz a DIMACS CNF: its variables in order are the bits, so N is their number
FILE.jff, FILE.json   a finite automaton (`theorems.analysis.automaton_file`): any N
00010111, FILE.txt    a truth table, also as a JSON list or in FILE.json (`theorems.analysis.truth_table`): one N
majority, ..          a formula of `maths.formulas` (FORMULAS), through decision diagrams: N = 64 if it is small;
                      so are equality and disjointness on bits, but with fields or an alphabet they are the tasks
(0|1)*1               a regular expression over symbols (`maths.automata.regular`): any N
"""

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from seqsep.core.interrupts import is_interrupt
from seqsep.core.names import BadInput, nearest, text_of
from seqsep.maths import formulas
from seqsep.maths.automata import diagrams, least_state, regular
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.enumeration import Tabulated, alphabet_ranges, tabulate
from seqsep.maths.automata.least_state import LeastState
from seqsep.maths.communication.rank_by_counting import MOST_COUNTED, RankByCounting, best_counted
from seqsep.models.network_file import SUFFIXES
from seqsep.models.plugins.load import PlugInFails, attribute, fault, run_file
from seqsep.tasks import BY_NAME, BoundedDyck, Task
from seqsep.tasks.base import fields_given
from seqsep.theorems.analysis.automaton_file import LetteredAutomaton, automaton_of, is_automaton, read_automaton_file
from seqsep.theorems.analysis.formula_file import ENDINGS, read_formula
from seqsep.theorems.analysis.json_file import small_json
from seqsep.theorems.analysis.network_automaton import explored
from seqsep.theorems.analysis.truth_table import answers_in, answers_of, function_of, looks_like_answers, read_answers, sizes_of

FORMULAS: dict[str, Callable[[int], formulas.Thresholds]] = {
    "disjointness": formulas.disjointness,
    "equality": formulas.equality,
    "majority": formulas.majority,
}
MOST_LENGTH = 4096
MOST_SHOWN = 40
"""Characters of a truth table that are its name."""
FEWEST_COUNTED = 11
MOST_ENUMERATED = 1 << 20  # words of Dyck languages, which have an automaton

Function: TypeAlias = Callable[[list[int]], int | None]
Fields: TypeAlias = Mapping[str, int | float | str]


@dataclass(frozen=True)
class FunctionAtLength:
    """A function at one length: all its answers, or its least automaton if there are too many inputs to enumerate.

    `halves` is the rank of a formula's matrix for its two halves, counted in the order of `folded_places`, if that takes few
    states; a formula may have only this.
    """

    symbols: tuple[range, ...]
    table: Tabulated | None
    least: LeastState | None
    call: Function | None = None
    halves: RankByCounting | None = None


@dataclass(frozen=True)
class NamedFunction:
    """A function under its name, at any length.

    `length` is set if it has one length only. `automaton` builds the automaton that gives its answers at every length, if the
    function is given by one; `letters` are the names of its symbols, if they have other names. A Python function has `call`,
    its answer to one word, and `sizes_at`, the sizes of its alphabets at each position of a length.
    """

    name: str
    kind: str
    at: Callable[[int], FunctionAtLength]
    length: int | None = None
    automaton: Callable[[], DFA] | None = None
    letters: tuple[str, ...] | None = None
    call: Function | None = None
    sizes_at: Callable[[int], tuple[int, ...]] | None = None


def resolve(
    target: str,
    alphabet: Sequence[int] | None = None,
    given: Fields | None = None,
    is_regular: bool = False,
) -> NamedFunction:
    """Find the function of this name; `given` are fields of a task, `is_regular` asks for a regular expression.

    Raises ValueError that says what was expected, FileNotFoundError for a missing file.

    >>> resolve("(01)*").kind, resolve("majority").kind, resolve("index-lookup", [3]).kind
    ('regular expression', 'formula', 'task')
    """
    dashed = target.replace("_", "-")
    if not is_regular and dashed in BY_NAME and not _is_formula(target, alphabet, given):
        return _of_task(BY_NAME[dashed], alphabet, given)
    function = _without_fields(target, alphabet, is_regular)
    if given:
        raise ValueError(f"{target}: unknown option --{next(iter(given)).replace('_', '-')}; only tasks have fields")
    return function


def _without_fields(target: str, alphabet: Sequence[int] | None, is_regular: bool) -> NamedFunction:
    """Find any function except a task."""
    path, colon, name = target.rpartition(":")
    if is_regular:
        return _of_expression(target, alphabet)
    if colon and path.endswith(".py"):
        return _of_file(target, Path(path), name, alphabet)
    if target.endswith(".py"):
        raise ValueError(f"{target}: expected the name of a function as well, as in {target}:function")
    if target.endswith(ENDINGS):
        formula = read_formula(Path(target))
        _require_bits(target, alphabet)
        return NamedFunction(target, "DIMACS", lambda length: _formula_at(formula, target, length), formula.variables)
    if target.endswith(".jff"):
        return _of_automaton(target, read_automaton_file(Path(target)), alphabet)
    if target.endswith(".txt"):
        return _of_answers(target, read_answers(Path(target)), alphabet)
    if Path(target).suffix in SUFFIXES:
        return _of_json(target, alphabet) or _of_network(target, alphabet)
    if target in FORMULAS:
        _require_bits(target, alphabet)
        return NamedFunction(target, "formula", lambda length: _formula_at(FORMULAS[target](length), target, length))
    if looks_like_answers(target):
        return _of_answers(target, answers_in(target, "truth table"), alphabet)
    if regular.looks_regular(target):
        return _of_expression(target, alphabet)
    expression = "a regular expression (with --regex, if it has no operator)"
    named = f"a task of `seqsep list tasks`, or {', '.join(FORMULAS)}{nearest(target, [*BY_NAME, *FORMULAS])}"
    files = "FILE.py:function, FILE.cnf, a network's or an automaton's FILE.json, FILE.jff, a truth table"
    raise ValueError(f"{target}: expected {files}, {expression}, {named}")


def _is_formula(target: str, alphabet: Sequence[int] | None, given: Fields | None) -> bool:
    """Equality and disjointness are tasks too, with a separator: those are meant if a field or another alphabet is given."""
    return target in FORMULAS and not given and (alphabet is None or set(alphabet) == {2})


def of_function(function: Function, name: str, alphabet: Sequence[int] | Callable[[int], Any] | None = None) -> NamedFunction:
    """A plain function; `alphabet`: one size, one a position, or a function of N that gives one of these; by default 2.

    >>> of_function(lambda word: max(word), "greatest", [3]).at(2).least.classes_by_split
    [1, 3, 3]
    """

    def call(word: list[int]) -> int | None:
        with contextlib.redirect_stdout(sys.stderr):
            return function(word)

    def sizes_at(length: int) -> tuple[int, ...]:
        with contextlib.redirect_stdout(sys.stderr):
            return sizes(alphabet, length, name)

    def at(length: int) -> FunctionAtLength:
        symbols = alphabet_ranges(sizes_at(length))
        with contextlib.redirect_stdout(sys.stderr):
            table = tabulate(function, symbols, name)
        return _tabulated_at(table, call)

    return NamedFunction(name, "function", at, call=call, sizes_at=sizes_at)


def _tabulated_at(table: Tabulated, call: Function) -> FunctionAtLength:
    least = least_state.of_table(table) if table.total else None
    return FunctionAtLength(table.symbols, table, least, call)


def sizes(alphabet: Sequence[int] | Callable[[int], Any] | None, length: int, name: str) -> tuple[int, ...]:
    """The size of the alphabet at each of N positions. Raises ValueError for sizes that do not fit.

    >>> sizes([3], 4, "mine"), sizes(lambda n: [2] * (n - 1) + [n], 3, "mine")
    ((3, 3, 3, 3), (2, 2, 3))
    """
    where = f"{name}: --alphabet"
    if callable(alphabet):
        where = f"{name}: alphabet({length})"
        alphabet = _asked(alphabet, length, where)
    chosen = tuple(alphabet) if alphabet is not None else (2,)
    if len(chosen) == 1:
        chosen *= length
    if len(chosen) != length:
        raise ValueError(f"{where}: expected one size or {length}, one a position, for length {length}, found {len(chosen)}")
    if min(chosen, default=1) < 1:
        raise ValueError(f"{where}: expected sizes from 1, found {min(chosen)}")
    return chosen


def _asked(alphabet: Callable[[int], Any], length: int, where: str) -> list[int]:
    """Return what a user's `alphabet(N)` answers, as a list of sizes."""
    try:
        answer = alphabet(length)
    except PlugInFails as failure:
        raise ValueError(f"{where}: expected one size or {length}, found an error: {failure}") from failure
    except (Exception, SystemExit) as error:
        raise ValueError(f"{where}: expected one size or {length}, found {type(error).__name__}: {text_of(error)}") from error
    if isinstance(answer, int) and not isinstance(answer, bool):
        return [answer]
    if isinstance(answer, list | tuple) and answer and all(isinstance(size, int) for size in answer):
        return list(answer)
    raise ValueError(f"{where}: expected one size or {length}, found {str(answer)[:60]!r}")


def _of_file(target: str, path: Path, name: str, alphabet: Sequence[int] | None) -> NamedFunction:
    module = run_file(path)
    value = attribute(module, path, name)
    if isinstance(value, DFA):
        return NamedFunction(target, "automaton", lambda length: _automaton_at(value, length), automaton=lambda: value)
    if not callable(value) and is_automaton(value):
        return _of_automaton(target, automaton_of(value, target), alphabet)
    if isinstance(value, formulas.Thresholds):
        return NamedFunction(target, "formula", lambda length: _formula_at(value, target, length), value.variables)
    if not callable(value):
        kind = "nothing of that name" if value is None else f"a {type(value).__name__}"
        raise ValueError(f"{target}: expected a function {name}(sequence) in {path}, found {kind}")
    own = attribute(module, path, "alphabet")
    asked = _naming_its_line(own, path) if alphabet is None and callable(own) else alphabet
    return of_function(_naming_its_line(value, path), target, asked)


def _naming_its_line(function: Callable[[Any], Any], path: Path) -> Callable[[Any], Any]:
    """The user's function; what it raises names the file and its line."""

    def call(argument: Any) -> Any:
        try:
            return function(argument)
        except BaseException as error:  # GeneratorExit, SystemExit, or a class of the user's own
            if is_interrupt(error):
                raise
            raise fault(error, path) from error

    return call


def _of_expression(target: str, alphabet: Sequence[int] | None) -> NamedFunction:
    if alphabet is not None and len(alphabet) != 1:
        raise ValueError(f"{target}: a regular expression takes one size of alphabet, found {len(alphabet)}")
    dfa = regular.automaton(target, None if alphabet is None else alphabet[0])
    return NamedFunction(target, "regular expression", lambda length: _automaton_at(dfa, length), automaton=lambda: dfa)


def _of_json(target: str, alphabet: Sequence[int] | None) -> NamedFunction | None:
    """Return the truth table or the automaton in a JSON file; None for another file."""
    data = small_json(Path(target))
    if isinstance(data, list | str):
        return _of_answers(target, answers_of(data, target), alphabet)
    return _of_automaton(target, automaton_of(data, target), alphabet) if is_automaton(data) else None


def _of_answers(target: str, answers: list[int | None], alphabet: Sequence[int] | None) -> NamedFunction:
    """Return the function of a truth table; its length is the number of positions."""
    name = target if len(target) <= MOST_SHOWN else f"{target[: MOST_SHOWN - 2]}.."
    sizes_here = sizes_of(answers, alphabet, name)
    named = of_function(function_of(answers, sizes_here), name, sizes_here)

    def at(length: int) -> FunctionAtLength:
        if length != len(sizes_here):
            raise BadInput(f"{name}: expected length {len(sizes_here)}, that of its inputs, found {length}")
        return named.at(length)

    return NamedFunction(name, "truth table", at, len(sizes_here))


def _of_automaton(target: str, lettered: LetteredAutomaton, alphabet: Sequence[int] | None) -> NamedFunction:
    dfa = lettered.automaton
    if alphabet is not None and list(alphabet) != [len(lettered.letters)]:
        found = ",".join(map(str, alphabet))
        raise BadInput(f"{target}: expected --alphabet {len(lettered.letters)}, as in the automaton, found {found}")
    at = partial(_automaton_at, dfa)
    return NamedFunction(target, "automaton", at, automaton=lambda: dfa, letters=lettered.letters)


def _of_network(target: str, alphabet: Sequence[int] | None) -> NamedFunction:
    dfa = explored(target).automaton
    letters = dfa.table.shape[1]
    if alphabet is not None and list(alphabet) != [letters]:
        raise ValueError(f"{target}: expected --alphabet {letters}, as in the network, found {','.join(map(str, alphabet))}")
    return NamedFunction(target, "network", lambda length: _automaton_at(dfa, length), automaton=lambda: dfa)


def _automaton_at(dfa: DFA, length: int) -> FunctionAtLength:
    symbols = alphabet_ranges([dfa.table.shape[1]] * length)
    return FunctionAtLength(symbols, None, least_state.of_automaton(dfa, length))


def _formula_at(formula: formulas.Thresholds, name: str, length: int) -> FunctionAtLength:
    if length != formula.variables:
        raise ValueError(f"{name}: expected length {formula.variables}, its number of variables, found {length}")
    symbols = alphabet_ranges([2] * length)
    halves = None
    if FEWEST_COUNTED <= length <= MOST_COUNTED:
        with contextlib.suppress(diagrams.TooManyNodes):
            places = folded_places(length)
            halves = best_counted(diagrams.read_in(formula, places, name), places, [tuple(range(length // 2))])
    least = None
    if halves is None or 2 * halves.rank <= diagrams.MOST_NODES:  # a node for each prefix after N/2 bits, as many before
        try:
            least = diagrams.of_formula(formula, name)
        except diagrams.TooManyNodes:
            if halves is None:
                raise
    return FunctionAtLength(symbols, None, least, halves=halves)


def folded_places(length: int) -> tuple[int, ...]:
    """The positions of two halves in turn, counted from 0: the first, the first of the second half, the second, ..

    >>> folded_places(5)
    (0, 3, 1, 4, 2)
    """
    half = -(-length // 2)
    return tuple(place for first in range(half) for place in (first, first + half) if place < length)


def _require_bits(name: str, alphabet: Sequence[int] | None) -> None:
    if alphabet is not None and set(alphabet) != {2}:
        raise ValueError(f"{name}: a formula has bits, alphabet 2, found --alphabet {','.join(map(str, alphabet))}")


def _of_task(kind: type[Task], alphabet: Sequence[int] | None, given: Fields | None) -> NamedFunction:
    """Return the task's answers at every length; flags give only its other fields."""
    flags = dict(given or {})
    known = [field.name for field in fields(kind) if field.name != "length"]
    if alphabet is not None:
        if "alphabet" not in known or len(alphabet) != 1:
            raise ValueError(f"{kind.name}: expected {', '.join(known)} as flags, found --alphabet with {len(alphabet)} sizes")
        flags["alphabet"] = alphabet[0]
    if unknown := set(flags) - set(known):
        raise ValueError(f"{kind.name}: expected {', '.join(known)} as flags, found --{min(unknown).replace('_', '-')}")
    chosen = fields_given(kind, flags)

    def at(length: int) -> FunctionAtLength:
        task = _at_next_admissible_length(kind, length, chosen)
        if isinstance(task, BoundedDyck) and task.vocabulary**length > MOST_ENUMERATED:
            return _automaton_at(_of_stacks(task), length)
        function = task.function(length)

        def call(word: list[int]) -> int | None:
            return function(tuple(word))

        return _tabulated_at(tabulate(call, task.alphabets(length), f"{kind.name} at length {length}"), call)

    dyck = _at_next_admissible_length(kind, 1, chosen) if kind is BoundedDyck else None
    automaton = (lambda: _of_stacks(dyck)) if isinstance(dyck, BoundedDyck) else None
    return NamedFunction(kind.name, "task", at, automaton=automaton)


def _of_stacks(task: BoundedDyck) -> DFA:
    """Return the automaton of the bracket words, whose states are the stacks of open brackets."""
    from seqsep.theorems.bounded_dyck.state import build  # brings torch

    return build(task.kinds, task.depth)


def _at_next_admissible_length(kind: type[Task], length: int, given: Fields) -> Task:
    """The task of this length, or of the next if it has no examples of this one.

    There are no Dyck words of odd length, for instance; but the answers are defined at every length.
    """
    try:
        return kind(length=length, **given)
    except ValueError:
        return kind(length=length + 1, **given)
