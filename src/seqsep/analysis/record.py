"""What an analysis found, as lines for a person and as JSON."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seqsep.exact.enumeration import Tabulated
from seqsep.exact.growth import Growth
from seqsep.exact.layered import Layered
from seqsep.exact.least_state import LeastState
from seqsep.exact.partial_states import PartialState
from seqsep.exact.partition_search import PartitionBound

LISTED = 20
"""How many positions of a party a line lists before it breaks off."""

HEADER = f"{'N':>5}  {'state bits':>10}  {'classes of prefixes':<28}  {'D(f) >=':>7}  one-layer attention: width x heads >="


@dataclass(frozen=True)
class Width:
    """The least width times heads, m H, at one precision: by the printed constant, and by the counted protocol.

    >>> Width(precision=8, at_least=1.5, counted=2).counted
    2
    """

    precision: int
    at_least: float
    counted: int


@dataclass(frozen=True)
class InputPair:
    """Two inputs that end alike after `split` tokens and differ in their answers: their prefixes need different states.

    >>> InputPair(split=1, inputs=([0, 5], [1, 5]), answers=(0, 1)).record()["suffix"]
    [5]
    """

    split: int
    inputs: tuple[list[int], list[int]]
    answers: tuple[int, int]

    def record(self) -> dict[str, Any]:
        """The pair as a JSON object."""
        prefixes = [tokens[: self.split] for tokens in self.inputs]
        return {
            "inputs": [*self.inputs],
            "answers": [*self.answers],
            "split": self.split,
            "prefixes": prefixes,
            "suffix": self.inputs[0][self.split :],
        }


@dataclass(frozen=True)
class AtLength:
    """An analysis at one length: `least` is exact; if it is None, `partial` has bounds.

    `answers` are the function's, by label. `table` has every answer, if they were enumerated.

    >>> from seqsep.analysis import analyze
    >>> parity = analyze(lambda word: sum(word) % 2, [3]).lengths[0]
    >>> parity.bits, parity.classes, parity.record()["classes_by_split"]
    ((1, 1), 2, [1, 2, 2, 2])
    """

    length: int
    symbols: tuple[range, ...]
    answers: tuple[int, ...]
    least: LeastState | None
    partial: PartialState | None
    witness: InputPair | None
    attention: PartitionBound
    widths: tuple[Width, ...]
    table: Tabulated | None = None

    @property
    def bits(self) -> tuple[int, int]:
        """Lower and upper bound of the least state, in bits; the same number twice if it is exact."""
        if self.least is not None:
            return self.least.state_bits, self.least.state_bits
        assert self.partial is not None
        return self.partial.lower_bits, self.partial.upper_bits

    @property
    def classes(self) -> int:
        """The number of states needed; if it is not exact, the lower bound."""
        if self.least is not None:
            return self.least.classes
        assert self.partial is not None
        return len(self.partial.clique.prefixes)

    @property
    def automaton(self) -> Layered:
        """An automaton that computes the function, with as many bits of state as `bits` says (its upper bound)."""
        if self.least is not None:
            return self.least.automaton
        assert self.partial is not None
        return self.partial.automaton

    def record(self) -> dict[str, Any]:
        """The analysis of this length as a JSON object."""
        low, high = self.bits
        record: dict[str, Any] = {
            "length": self.length,
            "tokens": len(self.symbols),
            "alphabets": [len(tokens) for tokens in self.symbols],
            "inputs": math.prod(len(tokens) for tokens in self.symbols),
            "exact": self.least is not None,
            "state_bits": low if low == high else None,
        }
        if self.least is not None:
            record |= {"split": self.least.split, "classes": self.least.classes}
            record["classes_by_split"] = self.least.classes_by_split
            inputs_run = self.least.inputs_run
            every_input = self.least.every_input
        else:
            assert self.partial is not None
            record |= {"split": None, "classes": None, "domain": self.partial.domain} | _bounds_record(self.partial)
            inputs_run = self.partial.domain
            every_input = True
        states = sum(self.automaton.widths)
        record["automaton"] = {"states": states, "inputs_run": inputs_run, "every_input": every_input}
        record["witness"] = None if self.witness is None else self.witness.record()
        record["attention"] = {
            "label": "lower",
            "communication_bits": self.attention.bits,
            "leaves": self.attention.leaves,
            "measure": self.attention.measure,
            "alice": list(self.attention.alice),
            "searched": self.attention.searched,
            "partitions": self.attention.partitions,
            "constant": "3 (p + log2 N)",
            "width_times_heads": [
                {"precision": one.precision, "at_least": round(one.at_least, 6), "counted": one.counted} for one in self.widths
            ],
        }
        return record

    def automaton_record(self) -> dict[str, Any]:
        """The automaton as a JSON object.

        tables[t][state][place of the token] is the next state; answers are those of the last layer's states.
        """
        return {
            "length": self.length,
            "exact": self.least is not None,
            "state_bits": self.bits[1],
            "tokens": [list(tokens) for tokens in self.symbols],
            "start": self.automaton.start,
            "tables": [table.tolist() for table in self.automaton.tables],
            "answers": [self.answers[label] for label in self.automaton.answers.tolist()],
        }

    def line(self) -> str:
        """A row for a person; HEADER names the columns."""
        low, high = self.bits
        if self.least is not None:
            state = str(low)
            classes = f"{self.least.classes:,} at K = {self.least.split}"
        else:
            assert self.partial is not None
            state = f"{low} to {high}"
            classes = f"at least {self.classes:,} at K = {self.partial.clique.split}"
        needed = ", ".join(f"{one.at_least:.3g} (p = {one.precision})" for one in self.widths)
        return f"{self.length:>5}  {state:>10}  {classes:<28}  {self.attention.bits:>7}  {needed}"


def _bounds_record(partial: PartialState) -> dict[str, Any]:
    widths = partial.automaton.widths
    lower = {
        "label": "lower",
        "method": "clique of incompatible prefixes",
        "state_bits": partial.lower_bits,
        "classes": len(partial.clique.prefixes),
        "split": partial.clique.split,
    }
    upper = {
        "label": "upper",
        "method": "greedy merging",
        "state_bits": partial.upper_bits,
        "classes": max(widths),
        "split": widths.index(max(widths)),
    }
    return {"lower": lower, "upper": upper}


@dataclass(frozen=True)
class Analysis:
    """All lengths of one function, and how the least state grows with them.

    If the least state is not exact, the growth is that of its lower bound.

    >>> from seqsep.analysis import analyze
    >>> print(analyze(lambda word: sum(word) % 2, [2, 3, 4]).closing_lines()[0])
    growth: constant over N = 2 to 4
    """

    name: str
    kind: str
    lengths: tuple[AtLength, ...]
    growth: Growth | None

    def record(self) -> dict[str, Any]:
        """The analysis as a JSON object."""
        return {
            "function": self.name,
            "kind": self.kind,
            "lengths": [one.record() for one in self.lengths],
            "growth": None if self.growth is None else self.growth.record(),
        }

    def closing_lines(self) -> list[str]:
        """Growth, witness and what was checked, for a person."""
        lines = [] if self.growth is None else [f"growth: {self.growth.line()}"]
        with_witness = [one for one in self.lengths if one.witness is not None]
        if with_witness:
            lines.append(_witness_line(with_witness[-1]))
        last = self.lengths[-1]
        if last.attention.bits:
            alice = ", ".join(str(place + 1) for place in last.attention.alice[:LISTED])
            alice += ", .." if len(last.attention.alice) > LISTED else ""
            lines.append(
                f"attention at N = {last.length}: a lower bound, by {last.attention.measure}, one party holding positions "
                f"{alice} ({last.attention.searched}; Theorem 4)"
            )
        if any(one.least is None for one in self.lengths):
            lines.append("inputs outside the domain: state bits are a lower bound (clique) to an upper bound (merging)")
        return lines


def _witness_line(at: AtLength) -> str:
    pair = at.witness
    assert pair is not None
    first = f"{_word(pair.inputs[0], pair.split)} -> {pair.answers[0]}"
    second = f"{_word(pair.inputs[1], pair.split)} -> {pair.answers[1]}"
    return (
        f"witness at N = {at.length}: {first} and {second}: the same suffix (after |), two answers, "
        "so the two prefixes need two states"
    )


def _word(tokens: Sequence[int], split: int) -> str:
    """An input with | behind its prefix; tokens of one digit stand side by side."""
    apart = "" if max(tokens, default=0) < 10 else " "
    return f"{apart.join(map(str, tokens[:split]))}|{apart.join(map(str, tokens[split:]))}"
