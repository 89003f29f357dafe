"""The run of a Turing machine with a retriever: its tokens, what it writes, and what the retriever finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int64

from seqsep.tasks.retriever import Query, Retriever
from seqsep.theorems.turing_machine._machine import Configuration, Machine, simulate

MARKS = ("<s>", "[", "]", "FAILED")


@dataclass(frozen=True)
class RunTokens:
    """The tokens of a machine with S symbols for T steps.

    Configuration (q, c) is S q + c. Then come the symbols, [BOS], [, ], FAILED, and the cells -T .. T, where 0 is the first
    cell of the input. Their texts are q1s0, x0 and <s>. The cells from the first one on are 1, 2, .., and those to its left
    are m0, m1, ...

    >>> tokens = RunTokens(Machine("A", (), "_", {}), steps=2)
    >>> tokens.texts
    ('q0s0', 'x0', '<s>', '[', ']', 'FAILED', 'm1', 'm0', '1', '2', '3')
    """

    machine: Machine
    steps: int

    @property
    def configurations(self) -> int:
        """Q S, the number of configurations."""
        return len(self.machine.states) * len(self.machine.symbols)

    @property
    def begin(self) -> int:
        """The token [BOS]."""
        return self.configurations + len(self.machine.symbols)

    @property
    def opens(self) -> int:
        """The token [ that begins a query."""
        return self.begin + 1

    @property
    def closes(self) -> int:
        """The token ] that ends a query."""
        return self.begin + 2

    @property
    def failed(self) -> int:
        """The token FAILED, which is found if nothing matches."""
        return self.begin + 3

    @property
    def cells(self) -> Int64[np.ndarray, "cells"]:
        """The cells that the head may reach, in the order of their tokens."""
        return np.arange(-self.steps, self.steps + 1)

    @property
    def count(self) -> int:
        """The size of the vocabulary."""
        return self.begin + len(MARKS) + 2 * self.steps + 1

    def configuration(self, configuration: Configuration) -> int:
        """The token of a configuration."""
        symbols = self.machine.symbols
        return len(symbols) * self.machine.states.index(configuration.state) + symbols.index(configuration.symbol)

    def symbol(self, symbol: str) -> int:
        """The token of an input symbol."""
        return self.configurations + self.machine.symbols.index(symbol)

    def cell(self, cell: int) -> int:
        """The token of a cell."""
        return self.begin + len(MARKS) + self.steps + cell

    def prompt(self, word: str) -> list[int]:
        """[BOS] and the word."""
        return [self.begin, *(self.symbol(symbol) for symbol in word)]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each token."""
        symbols = len(self.machine.symbols)
        configurations = [f"q{token // symbols}s{token % symbols}" for token in range(self.configurations)]
        given = [f"x{number}" for number in range(symbols)]
        cells = [str(cell + 1) if cell >= 0 else f"m{-cell - 1}" for cell in self.cells.tolist()]
        return (*configurations, *given, *MARKS, *cells)

    def retriever(self) -> Retriever:
        """Finds what was last written on the queried cell, in everything before the query."""
        return Retriever(vocabulary=self.texts, read=_query, region="everything")


def _query(texts: Sequence[str]) -> Query:
    """The last write on a cell, or the symbol of the input there; cells to the left of the first one have no symbol."""
    [cell] = texts
    return Query("last-write", (cell, str(int(cell) - 1)) if cell.isdecimal() else (cell,))


def written(tokens: RunTokens, word: str) -> list[int]:
    """Return the tokens after the prompt in a run of at most T steps, the retrieved ones included.

    >>> machine = Machine("A", (), "_", {})
    >>> tokens = RunTokens(machine, steps=0)
    >>> [tokens.texts[token] for token in written(tokens, "_")]
    ['[', '1', ']', 'x0', 'q0s0']
    """
    trace, _ = simulate(tokens.machine, word, tokens.steps)
    found = {cell: tokens.symbol(symbol) for cell, symbol in enumerate(word)}
    head = 0
    thought: list[int] = []
    for configuration in trace:
        token = tokens.configuration(configuration)
        thought += [tokens.opens, tokens.cell(head), tokens.closes, found.get(head, tokens.failed), token]
        found[head] = token
        rule = tokens.machine.rules.get(configuration)
        head += 0 if rule is None else rule.move
    return thought
