"""The result of an analysis, as lines for a person and as JSON."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from seqsep.core.names import ensure, narrowed, required
from seqsep.core.tables import Tabular
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.automata.closed_form import closed_form
from seqsep.maths.automata.enumeration import Tabulated
from seqsep.maths.automata.growth import AutomatonGrowth, Growth
from seqsep.maths.automata.layered import Layered
from seqsep.maths.automata.least_state import LeastState
from seqsep.maths.automata.partial_states import PartialState
from seqsep.maths.communication.rank_by_counting import RankByCounting
from seqsep.theorems.analysis.attention import FARTHEST, PROTOCOL, Communication, ProtocolSizes, Width, bound_from
from seqsep.theorems.analysis.input_pair import InputPair
from seqsep.theorems.analysis.protocol import bits_enough
from seqsep.theorems.analysis.thought import LeastThought, table_of

LISTED = 20
"""A line lists this many positions of a party, then breaks off."""

HEADER = (
    f"{'N':>5}  {'state bits':>10}  {'classes of prefixes':<28}  {'D(f) >=':>7}  {'least thought':>13}  "
    "one-layer attention: width x heads >="
)


@dataclass(frozen=True)
class AtLength:
    """The analysis of a function at one length.

    Fields:
        length: N, in symbols.
        symbols: the symbols of each position.
        answers: answers of the function, by label.
        least: the exact least state; None if it is not known exactly.
        partial: bounds of the least state, if inputs are outside the domain.
        witness: two inputs whose prefixes need different states.
        attention: lower bound of D(f), which also bounds the state from below.
        widths: lower bound of width times heads of one layer of attention, for each precision.
        table: all answers, if they were enumerated.

    >>> from seqsep.theorems.analysis import analyze
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
    attention: Communication
    widths: tuple[Width, ...]
    table: Tabulated | None = None

    @property
    def bits(self) -> tuple[int, int]:
        """Lower and upper bound of the least state, in bits; the same number twice if it is exact.

        Without an automaton: prefixes are rows of the matrix of a split, so at least its rank of them are different; and of K
        bits there are at most 2^K prefixes, before N - K bits at most 2^(2^(N - K)) classes.
        """
        if self.least is not None:
            return self.least.state_bits, self.least.state_bits
        if self.partial is not None:
            return self.partial.lower_bits, self.partial.upper_bits
        upper = max(min(split, 1 << min(self.length - split, 64)) for split in range(self.length + 1))
        return ceil_log2(self.classes), upper

    @property
    def bits_if_output_sees_last_token(self) -> int | None:
        """The least state, in bits, of a model whose output also reads the last token; None if it is not known exactly.

        `bits` is for a model that answers from its state only. If the output also reads the last token, as it does after a
        block with a residual connection, the state must distinguish only the prefixes that at least one token follows. Their
        number is the greatest c_K with K < N instead of K <= N. These states are enough: at the last token the model keeps its
        state, and its output reads both.

        >>> from seqsep.theorems.analysis import analyze
        >>> last = analyze(lambda word: word[-1], [6], alphabet=4).lengths[0]
        >>> last.bits, last.bits_if_output_sees_last_token
        ((2, 2), 0)
        """
        return None if self.least is None else ceil_log2(max(self.least.classes_by_split[:-1], default=1))

    @cached_property
    def thought(self) -> LeastThought | None:
        """The least chain of thought; None for a partial function, more than two answers, or more than 3^14 boxes."""
        return LeastThought.of(self._every_answer)

    @cached_property
    def _every_answer(self) -> Tabulated | None:
        """All answers; of a function that was not enumerated, those of its automaton, unless they are too many for a rank."""
        if self.table is not None or self.least is None:
            return self.table
        return table_of(self.least.automaton, self.symbols, self.answers)

    @cached_property
    def communication_at_most(self) -> int | None:
        """Bits with which two parties compute the function, for the partition of `attention`; None if they are not known."""
        return bits_enough(self._every_answer, self.least, self.attention.alice, len(self.answers))

    @property
    def classes(self) -> int:
        """The number of states needed; if it is not exact, the lower bound."""
        if self.least is not None:
            return self.least.classes
        if self.partial is not None:
            return len(self.partial.clique.prefixes)
        return self._counted.rank

    @property
    def _counted(self) -> RankByCounting:
        """The counted rank of a function without an automaton in reading order, one party holding a prefix."""
        counted = narrowed(self.attention, RankByCounting)
        ensure(counted.alice == tuple(range(len(counted.alice))), "Alice does not have a prefix", counted.alice)
        return counted

    @property
    def automaton(self) -> Layered:
        """An automaton that computes the function, with as many bits of state as `bits` says (its upper bound).

        Raises ValueError if it is too large in reading order, so that there is none.
        """
        if self.least is not None:
            return self.least.automaton
        if self.partial is None:
            raise ValueError(f"length {self.length}: expected an automaton, found a diagram that is too large in reading order")
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
            record["state_bits_if_output_sees_last_token"] = self.bits_if_output_sees_last_token
            record["classes_by_split"] = self.least.classes_by_split
            inputs_run = self.least.inputs_run
            every_input = self.least.every_input
        elif self.partial is not None:
            record |= {"split": None, "classes": None, "domain": self.partial.domain} | _bounds_record(self.partial)
            inputs_run = self.partial.domain
            every_input = True
        else:
            lower = {"label": "lower", "method": self._counted.measure, "state_bits": low, "classes": self.classes}
            upper = {"label": "upper", "method": "prefixes of K bits, functions of N - K bits", "state_bits": high}
            record |= {"split": None, "classes": None, "lower": lower | {"split": len(self._counted.alice)}, "upper": upper}
        record["automaton"] = None
        if self.least is not None or self.partial is not None:
            states = sum(self.automaton.widths)
            record["automaton"] = {"states": states, "inputs_run": inputs_run, "every_input": every_input}
        record["witness"] = None if self.witness is None else self.witness.record()
        table = self._every_answer
        record["thought"] = None if table is None or self.thought is None else self.thought.record(table)
        record["attention"] = {
            "label": "lower",
            "communication_bits": self.attention.bits,
            "communication_bits_at_most": self.communication_at_most,
            "leaves": self.attention.leaves,
            "measure": self.attention.measure,
            "alice": list(self.attention.alice),
            "searched": self.attention.searched,
            "partitions": self.attention.partitions,
            "constant": PROTOCOL,
            "width_times_heads": [{"precision": one.precision, "at_least": one.at_least} for one in self.widths],
        }
        if isinstance(self.attention, RankByCounting):
            record["attention"] |= self.attention.record()
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
        """A row for a person; HEADER names the columns. `least thought` is empty if it is not known (`thought`)."""
        low, high = self.bits
        if self.least is not None:
            state = str(low)
            classes = f"{self.least.classes:,} at K = {self.least.split}"
        else:
            state = f"{low} to {high}"
            split = len(self._counted.alice) if self.partial is None else self.partial.clique.split
            count = f"{self.classes:,}" if self.classes < 1 << 32 else f"2^{self.classes.bit_length() - 1}"
            classes = f"at least {count} at K = {split}"
        needed = ", ".join(f"{one.at_least} (p = {one.precision})" for one in self.widths if one.at_least)
        thought = "" if self.thought is None else str(self.thought.steps)
        return f"{self.length:>5}  {state:>10}  {classes:<28}  {self.attention.bits:>7}  {thought:>13}  {needed}".rstrip()


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


@dataclass(frozen=True, repr=False)
class Analysis(Tabular):
    """The analyses of one function at all lengths, and their growth; it prints as a table with a row for each length.

    The columns `state_bits` and `state_bits_at_most` are a lower and an upper bound of the least state. If it is known
    exactly, both are equal to it. `thought_steps` is the least number of chain-of-thought steps (`AtLength.thought`).

    Fields:
        name: name of the function.
        kind: kind of the target, such as a function or a regular expression.
        lengths: the analysis at each length.
        growth: growth of the least state with the length, or of its lower bound if it is not exact; a fit, or for a function
            that is given by an automaton the constant that the automaton proves.
        communication_growth: growth of the lower bounds of D(f) with the length.

    >>> from seqsep.theorems.analysis import analyze
    >>> print(analyze(lambda word: sum(word) % 2, [2, 3, 4]).closing_lines()[0])
    growth: constant over N = 2 to 4
    """

    name: str
    kind: str
    lengths: tuple[AtLength, ...]
    growth: Growth | AutomatonGrowth | None
    communication_growth: Growth | None = None

    def title(self) -> str:
        """The function's name."""
        return self.name

    def records(self) -> list[dict[str, Any]]:
        """A row for each length; width x heads of one attention layer is at least that of its precision, None without bound."""
        rows = []
        for one in self.lengths:
            low, high = one.bits
            row: dict[str, Any] = {"length": one.length, "state_bits": low, "state_bits_at_most": high, "classes": one.classes}
            row["communication_bits"] = one.attention.bits
            row["thought_steps"] = None if one.thought is None else one.thought.steps
            rows.append(row | {f"width_times_heads_p{width.precision}": width.at_least for width in one.widths})
        return rows

    def __repr__(self) -> str:
        return self.table()

    def record(self) -> dict[str, Any]:
        """The analysis as a JSON object."""
        return {
            "function": self.name,
            "kind": self.kind,
            "lengths": [one.record() for one in self.lengths],
            "growth": None if self.growth is None else self.growth.record(),
            "closed_form": self.closed_form,
            "communication_growth": None if self.communication_growth is None else self.communication_growth.record(),
            "attention_bound_from": [{"precision": one, "length": length} for one, length in self.bounds_from().items()],
        }

    @cached_property
    def closed_form(self) -> str | None:
        """A closed form of the number of classes that fits every length; None if none does, or for an automaton's function."""
        if isinstance(self.growth, AutomatonGrowth) or any(one.least is None for one in self.lengths):
            return None
        return closed_form([(one.length, one.classes) for one in self.lengths])

    def closing_lines(self) -> list[str]:
        """Growth, witness and what was checked, for a person."""
        lines = [] if self.growth is None else [f"growth: {self.growth.line()}"]
        if self.closed_form is not None:
            lines.append(f"classes: {self.closed_form} at each of the {len(self.lengths)} lengths (a fit, not a proof)")
        with_witness = [one for one in self.lengths if one.witness is not None]
        if with_witness:
            last = with_witness[-1]
            lines.append(required(last.witness, "the witness").line(last.length))
        lines += self._of_answers_from_the_state()
        last = self.lengths[-1]
        if last.attention.bits:
            alice = ", ".join(str(place + 1) for place in last.attention.alice[:LISTED])
            alice += ", .." if len(last.attention.alice) > LISTED else ""
            lines.append(
                f"D(f) at N = {last.length}: a lower bound, by {last.attention.measure}, one party holding positions {alice} "
                f"({last.attention.searched})"
            )
            if last.communication_at_most is not None:
                lines[-1] += f"; for these positions, {last.communication_at_most} bits are enough"
        lines += self._without_bound()
        if any(one.partial is not None for one in self.lengths):
            lines.append("inputs outside the domain: state bits are a lower bound (clique) to an upper bound (merging)")
        return lines

    def _of_answers_from_the_state(self) -> list[str]:
        """A line for the last length at which an output that also reads the last token needs less state."""
        smaller = [one for one in self.lengths if one.bits_if_output_sees_last_token not in (None, one.bits[0])]
        if not smaller:
            return []
        last = smaller[-1]
        return [
            f"state bits are for models that answer from their state only; if the output also reads the last token, N = "
            f"{last.length} needs {last.bits_if_output_sees_last_token} instead of {last.bits[0]}"
        ]

    def bounds_from(self) -> dict[int, int | None]:
        """Return, for each precision without a bound above 1 at the last length, the N from which one follows.

        This holds if the growth continues. None: from no N up to 2^20, or there are too few lengths to see a growth.
        """
        last = self.lengths[-1]
        question = ProtocolSizes(len(last.symbols), len(last.symbols[-1]), max(1, len(last.answers)))
        sizes = (last.length, len(last.symbols))
        without = [one.precision for one in last.widths if one.at_least is None]
        growth = self.communication_growth
        return {one: None if growth is None else bound_from(growth, question, sizes, precision=one) for one in without}

    def _without_bound(self) -> list[str]:
        """Return the line about the precisions at which the last length has no bound on attention above 1."""
        first = self.bounds_from()
        if not first:
            return []
        none = f"attention at N = {self.lengths[-1].length}: no bound above 1 for p = {', '.join(map(str, first))}"
        if self.communication_growth is None:
            return [none]
        found = ", ".join(f"N = {length:,} (p = {precision})" for precision, length in first.items() if length is not None)
        goes_on = f"if D(f) continues as these bounds do ({_growth_in_words(self.communication_growth)})"
        return [
            f"{none}; {goes_on}, {f'there is one from about {found} on' if found else f'there is none up to N = {FARTHEST:,}'}"
        ]


def _growth_in_words(growth: Growth) -> str:
    return growth.kind if growth.kind == "constant" else f"{growth.kind}, {growth.slope:.3g} {growth.unit}"
