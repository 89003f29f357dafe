"""A linear recurrence of 17 numbers runs a Turing machine on w cells, with five tokens of a chain of thought per step.

The chain of thought ("thought") holds the tape, so the state stays small. The theorem has a second half: without a thought no
such model solves the same problem. That half depends on an open conjecture and cannot be run.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.1. Suppose that PSPACE is not in P/poly: circuits of polynomial size
cannot decide all that polynomial memory can. Then there is a problem that separates two models. A linear RNN of constant size
with a thought of polynomial length solves it, and no RNN of constant size without a thought does.

The problem. Fix a machine M that decides words x of m symbols on O(m) cells, such that no circuits of size polynomial in m
decide them. An input has n = 2^m symbols: n - m blanks and then x. The right answer is M(x). After the input comes the token
"=", which starts the run.

The half with a thought is what runs here. Let A be the least power of two that is at least the number of M's symbols. The tape
is two numbers R and L below B = A^w, for w cells on each side of the head (`_stacks`). For each step the thought has five
tokens: R, L, floor(R / A), floor(L / A) and (q, c), which means "in state q, reading c". Since c = R - A floor(R / A), every
token is a function of the five before it.

Sizes. As w = O(m), B is polynomial in n, and p = O(log n). The length of the thought is polynomial too. For M with Q states
there are at most Q B^2 cases (q, R, L), and a machine that halts is in none of them twice. The recurrence stores 17 numbers,
and the layer has 1,517 entries (`LAYER_ENTRIES`), for every n and M.

Residual stream. The first two lines are the numbers in the embedding of a token. The embedding of a configuration has the
machine's rule for it. The layer writes the rest, where "1 back" means one token back:
    [number: of a token that is a number | digit: of an input symbol | acts: 1 for (q, c) and "=" | starts: 1 for "=" |
     write: w | moves: right, left, stay, one-hot | state: q' |
     back: the numbers 1, 2, 3, 4 tokens back | wrote, went: write and moves 1 back | floors: acts 2 back or 3 back |
     reads: acts 4 back | goes: state 4 back | word: of the input | value | action].
A token with acts = 1 is followed by R, L and their two quotients. So the distance to the last such token says which of these
four is next.

The proof continues at `_remember`, `_next_number`, `_readout`, `_grid`.

Margin. The logit of the next token is above all others by at least 1.

We differ:
* The tape is in the thought and not in the state.
* The input is padded with blanks. In the paper it is padded with 0. (If the blank of a machine is 0, the two are the same.)
* The machine may have any symbols.

The half without a thought depends on the conjecture, and nothing runs it. Its proof: let an RNN of constant size answer
without a thought, and let its step have circuit size polynomial in log n. Its state after the n - m blanks is the same for all
x, a constant. Then the m steps that read x are a circuit of size polynomial in m that decides M(x). This contradicts the
choice of M. If PSPACE is not in P/poly, such an M exists: pad the words of a hard problem until O(m) cells are enough.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Array, Grid, Rounding
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import FeedForward, LinearLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Predictor, Theorem
from seqsep.theorems.blocks import Rows, Spaces, Units, feed_forward, linear_layer, running_sum, shift_register
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Cells, Length, Machines, RoundingMode, Seed, Words
from seqsep.theorems.trial import Trial, logits_apart
from seqsep.theorems.turing_machine import _trials as trials
from seqsep.theorems.turing_machine._machine import Configuration, Machine, replay
from seqsep.theorems.turing_machine._machine_file import MachineName, ReadMachine, Steps, machine_of
from seqsep.theorems.turing_machine._shown import shown, words_of
from seqsep.theorems.turing_machine._stack_tokens import A_STEP, StackTokens
from seqsep.theorems.turing_machine._stacks import base_of, stack_run
from seqsep.theorems.turing_machine._trials import Tried, drawn_words, every_word

CLAIM = Claim(
    name="turing-machine-recurrent",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.1",
    statement="A linear recurrence of 17 numbers runs a Turing machine on O(log n) cells, with a chain of thought of five "
    "tokens per step",
)
MARGIN = "a logit above all others"
APART = 1.0
WIDTH = 23
NUMBERS_REMEMBERED = 17
UNITS = 9
LAYER_ENTRIES = NUMBERS_REMEMBERED * (NUMBERS_REMEMBERED + 2 * WIDTH) + UNITS * (2 * WIDTH + 1) + WIDTH
WINDOW = 5
MOST_NUMBERS = 1 << 20
FLOAT_WORDS = 200
MOVES = {1: 0, -1: 1, 0: 2}


def build(
    machine: ReadMachine, length: Annotated[Length, Range(0, 1 << 16)], cells: Cells, rounding: RoundingMode = "floor"
) -> Network:
    """The network for words of up to m = `length` symbols and runs with w = `cells` cells on each side of the head.

    `rounding` chooses the grid, "floor" or "nearest" (`_grid`).
    Raises ValueError unless 0 <= m <= w, 1 <= w, and A^w is at most 2^20.

    >>> network = build(machine_of("busy-beaver-3"), length=0, cells=3)
    >>> network.width, network.layers[0][0].remembered, network.grid.steps
    (23, 17, 256)
    """
    numbers = base_of(machine) ** cells
    if not 0 <= length <= cells or cells < 1 or numbers > MOST_NUMBERS:
        raise ValueError(
            f"build(length={length}, cells={cells}): expected 0 <= length <= cells, at least 1 cell, and at most "
            f"{MOST_NUMBERS:,} numbers, found {numbers:,}"
        )
    spaces = Spaces(**_own(), **_recalled(), value=1, action=1)
    readout, readout_bias = _readout(spaces, machine, numbers)
    return Network(
        name=CLAIM.name,
        grid=_grid(machine, cells, rounding),
        spaces=spaces.slices,
        symbols=whole(_embedding(spaces, machine)),
        indices=whole(np.arange(numbers)[:, None] * spaces["number"], by_index=True),
        layers=((_remember(spaces, machine, length), _next_number(spaces, machine, numbers)),),
        readout=whole(readout),
        readout_bias=whole(readout_bias),
    )


def _own() -> dict[str, int]:
    """The spaces of a token's own row."""
    return {"number": 1, "digit": 1, "acts": 1, "starts": 1, "write": 1, "moves": 3, "state": 1}


def _recalled() -> dict[str, int]:
    """The spaces of what is remembered."""
    return {"back": 4, "wrote": 1, "went": 3, "floors": 1, "reads": 1, "goes": 1, "word": 1}


def _embedding(spaces: Spaces, machine: Machine) -> Rows:
    """The row of a configuration has what its rule says; after the configurations come the symbols of the input, and "="."""
    rows = []
    for configuration in product(machine.states, machine.symbols):
        row = spaces["acts"][0].copy()
        rule = machine.rules.get(configuration)
        if rule is not None:
            row += machine.symbols.index(rule.write) * spaces["write"][0] + spaces["moves"][MOVES[rule.move]]
            row += machine.states.index(rule.state) * spaces["state"][0]
        rows.append(row)
    rows += [digit * spaces["digit"][0] for digit in range(len(machine.symbols))]
    return np.array([*rows, spaces["acts"][0] + spaces["starts"][0]])


def _remember(spaces: Spaces, machine: Machine, length: int) -> LinearLayer:
    """Shift registers hold 16 numbers about the last four tokens. One more number holds the word of the input.

    The number for the word is h_t = h_(t-1) / A + A^(m-1) digit_t. After blanks and then x_1 .. x_m it is the sum of x_i
    A^(i-1). This is R with the head on x_1. Up to there the number is whole, since x_i is divided at most m - i times. The
    token "=" reads it. After that the number is divided further and rounded, but no unit reads it. A word shorter than m has
    blanks after it.
    """
    base = base_of(machine)
    back = spaces["back"]
    moves = [shift_register(spaces["moves"][[move]], {1: spaces["went"][[move]]}) for move in MOVES.values()]
    layer = linear_layer(
        shift_register(spaces["number"], {place + 1: back[[place]] for place in range(4)}),
        shift_register(spaces["acts"], {2: spaces["floors"], 3: spaces["floors"], 4: spaces["reads"]}),
        shift_register(spaces["state"], {4: spaces["goes"]}),
        shift_register(spaces["write"], {1: spaces["wrote"]}),
        *moves,
        running_sum(base ** max(length - 1, 0) * spaces["digit"], spaces["word"]),
    )
    recurrent = base * layer.recurrent.integers
    recurrent[-1, -1] = 1
    return LinearLayer(Array(recurrent, Fraction(1, base)), layer.input, layer.output)


def _next_number(spaces: Spaces, machine: Machine, numbers: int) -> FeedForward:
    """Write `value` and `action`, from which the read-out finds the next token.

    If the next token is a number v, `value` = A v. If the next token is a quotient floor(v / A), `value` = v. If it is a
    configuration (q, c), `action` is the number of (q, c).

    A prime marks the numbers after the step, w is the symbol that the rule writes, and r, l are the quotients of R, L by A.
    Each unit is relu(a - G (1 - flag)), with a constant G that no a exceeds. It is a if the flag is 1, and 0 if the flag is 0.
    At each token of the thought at most one flag is 1:

    * At (q, c), the next token is R'. r = floor(R / A) is 2 tokens back, l = floor(L / A) is 1 back, and L is 3 back. If the
      rule moves the head right, R' = r. If it moves left, R' = A (A r + w) + L - A l, where L - A l is the symbol left of the
      head. If the head stays, R' = A r + w. At "=", R' is the word.
    * One token later, the next token is L'. l is 2 back and L is 4 back. For a move to the right L' = A L + w, for a move to
      the left L' = l, and otherwise L' = L. After "=" every unit is 0, so L' = 0.
    * Two tokens later the next token is floor(R' / A), and three tokens later floor(L' / A). The number that is divided is one
      token back.
    * Four tokens later, R' is 3 back and r' is 1 back, so c' = R' - A r'. With S symbols, (q', c') has the number S q' + c'.
    """
    base = base_of(machine)
    back = dict(enumerate(spaces["back"], start=1))
    write = spaces["write"][0]
    wrote = spaces["wrote"][0]
    moves = spaces["moves"]
    went = spaces["went"]
    counted = [
        (base * back[2], moves[0]),
        (base * (base * (base * back[2] + write) + back[3] - base * back[1]), moves[1]),
        (base * (base * back[2] + write), moves[2]),
        (base * spaces["word"][0], spaces["starts"][0]),
        (base * (base * back[4] + wrote), went[0]),
        (base * back[2], went[1]),
        (base * back[4], went[2]),
        (back[1], spaces["floors"][0]),
        (len(machine.symbols) * spaces["goes"][0] + back[3] - base * back[1], spaces["reads"][0]),
    ]
    gate = _gate(machine, numbers)
    inner = np.array([read + gate * flag for read, flag in counted])
    written = [spaces["value"][0]] * (UNITS - 1) + [spaces["action"][0]]
    return feed_forward([Units(inner, np.full(UNITS, -gate), np.array(written))], bias=spaces.nothing()[0])


def _gate(machine: Machine, numbers: int) -> int:
    """Return G = A (A^2 B + A^2 + B + Q) for B numbers: at least every a of `_next_number`, in every token."""
    base = base_of(machine)
    return base * (base * base * numbers + base * base + numbers + len(machine.states))


def _readout(spaces: Spaces, machine: Machine, numbers: int) -> tuple[Rows, Int64[np.ndarray, "tokens"]]:
    """The logits are functions of `value` for numbers, and of `action` and `reads` for configurations; other tokens have -1.

        number j           2 A j value - (A^2 j^2 + A (A - 1) j)
        configuration i    2 i action - i^2 + 2 reads - 1

    Let value = A k + e with 0 <= e < A. The logit of j is value^2 - (value - A j)^2 - A (A - 1) j. The logit of k exceeds that
    of k + 1 by A (2 A - 1 - 2 e) >= A, and that of k - 1 by A (2 e + 1) >= A. It is concave in j, so the logit of k exceeds
    all others by A. So it is at least the logit of 0, which is 0.

    If `reads` is 0, `action` is 0 as well, and configurations have at most -1. If `reads` is 1, `value` is 0 and numbers have
    at most 0. Then the configuration of number v = `action` has v^2 + 1, and the others have at most v^2.
    """
    base = base_of(machine)
    tokens = StackTokens(machine)
    configurations = np.arange(tokens.configurations)
    others = tokens.before_numbers - tokens.configurations
    every = np.arange(numbers)
    acting = 2 * configurations[:, None] * spaces["action"] + 2 * spaces["reads"]
    rows = np.concatenate([acting, spaces.nothing(others), 2 * base * every[:, None] * spaces["value"]])
    bias = np.concatenate([-(configurations**2) - 1, np.full(others, -1), -(base**2 * every**2 + base * (base - 1) * every)])
    return rows, bias


def _grid(machine: Machine, cells: int, rounding: Rounding) -> Grid:
    """Return the grid with 1/2^b as its step, so that 1/A is on it, with the least b for which only losing logits saturate.

    Hidden units are between -2 G and G, and the word is below B. Winning logits and biases are below A^2 B^2 for numbers, and
    below 2 + (Q S)^2 for configurations. With the rounding "nearest" the grid is that of Wen, Dang, Lyu 2025, except for its
    end point. The layer has no softmax. So p = 4 (w + 1) log2 A + 2, unless w is so small, or the machine so large, that
    another of these numbers is greatest.
    """
    base = base_of(machine)
    numbers = base**cells
    configurations = StackTokens(machine).configurations
    needed = max(2 * _gate(machine, numbers), base**2 * numbers**2, configurations**2 + 2)
    steps = 1 << (needed - 1).bit_length()
    return Grid(steps) if rounding == "floor" else Grid(steps, "nearest", "once")


def bound(machine: Machine, cells: int) -> dict[str, Number]:
    """Every size, from Q, S and w alone.

    V = (Q + 1) S + 1 + B tokens; program = p (d (V + (Q + 1) S + 1) + V + 1,517): the read-out and its bias, the embedding of
    all tokens but numbers, and the layer. The state by range: w log2 A for each of 4 numbers, log2 S for the symbol, 1 for each
    of 7 flags, log2 Q for each of 4 states, rounded up, and p for the word, which fades.
    """
    base = base_of(machine)
    states = len(machine.states)
    others = StackTokens(machine).before_numbers
    vocabulary = others + base**cells
    p = _grid(machine, cells, "floor").precision
    entries = WIDTH * (vocabulary + others) + vocabulary + LAYER_ENTRIES
    by_range = 4 * ceil_log2(base**cells) + ceil_log2(len(machine.symbols)) + 7 + 4 * ceil_log2(states) + p
    return {
        "width": WIDTH,
        "heads": 1,
        "layers": 1,
        "precision": p,
        "core_bits": 0,
        "program_bits": p * entries,
        "tables_bits": p * (entries + WIDTH * base**cells),
        "layer_entries": LAYER_ENTRIES,
        "tokens_a_step": A_STEP,
        "state_numbers": NUMBERS_REMEMBERED,
        "state_bits": NUMBERS_REMEMBERED * p,
        "state_bits_by_range": by_range,
    }


def check(
    machine: MachineName | None = None,
    length: Annotated[Length, Range(0, 1 << 16)] = 4,
    cells: Cells = 6,
    steps: Steps = 60,
    machines: Annotated[Machines, Range(1, 1 << 20)] = 10,
    words: Words | None = 2,
    seed: Seed = 0,
) -> list[Outcome]:
    """Build the network of a machine and follow its thought on words of up to `length` symbols after 2^m - m blanks.

    With `machine`, a machine file or the name of a shipped machine: that one, on the empty word and `words` drawn ones (None:
    on every word). Else every shipped machine, and `machines` drawn ones of 1 to 5 states and 2 to 4 symbols. A run is followed
    until it halts, for `steps` steps, or until it would use more than `cells` cells on a side of the head. The network must
    generate the numbers read off the simulated tape, on the grid and in float64.
    Raises ValueError for a malformed machine file or too many cells, and TheoremFails with the machine, the word and the place
    at which the network generates something else.
    """
    groups = trials.groups(machine, machines, seed)
    return [_check_machines(group, length, cells, steps=steps, words=words, seed=seed) for group in groups]


def verify(machines: int = 1_000, small_machines: int = 2_300, seed: int = 0) -> list[Outcome]:
    """Check the shipped machines, and drawn ones with words of up to 5 symbols on 5 cells, for up to 300 steps.

    `small_machines` drawn ones get every word of up to 3 symbols on 3 cells, for up to 20 steps.
    """
    outcomes = check(None, length=5, cells=5, steps=300, machines=machines, seed=seed)
    return [*outcomes, *check(None, length=3, cells=3, steps=20, machines=small_machines, words=None, seed=seed + 1)]


def _check_machines(
    machines: Sequence[tuple[str, Machine]], length: int, cells: int, *, steps: int, words: int | None, seed: int
) -> Outcome:
    """Follow the thoughts of the machines on the empty word and on drawn ones; the variant says how many runs halted."""
    random = np.random.default_rng([seed, 2])
    tried = Tried(CLAIM)
    halted = 0
    for name, machine in machines:
        floats = FLOAT_WORDS if tried.inputs < FLOAT_WORDS else 0
        trial = Trial(CLAIM.name, build(machine, length, cells), logits_apart, in_floats=floats)
        some_words = every_word(machine, length) if words is None else drawn_words(machine, words, length, random)
        halted += _follow(trial, name, machine, some_words, length=length, cells=cells, steps=steps)
        tried.note(trial, bound(machine, cells), layer_entries=layer_entries(trial.network), tokens_a_step=A_STEP)
    details = f"{cells} cells, {steps} steps, {halted:,} of {tried.inputs:,} runs halt within"
    printed = {"thought_tokens": "polynomial in n"}
    return tried.outcome(machines, length, details, as_printed=printed, margin_of=MARGIN, proved=APART)


def layer_entries(network: Network) -> int:
    """Count the entries of the layer's arrays: the size that does not grow with n."""
    return sum(array.integers.size for name, array in network.arrays() if name.startswith("layers."))


def _follow(trial: Trial, name: str, machine: Machine, words: Sequence[str], *, length: int, cells: int, steps: int) -> int:
    """Require that the network generates the numbers of the tape after each word; return how many runs halted."""
    tokens = StackTokens(machine)
    runs = [stack_run(machine, word, steps, cells) for word in words]
    prompts = [tokens.prompt(word, length, blanks=2**length - length) for word in words]
    thoughts = [[token for stacks in one.stacks for token in tokens.step(stacks)] for one in runs]

    def readable(example: int) -> Mapping[str, Any]:
        return {"machine": name, "rules": dict(machine.rules), "input": words[example]}

    sequences = [before + behind for before, behind in zip(prompts, thoughts, strict=True)]
    trial.follow(sequences, [len(before) for before in prompts], readable)
    return sum(one.stacks[-1].configuration not in machine.rules for one in runs)


def predictor(
    length: Annotated[Length, Range(0, 1 << 16)], machine: MachineName, steps: Steps = 200, cells: Cells | None = None
) -> Predictor:
    """Answer {"input": "1011"} by the built weights of a machine: {"state", "halted", "steps", "tape", "head"}.

    `machine` is the path of a machine file (`_machine`) or the name of a shipped machine, `length` the most symbols of an
    input, `steps` the most steps and `cells` the most cells on a side of the head, by default m + 2. The tape is read off the
    configurations among what is generated. After its fifth token the thought is generated from its last five alone. Raises
    ValueError for a malformed machine file; the answer does so for an input that is not a string, is longer than `length`, has
    a symbol that the machine does not know, or on which the machine reaches the last of the cells.

    >>> predictor(length=4, machine="binary-increment")({"input": "1011"})
    {'state': 'H', 'halted': True, 'steps': 8, 'tape': '1100', 'head': 2}
    """
    chosen = machine_of(machine)
    room = length + 2 if cells is None else cells
    network = build(chosen, length, room)
    tokens = StackTokens(chosen)
    base = base_of(chosen)

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        word = chosen.word(given, length)
        written = tokens.prompt(word, length)
        trace: list[Configuration] = []
        while len(trace) <= steps and (not trace or trace[-1] in chosen.rules):
            written = _generate_step(network, written, is_first=not trace)
            stacks = tokens.stacks(written)
            if trace and base * max(stacks.right, stacks.left) >= base**room:
                raise ValueError(f"input: the machine reaches the last of {room} cells; cells allows more")
            trace.append(stacks.configuration)
        return replay(chosen, word, trace).record(chosen.blank)

    return answer


def _generate_step(network: Network, before: Sequence[int], is_first: bool) -> list[int]:
    """Return the next five tokens; only the last five before each are read, except in the first step, when all are."""
    written = list(before)
    for _ in range(A_STEP):
        context = written if is_first else written[-WINDOW:]
        written.append(int(run(network, np.array([context]), at=-1).answers[0, 0]))
    return written[-A_STEP:]


def certificate_witness(
    machine: MachineName = "binary-increment",
    length: Length = 1,
    cells: Cells = 3,
    steps: Annotated[Steps, Range(1, 1 << 12)] = 20,
) -> Evidence:
    """Show the numbers written after 2^m - m blanks and every word of m = `length` symbols; of a file, or a shipped machine.

    The machine's rules are in the certificate, and the checker runs it (`_shown`). Raises ValueError for a malformed machine
    file, too many words, or a run that leaves w = `cells` cells on a side of the head.
    """
    chosen = machine_of(machine)
    tokens = StackTokens(chosen)
    blanks = 2**length - length
    runs = []
    for word in words_of(chosen, length):
        run = stack_run(chosen, word, steps, cells)
        if not run.within:
            raise ValueError(f"certify(cells={cells}): the run on {word!r} needs more cells on a side of the head")
        runs.append((tokens.prompt(word, length, blanks), [token for one in run.stacks for token in tokens.step(one)]))
    network = build(chosen, length, cells)
    return shown("turing-machine-numbers", chosen, network, runs, steps=steps, head=blanks)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the machines, words, w and numbers of steps that it gets.",
    not_shown="This does not show the half without a thought. Nor does it show that a tested machine needs large circuits, "
    "as M in the proof does. The proof covers machines, words, w and numbers of steps that were not tested.",
    build=build,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
)
