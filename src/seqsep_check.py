"""Check a seqsep certificate with nothing but the standard library: python -I -S seqsep_check.py FILE

Exit status, and one line on standard output: 0 it holds; 1 rejected, and why; 2 not a certificate, or too large; 3 the line
cannot be written. The specification is docs/reference/certificates.md. Sentences in quotation marks are the specification's.
This file shares no code with seqsep and imports nothing of it. It changes nothing that it reads.

You need not read all of it. The lines 40 to 358 are common to all types, and are followed by one type after another:

    To audit `fooling-set` read lines 40 to 433: 220 lines of code.
    To audit `distinguishing-table` read lines 40 to 375 and 436 to 489: 223 lines of code.
    To audit `automaton` read lines 40 to 358 and 492 to 534: 208 lines of code.
    To audit `state-collision` read lines 40 to 358 and 537 to 659: 259 lines of code.
    To audit `network` read lines 40 to 358 and 662 to 952: 363 lines of code.
    To audit `generated-run` read lines 40 to 358 and 662 to 983: 378 lines of code.

Docstrings and comments are not counted, but they are the proof. In the lines 279 to 358, which are 46 lines of code, you need
one task only, that of your certificate. If it is not there, it is one of these:

    Read lines 986 to 1047 for the tasks `is-tree`, `is-tree-queries`, `ngram` and `counting`.
    Read lines 1050 to 1082 for the task `circuit`.
    Read lines 1085 to 1139 for the tasks `turing-machine`, `turing-machine-queries` and `turing-machine-numbers`.
    Read lines 986 to 1047 and 1142 to 1204 for the tasks `index-by-pattern`, `counting-by-pattern` and `ngram-by-pattern`.

The last two lines call `main`. No line changes what an earlier line defines: `grep -E '^(def|class|[A-Z_]+)[ [(]' FILE` prints
every definition, and no two define one name. Only `LIMITS`, `TASKS` and `THEOREMS` grow; no row of them is replaced.

`--self-test` runs one sound and one forged certificate of each type. It shows that this copy works, and proves nothing else.
"""

import hashlib
import json
import os
import re
import sys
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from itertools import combinations, pairwise
from math import prod
from operator import mul

# ---- Common to all types: limits, the answer, the command line, the file, the verdict.

MOST_BYTES = 10 << 20
MOST_BRACKETS = 200_000
MOST_QUOTES = 20_000
MOST_DIGITS = 64
MOST_WORK = 4_000_000
MOST_NETWORK_WORK = 30_000_000
MOST_VALUE = (1 << 31) - 1
# The least value of each of these fields of a task is 1, and this is the greatest.
LIMITS = {"alphabet": 1 << 16, "bits": 8, "depth": 4096, "gram": 64, "kinds": 1 << 15, "length": 4096}
LIMITS |= {"modulus": 1 << 16, "steps": 4096, "vertices": 1024}
ZEROS = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))  # every digit becomes a 0
FIELDS = {"claims", "digest", "format", "precision", "rounding", "task", "theorem", "type", "version", "witness"}
OF_NETWORKS = ("floor stepwise", "floor once", "nearest stepwise", "nearest once")
ROUNDINGS = {"network": OF_NETWORKS, "generated-run": OF_NETWORKS, "state-collision": ("floor", "nearest")}

TASKS = {}  # name of a task -> the function that makes a Task from the field `task`
THEOREMS = {}  # name of a theorem -> its row in the specification: type, tasks (None: any), "besides" (None: nothing)


class Answer(Exception):
    """Any answer except "holds": the exit status, 1 or 2, and the line that says why."""


def require(condition, why):
    """Answer 1, rejected, unless the condition holds."""
    if not condition:
        raise Answer(1, f"rejected: {why[:200]}")


def require_fit(condition, why):
    """Answer 2, not a certificate or too large, unless the condition holds."""
    if not condition:
        raise Answer(2, f"unfit: {why[:200]}")


def main(arguments=None):
    """Check the file that the arguments name, by default those of the command line; return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    usage = "usage: python -I -S seqsep_check.py FILE, or --self-test"
    try:
        if "-h" in arguments or "--help" in arguments:
            return answer(0, usage)
        if arguments == ["--self-test"]:
            return answer(*self_test())
        if len(arguments) != 1:
            return answer(2, f"{usage}; expected one certificate, found {' '.join(arguments) or 'none'}")
        [path] = arguments
        # Without O_NONBLOCK the open of a pipe that nobody writes to would never return.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not os.path.isfile(file.fileno()):  # noqa: PTH113
                raise ValueError(f"expected a regular file, found another kind at {path!r}")
            status, line = check(file.read(MOST_BYTES + 1))
    except (OSError, ValueError, MemoryError) as error:
        return answer(2, f"unfit: {str(error) or type(error).__name__}")
    return answer(status, line)


def answer(status, line):
    """Print the line, in ASCII without control characters. Return the status, or 3 if the line cannot be written."""
    try:
        print(re.sub("[^ -~]", lambda found: f"\\u{ord(found[0]):04x}", line), flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python writes at its end what it still has, and must not fail then
        return 3
    return status


def check(data):
    """Return the status and the line for the bytes of a file."""
    try:
        return 0, verify(read(data))
    except Answer as refusal:
        return refusal.args
    except RecursionError:  # from any depth of calls: in `canonical`, in `digest`, and where a claim is printed
        return 2, "unfit: nested too deeply"


def canonical(value):
    """Return the one way to write a value: "keys in ascending order, no spaces, no line end", in ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(certificate):
    """Return "SHA-256, in lower-case hexadecimal, of the canonical form of the certificate without this field"."""
    body = {name: part for name, part in certificate.items() if name != "digest"}
    return hashlib.sha256(canonical(body)).hexdigest()


def read(data):
    """Return the certificate in a file, with its size, form, fields, version and digest checked and nothing else.

    A fraction, an exponent or NaN becomes a string, which `canonical` writes with quotation marks, and of two equal keys one is
    left. So a file with any of these is not canonical.
    """
    require_fit(len(data) <= MOST_BYTES, "more than 10 MiB")
    require_fit(data.count(b"[") + data.count(b"{") <= MOST_BRACKETS, "too large: too many brackets")
    require_fit(data.count(b'"') <= MOST_QUOTES, "too large: too many quotation marks")
    require_fit(b"0" * (MOST_DIGITS + 1) not in data.translate(ZEROS), "too large: a number of more than 64 digits")
    try:
        certificate = json.loads(data.decode("ascii"), parse_float=str, parse_constant=str)
        require_fit(canonical(certificate) == data, "not canonical JSON")
    except ValueError:
        raise Answer(2, "unfit: not JSON") from None
    require_fit(type(certificate) is dict and certificate.keys() == FIELDS, "not the fields of a certificate")
    require_fit(certificate["format"] == "seqsep-certificate", "not a seqsep-certificate")
    require_fit(type(certificate["version"]) is int and certificate["version"] == 1, "not version 1")
    require(certificate["digest"] == digest(certificate), "the digest differs")
    return certificate


def verify(certificate):
    """Return the line that says what holds, or raise an Answer."""
    title = certificate["theorem"]
    require(type(title) is str and title in THEOREMS, "no such theorem")
    kind, tasks, besides = THEOREMS[title]
    require(certificate["type"] == kind, "not the type of this theorem")
    given, witness, claims = (certificate[field] for field in ("task", "witness", "claims"))
    require(all(type(part) is dict for part in (given, witness, claims)), "task, witness and claims must be objects")
    name = given.get("name")
    require(type(name) is str and name in (tasks or TASKS), "not a task of this theorem")
    require(certificate["rounding"] in ROUNDINGS.get(kind, ("none",)), "not a rounding of this type")

    # "In an `automaton` certificate `bounded-dyck` has no `length`": it is a language, and no function of words of one length.
    # The tasks of a `state-collision` are languages too.
    task = None if kind in ("automaton", "state-collision") else TASKS[name](given)
    checks = {"fooling-set": check_fooling_set, "distinguishing-table": check_distinguishing_table}
    checks |= {"automaton": check_automaton, "state-collision": check_state_collision}
    checks |= {"network": check_network, "generated-run": check_generated_run}
    found = checks[kind](certificate, task, witness)  # the claims that hold

    only_fields(claims, "claims", found)
    for field, claimed in claims.items():
        require_equal(field, claimed, found[field])
    # "Bits of a number: bit_length(2 L^2) for a network of L steps a unit [..], else 0".
    require_equal("precision", certificate["precision"], (2 * witness.get("steps", 0) ** 2).bit_length())
    require(besides is None or besides(given, witness, claims), "not what the theorem is about")

    facts = [f"{field} {value}" for field, value in [*given.items(), *found.items()] if type(value) is int]
    if "alice" in witness:
        # "If `alice` holds all positions, the second party sees nothing of the input."
        alice = f"alice {str(witness['alice'])[:100]}"
        facts.append(f"{alice}, answer read from the state" if len(witness["alice"]) == len(task.alphabets) else alice)
    return f"holds: {title}: {name}: {', '.join(facts)}; sha256 {certificate['digest']}"


def require_equal(name, claimed, found):
    """Require that a claim is the number that was found; "integers in a claim and a witness are never booleans"."""
    require(type(claimed) is int and claimed == found, f"claims: {name}: claimed {json.dumps(claimed)}, found {found}")


# ---- Common to all types: the form of values. `where` is the name of the value in the answer.


def only_fields(value, where, names):
    """Require an object with exactly these fields."""
    fits = type(value) is dict and value.keys() == set(names)
    require(fits, f"{where} must be an object with exactly the fields {', '.join(sorted(names))}")


def some_list(value, where, count=None):
    """Require a list with at least one entry; if a count is given, with that many. Return it."""
    require(type(value) is list and value, f"{where} is not a list, or is empty")
    require(count is None or len(value) == count, f"{where} has the wrong length")
    return value


def whole_number(value, where, least, most):
    """Require an integer from `least` to `most`; a boolean is none. Return it."""
    require(type(value) is int and least <= value <= most, f"{where} is not an integer from {least} to {most}")
    return value


def whole_numbers(value, where, count, least, most):
    """Require a list of `count` integers from `least` to `most`; if the count is None, of one or more. Return it."""
    some_list(value, where, count)
    require(all(type(number) is int for number in value), f"{where} has an entry that is not an integer")
    require(least <= min(value) and max(value) <= most, f"{where} has a number outside {least} to {most}")
    return value


def all_different(values):
    """Return True if all values differ. It "compares by sorting what must differ", since hashes can be made to collide."""
    return all(value != following for value, following in pairwise(sorted(values)))


def ceil_log2(count):
    """Return the least b with count <= 2^b: the bits that distinguish this number of things."""
    return (count - 1).bit_length()


def require_work(work):
    """Require that work, computed "from sizes only", is within the bound, before any of it is done."""
    require_fit(work <= MOST_WORK, f"too large: work {work}")


# ---- Common to all types: tasks. A task is a function of words with one letter at each position.


class Task:
    """A function of words.

    alphabets: the letters of each position, as ranges.
    solve: the value of a word.
    count: the number of words with a value, which "the checker itself counts"; None if the checker cannot count them. Whoever
        makes a task gives a count only if every word has a value.
    depth: what a letter costs, in 64ths.

    The rest is for words that are prompts. A network answers with a run, which is a list of tokens.
    ends: the tokens that end a run.
    told: what a run says the value is, which is its last token unless the task says otherwise.
    retriever: the tokens [ and ], and the function that finds the answer to a query; all None if the task has no retriever.
    """

    def __init__(self, alphabets, solve, *, count=None, depth=1, ends=(), told=None, retriever=(None, None, None)):
        self.alphabets = alphabets
        self.solve = solve
        self.count = count or (lambda value: None)
        self.cost = (len(alphabets) + 8) * (1 + depth // 64)  # of one evaluation
        self.ends = ends
        self.told = told or (lambda run: run[-1])
        self.opens, self.closes, self.find = retriever

    def parts(self, value, where, positions):
        """Require a non-empty list of words at some positions: lists with one letter for each of them. Return it."""
        for word in some_list(value, where):
            require(type(word) is list and len(word) == len(positions), f"a word of {where} has the wrong length")
            for letter, position in zip(word, positions, strict=True):
                require(type(letter) is int and letter in self.alphabets[position], f"a word of {where} leaves the alphabet")
        return value


def sizes(given, *names, lists=()):
    """Require that a task has these fields, its name and some lists, and no others. Return the sizes, in this order."""
    only_fields(given, "task", ("name", *names, *lists))
    return [whole_number(given[name], name, 1, LIMITS[name]) for name in names]


def index_lookup(given):
    """Inputs: "N symbols from 0 .. S-1, then a query from S .. S+N-1"; value: "the symbol at position (query - S)"."""
    alphabet, length = sizes(given, "alphabet", "length")
    return Task([range(alphabet)] * length + [range(alphabet, alphabet + length)], lambda word: word[word[-1] - alphabet])


def equality(given):
    """Inputs: "N symbols from 0 .. S-1", N even; value: "1 if the first N/2 equal the last N/2, in order, else 0".

    Inequality: "1 - equality".
    """
    alphabet, length = sizes(given, "alphabet", "length")
    require(length % 2 == 0, "length is odd")
    half = length // 2
    value_of_equal = 1 if given["name"] == "equality" else 0

    def solve(word):
        return value_of_equal if word[:half] == word[half:] else 1 - value_of_equal

    # "S^(N/2) for the value of equal halves"
    return Task([range(alphabet)] * length, solve, count=lambda value: alphabet**half if value == value_of_equal else None)


def after(stack, bracket, depth):
    """Return the open kinds after one more bracket; None, from then on, if the word cannot be completed.

    "2j opens and 2j+1 closes kind j"; at most `depth` may be open.
    """
    kind, closes = divmod(bracket, 2)
    if stack is None:
        return None
    if closes:
        return stack[:-1] if stack[-1:] == (kind,) else None
    return (*stack, kind) if len(stack) < depth else None


def bounded_dyck(given):
    """Inputs: "N brackets from 0 .. 2 kinds - 1"; value: "1 if well matched with at most `depth` open at any time, else 0"."""
    depth, kinds, length = sizes(given, "depth", "kinds", "length")

    def solve(word):
        stack = ()
        for bracket in word:
            stack = after(stack, bracket, depth)
        return int(stack == ())

    def count(value):
        # "The checker computes, bracket by bracket, the number of words at each height": an opening bracket `kinds` times, a
        # closing one once, since the stack says its kind. Only words with a future count: for others `after` returns None.
        ways = [1] + [0] * depth
        for _ in range(length):
            ways = [kinds * below + above for below, above in zip([0, *ways[:-1]], [*ways[1:], 0], strict=True)]
        return ways[0] if value == 1 else None

    return Task([range(2 * kinds)] * length, solve, count=count, depth=depth)


OUTSIDE = -1  # the entry of a table "if the input is outside the domain"


def table(given):
    """Value: an entry of `values`, "one integer for each input, the last position fastest"; -1 outside the domain."""
    only_fields(given, "task", ("name", "alphabets", "values"))
    letters_at = whole_numbers(given["alphabets"], "alphabets", count=None, least=1, most=LIMITS["alphabet"])
    require(len(letters_at) <= LIMITS["length"], "too many positions")
    values = whole_numbers(given["values"], "values", count=prod(letters_at), least=OUTSIDE, most=MOST_VALUE)

    def solve(word):
        place = 0
        for letter, letters in zip(word, letters_at, strict=True):
            place = place * letters + letter
        return values[place]

    # "Entries of the table"; "`complete` = 1 asks for a table without -1."
    count = None if OUTSIDE in values else values.count
    return Task([range(letters) for letters in letters_at], solve, count=count)


TASKS |= {"index-lookup": index_lookup, "equality": equality, "inequality": equality}
TASKS |= {"bounded-dyck": bounded_dyck, "table": table}


# ---- Common to fooling-set and distinguishing-table: an input is split between two parties, Alice and Bob.


def split(alice, task):
    """Require "the positions of the first party, ascending". Return them, and the second party's, which are all others."""
    require(type(alice) is list and all(type(position) is int for position in alice), "alice is not a list of integers")
    positions = range(len(task.alphabets))
    require(all(low < high for low, high in pairwise([-1, *alice, len(positions)])), "alice is not ascending positions")
    return alice, sorted(set(positions) - set(alice))


def joined(alice, x, bob, y):
    """Return the word with the letters x at the positions of Alice and the letters y at those of Bob."""
    letters = dict(zip(alice, x, strict=True)) | dict(zip(bob, y, strict=True))
    return [letters[position] for position in range(len(letters))]


# ---- fooling-set


def check_fooling_set(certificate, task, witness):
    """Theorem: every deterministic protocol between Alice and Bob that is right on the domain of the task needs `bits` bits.

    Proof. Write (x, y) for a word whose letters are x at the positions of Alice and y at those of Bob. Let two words (x, y) and
    (x', y') end at one leaf of a protocol. The inputs that end at a leaf are a rectangle, so (x, y') and (x', y) end there too,
    and all four get the same answer. The right answer on the words is the value. But one of (x, y') and (x', y) is in the
    domain and has another value: if `complete` is 0, the checker tests this for every two words, and if it is 1, it follows
    from what is tested (see there): contradiction. So no two words share a leaf, there are at least `size` leaves, and some
    path has ceil(log2 size) bits or more. With `complete` = 1, the words are moreover all the inputs with that value.

    It is the same if only one party gives the answer, from the leaf and its own part: each of (x, y') and (x', y) has the one
    part of (x, y) and the other of (x', y'), so it gets the value from either party.
    """
    only_fields(witness, "witness", ("alice", "value", "words"))
    alice, bob = split(witness["alice"], task)
    value = whole_number(witness["value"], "value", 0, MOST_VALUE)
    words = task.parts(witness["words"], "words", range(len(task.alphabets)))
    complete = whole_number(certificate["claims"].get("complete"), "complete", 0, 1)

    # "Work: (words + 64 * positions) * cost if complete, else (words + words^2) * cost".
    more = 64 * len(task.alphabets) if complete else len(words) ** 2
    require_work((len(words) + more) * task.cost)

    # "Each word has the value." So the words are in the domain: OUTSIDE is
    # below 0. And a task whose value is a run, which is a list, has no fooling set.
    for word in words:
        require(task.solve(word) == value, f"the value is not {value}: {word}")
    xs = [[word[position] for position in alice] for word in words]
    ys = [[word[position] for position in bob] for word in words]

    if complete:
        # "All x differ, all y differ, and the number of words equals the number of inputs with that value". "If (x, y') had the
        # value, it would be one of the words, the one with x, so y' = y: contradiction."
        # A task with a count is defined on every word (see `Task`), so (x, y') is in the domain.
        require(all_different(xs) and all_different(ys), "two words have the same half")
        require(task.count(value) == len(words), f"{len(words)} of {task.count(value) or 'unknown'} words with the value")
    else:
        # "For every two words (x, y) and (x', y'), at least one of (x, y') and (x', y) is in the domain and has another value."
        for (x, y), (other_x, other_y) in combinations(zip(xs, ys, strict=True), 2):
            mixed = (task.solve(word) for word in (joined(alice, x, bob, other_y), joined(alice, other_x, bob, y)))
            differ = any(found not in (value, OUTSIDE) for found in mixed)
            require(differ, f"{x} with {other_y}, {other_x} with {y}: neither has another value")
    return {"bits": ceil_log2(len(words)), "complete": complete, "size": len(words)}


def every_word_of_two_kinds(given, witness, claims):
    """Ask for "kinds = depth = 2", and "`complete` = 1; `alice` holds the places 0, 2, 4, .."."""
    is_alternate = witness["alice"] == list(range(0, given["length"], 2))
    return given["kinds"] == given["depth"] == 2 and claims["complete"] == 1 and is_alternate


THEOREMS["bounded-dyck-one-layer"] = ("fooling-set", ("bounded-dyck",), every_word_of_two_kinds)
THEOREMS["communication-cost"] = ("fooling-set", None, None)


# ---- distinguishing-table


def check_distinguishing_table(certificate, task, witness):
    """Theorem: if Bob can answer from Alice's message and his part, the messages number at least `rows`: `state_bits` bits.

    Proof. "Any two rows differ at a column where both are in the domain." If Alice sent the same message for both, Bob would
    give the same answer at that column twice, and one of the two would be wrong. If the positions of Alice are a prefix, then
    her message is the state of a recurrent model after it. If they are all positions, Bob sees no part of the input: the bound
    is then for models that read the answer from the state only.
    """
    only_fields(witness, "witness", ("alice", "columns", "rows"))
    alice, bob = split(witness["alice"], task)
    rows = task.parts(witness["rows"], "rows", alice)
    columns = task.parts(witness["columns"], "columns", bob)

    # "Work: rows * columns * cost; for a `table` with an entry -1, plus rows^2 * columns".
    is_partial = OUTSIDE in certificate["task"].get("values", [])
    more = len(rows) ** 2 * len(columns) if is_partial else 0
    require_work(len(rows) * len(columns) * task.cost + more)

    values = [[task.solve(joined(alice, row, bob, column)) for column in columns] for row in rows]
    # "If the task has no entry -1, the checker sorts the rows of values and compares neighbours."
    require(all_different(values), "two rows are equal")
    if is_partial:
        for row, other in combinations(values, 2):
            differ = any(one != two and OUTSIDE not in (one, two) for one, two in zip(row, other, strict=True))
            require(differ, "two rows are not distinguished")
    return {"rows": len(rows), "state_bits": ceil_log2(len(rows))}


def prefix_split(_given, witness, _claims):
    """Ask for a prefix split: "`alice` is 0, 1, .., K-1"."""
    return witness["alice"] == list(range(len(witness["alice"])))


def every_list_of_symbols(given, witness, claims):
    """Ask for "a prefix split" and "S^N rows", for equality "S^(N/2) rows"."""
    free = given["length"] // 2 if given["name"] == "equality" else given["length"]
    return prefix_split(given, witness, claims) and claims["rows"] == given["alphabet"] ** free


def equal_answers_of_an_oracle(given, witness, claims):
    """Ask for "a prefix split of N symbols; all rows have the same set of symbols, and the same second symbol"."""
    of_symbols = prefix_split(given, witness, claims) and len(witness["alice"]) == given["length"]
    answers = [(sorted(set(row)), row[1:2]) for row in witness["rows"]]
    return of_symbols and all(before == after for before, after in pairwise(answers))


THEOREMS["index-lookup-state"] = ("distinguishing-table", ("index-lookup",), every_list_of_symbols)
THEOREMS["equality-state"] = ("distinguishing-table", ("equality",), every_list_of_symbols)
THEOREMS["recall-oracle-state"] = ("distinguishing-table", ("index-lookup",), equal_answers_of_an_oracle)
THEOREMS["least-state"] = ("distinguishing-table", None, prefix_split)
THEOREMS["one-way-cost"] = ("distinguishing-table", None, None)


# ---- automaton


def check_automaton(certificate, _task, witness):
    """Theorem: the automaton recognises bounded Dyck at every length, and no complete deterministic one has fewer states.

    Proof. A word leads to a stack of at most `depth` open kinds, or to one dead value. Below, each of these gets one state, and
    every bracket leads from the state of each to the state of what it reaches. So, by induction over the word, the automaton is
    in the state of what the word leads to, and that state accepts "exactly for the empty stack". Conversely, "the word that
    closes one of two stacks distinguishes them, and it also distinguishes this stack from the dead value". So a complete
    automaton has a state for each of them. This one has exactly as many; `live_states` are all except the dead value's.
    """
    # "In an `automaton` certificate `bounded-dyck` has no `length`."
    depth, kinds = sizes(certificate["task"], "depth", "kinds")
    only_fields(witness, "witness", ("accepting", "start", "table"))
    states = sum(kinds**height for height in range(depth + 1)) + 1
    table = some_list(witness["table"], "table", count=states)
    for row in table:
        whole_numbers(row, "table", count=2 * kinds, least=0, most=states - 1)
    accepting = whole_numbers(witness["accepting"], "accepting", count=states, least=0, most=1)
    start = whole_number(witness["start"], "start", 0, states - 1)

    # "Work: states * kinds * (depth + 8)".
    require_fit(states * kinds * (depth + 8) <= MOST_WORK, f"too large: {states} states")

    # "For each stack and for the dead value, the checker finds the state that the table reaches": of a stack, by its opening
    # brackets; of the dead value, by a closing bracket at the start.
    state_of = {(): start, None: table[start][1]}
    stacks = [()]
    for _ in range(depth):
        stacks = [(*stack, kind) for stack in stacks for kind in range(kinds)]
        for stack in stacks:
            state_of[stack] = table[state_of[stack[:-1]]][2 * stack[-1]]
    # "From this state, every bracket must lead to the state of the next stack or dead value": then every other way does so too.
    for stack, state in state_of.items():
        require(accepting[state] == int(stack == ()), f"state {state} answers wrongly")
        for bracket, target in enumerate(table[state]):
            require(target == state_of[after(stack, bracket, depth)], f"state {state} goes wrong at bracket {bracket}")
    # "`live_states` is then states - 1."
    return {"live_states": states - 1, "state_bits": ceil_log2(states), "states": states}


THEOREMS["bounded-dyck-state"] = ("automaton", ("bounded-dyck",), None)


# ---- state-collision


def check_state_collision(certificate, _task, witness):
    """Theorem: no function of the state of this recurrence gives the value of the task after each of the two words.

    Proof. Both words are run below from the start, in exact arithmetic, and end in one state. A function of the state gives one
    answer there. The values of the two words differ, so the answer is wrong after one of them.
    """
    only_fields(witness, "witness", ("divisor", "maps", "start", "steps", "words"))
    most = whole_number(witness["steps"], "steps", 1, 1 << 15) ** 2
    divisor = whole_number(witness["divisor"], "divisor", 1, MOST_VALUE)
    start = whole_numbers(witness["start"], "start", count=None, least=-most, most=most)
    letters, solve = language(certificate["task"])
    maps = some_list(witness["maps"], "maps", count=letters)
    for row in [row for rows in maps for row in some_list(rows, "a map", count=len(start))]:
        whole_numbers(row, "a map", count=len(start) + 1, least=-MOST_VALUE, most=MOST_VALUE)
    words = some_list(witness["words"], "words", count=2)
    for run in [run for word in words for run in some_list(word, "a word")]:
        letter, _ = whole_numbers(run, "a run", count=2, least=0, most=MOST_VALUE)
        require(letter < letters, "a word leaves the alphabet")

    # "Work: the length of both words together * d * (d + 12)".
    lengths = [sum(times for _, times in word) for word in words]
    require_work(sum(lengths) * len(start) * (len(start) + 12))

    halves = 1 if certificate["rounding"] == "nearest" else 0  # how many halves are added before rounding down
    ends = []
    for runs in words:
        word = [letter for letter, times in runs for _ in range(times)]
        state = start
        for letter in word:
            # "Each row times (x, 1), over c, is formed exactly, rounded once and clipped: down for `floor`, to the nearest with
            # halves up for `nearest`, and then to [-L^2, L^2]."
            exact = [sum(map(mul, row, [*state, 1])) for row in maps[letter]]
            rounded = [(2 * entry + halves * divisor) // (2 * divisor) for entry in exact]
            state = [max(-most, min(most, number)) for number in rounded]
        ends.append((state, solve(word)))
    (state, value), (other_state, other_value) = ends
    require(state == other_state, "the words end in two states")
    require(value != other_value, f"both words have the value {value}")
    return {"longer": max(lengths), "shorter": min(lengths), "width": len(start)}


def language(given):
    """Return the number of letters, and the function that finds the value of a word of any length."""
    if given["name"] == "ones-modulo":
        [modulus] = sizes(given, "modulus")
        return 2, lambda word: word.count(1) % modulus  # "the number of letters 1, modulo m"
    only_fields(given, "task", ("name", "accepting", "start", "table"))
    accepting = whole_numbers(given["accepting"], "accepting", count=None, least=0, most=1)
    start = whole_number(given["start"], "start", 0, len(accepting) - 1)
    table = some_list(given["table"], "table", count=len(accepting))
    letters = len(some_list(table[0], "table"))
    for row in table:
        whole_numbers(row, "table", count=letters, least=0, most=len(accepting) - 1)

    def solve(word):
        state = start
        for letter in word:
            state = table[state][letter]
        return accepting[state]  # "1 if the state after the word accepts, else 0"

    return letters, solve


def is_diagonal(matrix):
    """Return True if all entries outside the diagonal are 0."""
    return not any(any(row[:place] + row[place + 1 :]) for place, row in enumerate(matrix))


def is_nonnegative_diagonal(matrix):
    """Ask for matrices that "are diagonal without negative entries"."""
    return is_diagonal(matrix) and min(map(min, matrix)) >= 0


def is_symmetric_without_negative_eigenvalues(matrix):
    """Ask for matrices that "have at most 8 rows, are symmetric, and have no negative eigenvalue".

    The number of rows is limited because each step of the recursion doubles the digits.
    """
    is_symmetric = matrix == [list(column) for column in zip(*matrix, strict=True)]
    return len(matrix) <= 8 and is_symmetric and has_no_negative_eigenvalue(matrix)


def has_no_negative_eigenvalue(matrix):
    """Return True if no eigenvalue of a symmetric matrix A is negative, which is x . A x >= 0 for every vector x.

    Proof. Let p be the first entry, r the rest of the first row, and B the matrix without the first row and column. For a
    number t and a vector y, x = (t, y) has x . A x = p t^2 + 2 t (r . y) + y . B y.
    1. If p < 0, then t = 1 and y = 0 give a negative number. If p = 0 and r is not 0, then y = r and some t do.
    2. If p = 0 and r = 0, it is y . B y.
    3. If p > 0, then p (x . A x) = (p t + r . y)^2 + y . (p B - r r^T) y. Some t makes the square 0. So the last term decides.
    """
    pivot, *row = matrix[0]
    pairs = zip(row, matrix[1:], strict=True)
    below = [[max(pivot, 1) * entry - one * other for entry, other in zip(line[1:], row, strict=True)] for one, line in pairs]
    is_possible = pivot > 0 or (pivot == 0 and not any(row))
    return is_possible and (not below or has_no_negative_eigenvalue(below))


def of_ones(gap, is_of_kind):
    """Return what asks for matrices of a kind, and for "ones with the gap g"."""

    def besides(given, witness, claims):
        # "The first d numbers of a row".
        matrices = [[row[:-1] for row in rows] for rows in witness["maps"]]
        # "The words are 1^n and 1^(n + g), each written as one run, in this order", "m = g + 1".
        words = [[[1, claims["longer"] - gap]], [[1, claims["longer"]]]]
        is_run = witness["words"] == words and given["modulus"] == gap + 1
        # "n + g is at most g G, for symmetric matrices at most G^d. Here G = 2 L^2 + 1".
        values = 2 * witness["steps"] ** 2 + 1
        mixes = is_of_kind == is_symmetric_without_negative_eigenvalues
        most = values ** claims["width"] if mixes else gap * values
        return is_run and claims["longer"] <= most and all(is_of_kind(matrix) for matrix in matrices)

    return besides


THEOREMS["nonnegative-diagonal-parity"] = ("state-collision", ("ones-modulo",), of_ones(1, is_nonnegative_diagonal))
THEOREMS["diagonal-periods"] = ("state-collision", ("ones-modulo",), of_ones(2, is_diagonal))
THEOREMS["symmetric-steps"] = ("state-collision", ("ones-modulo",), of_ones(1, is_symmetric_without_negative_eigenvalues))
THEOREMS["one-state-two-values"] = ("state-collision", ("ones-modulo", "regular-language"), None)


# ---- network: the form of its arrays. "`query`, `key` (a rows of d)" is "ad" here; one letter is one size.

NETWORK = {"positions": "pd", "symbols": "sd", "readout": "cd", "readout_bias": "c"}
ATTENTION = {"key": "ad", "query": "ad", "value": "bd", "output": "db"}
RECURRENCE = {"recurrent": "rr", "input": "rd", "output": "dr"}
FEED_FORWARD = {"inner": "fd", "inner_bias": "f", "outer": "df", "outer_bias": "d"}
GATED = FEED_FORWARD | {"gate": "fd", "gate_bias": "f"}


def require_arrays(part, where, shapes, known, most, others=()):
    """Require an object with arrays of these shapes and some other fields, and with numbers from -`most` to `most`.

    `known` has the sizes that letters have already. A letter that is not among them gets the size of the first array with it.
    Return all sizes by letter.
    """
    only_fields(part, where, (*shapes, *others))
    found = dict(known)
    for name, letters in shapes.items():
        array = some_list(part[name], name, found.get(letters[0]))
        found[letters[0]] = len(array)
        for row in [array] if len(letters) == 1 else array:
            whole_numbers(row, name, count=found.get(letters[-1]), least=-most, most=most)
            found[letters[-1]] = len(row)
    return found


def require_network(witness, most):
    """Require the form of a network, with |i| <= `most` = L^2 for every number; "a, b, f and r may differ"."""
    sizes = require_arrays(witness, "witness", NETWORK, {}, most=most, others=("answers", "inputs", "layers", "steps"))
    width = {"d": sizes["d"]}
    for layer in some_list(witness["layers"], "layers"):
        shapes = GATED if type(layer) is dict and "gate" in layer else FEED_FORWARD
        require_arrays(layer, "a layer", shapes, width, most=most, others=("causal", "heads"))
        whole_number(layer["causal"], "causal", 0, 1)
        for head in some_list(layer["heads"], "heads"):
            is_recurrence = type(head) is dict and "recurrent" in head
            require_arrays(head, "a head", RECURRENCE if is_recurrence else ATTENTION, width, most=most)
            require(not is_recurrence or len(layer["heads"]) == 1, "a recurrence next to other heads")


# ---- network: its arithmetic, "Arithmetic" in the specification.


class Grid:
    """Exact arithmetic on numbers in steps: "i stands for i / L, and |i| <= L^2"."""

    def __init__(self, steps, rounding):
        self.steps = steps
        self.most = steps * steps
        self.halves = 1 if rounding.startswith("nearest") else 0  # how many halves are added before rounding down
        self.once = rounding.endswith("once")
        self.work = 0

    def spend(self, work):
        """Count work, "times (16 + bit_length(L)) / 16; at most 30,000,000"."""
        self.work += work * (16 + self.steps.bit_length())
        require_fit(self.work <= 16 * MOST_NETWORK_WORK, "too large: too much work")

    def rounded(self, numerator, denominator):
        """Return a quotient as an integer: "down for `floor`, to the nearest with halves up for `nearest`"."""
        return (2 * numerator + self.halves * denominator) // (2 * denominator)

    def rounded_from_below(self, numerator, denominator):
        """Return the integer that all numbers just below the quotient are rounded to.

        If a quotient is rounded to floor(a / b), these are rounded to ceil(a / b) - 1, and ceil(x) is -floor(-x).
        """
        return -(-(2 * numerator + self.halves * denominator) // (2 * denominator)) - 1

    def clipped(self, numbers):
        """Return integers, clipped to [-L^2, L^2]."""
        return [max(-self.most, min(self.most, number)) for number in numbers]

    def total(self, row, other):
        """Return the sum of two rows, placed: sums of integers are on the grid, and need only be clipped."""
        return self.clipped([one + two for one, two in zip(row, other, strict=True)])

    def product(self, weights, vector, bias=None):
        """Return a matrix times a vector: "a sum of products, with its bias, is formed exactly and placed once".

        The products are in steps of 1 / L^2, so a bias is multiplied by L and the sum is divided by L.
        """
        self.spend(len(weights) * (len(vector) + 12))
        biases = bias or [0] * len(weights)
        sums = [sum(map(mul, row, vector)) + entry * self.steps for row, entry in zip(weights, biases, strict=True)]
        return self.clipped([self.rounded(exact, self.steps) for exact in sums])

    def exponential(self, drop, digits):
        """Return two integers with 10^digits e^(-drop / L) between them; for a drop above 0, strictly between."""
        if drop == 0:
            return 10**digits, 10**digits
        context = Context(prec=digits + 10, Emin=MIN_EMIN, Emax=MAX_EMAX)
        exponent = context.divide(Decimal(-drop), Decimal(self.steps))
        low = context.next_minus(context.exp(context.next_minus(exponent)))
        high = context.next_plus(context.exp(context.next_plus(exponent)))
        return int(low.scaleb(digits, context)), int(high.scaleb(digits, context)) + 1

    def quotients(self, drops):
        """Return each e^(-drop / L), for `once` over the sum of them all, in steps and correctly rounded.

        Proof. Write E = 10^digits e^(-drop / L).
        1. `divide` and `exp` of a decimal context return a decimal nearest to the exact result. So the exact result is strictly
           between the two decimals next to that one: if it were at one of them or beyond, that one would be nearer.
        2. e^x grows with x. So in `exponential`, by 1 used twice: low < e^(-drop / L) < high. Cutting off digits by `int` makes
           `low` no greater, or 0 if it was below 0 after an underflow; E is above both. So int(low) < E < int(high) + 1.
        3. If drop = 0, then E = 10^digits, and both ends are that. The greatest score has drop 0.
        4. Let S be the sum of all E for `once`, and 10^digits for `stepwise`. By 2 and 3, 0 < least_sum <= S <= most_sum.
        5. So E L / S is at least low L / most_sum, and rounding is monotone: the weight is at least the lower end, rounded.
        6. E L / S is at most high L / least_sum, and strictly below that if drop > 0, by 2. For `once` it is so too
           if another drop is above 0, as then least_sum < S. So the weight is at most the upper end, rounded (from below).
        7. If both ends give the same integer, that is the weight. If not, the answer is "too large" and nothing is claimed.
        Enough digits would decide every weight: "e^x is irrational for rational x other than 0, and so is a weight unless all
        scores are equal".
        """
        digits = 2 * len(str(self.steps)) + 20
        enclosures = [self.exponential(drop, digits) for drop in drops]
        least_sum = sum(low for low, _ in enclosures) if self.once else 10**digits
        most_sum = sum(high for _, high in enclosures) if self.once else 10**digits
        weights = []
        for drop, (low, high) in zip(drops, enclosures, strict=True):
            least = self.rounded(low * self.steps, most_sum)
            is_below = drop > 0 or (self.once and any(drops))
            round_upper_end = self.rounded_from_below if is_below else self.rounded
            require_fit(least == round_upper_end(high * self.steps, least_sum), "too large: a weight too close to a step")
            weights.append(least)
        return weights

    def softmax(self, scores):
        """Return the weights of scores, in steps."""
        self.spend(len(scores) * (1600 if self.once else 400))
        greatest = max(scores)
        # For once "the exact softmax, rounded to a step"; for stepwise "each e^(score - m) is rounded to a step",
        weights = self.quotients([greatest - score for score in scores])
        if self.once:
            return weights
        # "each is divided by their exact sum and rounded to a step".
        total = sum(weights)
        return [self.rounded(weight * self.steps, total) for weight in weights]

    def retrieved(self, head, xs, places, causal):
        """Return what a head retrieves at some places, or what a recurrence remembers before them."""
        if "recurrent" in head:
            return self.remembered(head, xs, places)
        keys = [self.product(head["key"], x) for x in xs]
        values = [self.product(head["value"], x) for x in xs]
        mixtures = []
        for place in places:
            seen = place + 1 if causal else len(xs)  # "`causal` = 1: up to the place itself"
            query = self.product(head["query"], xs[place])
            weights = self.softmax(self.product(keys[:seen], query))
            # "Sum of weights times values: placed."
            mixtures.append(self.product(list(zip(*values[:seen], strict=True)), weights))
        return mixtures

    def remembered(self, head, xs, places):
        """Return what a recurrence remembers before some places."""
        # "After each place, the vector becomes recurrent times the vector plus input times x: placed."
        weights = [of_state + of_x for of_state, of_x in zip(head["recurrent"], head["input"], strict=True)]
        remembered = [[0] * len(weights)]
        for x in xs:
            remembered.append(self.product(weights, remembered[-1] + x))
        return [remembered[place] for place in places]

    def after_layer(self, layer, xs, places):
        """Return the rows at some places after a layer; step 2 of "Arithmetic"."""
        retrieved = [self.retrieved(head, xs, places, layer["causal"]) for head in layer["heads"]]
        # "The heads' outputs are one matrix": row i is row i of each, one after the other.
        outputs = [head["output"] for head in layer["heads"]]
        output = [[weight for row in rows for weight in row] for rows in zip(*outputs, strict=True)]
        after = []
        for number, place in enumerate(places):
            mixture = [entry for of_head in retrieved for entry in of_head[number]]
            # "Sum over all heads of output times the result of step 4: placed. Plus x: placed."
            x = self.total(xs[place], self.product(output, mixture))
            after.append(self.total(x, self.feed_forward(layer, x)))  # "plus the number before: placed"
        return after

    def feed_forward(self, layer, x):
        """Return what the feed-forward part of a layer adds to a row."""
        # "inner times this plus bias: placed; negative ones become 0"
        inner = self.product(layer["inner"], x, layer["inner_bias"])
        active = [max(0, entry) for entry in inner]
        if "gate" in layer:
            # "gate times this plus bias: placed; negative ones become 0; times inner's numbers [..]: placed"
            gate = [max(0, entry) for entry in self.product(layer["gate"], x, layer["gate_bias"])]
            active = self.clipped([self.rounded(one * other, self.steps) for one, other in zip(gate, inner, strict=True)])
        # "outer times these plus bias: placed"
        return self.product(layer["outer"], active, layer["outer_bias"])

    def logits(self, network, tokens, asked):
        """Return the logits at the last `asked` places of some tokens; steps 1 to 3 of "Arithmetic"."""
        # 1. "The row of the token plus the row of the place: placed."
        xs = [self.total(network["symbols"][token], network["positions"][place]) for place, token in enumerate(tokens)]
        # 2. "In the last layer only the places that are read out are computed".
        *layers, last = network["layers"]
        for layer in layers:
            xs = self.after_layer(layer, xs, range(len(xs)))
        xs = self.after_layer(last, xs, range(len(xs) - asked, len(xs)))
        # 3. "Readout times x plus bias: placed."
        return [self.product(network["readout"], x, network["readout_bias"]) for x in xs]


# ---- network: the check.


def check_network(certificate, task, witness):
    """Theorem: on every listed input, the greatest logit of this network is that of the value of the task, and has no equal.

    With `all` = 1, these are all inputs of the task. Proof. `check_runs` runs the network in the exact arithmetic of the
    specification. An answer is a run of one token, which is the last: so nothing there about ends and queries applies to it.
    """
    grid = read_network(certificate, task, witness)
    return check_runs(task, witness, grid, runs=[[answer] for answer in witness["answers"]])


def read_network(certificate, task, witness):
    """Require the form of a network, with inputs of the task and as many answers. Return its grid."""
    grid = Grid(whole_number(witness.get("steps"), "steps", 2, 1 << 100), certificate["rounding"])
    require_network(witness, grid.most)
    inputs = task.parts(witness["inputs"], "inputs", range(len(task.alphabets)))
    some_list(witness["answers"], "answers", len(inputs))
    return grid


def check_runs(task, witness, grid, runs):
    """Require that the network writes each run after its input, and that the run says the value. Return the claims."""
    inputs = witness["inputs"]
    layers = witness["layers"]
    for run in runs:
        whole_numbers(run, "answers", count=None, least=0, most=len(witness["readout"]) - 1)
    # "A row of d numbers for each token of the task's alphabets", and for what is read of a run: all except its last token.
    tokens = [alphabet[-1] for alphabet in task.alphabets] + [token for run in runs for token in run[:-1]]
    require(len(witness["symbols"]) > max(tokens), "symbols has too few rows")
    longest = max(len(run) for run in runs)
    require(len(witness["positions"]) >= len(task.alphabets) + longest - 1, "positions has too few rows")
    require(all_different(inputs), "an input is listed twice")

    for word, run in zip(inputs, runs, strict=True):
        # "For each input, the cost of the task", and "for each query, the number of tokens of the input and its answer".
        grid.spend(task.cost + run.count(task.closes) * len(word + run))
        value = task.solve(word)
        told = task.told(run)
        require(value == told, f"the value is {value}, not {told}: {word}")
        require(not any(token in task.ends for token in run[:-1]), f"a run continues after its end: {word}")
        found = found_by_retriever(task, word, run)
        for place, logits in enumerate(grid.logits(witness, word + run[:-1], asked=len(run))):
            token = run[place]
            # "The class of the greatest logit, which is above all others", or what the retriever finds.
            others = logits[:token] + logits[token + 1 :]
            is_right = found[place] == token if place in found else all(logit < logits[token] for logit in others)
            require(is_right, f"the answer is not {token}: {word}")
    is_all = len(inputs) == prod(len(alphabet) for alphabet in task.alphabets)
    heads = max(len(layer["heads"]) for layer in layers)
    width = len(witness["positions"][0])
    return {"all": int(is_all), "heads": heads, "inputs": len(inputs), "layers": len(layers), "width": width}


def found_by_retriever(task, prompt, run):
    """Return the places of a run that the retriever writes, those after each ] except the last token, with what it finds.

    "A query is what is in the answer between a ] and the last [ before it". A run of one token has no such place.
    """
    found = {}
    opened = None
    for place, token in enumerate(run[:-1]):
        if token == task.opens:
            opened = place
        if token == task.closes:
            require(opened is not None, "a query is closed but was never opened")
            found[place + 1] = task.find(prompt, run[:opened], run[opened + 1 : place])
    return found


def layers_of(kinds):
    """Return what asks for layers "in their order, all causal", A for attention and R for a recurrence, and for two answers."""

    def besides(task, witness, _claims):
        found = ["R" if "recurrent" in layer["heads"][0] else "A" for layer in witness["layers"]]
        # "Two inputs must have different answers. For a generated run, this means different last tokens".
        last = [answer if type(answer) is int or "rules" in task else answer[-1] for answer in witness["answers"]]
        is_constant = all(value == last[0] for value in last)
        return found == list(kinds) and all(layer["causal"] for layer in witness["layers"]) and not is_constant

    return besides


THEOREMS["index-lookup-attention"] = ("network", ("index-lookup",), layers_of("A"))
THEOREMS["index-lookup-one-layer"] = ("network", ("index-lookup",), layers_of("A"))
THEOREMS["index-lookup-hybrid"] = ("network", ("index-lookup",), layers_of("RA"))
THEOREMS["equality-two-layers"] = ("network", ("equality", "inequality"), layers_of("AA"))
THEOREMS["built-network"] = ("network", None, None)


# ---- generated-run


def check_generated_run(certificate, task, witness):
    """Theorem: greedy decoding of this network writes, after every listed prompt, exactly the listed run, which says the value.

    Proof. "Greedy decoding [..] takes the class of the greatest logit at the last place and appends it". "The network is
    causal, hence what it computes at a place is a function of the tokens up to there, which by induction are those that
    decoding, and the retriever, have written so far." So one pass over the prompt and its run shows every step of decoding.
    """
    grid = read_network(certificate, task, witness)
    require(all(layer["causal"] for layer in witness["layers"]), "a layer is not causal")
    return check_runs(task, witness, grid, runs=witness["answers"])


def run_of(task, kinds):
    """Return the row of a theorem about generated runs for one task, with layers of these kinds."""
    return ("generated-run", (task,), layers_of(kinds))


THEOREMS |= {"is-tree-peeling": run_of("is-tree", "AA"), "is-tree-tour": run_of("is-tree", "AAA")}
THEOREMS |= {"is-tree-one-layer": run_of("is-tree", "A"), "is-tree-hybrid": run_of("is-tree", "RA")}
THEOREMS |= {"is-tree-walk": run_of("is-tree-queries", "R"), "recall-attention": run_of("ngram", "AA")}
THEOREMS |= {"recall-hybrid": run_of("ngram", "RA"), "counting-attention": run_of("counting", "AA")}
THEOREMS |= {"counting-hybrid": run_of("counting", "RA"), "counting-one-layer": run_of("counting", "A")}
THEOREMS |= {"circuits-attention": run_of("circuit", "A"), "turing-machine-hybrid": run_of("turing-machine", "RA")}
THEOREMS["turing-machine-retrieval"] = run_of("turing-machine-queries", "R")
THEOREMS["turing-machine-recurrent"] = run_of("turing-machine-numbers", "R")
THEOREMS["built-generator"] = ("generated-run", None, None)


# ---- Tasks of prompts: is-tree, ngram, counting.


def is_tree(given):
    """Inputs: "0, then u, n+1, v for each of n-1 edges".

    Value: "n+3 if the edges make a tree of the vertices 1 .. n, else n+2"; is-tree-queries: "the same, with the retriever
    below".
    """
    [vertices] = sizes(given, "vertices")
    no_tree, tree, opens, closes, failed = range(vertices + 2, vertices + 7)
    edge = [range(1, vertices + 1), range(vertices + 1, vertices + 2), range(1, vertices + 1)]

    def solve(word):
        # "n-1 edges make a tree of n vertices if and only if none closes a cycle."
        part = list(range(vertices + 1))  # of each vertex; vertices that the edges so far connect have the same
        for u, v in zip(word[1::3], word[3::3], strict=True):
            if part[u] == part[v]:
                return no_tree
            part = [part[u] if of_vertex == part[v] else of_vertex for of_vertex in part]
        return tree

    def find(prompt, _written, query):
        # "The query [ v y ] finds the neighbour of v in the first edge with v after the first edge of v and y".
        edges = list(zip(prompt[1::3], prompt[3::3], strict=True))
        if len(query) != 1:
            same = [number for number, edge in enumerate(edges) if sorted(edge) == sorted(query)]
            edges = edges[same[0] + 1 :] if same else []
        for u, v in edges:
            if query[0] in (u, v):
                return v if query[0] == u else u
        return failed

    retriever = (opens, closes, find) if given["name"] == "is-tree-queries" else (None, None, None)
    return Task([range(1), *edge * (vertices - 1)], solve, depth=vertices, ends=(no_tree, tree), retriever=retriever)


def ngram(given):
    """Inputs: 0, N symbols, then c-1 symbols, which are the query.

    Value: "the symbol after the first occurrence of these c-1 symbols among the first N symbols [..]; 0 if there is none".
    """
    alphabet, gram, length = sizes(given, "alphabet", "gram", "length")

    def solve(word):
        query = word[length + 1 :]
        for place in range(gram, length + 1):
            if word[place - gram + 1 : place] == query:
                return word[place]
        return 0

    return Task([range(1)] + [range(1, alphabet + 1)] * (length + gram - 1), solve, ends=range(alphabet + 1))


def counting(given):
    """Inputs: 0, N symbols, a symbol q, then t+1 from 1 .. S; value: "1 if more than t of the N are q, else 0"."""
    alphabet, length = sizes(given, "alphabet", "length")
    alphabets = [range(1)] + [range(1, alphabet + 1)] * (length + 2)
    return Task(alphabets, lambda word: int(word[1:-2].count(word[-2]) >= word[-1]), ends=(0, 1))


TASKS |= {"is-tree": is_tree, "is-tree-queries": is_tree, "ngram": ngram, "counting": counting}


# ---- Tasks of circuits.


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
            # "The bits of the token, the lowest first, the state, and the gates before it."
            sources = [token >> place & 1 for place in range(bits)] + remembered
            for one, other in gates:
                sources.append(1 - sources[one] * sources[other])
            values = sources[-len(gates) :]
            remembered = [values[gate] for gate in state]
            run += [first + 2 * gate + value for gate, value in enumerate(values)]
        return [*run, stop, *[stop + 1 + 2 * place + values[gate] for place, gate in enumerate(output)]]

    alphabets = [range(first - 1)] * length + [range(first - 1, first)]
    return Task(alphabets, solve, depth=64 * (len(gates) + len(start) + len(output)), told=lambda run: run)


TASKS["circuit"] = circuit


# ---- Tasks of Turing machines.


def turing_machine(given):
    """Inputs: QS+S, then N symbols as QS .. QS+S-1; value: the run, "a configuration before each step, and the last one".

    Turing-machine-numbers: "QS+S after the symbols". Turing-machine-queries: "with the retriever below".
    """
    alphabet, length, steps = sizes(given, "alphabet", "length", "steps", lists=("head", "rules"))
    start = whole_number(given["head"], "head", 0, length - 1)
    rules = some_list(given["rules"], "rules")
    require(len(rules) % alphabet == 0, "rules does not have one entry for each state and symbol")
    for rule in [rule for rule in rules if rule != []]:  # "[] if there is none"
        state, symbol, move = some_list(rule, "a rule", count=3)
        whole_number(state, "a rule's state", 0, len(rules) // alphabet - 1)
        whole_number(symbol, "a rule's symbol", 0, alphabet - 1)
        whole_number(move, "a rule's move", -1, 1)
    configurations = len(rules)  # QS: the tokens below it
    begin, opens, closes, failed = range(configurations + alphabet, configurations + alphabet + 4)
    cell_0 = failed + 1 + steps  # "cell v is QS+S+4+T+v"
    has_queries = given["name"] == "turing-machine-queries"

    def solve(word):
        tape = dict(enumerate(token - configurations for token in word if token != begin))
        head = start
        run = [tape[head]]  # "Symbol c read in state q is the configuration S q + c", and "the start is state 0"
        while rules[run[-1]] and len(run) <= steps:
            state, tape[head], move = rules[run[-1]]
            head += move
            run.append(alphabet * state + tape.get(head, 0))
        return run

    def told(run):
        # "The tokens below QS in the answer, in their order, without those that the retriever found".
        is_found = [has_queries and before == closes for before in [begin, *run[:-1]]]
        return [token for token, found in zip(run, is_found, strict=True) if token < configurations and not found]

    def find(prompt, written, query):
        # "The configuration after the last record [ c ] r in the answer before the query", "or else the symbol of the input on
        # cell c", "or else FAILED, which is also found for every other query".
        record = [opens, *query, closes]
        for at in range(len(written) - 5, -1, -1):
            if written[at : at + 3] == record and written[at + 4] < configurations:
                return written[at + 4]
        symbols = {cell_0 + cell: symbol for cell, symbol in enumerate(prompt[1:])}
        return symbols.get(query[0], failed) if len(query) == 1 else failed

    alphabets = [range(begin, begin + 1), *[range(configurations, begin)] * length]
    if given["name"] == "turing-machine-numbers":
        alphabets.reverse()
    retriever = (opens, closes, find) if has_queries else (None, None, None)
    return Task(alphabets, solve, depth=64 * steps, told=told, retriever=retriever)


TASKS |= dict.fromkeys(("turing-machine", "turing-machine-queries", "turing-machine-numbers"), turing_machine)


# ---- Tasks by pattern. A pattern is a regular expression, written word by word; its words are tokens.


PATTERNS = {  # of a query, which is symbols, and a count
    "index-by-pattern": r"(?x) ^ (?:\S+\s) COUNT (\S+)",
    "counting-by-pattern": r"(?x) ^ (?: (?: (?! QUERY \s ) \S+ \s )* ( QUERY ) \s (?=\S+\s\S) ) COUNT",
    "ngram-by-pattern": r"(?x) (?<!\S) QUERY \s (\S+) (?=(?:\s\S+) COUNT )",
}


def by_pattern(given):
    """Value: the run, "[, the pattern, ], what it finds, and the answer".

    Index-by-pattern has "0, then N symbols from 1 .. S, then i+1 for a place i"; the others have the prompts of `ngram` and of
    `counting`.
    """
    name = given["name"]
    template = PATTERNS[name]
    task = ngram(given) if name == "ngram-by-pattern" else counting(given)
    length = given["length"]
    symbols = [str(number) for number in range(given["alphabet"])]
    counts = [f"{{{count}}}" for count in range(len(symbols) + 1)]
    if name == "ngram-by-pattern":  # its count is always c-1, and a word of the pattern like the others
        template = template.replace("COUNT", f"{{{given['gram'] - 1}}}")
        counts = []
    if name == "index-by-pattern":
        require(len(symbols) > 1, "with an alphabet of 1 there is no place to ask for")
        places = range(2, min(length, len(symbols) - 1) + 2)
        task = Task([*task.alphabets[: length + 1], places], lambda word: word[word[-1] - 1])
    # "The words of the pattern, except the query and [..] the count, in their order".
    marks = [word for word in dict.fromkeys(template.split()) if word not in ("QUERY", "COUNT")]
    texts = ["<s>", *symbols, *counts, "[", "]", "FAILED", "NO", "YES", *marks]
    numbers = {text: token for token, text in enumerate(texts)}

    def said(tokens, between=" "):
        return between.join(texts[token] for token in tokens)

    def solve(word):
        query = word[length + 1 :]
        value = task.solve(word)
        found = answer = numbers["FAILED"] if value == 0 else value
        count = said([])
        if name == "counting-by-pattern":
            count = counts[query[1]]
            query = query[:1]
            found = numbers["FAILED"] if value == 0 else query[0]
            answer = numbers["NO"] if value == 0 else numbers["YES"]
        if name == "index-by-pattern":
            count = counts[query[0] - 1]
        words = template.replace("QUERY", said(query, r" \s ")).replace("COUNT", count).split()
        return [numbers["["], *[numbers[word] for word in words], numbers["]"], found, answer]

    def find(prompt, written, query):
        # "RETRIEVE in the paper": the query is a pattern, and all before it is searched. The run is the value before this is
        # called, so the pattern is that of `solve`.
        found = re.search(said(query), said(prompt + written))
        return numbers[found[1] if found else "FAILED"]

    return Task(task.alphabets, solve, told=lambda run: run, retriever=(numbers["["], numbers["]"], find))


TASKS |= dict.fromkeys(PATTERNS, by_pattern)
THEOREMS["retrieval-by-pattern"] = ("generated-run", tuple(PATTERNS), layers_of("R"))


# ---- The test of itself.

# Of each type a certificate that holds, and a change that makes it false, with the reason that the checker must give.
SELF_TEST = """
{"type":"fooling-set","theorem":"communication-cost","task":{"alphabet":3,"length":2,"name":"equality"},
"claims":{"bits":2,"complete":1,"size":3},"witness":{"alice":[0],"value":1,"words":[[0,0],[1,1],[2,2]]}}
[1,1] -> [0,0]: rejected: two words have the same half
{"type":"distinguishing-table","theorem":"index-lookup-state","task":{"alphabet":2,"length":2,"name":"index-lookup"},
"claims":{"rows":4,"state_bits":2},"witness":{"alice":[0,1],"columns":[[2],[3]],"rows":[[0,0],[0,1],[1,0],[1,1]]}}
[0,1],[1 -> [0,0],[1: rejected: two rows are equal
{"type":"automaton","theorem":"bounded-dyck-state","task":{"depth":1,"kinds":1,"name":"bounded-dyck"},
"claims":{"live_states":2,"state_bits":2,"states":3},"witness":{"accepting":[1,0,0],"start":0,"table":[[1,2],[2,0],[2,2]]}}
[2,0] -> [2,1]: rejected: state 1 goes wrong at bracket 1
{"type":"state-collision","theorem":"nonnegative-diagonal-parity","task":{"modulus":2,"name":"ones-modulo"},"precision":2,
"claims":{"longer":3,"shorter":2,"width":1},"rounding":"floor","witness":{"divisor":1,"maps":[[[1,0]],[[1,1]]],"start":[-1],
"steps":1,"words":[[[1,2]],[[1,3]]]}}
[[1,1]] -> [[-1,1]]: rejected: the words end in two states
{"type":"network","theorem":"built-network","task":{"alphabets":[2,2],"name":"table","values":[0,1,1,1]},"precision":6,
"claims":{"all":1,"heads":1,"inputs":4,"layers":1,"width":1},"rounding":"floor stepwise","witness":{"answers":[0,1,1,1],
"inputs":[[0,0],[0,1],[1,0],[1,1]],"layers":[{"causal":1,"heads":[{"key":[[0]],"output":[[4]],"query":[[0]],"value":[[4]]}],
"inner":[[0]],"inner_bias":[0],"outer":[[0]],"outer_bias":[0]}],"positions":[[0],[0]],"readout":[[-4],[4]],
"readout_bias":[0,0],"steps":4,"symbols":[[-4],[16]]}}
[16] -> [4]: rejected: the answer is not 1: [1, 0]
{"type":"generated-run","theorem":"built-generator","task":{"alphabet":1,"length":1,"name":"counting"},"precision":6,
"claims":{"all":1,"heads":1,"inputs":1,"layers":1,"width":1},"rounding":"nearest once","witness":{"answers":[[2,1]],
"inputs":[[0,1,1,1]],"layers":[{"causal":1,"heads":[{"input":[[0]],"output":[[0]],"recurrent":[[0]]}],"inner":[[0]],
"inner_bias":[0],"outer":[[0]],"outer_bias":[0]}],"positions":[[0],[0],[0],[0],[0]],"readout":[[0],[-4],[4]],
"readout_bias":[0,0,0],"steps":4,"symbols":[[0],[4],[-4]]}}
[[2,1]] -> [[1]]: rejected: the answer is not 1
"""


def self_test():
    """Return the status and the line: 0 if each sound certificate holds, and each forged one is rejected for its reason."""
    for sound, old, new, why in re.findall(r"(\{.*?)\n(\S+) -> (\S+): ([^\n]+)\n", SELF_TEST, re.DOTALL):
        for text, expected in ((sound, "holds: "), (sound.replace(old, new), why)):
            body = {"format": "seqsep-certificate", "precision": 0, "rounding": "none", "version": 1} | json.loads(text)
            _, line = check(canonical(body | {"digest": digest(body)}))
            if not line.startswith(expected):
                return 1, f"self-test failed: {body['type']}: expected {expected}, found {line}"
    return 0, "self-test passed: of each type a sound certificate holds, and a forged one is rejected"


if __name__ == "__main__":
    sys.exit(main())
