"""Checks a seqsep certificate, with nothing but the standard library: python -I -S seqsep_check.py FILE

Exit status, and one line on standard output: 0 it holds; 1 rejected, and why; 2 not a certificate, or too large; 3 the line
cannot be written. The specification is docs/reference/certificates.md; sentences in quotation marks are its own. This file
shares no code with seqsep and imports nothing of it. What it reads, it never changes.
"""

import hashlib
import json
import os
import re
import sys
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import reduce
from itertools import accumulate, chain, combinations, pairwise
from math import prod
from operator import add, lt, mul, ne

MOST_BYTES = 10 << 20
MOST_BRACKETS = 200_000
MOST_QUOTES = 20_000
MOST_DIGITS = 64
MOST_WORK = 4_000_000
MOST_NETWORK_WORK = 30_000_000
MOST_VALUE = (1 << 31) - 1
LIMITS = {"alphabet": 1 << 16, "bits": 8, "depth": 4096, "gram": 64, "kinds": 1 << 15, "length": 4096}
LIMITS |= {"steps": 4096, "vertices": 1024}
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


def require_arrays(part, where, shapes, most, besides=(), **sizes):
    """An object with arrays of these shapes, with numbers from -`most` to `most`; what its sizes are, by letter.

    "All sizes are at least 1", and one letter is one size: that in `sizes`, or else that of the first array with it.
    """
    only_fields(part, where, (*shapes, *besides))
    for name, letters in shapes.items():
        rows = some_list(part[name], name, sizes.get(letters[0]))
        sizes[letters[0]] = len(rows)
        for row in rows if len(letters) == 2 else [rows]:
            whole_numbers(row, name, count=sizes.get(letters[-1]), least=-most, most=most)
            sizes[letters[-1]] = len(row)
    return sizes


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
    require_fit(canonical([certificate["format"], certificate["version"]]) == b'["seqsep-certificate",1]', "not version 1")
    # "SHA-256, in lower-case hexadecimal, of the canonical form of the certificate without this field"
    body = {name: part for name, part in certificate.items() if name != "digest"}
    require(certificate["digest"] == hashlib.sha256(canonical(body)).hexdigest(), "the digest differs")
    return certificate


# Tasks: functions of a word with one letter at each position.


def sizes(given, *names, lists=()):
    """The numbers of a task with these fields, in this order, besides its name and some lists."""
    only_fields(given, "task", ("name", *names, *lists))
    return [whole_number(given[name], name, 1, LIMITS[name]) for name in names]


class Task:
    """A function of words: `alphabets` holds the letters of each position, as ranges; `solve` gives the value of a word.

    `count` says how many inputs have a value, "counted by the checker on its own"; None if there is no count here. `depth`:
    what a letter costs, in 64ths. Of runs: `ends`, the tokens that end one; `told`, what one says, its last token if not given.
    `retrieve`: if the task has a retriever, what it finds in a prompt and in what stands before a query; then `closes` is the
    token ], and the one before it [.
    """

    def __init__(self, alphabets, solve, count=lambda value: None, depth=1, **of_runs):
        self.alphabets = alphabets
        self.solve = solve
        self.count = count
        self.ends = of_runs.get("ends", ())
        self.told = of_runs.get("told", lambda run: run[-1])
        self.closes = of_runs.get("closes")
        self.retrieve = of_runs.get("retrieve")
        self.cost = (len(alphabets) + 8) * (1 + depth // 64)  # of one evaluation

    def found(self, prompt, run):
        """The places of a run where the retriever puts what it finds, behind each ], and what it finds there."""
        found = {}
        for place in [place for place, token in enumerate(run[:-1]) if token == self.closes]:
            require(self.closes - 1 in run[:place], "a query is closed and was not opened")
            opened = place - run[place::-1].index(self.closes - 1)  # "the last [ before it"
            found[place + 1] = self.retrieve(prompt, run[:opened], run[opened + 1 : place])
        return found

    def parts(self, value, where, positions):
        """A non-empty list of the parts of inputs at some positions; of inputs, if these are all positions."""
        for word in some_list(value, where):
            require(type(word) is list and len(word) == len(positions), f"a word of {where} has not its length")
            for letter, position in zip(word, positions, strict=True):
                require(type(letter) is int and letter in self.alphabets[position], f"a word of {where} leaves the alphabet")
        return value


def index_lookup(given):
    """Inputs: "N symbols from 0 .. S-1, then a question from S .. S+N-1"; value: "the symbol at position (question - S)"."""
    alphabet, length = sizes(given, "alphabet", "length")
    return Task([range(alphabet)] * length + [range(alphabet, alphabet + length)], lambda word: word[word[-1] - alphabet])


def equality(given):
    """Inputs: "N symbols from 0 .. S-1", N even; value: "1 if the first N/2 equal the last N/2, in order, else 0".

    Inequality: "1 - equality".
    """
    alphabet, length = sizes(given, "alphabet", "length")
    require(length % 2 == 0, "length is odd")
    half = length // 2
    equal = int(given["name"] == "equality")  # the value of equal halves, which have "S^(N/2)" inputs
    return Task([range(alphabet)] * length, lambda word: equal ^ (word[:half] != word[half:]), {equal: alphabet**half}.get)


def after(stack, bracket, depth):
    """The open kinds after one more bracket; None, from then on, if the word cannot be completed.

    "2j opens and 2j+1 closes kind j".
    """
    kind, closes = divmod(bracket, 2)
    if stack is None:
        return None
    if closes:
        return stack[:-1] if stack[-1:] == (kind,) else None
    return (*stack, kind) if len(stack) < depth else None


def dyck(given):
    """Value: "1 if well matched with at most `depth` open at any time, else 0"; inputs: N brackets."""
    depth, kinds, length = sizes(given, "depth", "kinds", "length")

    def count(value):
        # "Ways to be at each height after each bracket, an open counting `kinds` times".
        ways = [1] + [0] * depth
        for _ in range(length):
            ways = [kinds * below + above for below, above in zip([0, *ways[:-1]], [*ways[1:], 0], strict=True)]
        return ways[0] if value == 1 else None

    def stack_after(word):
        return reduce(lambda stack, bracket: after(stack, bracket, depth), word, ())

    return Task([range(2 * kinds)] * length, lambda word: int(stack_after(word) == ()), count, depth=depth)


def table(given):
    """Value: an entry of `values`, "one integer for each input, the last position fastest"; -1 outside the domain."""
    only_fields(given, "task", ("name", "alphabets", "values"))
    counts = whole_numbers(given["alphabets"], "alphabets", count=None, least=1, most=LIMITS["alphabet"])
    require(len(counts) <= LIMITS["length"], "too many positions")
    values = whole_numbers(given["values"], "values", count=prod(counts), least=OUTSIDE, most=MOST_VALUE)
    strides = [*accumulate([1, *counts[:0:-1]], mul)][::-1]  # how far apart the entries of a letter and of the next one are
    # "Entries of the table"; "`complete` = 1 asks for a table without -1".
    count = {}.get if OUTSIDE in values else values.count
    return Task([*map(range, counts)], lambda word: values[sum(map(mul, strides, word))], count)


def is_tree(given):
    """Inputs: "0, then u, n+1, v for each of n-1 edges"; value: "n+3 if the edges make a tree of the vertices, else n+2".

    Is-tree-queries: "the same, with the retriever below".
    """
    [vertices] = sizes(given, "vertices")
    edge = [range(1, vertices + 1), range(vertices + 1, vertices + 2), range(1, vertices + 1)]

    def solve(word):
        part = [*range(vertices + 1)]  # of each vertex, those that the edges so far connect with it
        for u, v in zip(word[1::3], word[3::3], strict=True):
            if part[u] == part[v]:
                return vertices + 2
            part = [part[u] if one == part[v] else one for one in part]
        return vertices + 3

    def retrieve(prompt, _written, query):
        # "The query [ v ] asks for the first neighbour of v [..], [ v y ] for the first one behind the first edge of v and y".
        edges = zip(prompt[1::3], prompt[3::3], strict=True)
        if len(query) != 1:
            any(sorted(edge) == sorted(query) for edge in edges)  # takes the edges up to that one away
        return next((sum(edge) - query[0] for edge in edges if query[0] in edge), vertices + 6)

    asks = {"closes": vertices + 5, "retrieve": retrieve} if given["name"] == "is-tree-queries" else {}
    return Task([range(1), *edge * (vertices - 1)], solve, depth=vertices, ends=range(vertices + 2, vertices + 4), **asks)


def ngram(given):
    """Inputs: 0, N symbols, c-1 symbols; value: "the symbol behind the first place of these among the N, or 0"."""
    alphabet, gram, length = sizes(given, "alphabet", "gram", "length")

    def solve(word):
        asked = word[length + 1 :]
        found = (place for place in range(gram, length + 1) if word[place - gram + 1 : place] == asked)
        return word[next(found, 0)]

    return Task([range(1)] + [range(1, alphabet + 1)] * (length + gram - 1), solve, ends=range(alphabet + 1))


def counting(given):
    """Inputs: 0, N symbols, a symbol q, then t+1 from 1 .. S; value: "1 if more than t of the N are q, else 0"."""
    alphabet, length = sizes(given, "alphabet", "length")
    alphabets = [range(1)] + [range(1, alphabet + 1)] * (length + 2)
    return Task(alphabets, lambda word: int(word[1:-2].count(word[-2]) >= word[-1]), ends=range(2))


def circuit(given):
    """Inputs: N tokens below 2^B, then 2^B; value: the run, "the gates of every step, a stop, the gates in `output`"."""
    bits, length = sizes(given, "bits", "length", lists=("gates", "output", "start", "state"))
    start = whole_numbers(given["start"], "start", count=None, least=0, most=1)
    gates = some_list(given["gates"], "gates")
    for number, pair in enumerate(gates):
        whole_numbers(pair, "gates", count=2, least=0, most=bits + len(start) + number - 1)
    state = whole_numbers(given["state"], "state", count=len(start), least=0, most=len(gates) - 1)
    output = whole_numbers(given["output"], "output", count=None, least=0, most=len(gates) - 1)
    first = (1 << bits) + 1  # the token of gate 0 if it is 0
    stop = first + 2 * len(gates)

    def solve(word):
        run = []
        remembered = start
        for token in word[:-1]:
            read = [*(token >> place & 1 for place in range(bits)), *remembered]
            for one, other in gates:
                read.append(1 - read[one] * read[other])
            values = read[-len(gates) :]
            remembered = [values[gate] for gate in state]
            run += [first + 2 * gate + value for gate, value in enumerate(values)]
        return [*run, stop, *(stop + 1 + 2 * place + values[gate] for place, gate in enumerate(output))]

    alphabets = [range(first - 1)] * length + [range(first - 1, first)]
    return Task(alphabets, solve, depth=64 * (len(gates) + len(start) + len(output)), told=lambda run: run)


def turing_machine(given):
    """Inputs: QS+S, then N symbols as QS .. QS+S-1; value: the run, "a configuration before each step, and the last one".

    Turing-machine-numbers: "QS+S behind the symbols". Turing-machine-queries: "with the retriever below".
    """
    alphabet, length, steps = sizes(given, "alphabet", "length", "steps", lists=("head", "rules"))
    start = whole_number(given["head"], "head", 0, length - 1)
    rules = some_list(given["rules"], "rules")
    require(len(rules) % alphabet == 0, "rules is not one entry for each state and symbol")
    for rule in rules:
        if rule != []:  # "[] if there is none"
            state, symbol, move = some_list(rule, "a rule", count=3)
            whole_number(state, "a rule's state", 0, len(rules) // alphabet - 1)
            whole_number(symbol, "a rule's symbol", 0, alphabet - 1)
            whole_number(move, "a rule's move", -1, 1)
    begin = len(rules) + alphabet
    closes = begin + 2 if given["name"] == "turing-machine-queries" else None

    def solve(word):
        tape = dict(enumerate(token - len(rules) for token in word if token < begin))
        head = start
        run = [tape[head]]  # "Symbol c read in state q is the configuration S q + c", and "the start is state 0"
        while rules[run[-1]] and len(run) <= steps:
            state, tape[head], move = rules[run[-1]]
            head += move
            run.append(alphabet * state + tape.get(head, 0))
        return run

    def told(run):
        # "Its configurations, which are the tokens below QS, in their order, without those that the retriever found", behind ].
        return [token for before, token in pairwise([begin, *run]) if token < len(rules) and before != closes]

    def retrieve(prompt, written, query):
        # "The configuration behind the last record [ c ] r [..]; or else the symbol of the input on cell c; or else FAILED".
        asked = [closes - 1, *query, closes]
        last = [token for at, token in enumerate(written[4:]) if written[at : at + 3] == asked and token < len(rules)]
        symbols = enumerate(prompt[1:], start=begin + 4 + steps)
        return [begin + 3, *(symbol for cell, symbol in symbols if [cell] == query), *last][-1]

    alphabets = [range(begin, begin + 1), *[range(len(rules), begin)] * length]
    ordered = alphabets[::-1] if given["name"] == "turing-machine-numbers" else alphabets
    return Task(ordered, solve, depth=64 * steps, told=told, closes=closes, retrieve=retrieve)


PATTERNS = {  # of a question g, and i, the number behind it
    "index-by-pattern": r"(?x) ^ (?:\S+\s) {{{i}}} (\S+)",
    "counting-by-pattern": r"(?x) ^ (?: (?: (?! {g} \s ) \S+ \s )* ( {g} ) \s (?=\S+\s\S) ) {{{i}}}",
    "ngram-by-pattern": r"(?x) (?<!\S) {g} \s (\S+) (?=(?:\s\S+) {{{i}}} )",
}


def by_pattern(given):
    """Value: the run, "[, the pattern, ], what it finds, and the answer".

    Index-by-pattern has "0, N symbols from 1 .. S, then i+1 for a place i from 1 .. N"; the others have the prompts of `ngram`
    and of `counting`.
    """
    name = given["name"]
    task = ngram(given) if name == "ngram-by-pattern" else counting(given)
    length = given["length"]
    symbols = [*map(str, range(given["alphabet"]))]
    has_counts = name != "ngram-by-pattern"
    if name == "index-by-pattern":
        require(len(symbols) > 1, "alphabet is 1, which has no place to ask for")
        places = range(2, min(length, len(symbols) - 1) + 2)
        task = Task([*task.alphabets[: length + 1], places], lambda word: word[word[-1] - 1])
    counts = [f"{{{count}}}" for count in range(len(symbols) + 1)] if has_counts else []
    words = PATTERNS[name].format(g="", i=None if has_counts else given["gram"] - 1).split()
    marks = [word for word in dict.fromkeys(words) if word != "{None}"]  # "The words of the pattern, but the question"
    texts = ["<s>", *symbols, *counts, "[", "]", "FAILED", "NO", "YES", *marks]
    numbers = {text: token for token, text in enumerate(texts)}

    def said(tokens, between=" "):
        return between.join(texts[token] for token in tokens)

    def solve(word):
        asked = word[length + 1 :]
        found = task.solve(word)
        if name == "counting-by-pattern":
            shown = [asked[0] if found else numbers["FAILED"], numbers["YES" if found else "NO"]]
            pattern = PATTERNS[name].format(g=said(asked[:1]), i=asked[1])
        else:
            shown = [found or numbers["FAILED"]] * 2
            times = asked[0] - 1 if name == "index-by-pattern" else len(asked)
            pattern = PATTERNS[name].format(g=said(asked, r" \s "), i=times)
        return [*(numbers[text] for text in ("[", *pattern.split(), "]")), *shown]

    def retrieve(prompt, written, query):
        # "RETRIEVE as printed": the query is a pattern, and all before it is searched. It is that of `solve`, or no value.
        found = re.search(said(query), said(prompt + written))
        return numbers[found[1] if found else "FAILED"]

    return Task(task.alphabets, solve, told=lambda run: run, closes=numbers["]"], retrieve=retrieve)


TASKS = {"index-lookup": index_lookup, "equality": equality, "inequality": equality, "bounded-dyck": dyck, "table": table}
TASKS |= {"is-tree": is_tree, "is-tree-queries": is_tree, "ngram": ngram, "counting": counting, "circuit": circuit}
TASKS |= dict.fromkeys(("turing-machine", "turing-machine-queries", "turing-machine-numbers"), turing_machine)
TASKS |= dict.fromkeys(PATTERNS, by_pattern)


# What the checks of several types need.


def split(alice, task):
    """`alice`, "the positions of the first party, ascending", and the positions of Bob, which are all others."""
    require(type(alice) is list and {*map(type, alice)} <= {int}, "alice is no list of integers")
    require(all(map(lt, [-1, *alice], [*alice, len(task.alphabets)])), "alice is not ascending positions")
    return alice, sorted({*range(len(task.alphabets))} - {*alice})


def joined(positions, letters):
    """The input with these letters at these positions."""
    return [letter for _, letter in sorted(zip(positions, letters, strict=True))]


def all_different(values):
    """Whether no two are equal. "What must differ is compared by sorting", since hashes can be made to collide."""
    ordered = sorted(values)
    return all(map(ne, ordered, ordered[1:]))


def require_work(work):
    """A work bound, "from sizes alone", before any work."""
    require_fit(work <= MOST_WORK, f"too large: work {work}")


# One function for each type: it returns the claims that hold, and the precision.


def check_fooling_set(task, witness, certificate):
    """fooling-set: any two words with the value, their parts exchanged, give an input with another value."""
    only_fields(witness, "witness", ("alice", "value", "words"))
    alice, bob = split(witness["alice"], task)
    value = whole_number(witness["value"], "value", 0, MOST_VALUE)
    words = task.parts(witness["words"], "words", range(len(task.alphabets)))
    complete = whole_number(certificate["claims"].get("complete"), "complete", 0, 1)

    # "Work: (words + 64 * positions) * cost if complete, else (words + words^2) * cost".
    besides = 64 * len(task.alphabets) if complete else len(words) ** 2
    require_work((len(words) + besides) * task.cost)

    # "Each word has the value. Write (x, y) for the two parties' parts of a word."
    for word in words:
        require(task.solve(word) == value, f"the value is not {value}: {word}")
    halves = [[[word[position] for position in party] for party in (alice, bob)] for word in words]

    if complete:
        # "All x differ, all y differ, and the number of words equals the number of inputs with that value".
        require(all(map(all_different, zip(*halves, strict=True))), "two words have the same half")
        require(task.count(value) == len(words), "the words are not all with the value, or their number is not known")
    else:
        # "For every two words (x, y) and (x', y'), at least one of (x, y') and (x', y) is in the domain and has another value."
        for (x, y), (other_x, other_y) in combinations(halves, 2):
            mixed = {task.solve(joined(alice + bob, x + other_y)), task.solve(joined(alice + bob, other_x + y))}
            require(not mixed <= {value, OUTSIDE}, f"{x} with {other_y}, {other_x} with {y}: neither tells them apart")
    return {"bits": (len(words) - 1).bit_length(), "complete": complete, "size": len(words)}, 0


def check_distinguishing_table(task, witness, certificate):
    """distinguishing-table: "any two rows differ at a column where both are in the domain"."""
    only_fields(witness, "witness", ("alice", "columns", "rows"))
    alice, bob = split(witness["alice"], task)
    rows = task.parts(witness["rows"], "rows", alice)
    columns = task.parts(witness["columns"], "columns", bob)

    # "Work: rows * columns * cost, and for a `table` with an entry -1 besides rows^2 * columns".
    is_partial = OUTSIDE in certificate["task"].get("values", [])
    besides = len(rows) ** 2 * len(columns) if is_partial else 0
    require_work(len(rows) * len(columns) * task.cost + besides)

    values = [[task.solve(joined(alice + bob, row + column)) for column in columns] for row in rows]
    # "Without -1 in the task this is asked of whole rows at once, else of every two."
    require(all_different(values), "two rows are equal")
    for row, other in combinations(values if is_partial else [], 2):
        distinguishing_suffix = any(one != two and OUTSIDE not in (one, two) for one, two in zip(row, other, strict=True))
        require(distinguishing_suffix, "two rows are not told apart")
    return {"rows": len(rows), "state_bits": (len(rows) - 1).bit_length()}, 0


def check_automaton(given, witness, _certificate):
    """automaton: "every stack must have one state only, accepting exactly for the empty stack"."""
    depth, kinds = sizes(given, "depth", "kinds")  # "in an `automaton` certificate `bounded-dyck` has no `length`"
    only_fields(witness, "witness", ("accepting", "start", "table"))
    # "At least as many states as there are stacks and one, and the checker asks for exactly that many."
    states = sum(kinds**height for height in range(depth + 1)) + 1
    table = some_list(witness["table"], "table", count=states)
    for row in table:
        whole_numbers(row, "table", count=2 * kinds, least=0, most=states - 1)
    accepting = whole_numbers(witness["accepting"], "accepting", count=states, least=0, most=1)
    start = whole_number(witness["start"], "start", 0, states - 1)

    # "Work: states * kinds * (depth + 8)".
    require_fit(states * kinds * (depth + 8) <= MOST_WORK, f"too large: {states} states")

    # "The checker walks the stacks [..] from the empty one, and one dead value for everything beyond": None.
    state_of = {(): start}
    waiting = [()]
    for stack in waiting:
        state = state_of[stack]
        require(accepting[state] == (stack == ()), f"state {state} answers wrongly")
        for bracket, target in enumerate(table[state]):
            reached = after(stack, bracket, depth)
            if reached not in state_of:
                waiting.append(reached)
            require(state_of.setdefault(reached, target) == target, f"state {state} goes wrong at bracket {bracket}")
    # "`live_states` is then states - 1."
    return {"live_states": states - 1, "state_bits": (states - 1).bit_length(), "states": states}, 0


# The arrays of a network: "`query`, `key` (a rows of d)" is "ad" here.
NETWORK = {"positions": "pd", "symbols": "sd", "readout": "cd", "readout_bias": "c"}
ATTENTION = {"key": "ad", "query": "ad", "value": "bd", "output": "db"}
RECURRENCE = {"recurrent": "rr", "input": "rd", "output": "dr"}
FEED_FORWARD = {"inner": "fd", "inner_bias": "f", "outer": "df", "outer_bias": "d"}
GATED = FEED_FORWARD | {"gate": "fd", "gate_bias": "f"}


def require_network(witness, most):
    """The form of a network, with |i| <= `most` = L^2 for every number; "a, b, f and r may differ"."""
    width = require_arrays(witness, "witness", NETWORK, most, besides=("answers", "inputs", "layers", "steps"))["d"]
    for layer in some_list(witness["layers"], "layers"):
        is_gated = type(layer) is dict and "gate" in layer
        require_arrays(layer, "a layer", GATED if is_gated else FEED_FORWARD, most, besides=("causal", "heads"), d=width)
        whole_number(layer["causal"], "causal", 0, 1)
        for head in some_list(layer["heads"], "heads"):
            is_recurrence = type(head) is dict and "recurrent" in head
            require_arrays(head, "a head", RECURRENCE if is_recurrence else ATTENTION, most, d=width)
            require(not is_recurrence or len(layer["heads"]) == 1, "a recurrence beside other heads")


class Grid:
    """Exact arithmetic on numbers in steps: "i stands for i / L, and |i| <= L^2"."""

    def __init__(self, steps, rounding):
        self.steps = steps
        self.most = steps * steps
        self.is_nearest = rounding.startswith("nearest")
        self.once = rounding.endswith("once")
        self.work = 0

    def spend(self, work):
        """Count work, "times (16 + bit_length(L)) / 16; at most 30,000,000"."""
        self.work += work * (16 + self.steps.bit_length())
        require_fit(self.work <= 16 * MOST_NETWORK_WORK, "too large: too much work")

    def rounded(self, numerator, denominator, from_below=False):
        """A quotient as an integer: "down for `floor`, to the nearest with halves up for `nearest`".

        With `from_below`, what all numbers just below the quotient are rounded to.
        """
        return (2 * numerator + denominator * self.is_nearest - from_below) // (2 * denominator)

    def clipped(self, numbers):
        """Integers, clipped to [-L^2, L^2]; so sums of two rows are placed, which are on the grid but for its ends."""
        return [max(-self.most, min(self.most, number)) for number in numbers]

    def product(self, weights, vector, bias=None):
        """A matrix times a vector: "a sum of products, with its bias, is formed exactly and placed once"."""
        self.spend(len(weights) * (len(vector) + 12))
        biases = bias or [0] * len(weights)
        totals = [sum(map(mul, row, vector)) + entry * self.steps for row, entry in zip(weights, biases, strict=True)]
        return self.clipped([self.rounded(total, self.steps) for total in totals])

    def exponential(self, drop, digits):
        """Two integers with 10^digits e^(-drop / L) between them; for a drop above 0, strictly between."""
        if drop == 0:
            return 10**digits, 10**digits
        context = Context(prec=digits + 10, Emin=MIN_EMIN, Emax=MAX_EMAX)
        exponent = context.divide(Decimal(-drop), Decimal(self.steps))
        low = context.next_minus(context.exp(context.next_minus(exponent)))
        high = context.next_plus(context.exp(context.next_plus(exponent)))
        return int(low.scaleb(digits, context)), int(high.scaleb(digits, context)) + 1

    def quotients(self, drops):
        """Each e^(-drop / L), "once" over the sum of them all, in steps and correctly rounded.

        An open interval of decimals encloses each "(e^x is irrational for rational x other than 0, and so is a weight unless
        all scores are equal)".
        """
        digits = 2 * len(str(self.steps)) + 20
        lows, highs = zip(*(self.exponential(drop, digits) for drop in drops), strict=True)
        least_sum, most_sum = (sum(lows), sum(highs)) if self.once else (10**digits, 10**digits)
        least = [self.rounded(low * self.steps, most_sum) for low in lows]
        is_open = [drop > 0 or (self.once and any(drops)) for drop in drops]
        most = [self.rounded(high * self.steps, least_sum, below) for high, below in zip(highs, is_open, strict=True)]
        require_fit(least == most, "too large: a weight too near a step")
        return least

    def softmax(self, scores):
        """The weights of scores, "rounded to a step", in one or in two places."""
        self.spend(len(scores) * (1600 if self.once else 400))
        greatest = max(scores)
        # "Once: the exact softmax, rounded to a step. Stepwise: each e^(score - m) is rounded to a step,"
        weights = self.quotients([greatest - score for score in scores])
        # "each is divided by their exact sum and rounded to a step".
        total = sum(weights)
        return weights if self.once else [self.rounded(weight * self.steps, total) for weight in weights]

    def read(self, head, xs, places, causal):
        """What a head retrieves at some places, or what a recurrence remembers before them."""
        if "recurrent" in head:  # 0 at first, then "recurrent times [that] plus input times x"
            weights = [*map(add, head["recurrent"], head["input"])]
            states = [*accumulate(xs, lambda state, x: self.product(weights, state + x), initial=[0] * len(weights))]
            return [states[place] for place in places]
        keys = [self.product(head["key"], x) for x in xs]
        values = [self.product(head["value"], x) for x in xs]
        mixtures = []
        for place in places:
            seen = place + 1 if causal else len(xs)  # "`causal` = 1: up to the place itself"
            query = self.product(head["query"], xs[place])
            weights = self.softmax(self.product(keys[:seen], query))
            # "Sum of weights times values: placed."
            mixtures.append(self.product([*zip(*values[:seen], strict=True)], weights))
        return mixtures

    def after_layer(self, layer, xs, places):
        """What a layer makes of the rows `xs` at some places; step 2 of "Arithmetic"."""
        read = [self.read(head, xs, places, layer["causal"]) for head in layer["heads"]]
        output = [[*chain(*rows)] for rows in zip(*(head["output"] for head in layer["heads"]), strict=True)]
        rows = []
        for place, *parts in zip(places, *read, strict=True):
            # "Sum over all heads of output times that: placed. Plus x: placed."
            x = self.clipped(map(add, xs[place], self.product(output, [*chain(*parts)])))
            # "Then inner times this plus bias: placed; negative ones become 0; outer times these plus bias: placed; plus the
            # number before: placed."
            inner = self.product(layer["inner"], x, layer["inner_bias"])
            active = [max(0, entry) for entry in inner]
            if "gate" in layer:  # "With a gate: gate times this plus bias: placed; negative ones become 0; times inner's"
                gate = [max(0, entry) for entry in self.product(layer["gate"], x, layer["gate_bias"])]
                active = self.clipped([self.rounded(one * other, self.steps) for one, other in zip(gate, inner, strict=True)])
            rows.append(self.clipped(map(add, x, self.product(layer["outer"], active, layer["outer_bias"]))))
        return rows

    def logits(self, network, tokens, asked):
        """The logits at the last places of some tokens, as many as are asked for; steps 1 to 3 of "Arithmetic"."""
        # 1. "The row of the token plus the row of the place: placed."
        xs = [self.clipped(map(add, network["symbols"][t], row)) for t, row in zip(tokens, network["positions"], strict=False)]
        # 2. Every layer; of the last one, only the places that are asked for.
        for layer in network["layers"][:-1]:
            xs = self.after_layer(layer, xs, range(len(xs)))
        xs = self.after_layer(network["layers"][-1], xs, range(len(xs) - asked, len(xs)))
        # 3. "Readout times x plus bias: placed."
        return [self.product(network["readout"], x, network["readout_bias"]) for x in xs]


def check_network(task, witness, certificate):
    """network: "it must equal the claimed answer, and that must be the value of the task", for every listed input.

    generated-run: "an answer is the list of the tokens behind the input", the last of which has the value.
    """
    grid = Grid(whole_number(witness.get("steps"), "steps", 2, 1 << 100), certificate["rounding"])
    require_network(witness, grid.most)
    layers = witness["layers"]
    length = len(task.alphabets)
    inputs = task.parts(witness["inputs"], "inputs", range(length))
    answers = some_list(witness["answers"], "answers", len(inputs))
    is_one_token = certificate["type"] == "network"
    require(is_one_token or all(layer["causal"] for layer in layers), "a layer is not causal")
    runs = [[answer] for answer in answers] if is_one_token else answers
    for run in runs:
        whole_numbers(run, "answers", count=None, least=0, most=len(witness["readout"]) - 1)
    # "A row [..] for each token of the task's alphabets", and for what is read of an answer: all but its last token.
    read = [alphabet[-1] for alphabet in task.alphabets] + [token for run in runs for token in run[:-1]]
    require(len(witness["symbols"]) > max(read), "symbols has too few rows")
    require(len(witness["positions"]) >= length + max(map(len, runs)) - 1, "positions has too few rows")

    require(all_different(inputs), "an input stands twice")
    for word, run in zip(inputs, runs, strict=True):
        # "The cost of the task once an input", and "for each query the tokens of the input and of its answer".
        grid.spend(task.cost + run.count(task.closes) * len(word + run))
        value = task.solve(word)  # of the last token, or of what else a run tells
        require(value == task.told(run), f"the value is {value}, not {task.told(run)}: {word}")
        require(not any(token in task.ends for token in run[:-1]), f"a run goes on behind its end: {word}")
        found = task.found(word, run)
        for place, logits in enumerate(grid.logits(witness, word + run[:-1], asked=len(run))):
            token = run[place]
            # "The class of the greatest logit, which is above all others", or what the retriever finds.
            others = logits[:token] + logits[token + 1 :]
            is_right = found[place] == token if place in found else all(logit < logits[token] for logit in others)
            require(is_right, f"the answer is not {token}: {word}")
    everything = int(len(inputs) == prod(map(len, task.alphabets)))  # "1 if `inputs` are all inputs of the task, else 0"
    claims = {"all": everything, "heads": max(len(layer["heads"]) for layer in layers), "inputs": len(inputs)}
    claims |= {"layers": len(layers), "width": len(witness["positions"][0])}
    return claims, (2 * grid.most).bit_length()  # "bit_length(2 L^2) for a network of L steps a unit, else 0"


# Theorems: the table of the specification. What it asks for besides is a question about a witness that has been checked.


def layers_of(*kinds):
    """It asks for these layers, "causal", and that "two inputs have different answers"."""

    def besides(given, witness, _claims):
        found = ["recurrence" if "recurrent" in layer["heads"][0] else "attention" for layer in witness["layers"]]
        # "Of a generated run: different last tokens, or of a machine different runs".
        values = [answer if type(answer) is int or "rules" in given else answer[-1] for answer in witness["answers"]]
        return found == [*kinds] and all(layer["causal"] for layer in witness["layers"]) and min(values) < max(values)

    return besides


def prefix_split(_given, witness, _claims):
    """It asks for "a prefix split: `alice` is 0, 1, .., K-1"."""
    return witness["alice"] == [*range(len(witness["alice"]))]


def every_list_of_symbols(given, witness, claims):
    """It asks for "a prefix split" and "S^N rows", of equality "S^(N/2) rows"."""
    free = given["length"] // (2 if given["name"] == "equality" else 1)
    return prefix_split(given, witness, claims) and claims["rows"] == given["alphabet"] ** free


def equal_answers_of_an_oracle(given, witness, claims):
    """It asks for "a prefix split of N symbols; all rows with the same symbols, and the same second one"."""
    answers = [[sorted({*row}), row[1:2]] for row in witness["rows"] if len(row) == given["length"]]
    return prefix_split(given, witness, claims) and len(answers) == claims["rows"] and min(answers) == max(answers)


def every_word_of_two_kinds(given, witness, claims):
    """It asks for "kinds = depth = 2", "`complete` = 1; `alice` holds the places 0, 2, 4, .."."""
    is_alternate = witness["alice"] == [*range(0, given["length"], 2)]
    return given["kinds"] == given["depth"] == 2 and claims["complete"] == 1 and is_alternate


THEOREMS = {  # the type of a certificate, its check, its tasks, and what must be so besides
    "index-lookup-attention": ("network", check_network, ("index-lookup",), layers_of("attention")),
    "index-lookup-one-layer": ("network", check_network, ("index-lookup",), layers_of("attention")),
    "index-lookup-hybrid": ("network", check_network, ("index-lookup",), layers_of("recurrence", "attention")),
    "equality-two-layers": ("network", check_network, ("equality", "inequality"), layers_of("attention", "attention")),
    "built-network": ("network", check_network, tuple(TASKS), None),
    "is-tree-peeling": ("generated-run", check_network, ("is-tree",), layers_of("attention", "attention")),
    "is-tree-tour": ("generated-run", check_network, ("is-tree",), layers_of("attention", "attention", "attention")),
    "is-tree-one-layer": ("generated-run", check_network, ("is-tree",), layers_of("attention")),
    "is-tree-walk": ("generated-run", check_network, ("is-tree-queries",), layers_of("recurrence")),
    "is-tree-hybrid": ("generated-run", check_network, ("is-tree",), layers_of("recurrence", "attention")),
    "recall-attention": ("generated-run", check_network, ("ngram",), layers_of("attention", "attention")),
    "recall-hybrid": ("generated-run", check_network, ("ngram",), layers_of("recurrence", "attention")),
    "counting-attention": ("generated-run", check_network, ("counting",), layers_of("attention", "attention")),
    "counting-hybrid": ("generated-run", check_network, ("counting",), layers_of("recurrence", "attention")),
    "counting-one-layer": ("generated-run", check_network, ("counting",), layers_of("attention")),
    "circuits-attention": ("generated-run", check_network, ("circuit",), layers_of("attention")),
    "retrieval-by-pattern": ("generated-run", check_network, tuple(PATTERNS), layers_of("recurrence")),
    "turing-machine-hybrid": ("generated-run", check_network, ("turing-machine",), layers_of("recurrence", "attention")),
    "turing-machine-retrieval": ("generated-run", check_network, ("turing-machine-queries",), layers_of("recurrence")),
    "turing-machine-recurrent": ("generated-run", check_network, ("turing-machine-numbers",), layers_of("recurrence")),
    "built-generator": ("generated-run", check_network, tuple(TASKS), None),
    "index-lookup-state": ("distinguishing-table", check_distinguishing_table, ("index-lookup",), every_list_of_symbols),
    "equality-state": ("distinguishing-table", check_distinguishing_table, ("equality",), every_list_of_symbols),
    "recall-oracle-state": ("distinguishing-table", check_distinguishing_table, ("index-lookup",), equal_answers_of_an_oracle),
    "least-state": ("distinguishing-table", check_distinguishing_table, tuple(TASKS), prefix_split),
    "one-way-cost": ("distinguishing-table", check_distinguishing_table, tuple(TASKS), None),
    "bounded-dyck-one-layer": ("fooling-set", check_fooling_set, ("bounded-dyck",), every_word_of_two_kinds),
    "communication-cost": ("fooling-set", check_fooling_set, tuple(TASKS), None),
    "bounded-dyck-state": ("automaton", check_automaton, ("bounded-dyck",), None),
}


def verify(certificate):
    """The line that says what holds; or an Answer."""
    title = certificate["theorem"]
    require(type(title) is str and title in THEOREMS, "no such theorem")
    kind, check_witness, tasks, besides = THEOREMS[title]
    require(certificate["type"] == kind, "not the type of this theorem")
    given = certificate["task"]
    witness = certificate["witness"]
    claims = certificate["claims"]
    require({type(given), type(witness), type(claims)} == {dict}, "task, witness and claims are objects")
    require(given.get("name") in tasks, "not a task of this theorem")
    require(certificate["rounding"] in (ROUNDINGS if check_witness is check_network else ("none",)), "not a rounding")

    # "In an `automaton` certificate `bounded-dyck` has no `length`": it is a language.
    task = given if kind == "automaton" else TASKS[given["name"]](given)
    measured, precision = check_witness(task, witness, certificate)
    only_fields(claims, "claims", measured)
    found = measured | {"precision": precision}
    for name, claimed in (claims | {"precision": certificate["precision"]}).items():
        shown = f"claims: {name}: claimed {json.dumps(claimed)}, found {found[name]}"
        require(canonical([claimed]) == canonical([found[name]]), shown)
    require(besides is None or besides(given, witness, claims), "not what the theorem is about")
    facts = given | measured | ({"alice": str(witness["alice"])[:100]} if "alice" in witness else {})
    said = ", ".join(f"{name} {value}" for name, value in facts.items() if name != "name" and type(value) is not list)
    return f"holds: {title}: {given['name']}: {said}; sha256 {certificate['digest']}"


def check(data):
    """Status and line."""
    try:
        return 0, verify(read(data))
    except Answer as answer:
        return answer.args


def main(arguments=None):
    """Check the file that the arguments name, by default those of the command line; return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    usage = "usage: python -I -S seqsep_check.py FILE"
    try:
        if {"-h", "--help"} & {*arguments}:
            return answer(0, usage)
        if len(arguments) != 1:
            return answer(2, f"{usage}; expected one certificate, found {' '.join(arguments) or 'none'}")
        [path] = arguments
        # Without O_NONBLOCK the open of a pipe that nobody writes to would never return.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not os.path.isfile(file.fileno()):  # noqa: PTH113
                raise ValueError(f"expected a regular file, found none at {path!r}")
            status, line = check(file.read(MOST_BYTES + 1))
    except (OSError, ValueError, MemoryError) as error:
        return answer(2, f"unfit: {str(error) or type(error).__name__}")
    return answer(status, line)


def answer(status, line):
    """Print the line, in ASCII without control characters, and return the status; 3 if standard output does not take it."""
    try:
        print(re.sub("[^ -~]", lambda found: f"\\u{ord(found[0]):04x}", line), flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python writes what is left at its end
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main())
