"""Turing machines in two notations of others: the line of bbchallenge, and the YAML of turingmachine.io.

    1RB1LB_1LA1RZ     a group of rules for each state A, B, ..; a rule has the symbol to write, the move and the next state;
                      --- is no rule, and a state without a group halts

    blank: '0'        in YAML; a state has a rule for each symbol, or for a list of them
    start state: A
    table:
      A:
        0: {write: 1, L: B}
        [1, 2]: R
      B:

A rule without `write` writes what it read, and one without a state stays in its state. The state B has no rules, so it halts.
"""

import re
from collections.abc import Iterator
from typing import Any

from seqsep.core.names import BadInput, excerpt
from seqsep.theorems.turing_machine._machine import MOVES, Machine, Rule

LINE = re.compile(r"(?:(?:[0-9][LR][A-Z]|---)+)(?:_(?:[0-9][LR][A-Z]|---)+)*", re.ASCII)
RULE = 3
STATES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_YAML = 1 << 16


def is_line(text: str) -> bool:
    """Return True for bbchallenge's line of a machine.

    >>> is_line("1RB1LB_1LA1RZ\\n"), is_line("busy-beaver-3")
    (True, False)
    """
    return LINE.fullmatch(text.strip()) is not None


def of_line(text: str, source: str) -> Machine:
    """Return the machine of bbchallenge's line; its blank is 0.

    Raises BadInput for groups of different sizes, more than 26 of them, and symbols of which there is no rule.

    >>> machine = of_line("1RB1LB_1LA1RZ", "the machine")
    >>> machine.halt, machine.rules["B", "1"]
    (('Z',), Rule(state='Z', write='1', move=1))
    """
    groups = text.strip().split("_")
    symbols = len(groups[0]) // RULE
    if len(groups) > len(STATES) or symbols > 10 or {len(group) for group in groups} != {RULE * symbols}:
        sizes = ", ".join(str(len(group) // RULE) for group in groups[:8])
        raise BadInput(f"{source}: expected up to 26 states with as many rules each, at most 10, found {sizes} rules")
    rules = {}
    for state, group in zip(STATES, groups, strict=False):
        for symbol in range(symbols):
            write, move, target = tuple(group[RULE * symbol : RULE * (symbol + 1)])
            if write == "-":
                continue
            if int(write) >= symbols:
                raise BadInput(f"{source}: state {state}: expected symbols 0 to {symbols - 1}, found {write}")
            rules[state, str(symbol)] = Rule(target, write, MOVES[move])
    states = set(STATES[: len(groups)])
    halt = tuple(sorted({rule.state for rule in rules.values()} - states))
    return Machine("A", halt, "0", rules)


def of_yaml(text: str, source: str) -> Machine:
    """Return the machine of turingmachine.io's YAML. Raises BadInput, with the line, for a text that has another form."""
    try:
        import yaml  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise BadInput(f"{source}: the package pyyaml is missing, which reads YAML: pip install pyyaml") from None
    if len(text) > MOST_YAML:
        raise BadInput(f"{source}: expected at most {MOST_YAML:,} characters of YAML, found {len(text):,}")
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = source if mark is None else f"{source}, line {mark.line + 1}"
        raise BadInput(f"{where}: expected YAML, found {getattr(error, 'problem', None) or type(error).__name__}") from error
    return _Yaml(source).machine(root)


class _Yaml:
    """Takes a machine from the nodes of a YAML text; an error names the line of the node."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.rules: dict[tuple[str, str], Rule] = {}
        self.synonyms: dict[str, Any] = {}
        self.mentioned: list[tuple[str, Any]] = []

    def machine(self, root: Any) -> Machine:
        """Return the machine of the whole text."""
        fields = dict(self.pairs(root, "a machine with blank, start state and table"))
        for name in ("blank", "start state", "table"):
            if name not in fields:
                raise self.error(root, f"expected the fields blank, start state and table, found no {name}")
        if "synonyms" in fields:
            self.synonyms = dict(self.pairs(fields["synonyms"], "rules by their names"))
        states = dict(self.pairs(fields["table"], "rules by their states"))
        for state, node in states.items():
            self.read_state(state, node)
        start = self.text(fields["start state"], "a state")
        for target, node in [(start, fields["start state"]), *self.mentioned]:
            if target not in states:
                raise self.error(node, f"expected a state of the table, found {excerpt(target)!r}")
        with_rules = {state for state, _ in self.rules}
        return Machine(start, tuple(sorted(set(states) - with_rules)), self.symbol(fields["blank"]), self.rules)

    def read_state(self, state: str, node: Any) -> None:
        """Read the rules of one state; an empty one halts."""
        if node.id == "scalar" and not node.value:
            return
        if node.id != "mapping":
            raise self.error(
                node, f"expected rules by their symbols for the state {excerpt(state)!r}, found {self.found(node)}"
            )
        for key, rule in node.value:
            for one in key.value if key.id == "sequence" else [key]:
                symbol = self.symbol(one)
                if (state, symbol) in self.rules:
                    raise self.error(one, f"expected one rule for each symbol, found a second one for {symbol!r}")
                self.rules[state, symbol] = self.rule(rule, state, symbol)

    def rule(self, node: Any, state: str, symbol: str) -> Rule:
        """Return a rule: L or R, the name of a synonym, or {write: SYMBOL, L: STATE}."""
        if node.id == "scalar" and node.value in self.synonyms:
            node = self.synonyms[node.value]
        if node.id == "scalar" and node.value in ("L", "R"):
            return Rule(state, symbol, MOVES[node.value])
        parts = dict(self.pairs(node, "a rule such as R or {write: 1, L: B}"))
        moves = [name for name in parts if name in ("L", "R")]
        if len(moves) != 1 or set(parts) - {"write", "L", "R"}:
            raise self.error(node, f"expected a rule such as R or {{write: 1, L: B}}, found {excerpt(', '.join(parts))}")
        target = self.text(parts[moves[0]], "a state") or state
        self.mentioned.append((target, node))
        return Rule(target, self.symbol(parts["write"]) if "write" in parts else symbol, MOVES[moves[0]])

    def pairs(self, node: Any, expected: str) -> Iterator[tuple[str, Any]]:
        """Yield the names and nodes of a mapping. Raises BadInput for another node, and for a name that occurs twice."""
        if node is None or node.id != "mapping":
            raise self.error(node, f"expected {expected}, found {self.found(node)}")
        seen: set[str] = set()
        for key, value in node.value:
            name = self.text(key, "a name")
            if name in seen:
                raise self.error(key, f"expected each name once, found {excerpt(name)!r} again")
            seen.add(name)
            yield name, value

    def symbol(self, node: Any) -> str:
        """Return a symbol of one character."""
        symbol = self.text(node, "a symbol")
        if len(symbol) != 1:
            raise self.error(node, f"expected a symbol of one character, found {excerpt(symbol)!r}")
        return symbol

    def text(self, node: Any, expected: str) -> str:
        """Return the text of a scalar."""
        if node.id != "scalar":
            raise self.error(node, f"expected {expected}, found {self.found(node)}")
        return str(node.value)

    def found(self, node: Any) -> str:
        """Return the kind of a node, for an error."""
        if node is None:
            return "an empty text"
        return {"scalar": f"{excerpt(str(node.value))!r}", "sequence": "a list"}.get(node.id, "a mapping")

    def error(self, node: Any, reason: str) -> BadInput:
        """Return the error with the line of a node."""
        return BadInput(
            f"{self.source}: {reason}" if node is None else f"{self.source}, line {node.start_mark.line + 1}: {reason}"
        )
