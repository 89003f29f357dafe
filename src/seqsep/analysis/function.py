"""A function as a user names it, at any length: a Python file, a task, a named formula, a DIMACS file, a regular expression.

FILE.py:NAME          a function from a list of integers to an answer (None: outside the domain), or an exact.automata.DFA, or
                      an exact.formulas.Thresholds; `alphabet(N)` in the file may give one size or N of them
TASK                  a task of seqsep; a flag a field
FILE.cnf              a DIMACS CNF: its variables in order are the bits, so N is their number
majority, ..          a formula of `exact.formulas` (FORMULAS), through decision diagrams: N = 64 where the diagram is small;
                          so are equality and disjointness on bits, but with fields or an alphabet they are the tasks
(0|1)*1               a regular expression over digits (`exact.regular`): any N
"""

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import Any

from seqsep.exact import diagrams, formulas, least_state, regular
from seqsep.exact.automata import DFA
from seqsep.exact.enumeration import Tabulated, alphabet_ranges, tabulate
from seqsep.exact.least_state import LeastState
from seqsep.tasks import BY_NAME, Task
from seqsep.tasks.base import fields_given

FORMULAS: dict[str, Callable[[int], formulas.Thresholds]] = {
    "disjointness": formulas.disjointness,
    "equality": formulas.equality,
    "majority": formulas.majority,
}
MOST_LENGTH = 4096

Function = Callable[[list[int]], int | None]


@dataclass(frozen=True)
class Instance:
    """The function at one length: all its answers, or its least automaton where there are too many inputs."""

    symbols: tuple[range, ...]
    table: Tabulated | None
    least: LeastState | None
    call: Function | None = None


@dataclass(frozen=True)
class Given:
    """A function under its name; `length` is set where there is only one."""

    name: str
    kind: str
    at: Callable[[int], Instance]
    length: int | None = None


def resolve(
    target: str,
    alphabet: Sequence[int] | None = None,
    given: Mapping[str, int | float | str] | None = None,
    is_regular: bool = False,
) -> Given:
    """The function that a name stands for. Raises ValueError with what was expected, FileNotFoundError for a missing file."""
    given = dict(given or {})
    path, colon, name = target.rpartition(":")
    if not is_regular and colon and path.endswith(".py"):
        found = _from_file(target, Path(path), name, alphabet)
    elif not is_regular and target.endswith(".py"):
        raise ValueError(f"{target}: expected the name of a function as well, as in {target}:function")
    elif not is_regular and target.endswith((".cnf", ".dimacs")):
        formula = formulas.read_dimacs(Path(target))
        _require_bits(target, alphabet)
        found = Given(target, "DIMACS", lambda length: _of_formula(formula, target, length), formula.variables)
    elif not is_regular and (dashed := target.replace("_", "-")) in BY_NAME and not _is_formula(target, alphabet, given):
        return _of_task(BY_NAME[dashed], alphabet, given)
    elif not is_regular and target in FORMULAS:
        _require_bits(target, alphabet)
        found = Given(target, "formula", lambda length: _of_formula(FORMULAS[target](length), target, length))
    elif is_regular or regular.looks_regular(target):
        if alphabet is not None and len(alphabet) != 1:
            raise ValueError(f"{target}: a regular expression takes one size of alphabet, found {len(alphabet)}")
        dfa = regular.automaton(target, None if alphabet is None else alphabet[0])
        found = Given(target, "regular expression", lambda length: _of_automaton(dfa, length))
    else:
        known = ", ".join([*BY_NAME, *FORMULAS])
        raise ValueError(f"{target}: expected FILE.py:function, FILE.cnf, a regular expression, or one of {known}")
    if given:
        raise ValueError(f"{target}: unknown option --{next(iter(given)).replace('_', '-')}; only tasks have fields")
    return found


def _is_formula(target: str, alphabet: Sequence[int] | None, given: Mapping[str, int | float | str]) -> bool:
    """Equality and disjointness are tasks too, with a separator: those are meant where a field or another alphabet is given."""
    return target in FORMULAS and not given and (alphabet is None or set(alphabet) == {2})


def of_function(function: Function, name: str, alphabet: Sequence[int] | Callable[[int], Any] | None = None) -> Given:
    """A plain function; `alphabet`: one size, one a position, or a function of N that gives one of these; by default 2."""

    def call(word: list[int]) -> int | None:
        with contextlib.redirect_stdout(sys.stderr):
            return function(word)

    def at(length: int) -> Instance:
        symbols = alphabet_ranges(sizes(alphabet, length, name))
        with contextlib.redirect_stdout(sys.stderr):
            table = tabulate(function, symbols, name)
        return Instance(symbols, table, least_state.of_table(table) if table.total else None, call)

    return Given(name, "function", at)


def sizes(alphabet: Sequence[int] | Callable[[int], Any] | None, length: int, name: str) -> tuple[int, ...]:
    """The size of the alphabet at each of N positions. Raises ValueError where they do not fit."""
    where = f"{name}: --alphabet"
    if callable(alphabet):
        where = f"{name}: alphabet({length})"
        try:
            found = alphabet(length)
        except Exception as error:
            raise ValueError(f"{where}: expected one size or {length}, found {type(error).__name__}: {error}") from error
        whole = isinstance(found, int) and not isinstance(found, bool)
        alphabet = [found] if whole else list(found) if isinstance(found, list | tuple) else []
        if not alphabet or not all(isinstance(size, int) for size in alphabet):
            raise ValueError(f"{where}: expected one size or {length}, found {str(found)[:60]!r}")
    chosen = tuple(alphabet) if alphabet is not None else (2,)
    if len(chosen) == 1:
        chosen *= length
    if len(chosen) != length:
        raise ValueError(f"{where}: expected one size or {length}, one a position, for length {length}, found {len(chosen)}")
    if min(chosen, default=1) < 1:
        raise ValueError(f"{where}: expected sizes from 1, found {min(chosen)}")
    return chosen


def _from_file(target: str, path: Path, name: str, alphabet: Sequence[int] | None) -> Given:
    module = _load(path)
    found = getattr(module, name, None)
    if isinstance(found, DFA):
        return Given(target, "automaton", lambda length: _of_automaton(found, length))
    if isinstance(found, formulas.Thresholds):
        return Given(target, "formula", lambda length: _of_formula(found, target, length), found.variables)
    if not callable(found):
        kind = "nothing of that name" if found is None else f"a {type(found).__name__}"
        raise ValueError(f"{target}: expected a function {name}(sequence) in {path}, found {kind}")
    own = getattr(module, "alphabet", None)
    return of_function(found, target, own if alphabet is None and callable(own) else alphabet)


def _load(path: Path) -> ModuleType:
    """Trusted Python, run once; what it prints goes to stderr. Its folder is searched for what it imports."""
    name = f"seqsep given {path.resolve()}"
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise FileNotFoundError(2, "no such file", str(path))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise ValueError(f"{path}: expected a Python file that loads, found {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    return module


def _of_automaton(dfa: DFA, length: int) -> Instance:
    symbols = alphabet_ranges([dfa.table.shape[1]] * length)
    return Instance(symbols, None, least_state.of_automaton(dfa, length))


def _of_formula(formula: formulas.Thresholds, name: str, length: int) -> Instance:
    if length != formula.variables:
        raise ValueError(f"{name}: expected length {formula.variables}, its number of variables, found {length}")
    return Instance(alphabet_ranges([2] * length), None, diagrams.of_formula(formula, name))


def _require_bits(name: str, alphabet: Sequence[int] | None) -> None:
    if alphabet is not None and set(alphabet) != {2}:
        raise ValueError(f"{name}: a formula has bits, alphabet 2, found --alphabet {','.join(map(str, alphabet))}")


def _of_task(kind: type[Task], alphabet: Sequence[int] | None, given: dict[str, int | float | str]) -> Given:
    """The task's answers at every length; only its other fields come from flags."""
    known = [field.name for field in fields(kind) if field.name != "length"]
    if alphabet is not None:
        if "alphabet" not in known or len(alphabet) != 1:
            raise ValueError(f"{kind.name}: expected {', '.join(known)} as flags, found --alphabet with {len(alphabet)} sizes")
        given["alphabet"] = alphabet[0]
    if unknown := set(given) - set(known):
        raise ValueError(f"{kind.name}: expected {', '.join(known)} as flags, found --{min(unknown).replace('_', '-')}")
    given = fields_given(kind, given)

    def at(length: int) -> Instance:
        task = _even(kind, length, given)
        symbols, function = task.alphabets(length), task.function(length)
        call: Function = lambda word: function(tuple(word))  # noqa: E731
        table = tabulate(call, symbols, f"{kind.name} at length {length}")
        return Instance(symbols, table, least_state.of_table(table) if table.total else None, call)

    return Given(kind.name, "task", at)


def _even(kind: type[Task], length: int, given: Mapping[str, int | float | str]) -> Task:
    """The task, whose answers are defined at every length, also at those of which it has no examples (odd Dyck words)."""
    try:
        return kind(length=length, **given)
    except ValueError:
        return kind(length=length + 1, **given)
