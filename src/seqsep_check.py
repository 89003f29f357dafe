"""Checks a seqsep certificate, with nothing but the standard library: python -I -S seqsep_check.py FILE

Exit status, and one line on standard output: 0 it holds; 1 rejected, and why; 2 not a certificate, or too large. The
specification is docs/certificates.md; what stands in quotation marks here are its sentences. This file shares no code with
seqsep and imports nothing of it. What it reads, it never changes: checked parts become new values.
"""

import hashlib
import json
import sys
from bisect import bisect_left
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from itertools import chain, groupby
from math import prod
from operator import lt, mul, ne
from typing import NamedTuple

MOST_BYTES = 10 << 20
MOST_BRACKETS = 200_000
MOST_QUOTES = 20_000
MOST_DIGITS = 64
MOST_WORK = 4_000_000
MOST_NETWORK_WORK = 30_000_000
MOST_DECIMALS = 200
MOST_VALUE = (1 << 31) - 1
MOST_STEPS = 1 << 100
LIMITS = {"alphabet": 1 << 16, "depth": 4096, "kinds": 1 << 15, "length": 4096}
OUTSIDE = -1  # the entry of a table for an input outside the domain
ZEROS = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))  # every digit becomes a 0
FIELDS = {"claims", "digest", "format", "precision", "rounding", "task", "theorem", "type", "version", "witness"}
ROUNDINGS = ("floor stepwise", "floor once", "nearest stepwise", "nearest once")


# The answer.


class Answer(Exception):
    """Any answer but "holds": the exit status, 1 or 2, and the line that says why."""


def require(condition, why):
    """Answer 1, rejected, unless the condition holds."""
    if not condition:
        raise Answer(1, f"rejected: {why[:200]}")


def require_fit(condition, why):
    """Answer 2, not a certificate or too large, unless the condition holds."""
    if not condition:
        raise Answer(2, f"unfit: {why[:200]}")


# The form of values. `where` names the value in the answer.


def only_fields(value, where, names):
    """An object with exactly these fields."""
    require(type(value) is dict and value.keys() == set(names), f"{where} has not the fields {', '.join(sorted(names))}")


def some_list(value, where, count=None):
    """A list with something in it; with a count, of so many entries."""
    require(type(value) is list and value, f"{where} is no list, or empty")
    require(count is None or len(value) == count, f"{where} has not its length")
    return value


def whole_number(value, where, least, most):
    """An integer from `least` to `most`; "integers in a claim and a witness are never booleans"."""
    require(type(value) is int and least <= value <= most, f"{where} is no integer from {least} to {most}")
    return value


def whole_numbers(value, where, count, least, most):
    """A list of so many integers from `least` to `most`; if the count is None, of any number but 0."""
    some_list(value, where, count)
    require({*map(type, value)} == {int}, f"{where} holds what is no integer")
    require(least <= min(value) and max(value) <= most, f"{where} leaves {least} to {most}")
    return value


def matrix(value, where, rows, columns, least, most):
    """A list of so many rows, each of so many integers from `least` to `most`; None for either: any number but 0."""
    some_list(value, where, rows)
    if columns is None:
        columns = len(some_list(value[0], where))
    for row in value:
        whole_numbers(row, where, count=columns, least=least, most=most)
    return value


# The file.


def canonical(value):
    """The one way to write a value: "keys in ascending order, no spaces, no line end", in ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def read(data):
    """The certificate in a file: its size, form, fields, version and digest are right, the rest is not looked at yet."""
    require_fit(len(data) <= MOST_BYTES, "more than 10 MiB")
    require_fit(data.count(b"[") + data.count(b"{") <= MOST_BRACKETS, "too large: too many brackets")
    require_fit(data.count(b'"') <= MOST_QUOTES, "too large: too many quotation marks")
    require_fit(b"0" * (MOST_DIGITS + 1) not in data.translate(ZEROS), "too large: a number of more than 64 digits")
    try:
        certificate = json.loads(data.decode("ascii"), parse_float=str, parse_constant=str)
        require_fit(canonical(certificate) == data, "not canonical JSON")
    except (ValueError, RecursionError):
        raise Answer(2, "unfit: not JSON") from None
    require_fit(type(certificate) is dict and certificate.keys() == FIELDS, "not the fields of a certificate")
    head = [certificate["format"], certificate["version"]]
    require_fit(canonical(head) == canonical(["seqsep-certificate", 1]), "not a seqsep-certificate of version 1")
    # "SHA-256, in lower-case hexadecimal, of the canonical form of the certificate without this field"
    body = {name: part for name, part in certificate.items() if name != "digest"}
    require(certificate["digest"] == hashlib.sha256(canonical(body)).hexdigest(), "the digest differs")
    return certificate


# Tasks: functions of a word with one letter at each position.


def sizes(given, *names):
    """The numbers of a task with these fields besides its name, in this order."""
    only_fields(given, "task", ("name", *names))
    return [whole_number(given[name], name, 1, LIMITS[name]) for name in names]


class Task:
    """What the tasks have in common; `alphabets` holds the letters of each position, as ranges."""

    depth = 1  # "depth 1 but for `bounded-dyck`"
    is_partial = False  # whether inputs are outside the domain

    def cost(self):
        """Of one evaluation: "(positions + 8) * (1 + floor(depth / 64))"."""
        return (len(self.alphabets) + 8) * (1 + self.depth // 64)

    def count(self, value):
        """How many inputs have the value, "counted by the checker on its own"; None if there is no count here."""

    def parts(self, value, where, positions):
        """A non-empty list of the parts of inputs at some positions; of inputs, if these are all positions."""
        for word in some_list(value, where):
            require(type(word) is list and len(word) == len(positions), f"a word of {where} has not its length")
            for letter, position in zip(word, positions, strict=True):
                require(type(letter) is int and letter in self.alphabets[position], f"a word of {where} leaves the alphabet")
        return value

    def words(self, value, where):
        """A non-empty list of inputs."""
        return self.parts(value, where, range(len(self.alphabets)))


class IndexLookup(Task):
    """Inputs: "N symbols from 0 .. S-1, then a question from S .. S+N-1"; value: "the symbol at position (question - S)"."""

    def __init__(self, given):
        self.alphabet, self.length = sizes(given, "alphabet", "length")
        questions = range(self.alphabet, self.alphabet + self.length)
        self.alphabets = [range(self.alphabet)] * self.length + [questions]

    def solve(self, word):
        """The symbol that the question asks for."""
        return word[word[-1] - self.alphabet]


class Equality(Task):
    """Inputs: "N symbols from 0 .. S-1", N even; value: "1 if the first N/2 equal the last N/2, in order, else 0"."""

    def __init__(self, given):
        self.alphabet, self.length = sizes(given, "alphabet", "length")
        require(self.length % 2 == 0, "length is odd")
        self.half = self.length // 2
        self.alphabets = [range(self.alphabet)] * self.length

    def solve(self, word):
        """Whether the halves are equal, as 1 or 0."""
        return int(word[: self.half] == word[self.half :])

    def count(self, value):
        """Inputs with the value: "for value 1, S^(N/2)"."""
        return self.alphabet**self.half if value == 1 else None


class Inequality(Equality):
    """Value: "1 - equality"."""

    def solve(self, word):
        """Whether the halves differ, as 1 or 0."""
        return 1 - super().solve(word)

    def count(self, value):
        """None: "Inequality has no count of inputs"."""


class Dyck(Task):
    """Value: "1 if well matched with at most `depth` open at any time, else 0"; inputs: N brackets."""

    def __init__(self, given):
        self.depth, self.kinds, self.length = sizes(given, "depth", "kinds", "length")
        self.alphabets = [range(2 * self.kinds)] * self.length

    def after(self, stack, bracket):
        """The open kinds after one more bracket; None, from then on, if the word cannot be completed.

        "2j opens and 2j+1 closes kind j".
        """
        kind, closes = divmod(bracket, 2)
        if stack is None:
            return None
        if closes:
            return stack[:-1] if stack[-1:] == (kind,) else None
        return (*stack, kind) if len(stack) < self.depth else None

    def solve(self, word):
        """Whether nothing is open in the end, as 1 or 0."""
        stack = ()
        for bracket in word:
            stack = self.after(stack, bracket)
        return int(stack == ())

    def count(self, value):
        """Inputs with value 1: "ways to be at each height after each bracket, an open counting `kinds` times"."""
        if value != 1:
            return None
        ways = [1] + [0] * self.depth
        for _ in range(self.length):
            from_below = [0, *ways[:-1]]
            from_above = [*ways[1:], 0]
            ways = [self.kinds * below + above for below, above in zip(from_below, from_above, strict=True)]
        return ways[0]


class DyckOfAnyLength(Dyck):
    """The language: "in an `automaton` certificate `bounded-dyck` has no `length`"."""

    def __init__(self, given):
        self.depth, self.kinds = sizes(given, "depth", "kinds")


class Table(Task):
    """Value: an entry of `values`, "one integer for each input, the last position fastest"; -1 outside the domain."""

    def __init__(self, given):
        only_fields(given, "task", ("name", "alphabets", "values"))
        counts = whole_numbers(given["alphabets"], "alphabets", count=None, least=1, most=LIMITS["alphabet"])
        require(len(counts) <= LIMITS["length"], "too many positions")
        self.alphabets = [range(count) for count in counts]
        self.values = whole_numbers(given["values"], "values", count=prod(counts), least=OUTSIDE, most=MOST_VALUE)
        self.is_partial = OUTSIDE in self.values

    def solve(self, word):
        """The entry of the input."""
        place = 0
        for letter, alphabet in zip(word, self.alphabets, strict=True):
            place = place * len(alphabet) + letter
        return self.values[place]

    def count(self, value):
        """Inputs with the value: "entries of the table"; None if there is a -1: "`complete` = 1 asks for a table without"."""
        return None if self.is_partial else self.values.count(value)


TASKS = {"index-lookup": IndexLookup, "equality": Equality, "inequality": Inequality, "bounded-dyck": Dyck, "table": Table}


# What the checks of several types need.


class Split(NamedTuple):
    """The positions of both parties, each ascending."""

    alice: list
    bob: list

    def join(self, alice, bob):
        """The input with these letters at the positions of Alice and of Bob."""
        return [letter for _, letter in sorted(zip(self.alice + self.bob, [*alice, *bob], strict=True))]


def split_of(alice, task):
    """The split of `alice`, "the positions of the first party, ascending"; the others are Bob's."""
    require(type(alice) is list and {*map(type, alice)} <= {int}, "alice is no list of integers")
    positions = range(len(task.alphabets))
    require(all(map(lt, [-1, *alice], [*alice, len(positions)])), "alice is not ascending positions")
    return Split(alice, sorted({*positions} - {*alice}))


def all_different(values):
    """Whether no two are equal. "What must differ is compared by sorting", since hashes can be made to collide."""
    ordered = sorted(values)
    return all(map(ne, ordered, ordered[1:]))


def bits(count):
    """ceil(log2 count)."""
    return (count - 1).bit_length()


def require_work(work, most):
    """A work bound, "from sizes alone", before any work."""
    require_fit(work <= most, f"too large: work {work}")


# One function for each type: it returns the claims that hold, and the precision.


def check_fooling_set(task, witness, certificate):
    """fooling-set: any two words with the value, their parts exchanged, give an input with another value."""
    only_fields(witness, "witness", ("alice", "value", "words"))
    split = split_of(witness["alice"], task)
    value = whole_number(witness["value"], "value", 0, MOST_VALUE)
    words = task.words(witness["words"], "words")
    complete = whole_number(certificate["claims"].get("complete"), "complete", 0, 1)

    # "Work: words * cost, and besides positions^2 * depth [..] if complete, else words^2 * cost".
    besides = len(task.alphabets) ** 2 * task.depth if complete else len(words) ** 2 * task.cost()
    require_work(len(words) * task.cost() + besides, MOST_WORK)

    # "Each word has the value. Write (x, y) for the two parties' parts of a word."
    for word in words:
        require(task.solve(word) == value, f"the value is not {value}: {word}")
    xs = [tuple(word[position] for position in split.alice) for word in words]
    ys = [tuple(word[position] for position in split.bob) for word in words]

    if complete:
        # "All x differ, all y differ, and the number of words equals the number of inputs with that value".
        require(all_different(xs) and all_different(ys), "two words have the same half")
        require(task.count(value) == len(words), "the words are not all with the value, or their number is not known")
    else:
        # "For every two words (x, y) and (x', y'), at least one of (x, y') and (x', y) is in the domain and has another value."
        for number, (x, y) in enumerate(zip(xs, ys, strict=True)):
            for other_x, other_y in zip(xs[:number], ys[:number], strict=True):
                mixed = {task.solve(split.join(x, other_y)), task.solve(split.join(other_x, y))}
                require(not mixed <= {value, OUTSIDE}, f"{x} with {other_y}, {other_x} with {y}: neither tells them apart")
    return {"bits": bits(len(words)), "complete": complete, "size": len(words)}, 0


def check_distinguishing_table(task, witness, _certificate):
    """distinguishing-table: "any two rows differ at a column where both are in the domain"."""
    only_fields(witness, "witness", ("alice", "columns", "rows"))
    split = split_of(witness["alice"], task)
    rows = task.parts(witness["rows"], "rows", split.alice)
    columns = task.parts(witness["columns"], "columns", split.bob)

    # "Work: rows * columns * cost, and for a `table` with an entry -1 besides rows^2 * columns".
    besides = len(rows) ** 2 * len(columns) if task.is_partial else 0
    require_work(len(rows) * len(columns) * task.cost() + besides, MOST_WORK)

    values = [[task.solve(split.join(row, column)) for column in columns] for row in rows]
    # "Without -1 in the task this is asked of whole rows at once, else of every two."
    require(all_different(values), "two rows are equal")
    if task.is_partial:
        for number, row in enumerate(values):
            for other in values[:number]:
                told_apart = any(one != two and OUTSIDE not in (one, two) for one, two in zip(row, other, strict=True))
                require(told_apart, "two rows are not told apart")
    return {"rows": len(rows), "state_bits": bits(len(rows))}, 0


def check_automaton(task, witness, _certificate):
    """automaton: "every stack must have one state only, accepting exactly for the empty stack"."""
    only_fields(witness, "witness", ("accepting", "start", "table"))
    # "At least as many states as there are stacks and one, and the checker asks for exactly that many."
    states = sum(task.kinds**height for height in range(task.depth + 1)) + 1
    table = matrix(witness["table"], "table", rows=states, columns=2 * task.kinds, least=0, most=states - 1)
    accepting = whole_numbers(witness["accepting"], "accepting", count=states, least=0, most=1)
    start = whole_number(witness["start"], "start", 0, states - 1)

    # "Work: states * kinds * (depth + 8)".
    require_fit(states * task.kinds * (task.depth + 8) <= MOST_WORK, f"too large: {states} states")

    # "The checker walks the stacks [..] from the empty one, and one dead value for everything beyond": None.
    state_of = {(): start}
    waiting = [()]
    for stack in waiting:
        state = state_of[stack]
        require(accepting[state] == (stack == ()), f"state {state} answers wrongly")
        for bracket, target in enumerate(table[state]):
            after = task.after(stack, bracket)
            if after not in state_of:
                waiting.append(after)
            require(state_of.setdefault(after, target) == target, f"state {state} goes wrong at bracket {bracket}")
    # "`live_states` is then states - 1."
    return {"live_states": states - 1, "state_bits": bits(states), "states": states}, 0


class Head(NamedTuple):
    """The matrices "`query`, `key` (a rows of d), `value` (b rows of d)" of a head; `output` stands in the layer."""

    query: list
    key: list
    value: list


class Layer(NamedTuple):
    """Attention and the feed-forward part after it; `output` has those of all heads side by side: d rows."""

    causal: int
    heads: list
    output: list
    inner: list
    inner_bias: list
    outer: list
    outer_bias: list


class Network(NamedTuple):
    """The weights of a witness, all in steps."""

    symbols: list
    positions: list
    layers: list
    readout: list
    readout_bias: list


def network_of(witness, most):
    """The network in a witness: "all sizes are at least 1", and |i| <= `most` = L^2 for every number."""
    on_grid = {"least": -most, "most": most}
    positions = matrix(witness["positions"], "positions", rows=None, columns=None, **on_grid)
    width = len(positions[0])
    readout = matrix(witness["readout"], "readout", rows=None, columns=width, **on_grid)
    readout_bias = whole_numbers(witness["readout_bias"], "readout_bias", count=len(readout), **on_grid)
    symbols = matrix(witness["symbols"], "symbols", rows=None, columns=width, **on_grid)
    layers = [layer_of(given, width, on_grid) for given in some_list(witness["layers"], "layers")]
    return Network(symbols, positions, layers, readout=readout, readout_bias=readout_bias)


def layer_of(given, width, on_grid):
    """A layer of a network of this width: f may differ by layer."""
    only_fields(given, "a layer", ("causal", "heads", "inner", "inner_bias", "outer", "outer_bias"))
    inner = matrix(given["inner"], "inner", rows=None, columns=width, **on_grid)
    inner_bias = whole_numbers(given["inner_bias"], "inner_bias", count=len(inner), **on_grid)
    outer = matrix(given["outer"], "outer", rows=width, columns=len(inner), **on_grid)
    outer_bias = whole_numbers(given["outer_bias"], "outer_bias", count=width, **on_grid)
    causal = whole_number(given["causal"], "causal", 0, 1)
    heads, outputs = zip(*(head_of(head, width, on_grid) for head in some_list(given["heads"], "heads")), strict=True)
    output = [[*chain(*rows)] for rows in zip(*outputs, strict=True)]
    return Layer(causal, heads, output, inner=inner, inner_bias=inner_bias, outer=outer, outer_bias=outer_bias)


def head_of(given, width, on_grid):
    """A head and its `output` ("d rows of b"): "a and b may differ by head"."""
    only_fields(given, "a head", ("key", "output", "query", "value"))
    key = matrix(given["key"], "key", rows=None, columns=width, **on_grid)
    output = matrix(given["output"], "output", rows=width, columns=None, **on_grid)
    query = matrix(given["query"], "query", rows=len(key), columns=width, **on_grid)
    value = matrix(given["value"], "value", rows=len(output[0]), columns=width, **on_grid)
    return Head(query, key, value), output


def work_of_an_input(network, length, once):
    """The work for one input of `length` tokens, without the factor for the length of numbers."""
    width = len(network.positions[0])
    weight = 1600 if once else 400
    work = len(network.readout) * (width + 12)
    for number, layer in enumerate(network.layers, start=1):
        places = 1 if number == len(network.layers) else length  # "q = n places to compute (1 in the last layer)"
        work += places * 2 * len(layer.inner) * (width + 12)
        for head in layer.heads:
            a = len(head.key)
            b = len(head.value)
            work += ((places + length) * a + length * b) * (width + 12)  # "queries, keys, values"
            work += places * length * (a + b + weight)  # "scores, weights, mixtures"
            work += places * width * (b + 12)  # "output"
    return work


class Grid:
    """Exact arithmetic on numbers in steps: "i stands for i / L, and |i| <= L^2"."""

    def __init__(self, steps, rounding):
        self.steps = steps
        self.most = steps * steps
        self.is_nearest = rounding.startswith("nearest")
        self.once = rounding.endswith("once")

    def rounded(self, numerator, denominator, from_below=False):
        """A quotient as an integer: "down for `floor`, to the nearest with halves up for `nearest`".

        With `from_below`, what all numbers just below the quotient are rounded to.
        """
        return (2 * numerator + denominator * self.is_nearest - from_below) // (2 * denominator)

    def clipped(self, numbers):
        """Integers, clipped to [-L^2, L^2]."""
        return [max(-self.most, min(self.most, number)) for number in numbers]

    def plus(self, first, second):
        """A sum of two rows, placed: it is on the grid but for its ends."""
        return self.clipped([one + other for one, other in zip(first, second, strict=True)])

    def product(self, weights, vector, bias=None):
        """A matrix times a vector: "a sum of products, with its bias, is formed exactly and placed once"."""
        totals = [sum(map(mul, row, vector)) for row in weights]
        if bias is not None:
            totals = [total + entry * self.steps for total, entry in zip(totals, bias, strict=True)]
        return self.clipped([self.rounded(total, self.steps) for total in totals])

    def exponential(self, drop, digits):
        """Two integers with 10^digits e^(-drop / L) between them; for a drop above 0, strictly between."""
        if drop == 0:
            return 10**digits, 10**digits
        if drop > 3 * digits * self.steps:
            return 0, 1
        context = Context(prec=digits + 10, Emin=MIN_EMIN, Emax=MAX_EMAX)
        exponent = context.divide(Decimal(-drop), Decimal(self.steps))
        low = context.next_minus(context.exp(context.next_minus(exponent)))
        high = context.next_plus(context.exp(context.next_plus(exponent)))
        return int(low.scaleb(digits, context)), int(high.scaleb(digits, context)) + 1

    def quotients(self, drops, counts):
        """Each e^(-drop / L) over a sum of such exponentials, in steps, correctly rounded; the drops are rising.

        The sum is that of count * e^(-drop / L) over as many of the first drops as there are counts.
        "All of these are correctly rounded: an open interval of decimals is narrowed until both ends round alike (e^x is
        irrational for rational x other than 0, and so is a weight unless all scores are equal, so enough digits decide".
        """
        decided = {}
        digits = len(str(self.steps * sum(counts))) + 10
        while len(decided) < len(drops):
            require_fit(digits < MOST_DECIMALS, "too large: a weight too near a step")
            lows, highs = zip(*(self.exponential(drop, digits) for drop in drops), strict=True)
            least_sum = sum(map(mul, counts, lows))
            most_sum = sum(map(mul, counts, highs))
            for place, (low, high) in enumerate(zip(lows, highs, strict=True)):
                least = self.rounded(low * self.steps, most_sum)
                most = self.rounded(high * self.steps, least_sum, place > 0 or len(counts) > 1)
                if least == most:
                    decided[place] = least
            digits *= 2
        return decided

    def softmax(self, scores):
        """The weights of scores, "rounded to a step", in one or in two places."""
        greatest = max(scores)
        drops = [greatest - score for score in scores]
        rising, counts = zip(*((drop, len([*equal])) for drop, equal in groupby(sorted(drops))), strict=True)
        if self.once:
            # "Once: the exact softmax, rounded to a step."
            weights = self.quotients(rising, counts)
            return [weights[bisect_left(rising, drop)] for drop in drops]
        # "Stepwise: each e^(score - m) is rounded to a step, each is divided by their exact sum and rounded to a step."
        parts = self.quotients(rising, counts=[1])  # of e^0 = 1
        exponentials = [parts[bisect_left(rising, drop)] for drop in drops]
        total = sum(exponentials)
        return [self.rounded(exponential * self.steps, total) for exponential in exponentials]

    def after_layer(self, layer, xs, places):
        """What a layer makes of the rows `xs` at some places; step 2 of "Arithmetic"."""
        keys = [[self.product(head.key, x) for x in xs] for head in layer.heads]
        values = [[self.product(head.value, x) for x in xs] for head in layer.heads]
        rows = []
        for place in places:
            seen = place + 1 if layer.causal else len(xs)  # "`causal` = 1: up to the place itself"
            mixtures = []
            for number, head in enumerate(layer.heads):
                query = self.product(head.query, xs[place])
                weights = self.softmax(self.product(keys[number][:seen], query))
                coordinates = zip(*values[number][:seen], strict=True)
                mixtures += self.product(coordinates, weights)  # "Sum of weights times values: placed."
            # "Sum over all heads of output times that: placed. Plus x: placed."
            x = self.plus(xs[place], self.product(layer.output, mixtures))
            # "Then inner times this plus bias: placed; negative ones become 0; outer times these plus bias: placed; plus the
            # number before: placed."
            active = [max(0, entry) for entry in self.product(layer.inner, x, layer.inner_bias)]
            rows.append(self.plus(x, self.product(layer.outer, active, layer.outer_bias)))
        return rows

    def logits(self, network, word):
        """The logits at the last place of an input; steps 1 to 3 of "Arithmetic"."""
        # 1. "The row of the token plus the row of the place: placed."
        xs = [self.plus(network.symbols[letter], row) for letter, row in zip(word, network.positions, strict=False)]
        # 2. Every layer; of the last one, only the last place is asked for.
        for layer in network.layers[:-1]:
            xs = self.after_layer(layer, xs, range(len(xs)))
        [x] = self.after_layer(network.layers[-1], xs, [len(xs) - 1])
        # 3. "At the last place, readout times x plus bias: placed."
        return self.product(network.readout, x, network.readout_bias)


def check_network(task, witness, certificate):
    """network: "it must equal the claimed answer, and that must be the value of the task", for every listed input."""
    grid = Grid(whole_number(witness.get("steps"), "steps", 2, MOST_STEPS), certificate["rounding"])
    only_fields(witness, "witness", ("answers", "inputs", "layers", "positions", "readout", "readout_bias", "steps", "symbols"))
    network = network_of(witness, grid.most)
    length = len(task.alphabets)
    # "A row of d numbers for each token of the task's alphabets, or more"; "as many as an input is long or more".
    require(len(network.symbols) > max(alphabet[-1] for alphabet in task.alphabets), "symbols has too few rows")
    require(len(network.positions) >= length, "positions has too few rows")
    inputs = task.words(witness["inputs"], "inputs")
    answers = whole_numbers(witness["answers"], "answers", count=len(inputs), least=0, most=len(network.readout) - 1)

    # "Times the number of inputs, times (16 + bit_length(L)) / 16, rounded down".
    work = work_of_an_input(network, length, grid.once) * len(inputs)
    require_work(work * (16 + grid.steps.bit_length()) // 16, MOST_NETWORK_WORK)

    require(all_different(inputs), "an input stands twice")
    for word, answer in zip(inputs, answers, strict=True):
        require(task.solve(word) == answer, f"the value is {task.solve(word)}, not {answer}: {word}")
        # "The answer is the class of the greatest logit, which is above all others."
        logits = grid.logits(network, word)
        others = logits[:answer] + logits[answer + 1 :]
        require(all(logit < logits[answer] for logit in others), f"the answer is not {answer}: {word}")
    everything = int(len(inputs) == prod(map(len, task.alphabets)))  # "1 if `inputs` are all inputs of the task, else 0"
    heads = max(len(layer.heads) for layer in network.layers)
    claims = {"all": everything, "heads": heads, "inputs": len(inputs)}
    claims |= {"layers": len(network.layers), "width": len(network.positions[0])}
    return claims, (2 * grid.most).bit_length()  # "bit_length(2 L^2) for a network of L steps a unit, else 0"


TYPES = {
    "fooling-set": check_fooling_set,
    "distinguishing-table": check_distinguishing_table,
    "automaton": check_automaton,
    "network": check_network,
}


# Theorems: the table of the specification. What it asks for besides is a question about a witness that has been checked.


def nothing(_task, _witness, _claims):
    """It asks for nothing."""
    return True


def is_causal(witness, layers):
    """So many layers, all of them causal."""
    return len(witness["layers"]) == layers and all(layer["causal"] == 1 for layer in witness["layers"])


def one_causal_layer(_task, witness, _claims):
    """It asks for "one layer, causal"."""
    return is_causal(witness, layers=1)


def two_causal_layers(_task, witness, _claims):
    """It asks for "two layers, causal"."""
    return is_causal(witness, layers=2)


def prefix_split(_task, witness, _claims):
    """It asks for "a prefix split: `alice` is 0, 1, .., K-1"."""
    return witness["alice"] == [*range(len(witness["alice"]))]


def every_list_of_symbols(task, witness, claims):
    """It asks for "a prefix split; S^N rows"."""
    return prefix_split(task, witness, claims) and claims["rows"] == task.alphabet**task.length


def every_first_half(task, witness, claims):
    """It asks for "a prefix split; S^(N/2) rows"."""
    return prefix_split(task, witness, claims) and claims["rows"] == task.alphabet**task.half


def every_word_of_two_kinds(task, witness, claims):
    """It asks for "kinds = depth = 2", "`complete` = 1; `alice` holds the places 0, 2, 4, .."."""
    return task.kinds == task.depth == 2 and claims["complete"] == 1 and witness["alice"] == [*range(0, task.length, 2)]


class Theorem(NamedTuple):
    """A row of the table: the type and the tasks of its certificates, and what must be so besides."""

    type: str
    tasks: tuple
    besides: object


THEOREMS = {
    "index-lookup-attention": Theorem("network", ("index-lookup",), one_causal_layer),
    "equality-two-layers": Theorem("network", ("equality", "inequality"), two_causal_layers),
    "built-network": Theorem("network", tuple(TASKS), nothing),
    "index-lookup-state": Theorem("distinguishing-table", ("index-lookup",), every_list_of_symbols),
    "equality-state": Theorem("distinguishing-table", ("equality",), every_first_half),
    "least-state": Theorem("distinguishing-table", tuple(TASKS), prefix_split),
    "one-way-cost": Theorem("distinguishing-table", tuple(TASKS), nothing),
    "bounded-dyck-one-layer": Theorem("fooling-set", ("bounded-dyck",), every_word_of_two_kinds),
    "communication-cost": Theorem("fooling-set", tuple(TASKS), nothing),
    "bounded-dyck-state": Theorem("automaton", ("bounded-dyck",), nothing),
}


def verify(certificate):
    """The line that says what holds; or an Answer."""
    title = certificate["theorem"]
    require(type(title) is str and title in THEOREMS, "no such theorem")
    theorem = THEOREMS[title]
    require(certificate["type"] == theorem.type, "not the type of this theorem")
    given = certificate["task"]
    witness = certificate["witness"]
    claims = certificate["claims"]
    require({type(given), type(witness), type(claims)} == {dict}, "task, witness and claims are objects")
    require(given.get("name") in theorem.tasks, "not a task of this theorem")
    require(certificate["rounding"] in (ROUNDINGS if theorem.type == "network" else ("none",)), "not a rounding of this type")

    task = (DyckOfAnyLength if theorem.type == "automaton" else TASKS[given["name"]])(given)
    measured, precision = TYPES[theorem.type](task, witness, certificate)
    is_as_claimed = canonical([claims, certificate["precision"]]) == canonical([measured, precision])
    require(is_as_claimed, f"claims: {measured}, {precision}")
    require(theorem.besides(task, witness, claims), "not what the theorem is about")
    return f"holds: {title}: {', '.join(f'{name} {value}' for name, value in measured.items())}"


def check(data):
    """Status and line."""
    try:
        return 0, verify(read(data))
    except Answer as answer:
        return answer.args


def main(arguments):
    """Exit status."""
    try:
        [path] = arguments
        with open(path, "rb") as file:  # noqa: PTH123
            status, line = check(file.read(MOST_BYTES + 1))
    except (OSError, ValueError, MemoryError) as error:
        status = 2
        line = f"unfit: {error}; usage: python -I -S seqsep_check.py FILE"
    print(line)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
