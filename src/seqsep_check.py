"""Checks a seqsep certificate, with nothing but the standard library: python -I -S seqsep_check.py FILE

The specification is docs/certificates.md. Exit status, and one line on standard output: 0 it holds; 1 rejected, and why;
2 not a certificate, or too large. This file shares no code with seqsep and imports nothing of it.
"""

import hashlib
import json
import sys
from bisect import bisect_left
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from itertools import chain, groupby
from math import prod
from operator import lt, mul, ne

MOST_BYTES, MOST_BRACKETS, MOST_QUOTES, MOST_DIGITS = 10 << 20, 200_000, 20_000, 64
MOST_WORK, MOST_NETWORK_WORK, MOST_DECIMALS = 4_000_000, 30_000_000, 200
OUTSIDE, MOST_VALUE = -1, (1 << 31) - 1
ROUNDINGS = ("floor stepwise", "floor once", "nearest stepwise", "nearest once")
ZEROS = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))  # every digit becomes a 0
FIELDS = {"claims", "digest", "format", "precision", "rounding", "task", "theorem", "type", "version", "witness"}
LIMITS = {"alphabet": 1 << 16, "depth": 4096, "kinds": 1 << 15, "length": 4096}
TASKS = dict.fromkeys(("index-lookup", "equality", "inequality"), ("alphabet", "length"))
TASKS |= {"bounded-dyck": ("depth", "kinds", "length"), "table": ("alphabets", "values")}
SHAPES = "symbols:td positions:pd readout:cd readout_bias:c key:ad query:ad value:bd output:db"  # each letter a length
SHAPES = dict(pair.split(":") for pair in f"{SHAPES} inner:fd inner_bias:f outer:df outer_bias:d".split())


class Answer(Exception):
    """A status other than 0, and why."""


def require(condition, why, status=1):
    """Answer unless the condition holds: 1 rejected, 2 no certificate or too large."""
    if not condition:
        raise Answer(status, f"{('rejected', 'unfit')[status - 1]}: {why[:200]}")


def canonical(value):
    """The one way to write a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def read(data):
    """The certificate, with its outer form and its digest checked."""
    require(len(data) <= MOST_BYTES, "more than 10 MiB", 2)
    require(data.count(b"[") + data.count(b"{") <= MOST_BRACKETS, "too large: too many brackets", 2)
    require(data.count(b'"') <= MOST_QUOTES, "too large: too many quotation marks", 2)
    require(b"0" * (MOST_DIGITS + 1) not in data.translate(ZEROS), "too large: a number of more than 64 digits", 2)
    try:
        found = json.loads(data.decode("ascii"), parse_float=str, parse_constant=str)
        require(canonical(found) == data, "not canonical JSON", 2)
    except (ValueError, RecursionError):
        raise Answer(2, "unfit: not JSON") from None
    require(type(found) is dict and found.keys() == FIELDS, "not the fields of a certificate", 2)
    head = [found["format"], found["version"]]
    require(canonical(head) == canonical(["seqsep-certificate", 1]), "not a seqsep-certificate of version 1", 2)
    require(found.pop("digest") == hashlib.sha256(canonical(found)).hexdigest(), "the digest differs")
    return found


def keys(value, names, what):
    """An object with exactly these names."""
    require(type(value) is dict and value.keys() == set(names), f"{what} has not the fields {', '.join(sorted(names))}")


def integer(value, low, high, what):
    """An integer in a range; no boolean."""
    require(type(value) is int and low <= value <= high, f"{what} is no integer from {low} to {high}")
    return value


def listed(value, what):
    """A list with something in it."""
    require(type(value) is list and value, f"{what} is no list, or empty")
    return value


def numbers(value, shape, sizes, low, high, what):
    """Lists of lists of integers, none of them empty; the first sight of a letter of `shape` fixes its length in `sizes`."""
    count = sizes.setdefault(shape[0], len(listed(value, what)))
    require(len(value) == count, f"{what} has not its length")
    for entry in value if shape[1:] else []:
        numbers(entry, shape[1:], sizes, low, high, what)
    require(shape[1:] or {*map(type, value)} == {int}, f"{what} holds what is no integer")
    require(shape[1:] or (low <= min(value) and max(value) <= high), f"{what} leaves {low} to {high}")
    return value


def step(stack, bracket, depth):
    """The stack of open kinds after a bracket; None once the word cannot be completed."""
    kind, closes = divmod(bracket, 2)
    if stack is None or (closes and stack[-1:] != (kind,)) or (not closes and len(stack) == depth):
        return None
    return stack[:-1] if closes else (*stack, kind)


class Task:
    """A function on a product of alphabets, one a position."""

    depth, length, kinds, alphabet, partial = 1, 0, 1, 0, False

    def __init__(self, given, names):
        self.name = given["name"]
        keys(given, ("name", *names), "task")
        if self.name == "table":
            sizes = numbers(given["alphabets"], "n", {}, 1, LIMITS["alphabet"], "alphabets")
            require(len(sizes) <= LIMITS["length"], "too many positions")
            self.values = numbers(given["values"], "v", {"v": prod(sizes)}, OUTSIDE, MOST_VALUE, "values")
            self.partial, self.alphabets = OUTSIDE in self.values, [range(size) for size in sizes]
        else:
            for name in names:
                setattr(self, name, integer(given[name], 1, LIMITS[name], name))
            self.alphabets = [range(self.alphabet or 2 * self.kinds)] * self.length
        if self.name == "index-lookup":
            self.alphabets = [*self.alphabets, range(self.alphabet, self.alphabet + self.length)]
        require("equality" not in self.name or self.length % 2 == 0, "length is odd")
        self.half, self.cost = self.length // 2, (len(self.alphabets) + 8) * (1 + self.depth // 64)
        self.prefixes = self.alphabet ** (self.half if self.name == "equality" else self.length)

    def solve(self, word):
        """The value, or OUTSIDE."""
        if self.name == "table":
            index = 0
            for letter, alphabet in zip(word, self.alphabets, strict=True):
                index = index * len(alphabet) + letter
            return self.values[index]
        if self.name == "index-lookup":
            return word[word[-1] - self.alphabet]
        if self.name != "bounded-dyck":
            return int((word[: self.half] == word[self.half :]) == (self.name == "equality"))
        stack = ()
        for bracket in word:
            stack = step(stack, bracket, self.depth)
        return int(stack == ())

    def count(self, value):
        """How many inputs have the value; None where that is not known."""
        if self.name == "table" and not self.partial:
            return self.values.count(value)
        ways = [1] + [0] * self.depth
        for _ in range(self.length):
            ways = [less * self.kinds + more for less, more in zip([0, *ways[:-1]], [*ways[1:], 0], strict=True)]
        return {("equality", 1): self.prefixes, ("bounded-dyck", 1): ways[0]}.get((self.name, value))

    def words(self, value, positions, what):
        """A list of inputs, or of the parts of inputs at some positions."""
        for word in listed(value, what):
            require(type(word) is list and len(word) == len(positions), f"a word of {what} has not its length")
            for letter, position in zip(word, positions, strict=True):
                require(type(letter) is int and letter in self.alphabets[position], f"a word of {what} leaves the alphabet")
        return value

    def split(self, alice):
        """The positions of both parties."""
        require(type(alice) is list and {*map(type, alice)} <= {int}, "alice is no list of integers")
        require(all(map(lt, [-1, *alice], [*alice, len(self.alphabets)])), "alice is not ascending positions")
        return alice, sorted({*range(len(self.alphabets))} - {*alice})


def different(values):
    """Whether no two are equal; by sorting, since hashes of numbers can be made to collide."""
    ordered = sorted(values)
    return all(map(ne, ordered, ordered[1:]))


def joined(split, mine, other):
    """The input whose parts are these."""
    return [letter for _, letter in sorted(zip(split[0] + split[1], [*mine, *other], strict=True))]


def fooling_set(task, witness, certificate):
    """No two words can share a leaf of a protocol."""
    keys(witness, ("alice", "value", "words"), "witness")
    split, length = task.split(witness["alice"]), len(task.alphabets)
    value = integer(witness["value"], 0, MOST_VALUE, "value")
    words = task.words(witness["words"], range(length), "words")
    complete = integer(certificate["claims"].get("complete"), 0, 1, "complete")
    work = len(words) * task.cost + (length * length * task.depth if complete else len(words) * len(words) * task.cost)
    require(work <= MOST_WORK, f"too large: work {work}", 2)
    for word in words:
        require(task.solve(word) == value, f"the value is not {value}: {word}")
    parts = [tuple(tuple(word[position] for position in side) for side in split) for word in words]
    if complete:
        require(all(map(different, zip(*parts, strict=True))), "two words have the same half")
        require(task.count(value) == len(words), "the words are not all with the value, or their number is not known")
    for place, (mine, yours) in enumerate([] if complete else parts):
        for other, others in parts[:place]:
            mixed = {task.solve(joined(split, mine, others)), task.solve(joined(split, other, yours))}
            require(not mixed <= {value, OUTSIDE}, f"{mine} with {others}, {other} with {yours}: neither tells them apart")
    odd = complete and split[0] == [*range(0, length, 2)]
    return {"bits": (len(words) - 1).bit_length(), "complete": complete, "size": len(words)}, {"odd": odd}, 0


def distinguishing_table(task, witness, certificate):
    """Any two rows differ at a column where both are inside the domain."""
    keys(witness, ("alice", "columns", "rows"), "witness")
    split = task.split(witness["alice"])
    rows, columns = (task.words(witness[name], side, name) for name, side in zip(("rows", "columns"), split, strict=True))
    work = len(rows) * len(columns) * (task.cost + len(rows) * task.partial)
    require(work <= MOST_WORK, f"too large: work {work}", 2)
    matrix = [[task.solve(joined(split, one, other)) for other in columns] for one in rows]
    require(different(matrix), "two rows are equal")
    for place, one in enumerate(matrix if task.partial else []):
        for other in matrix[:place]:
            apart = any(x != y and OUTSIDE not in (x, y) for x, y in zip(one, other, strict=True))
            require(apart, "two rows are not told apart")
    return {"rows": len(rows), "state_bits": (len(rows) - 1).bit_length()}, {"prefix": split[0] == [*range(len(split[0]))]}, 0


def automaton(task, witness, certificate):
    """The least automaton of bounded Dyck at every length: one state for each stack, and one more."""
    keys(witness, ("accepting", "start", "table"), "witness")
    states = sum(task.kinds**height for height in range(task.depth + 1)) + 1
    sizes = {"s": states, "k": 2 * task.kinds}
    table = numbers(witness["table"], "sk", sizes, 0, states - 1, "table")
    accepting = numbers(witness["accepting"], "s", sizes, 0, 1, "accepting")
    reached = {(): integer(witness["start"], 0, states - 1, "start")}
    require(states * task.kinds * (task.depth + 8) <= MOST_WORK, f"too large: {states} states", 2)
    waiting = [()]
    for stack in waiting:
        require(accepting[reached[stack]] == (stack == ()), f"state {reached[stack]} answers wrongly")
        for bracket, target in enumerate(table[reached[stack]]):
            after = step(stack, bracket, task.depth)
            if after not in reached:
                waiting.append(after)
            require(reached.setdefault(after, target) == target, f"state {reached[stack]} goes wrong at bracket {bracket}")
    return {"live_states": states - 1, "state_bits": (states - 1).bit_length(), "states": states}, {}, 0


class Grid:
    """Numbers are integers i that stand for i / L, of magnitude at most L^2."""

    def __init__(self, steps, rounding):
        self.steps, self.most = steps, steps * steps
        self.nearest, self.once = rounding.startswith("nearest"), rounding.endswith("once")

    def rounded(self, numerator, denominator, below=0):
        """The quotient as an integer: down, or to the nearest with halves up; `below` = 1: of numbers just below it."""
        return (2 * numerator + denominator * self.nearest - below) // (2 * denominator)

    def clip(self, first, second):
        """Sums, clipped."""
        return [max(-self.most, min(self.most, one + other)) for one, other in zip(first, second, strict=True)]

    def product(self, matrix, vector, bias=()):
        """Each sum formed exactly, rounded once, clipped."""
        totals = [sum(map(mul, weights, vector)) for weights in matrix]
        if bias:
            totals = [total + entry * self.steps for total, entry in zip(totals, bias, strict=True)]
        return self.clip([self.rounded(total, self.steps) for total in totals], [0] * len(totals))

    def exponential(self, drop, digits):
        """Integers around 10^digits e^(-drop / L)."""
        if drop == 0 or drop > 3 * digits * self.steps:
            return (0, 1) if drop else (10**digits, 10**digits)
        context = Context(prec=digits + 10, Emin=MIN_EMIN, Emax=MAX_EMAX)
        exponent = context.divide(Decimal(-drop), Decimal(self.steps))
        low = context.next_minus(context.exp(context.next_minus(exponent)))
        high = context.next_plus(context.exp(context.next_plus(exponent)))
        return int(low.scaleb(digits, context)), int(high.scaleb(digits, context)) + 1

    def weights(self, drops, counts):
        """The numbers e^(-drop / L) of rising drops, over the sum of the first ones with these counts, correctly rounded.

        Unless all drops are 0 these numbers are irrational, strictly between their ends, so some number of digits decides.
        """
        digits, found = len(str(self.steps * sum(counts))) + 10, {}
        while len(found) < len(drops):
            require(digits < MOST_DECIMALS, "too large: a weight too near a step", 2)
            ends = [self.exponential(drop, digits) for drop in drops]
            least, most = (sum(map(mul, counts, side)) for side in zip(*ends, strict=True))
            for place, (low, high) in enumerate(ends):
                first = self.rounded(low * self.steps, most)
                if first == self.rounded(high * self.steps, least, place > 0 or len(counts) > 1):
                    found[place] = first
            digits *= 2
        return found

    def softmax(self, scores):
        """Weights, rounded at the places that the rounding names. No dict of scores: their hashes can be made to collide."""
        drops = [*map(max(scores).__sub__, scores)]
        rising, counts = zip(*((drop, len([*run])) for drop, run in groupby(sorted(drops))), strict=True)
        weights = self.weights(rising, counts if self.once else (1,))
        weights = [weights[bisect_left(rising, drop)] for drop in drops]
        return weights if self.once else [self.rounded(weight * self.steps, sum(weights)) for weight in weights]

    def attention(self, layer, xs, place):
        """x + attention(x) at one place."""
        seen, values, matrices = place + 1 if layer["causal"] else len(xs), [], []
        for head in layer["heads"]:
            scores = self.product(head["keys"][:seen], self.product(head["query"], xs[place]))
            values += self.product([*zip(*head["values"][:seen], strict=True)], self.softmax(scores))
            matrices.append(head["output"])
        return self.clip(xs[place], self.product([[*chain(*rows)] for rows in zip(*matrices, strict=True)], values))

    def logits(self, network, word):
        """Of the last place."""
        xs = [*map(self.clip, map(network["symbols"].__getitem__, word), network["positions"])]
        for layer in network["layers"]:
            for head in layer["heads"]:
                head["keys"] = [self.product(head["key"], x) for x in xs]
                head["values"] = [self.product(head["value"], x) for x in xs]
            first = len(xs) - 1 if layer is network["layers"][-1] else 0
            xs = [self.attention(layer, xs, place) for place in range(first, len(xs))]
            inner = [[max(0, entry) for entry in self.product(layer["inner"], x, layer["inner_bias"])] for x in xs]
            xs = [self.clip(x, self.product(layer["outer"], y, layer["outer_bias"])) for x, y in zip(xs, inner, strict=True)]
        return self.product(network["readout"], xs[-1], network["readout_bias"])


def network(task, witness, certificate):
    """The network answers every input as the task does, with one logit above all others."""
    grid = Grid(integer(witness.get("steps"), 2, 1 << 100, "steps"), certificate["rounding"])
    length, sizes, work, causal, heads = len(task.alphabets), {}, 0, True, 0

    def arrays(of, names, others, what):
        keys(of, (*names, *others), what)
        for name in names:
            numbers(of[name], SHAPES[name], sizes, -grid.most, grid.most, name)

    arrays(witness, ("positions", "readout", "readout_bias", "symbols"), ("answers", "inputs", "layers", "steps"), "witness")
    d, classes = sizes["d"], sizes["c"]
    require(sizes["t"] > max(alphabet[-1] for alphabet in task.alphabets), "symbols has too few rows")
    require(sizes["p"] >= length, "positions has too few rows")
    for layer in listed(witness["layers"], "layers"):
        arrays(layer, ("inner", "inner_bias", "outer", "outer_bias"), ("causal", "heads"), "a layer")
        causal &= integer(layer["causal"], 0, 1, "causal")
        asked = 1 if layer is witness["layers"][-1] else length
        work += asked * 2 * sizes.pop("f") * (d + 12)
        heads = max(heads, len(listed(layer["heads"], "heads")))
        for head in layer["heads"]:
            arrays(head, ("key", "output", "query", "value"), (), "a head")
            a, b = sizes.pop("a"), sizes.pop("b")
            work += ((asked + length) * a + length * b) * (d + 12) + asked * d * (b + 12)
            work += asked * length * (a + b + (1600 if grid.once else 400))
    inputs = task.words(witness["inputs"], range(length), "inputs")
    answers = numbers(witness["answers"], "i", {"i": len(inputs)}, 0, classes - 1, "answers")
    work = (work + classes * (d + 12)) * len(inputs) * (16 + grid.steps.bit_length()) // 16
    require(work <= MOST_NETWORK_WORK, f"too large: work {work}", 2)
    require(different(inputs), "an input stands twice")
    for word, answer in zip(inputs, answers, strict=True):
        require(task.solve(word) == answer, f"the value is {task.solve(word)}, not {answer}: {word}")
        logits = grid.logits(witness, word)
        require(sorted(logits)[-2:][0] < logits[answer] or classes == 1, f"the answer is not {answer}: {word}")
    measured = {"all": int(len(inputs) == prod(map(len, task.alphabets))), "heads": heads, "inputs": len(inputs)}
    measured |= {"layers": len(witness["layers"]), "width": d}
    return measured, {"causal": causal}, (2 * grid.most).bit_length()


THEOREMS = {  # what checks it, tasks, and what must be so besides
    "index-lookup-attention": (network, ["index-lookup"], lambda of: of["causal"] and of["layers"] == 1),
    "equality-two-layers": (network, ["equality", "inequality"], lambda of: of["causal"] and of["layers"] == 2),
    "built-network": (network, [*TASKS], bool),
    "index-lookup-state": (distinguishing_table, ["index-lookup"], lambda of: of["prefix"] and of["rows"] == of["prefixes"]),
    "equality-state": (distinguishing_table, ["equality"], lambda of: of["prefix"] and of["rows"] == of["prefixes"]),
    "least-state": (distinguishing_table, [*TASKS], lambda of: of["prefix"]),
    "one-way-cost": (distinguishing_table, [*TASKS], bool),
    "bounded-dyck-one-layer": (fooling_set, ["bounded-dyck"], lambda of: of["odd"] and of["kinds"] == of["depth"] == 2),
    "communication-cost": (fooling_set, [*TASKS], bool),
    "bounded-dyck-state": (automaton, ["bounded-dyck"], bool),
}


def verify(certificate):
    """One line on what holds; or an Answer."""
    theorem, task, witness, claims = (certificate[name] for name in ("theorem", "task", "witness", "claims"))
    require(type(theorem) is str and theorem in THEOREMS, "no such theorem")
    call, tasks, demand = THEOREMS[theorem]
    require(certificate["type"] == call.__name__.replace("_", "-"), "not the type of this theorem")
    require({dict} == {type(task), type(witness), type(claims)}, "task, witness and claims are objects")
    require(task.get("name") in tasks, "not a task of this theorem")
    require(certificate["rounding"] in (ROUNDINGS if call is network else ["none"]), "not a rounding of this type")
    task = Task(task, ("depth", "kinds") if call is automaton else TASKS[task["name"]])
    measured, facts, precision = call(task, witness, certificate)
    require(
        canonical([claims, certificate["precision"]]) == canonical([measured, precision]), f"claims: {measured}, {precision}"
    )
    require(demand(vars(task) | measured | facts), "not what the theorem is about")
    return f"holds: {theorem}: {', '.join(f'{name} {value}' for name, value in measured.items())}"


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
        status, line = 2, f"unfit: {error}; usage: python -I -S seqsep_check.py FILE"
    print(line)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
