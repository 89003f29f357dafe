"""Lower bounds that any function of sequences puts on recurrent and on one-layer attention models, length by length.

For each N there is the exact least state (`maths.automata.least_state`). It is replaced by bounds if inputs are outside the
domain (`maths.automata.partial_states`) or if a formula's diagram is too large in reading order (`AtLength.bits`). There is
also a lower bound on width times heads of a one-layer attention model (`theorems.analysis.attention`), if that is above 1.
`Analysis.growth` says how the least state grows with N: by a fit, or by the automaton of a regular language.
`Analysis.communication_growth` says how the bounds of D(f) do.

The least state holds for all recurrent models that answer from their state: the proof is in `maths.automata.least_state`. If
the output also reads the last token, `AtLength.bits_if_output_sees_last_token` has the least state. The bound on attention
holds for models of the grid, with stepwise softmax, that compute the function on every input: the proof is in
`theorems.protocols.one_layer_protocol`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from seqsep.core.names import required, whole
from seqsep.maths.automata import partial_states
from seqsep.maths.automata.enumeration import OUTSIDE, Tabulated
from seqsep.maths.automata.growth import AutomatonGrowth, Growth, growth
from seqsep.maths.automata.partial_states import PartialState
from seqsep.maths.communication.partition_search import PartitionBound
from seqsep.theorems.analysis.attention import LEAST_PRECISION, Communication, ProtocolSizes, communication
from seqsep.theorems.analysis.function import MOST_LENGTH, FunctionAtLength, NamedFunction, of_function, resolve
from seqsep.theorems.analysis.input_pair import InputPair
from seqsep.theorems.analysis.record import Analysis, AtLength

PRECISIONS = (8, 16, 32)


def analyze(
    target: str | Callable[[list[int]], int | None],
    lengths: Iterable[int] | None = None,
    alphabet: Iterable[int] | int | None = None,
    precisions: Iterable[int] = PRECISIONS,
    fields: Mapping[str, int | float | str] | None = None,
    is_regular: bool = False,
    report: Callable[[AtLength], None] | None = None,
) -> Analysis:
    """Analyse a function at each length: its least state, its communication and the attention that it needs.

    A split divides each input into a prefix and a continuation. Two prefixes are in the same class if every continuation has
    the same answer after both. Splits at different positions may have different numbers of classes. For each length of
    inputs, the result has the largest of these numbers. The least state in bits is its logarithm to base 2, rounded up.

    The result also has lower bounds of D(f), the bits that two parties must exchange to compute the function. For each
    precision, it has a lower bound of the product of width and heads: one layer of attention with a smaller product does not
    compute the function (Theorem 4 of Bhattamishra et al. 2024).

    Arguments:
        target: a function from a list of symbols to an integer, or to None outside its domain; or the name of a target of
            `seqsep analyze`.
        lengths: lengths in symbols, each from 1; by default those of the target.
        alphabet: number of symbols at each position, one number for all positions or one for each; default: that of the
            target, or 2.
        precisions: bits of a number in the attention layer; each from 1.
        fields: fields of a task, if the target is the name of a task.
        is_regular: read the target as a regular expression.
        report: function that is called with the result of each length as soon as it is known.

    Raises ValueError for lengths below 1, too many inputs, an alphabet that does not fit, and a function that raises an
    exception or answers with something other than an integer or None. Raises FileNotFoundError if the target is a file that
    does not exist.

    >>> majority = analyze(lambda word: 2 * sum(word) > len(word), [2, 4, 6])
    >>> [one.classes for one in majority.lengths]
    [2, 3, 4]
    """
    lengths = None if lengths is None else _whole("lengths", lengths)
    alphabet = None if alphabet is None else _whole("alphabet", alphabet if isinstance(alphabet, Iterable) else [alphabet])
    precisions = _whole("precisions", precisions)
    if callable(target):
        function = of_function(target, getattr(target, "__name__", "function"), alphabet)
    else:
        function = resolve(target, alphabet, fields, is_regular)
    chosen = _chosen_lengths(function, lengths, alphabet)
    if not all(LEAST_PRECISION <= precision <= 1024 for precision in precisions):
        raise ValueError(
            f"{function.name}: expected precisions of {LEAST_PRECISION} to 1,024 bits, found {', '.join(map(str, precisions))}"
        )
    analysed = []
    for length in chosen:
        analysed.append(_at(function, length, precisions))
        if report is not None:
            report(analysed[-1])
    return Analysis(
        name=function.name,
        kind=function.kind,
        lengths=tuple(analysed),
        growth=_growth(function, analysed),
        communication_growth=growth([(one.length, one.attention.leaves) for one in analysed]),
    )


def _growth(function: NamedFunction, analysed: Sequence[AtLength]) -> Growth | AutomatonGrowth | None:
    """Return the growth of the state: that of the automaton, if the function is given by one, and else a fit."""
    if function.automaton is not None:
        return AutomatonGrowth(len(function.automaton().minimal().table))
    return growth([(one.length, one.classes) for one in analysed])


def _whole(name: str, values: Iterable[int]) -> list[int]:
    """Return the values of an argument of `analyze`. Raise BadInput for one that is not a whole number."""
    return [whole(value, f"analyze: {name}") for value in values]


def _chosen_lengths(function: NamedFunction, lengths: Sequence[int] | None, alphabet: Sequence[int] | None) -> list[int]:
    """Return the lengths of the call, ascending; if it has none, the function's only length, or as many as alphabets are
    given.
    """
    if lengths is None:
        if function.length is not None:
            lengths = [function.length]
        elif alphabet is not None and len(alphabet) > 1:
            lengths = [len(alphabet)]
        else:
            raise ValueError(f"{function.name}: expected lengths, as in --lengths 2..10, or 2..10..2 for even ones, found none")
    if not lengths or not 1 <= min(lengths) <= max(lengths) <= MOST_LENGTH:
        shown = f"{min(lengths)} to {max(lengths)}" if lengths else "none"
        raise ValueError(f"{function.name}: expected lengths from 1 to {MOST_LENGTH}, found {shown}")
    return sorted(set(lengths))


def _at(function: NamedFunction, length: int, precisions: Sequence[int]) -> AtLength:
    instance = function.at(length)
    partial = None
    if instance.least is None and instance.table is not None:
        partial = partial_states.bounds(instance.table, function.name)
    pair = _pair(function, instance, partial)
    answers = _answers(instance)
    if partial is not None and not partial.domain:
        bound: Communication = PartitionBound((), (), "the domain is empty", 0)
    else:
        bound = communication(instance)
    question = ProtocolSizes.of(instance, len(answers))
    widths = [question.width(bound.bits, precision) for precision in precisions]
    return AtLength(
        length=length,
        symbols=instance.symbols,
        answers=answers,
        least=instance.least,
        partial=partial,
        witness=pair,
        attention=bound,
        widths=tuple(widths),
        table=instance.table,
    )


def _answers(instance: FunctionAtLength) -> tuple[int, ...]:
    """The answers by label; those of formulas and automata are 0 and 1."""
    if instance.table is not None:
        return instance.table.answers
    return (0, 1)


def _pair(function: NamedFunction, instance: FunctionAtLength, partial: PartialState | None) -> InputPair | None:
    """Two inputs whose prefixes need two states, as tokens, with their answers; None if one state is enough."""
    if partial is not None:
        split = partial.clique.split
        places = _clashing(required(instance.table, "the table of a partial function"), partial)
    elif instance.least is None:
        return None
    else:
        distinguishing_suffix = instance.least.witness()
        split = 0 if distinguishing_suffix is None else distinguishing_suffix.split
        places = None if distinguishing_suffix is None else distinguishing_suffix.inputs
    if places is None:
        return None
    first, second = ([tokens[place] for tokens, place in zip(instance.symbols, word, strict=True)] for word in places)
    if instance.table is None:
        labels = required(instance.least, "the least automaton").automaton.run(np.array(places, dtype=np.int64)).tolist()
        return InputPair(split, (first, second), (labels[0], labels[1]))
    answers = (
        _asked_again(function, instance, first, places[0]),
        _asked_again(function, instance, second, places[1]),
    )
    return InputPair(split, (first, second), answers)


def _asked_again(function: NamedFunction, instance: FunctionAtLength, word: list[int], places: tuple[int, ...]) -> int:
    """Return the answer in the table. Raises ValueError for a function that gives another answer in a second call."""
    table = required(instance.table, "the table of the function")
    index = int(np.ravel_multi_index(places, table.alphabets))
    answer = table.answers[int(table.labels[index])]
    again = instance.call(list(word)) if instance.call is not None else answer
    if again != answer:
        raise ValueError(f"{function.name}({word}): expected the same answer each time, found {answer} and {again}")
    return answer


def _clashing(table: Tabulated, partial: PartialState) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Two prefixes of the clique with the first suffix on which they clash, as places of tokens."""
    if len(partial.clique.prefixes) < 2:
        return None
    rows = table.labels.reshape(math.prod(table.alphabets[: partial.clique.split]), -1)
    first, second = partial.clique.prefixes[:2]
    one = rows[first]
    two = rows[second]
    suffix = int(np.flatnonzero((one != two) & (one != OUTSIDE) & (two != OUTSIDE))[0])
    return table.digits(first * len(one) + suffix), table.digits(second * len(one) + suffix)
