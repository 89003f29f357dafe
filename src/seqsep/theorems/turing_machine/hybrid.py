"""One linear recurrence and one attention layer run any Turing machine, with one token per step.

The chain of thought ("thought") has one token for each configuration. A configuration (q, c) means "in state q, reading c".
Attention finds the last symbol written to the cell under the head.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.8 and appendix C.

We differ:
* The paper writes five tokens a step (symbol, cell, state, move), with lookup tables of the machine in its weights. Here a
  token *is* a configuration. Its embedding has the machine's rule for it: the symbol that is written, the next state and the
  move.
* All numbers are on a grid, which `_grid` chooses. The arithmetic is that of `maths.arithmetic.grid`.

Statement. The machine has Q states and S symbols. It reads words of up to N symbols and runs for T steps. The prompt is [BOS]
x_1 .. x_N. After it the network writes the configuration before step 1, the one after it, and so on, until one has no rule.

Sizes. The width is 9. The recurrence stores two numbers. There is one head, and the feed-forward part has 6 units that
multiply two numbers, called products. The vocabulary has 1 + S + Q S tokens. Let n0 be the maximum of N + T + 2 and the
vocabulary. A number has p = bit_length(2 n0^4) bits from n0 = 30 on (`_grid`), about 4 log2 n0 + 1.

Tokens. (q, c) is the token q S + c. Then come the symbols x, and then [BOS]. The start state and the blank symbol have the
number 0.

Residual stream. At each token it has these numbers, all whole:

    cell    the cell that the token writes: that of an input symbol, or where the head is (from 0, the first of the input)
    ask     where the head is after the token; the embedding writes the move d; `cell` and `ask` have their squares next to them
    time    how many tokens were before it, [BOS] not counted
    real    1 except for [BOS]
    acts    1 for configurations
    write   the symbol that it writes: an input symbol writes itself
    token   S q' for the next state q'; attention adds the symbol c, and the sum is the number of the next token (q', c)

The proof continues at `_remember`, `_square`, `_last_write`, `_readout` and `_grid`. Induction over the tokens
(`maths.networks.generation`) then gives the complete run.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Grid, Rounding
from seqsep.maths.networks.generation import GenerationDiffers, follow, generate
from seqsep.maths.networks.network import AttentionLayer, GatedFeedForward, LinearLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Predictor, Theorem
from seqsep.theorems.blocks import (
    Rows,
    Scores,
    Spaces,
    hard_scale,
    head,
    least_grid,
    linear_layer,
    match,
    match_needs,
    number,
    running_sum,
)
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Length, Machines, RoundingMode, Seed, Words
from seqsep.theorems.trial import Trial
from seqsep.theorems.turing_machine import _trials as trials
from seqsep.theorems.turing_machine._machine import Configuration, Machine, replay, simulate
from seqsep.theorems.turing_machine._machine_file import MachineName, ReadMachine, Steps, machine_of
from seqsep.theorems.turing_machine._shown import shown, words_of
from seqsep.theorems.turing_machine._trials import Tried, drawn_words

CLAIM = Claim(
    name="turing-machine-hybrid",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.8",
    statement="A linear recurrence of two numbers and one attention head run a Turing machine, with one token per step",
)
NUMBERS_REMEMBERED = 2
PRODUCTS = 6
WIDTH = 9
FLOAT_WORDS = 400
MOST_IN_FLOATS = 1 << 13
"""The most tokens of a run that is also followed in float64, where attention takes memory of their square."""
AS_PRINTED: dict[str, Number | str] = {"tokens_a_step": 5, "program_bits": "O(Q^2 log n)"}


def build(
    machine: ReadMachine, length: Annotated[Length, Range(0, 1 << 16)], steps: Steps, rounding: RoundingMode = "floor"
) -> Network:
    """The network that runs the machine on words of up to N = `length` symbols for up to T = `steps` steps.

    `rounding` chooses the grid: "floor" is that of `maths.arithmetic.grid`, "nearest" the paper's own (`blocks.least_grid`).
    Raises ValueError for a negative length or number of steps, or another rounding.

    >>> network = build(machine_of("busy-beaver-3"), length=0, steps=14)
    >>> network.width, network.layers[0][0].remembered, len(network.readout.integers)
    (9, 2, 11)
    """
    if length < 0 or steps < 0:
        raise ValueError(f"build(length={length}, steps={steps}): both are 0 or more")
    spaces = Spaces(cell=2, ask=2, time=1, real=1, acts=1, write=1, token=1)
    readers = length + steps + 1
    grid = _grid(machine, length, steps, rounding)
    readout, readout_bias = _readout(spaces, machine)
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(_embedding(spaces, machine)),
        layers=(
            (_remember(spaces), _square(spaces, readers)),
            (_last_write(spaces, readers, hard_scale(grid.steps)), None),
        ),
        readout=whole(readout),
        readout_bias=whole(readout_bias),
    )


def _embedding(spaces: Spaces, machine: Machine) -> Rows:
    """The row of a configuration has its rule, and the row of a symbol has the symbol; the row of [BOS] is 0.

    A configuration without a rule ends the run, so nothing except `real` and `acts` is in its row.
    """
    states = machine.states
    symbols = machine.symbols
    rows = []
    for configuration in product(states, symbols):
        rule = machine.rules.get(configuration)
        row = spaces["real"][0] + spaces["acts"][0]
        if rule is not None:
            row = row + rule.move * spaces["ask"][0] + symbols.index(rule.write) * spaces["write"][0]
            row = row + len(symbols) * states.index(rule.state) * spaces["token"][0]
        rows.append(row)
    rows += [spaces["real"][0] + number * spaces["write"][0] for number in range(len(symbols))]
    return np.concatenate([rows, spaces.nothing()])


def _remember(spaces: Spaces) -> LinearLayer:
    """The state is two running sums: the moves so far, and the number of tokens so far without [BOS]. The first is added to
    `cell` and `ask`, the second to `time`.

    A token reads the sums before it. So at a configuration, `cell` is the place of the head when the configuration is read.
    `ask` starts with the token's own move, so it is the place of the head afterwards. At a symbol of the input both are 0,
    because nothing has moved yet.
    """
    cell = spaces["cell"][:1]
    ask = spaces["ask"][:1]
    return linear_layer(running_sum(ask, cell + ask), running_sum(spaces["real"], spaces["time"]))


def _square(spaces: Spaces, readers: int) -> GatedFeedForward:
    """Six products. Two compute cell^2, and two compute ask^2. The last two set cell = time and cell^2 = time^2 at the symbols
    of the input.

    A square is relu(v) v + relu(-v)(-v) = v^2. Let R = N + T + 1 > time. Then relu(time - R acts) is time at a symbol. It is 0
    at [BOS], whose time is 0, and 0 at a configuration. One product adds this number, times 1, to `cell`. The other adds it,
    times `time`, to the square of `cell`. So input symbol i, the i-th token after [BOS], is stored as the symbol on cell i -
    1.
    """
    cell = spaces["cell"][:1]
    ask = spaces["ask"][:1]
    is_input = spaces["time"] - readers * spaces["acts"]
    nothing = spaces.nothing()
    gate = np.concatenate([cell, -cell, ask, -ask, is_input, is_input])
    inner = np.concatenate([cell, -cell, ask, -ask, nothing, spaces["time"]])
    cell_square = spaces["cell"][1:]
    ask_square = spaces["ask"][1:]
    outer = np.concatenate([cell_square, cell_square, ask_square, ask_square, cell, cell_square])
    return GatedFeedForward(
        gate=whole(gate),
        gate_bias=whole(np.zeros(PRODUCTS)),
        inner=whole(inner),
        inner_bias=whole([0, 0, 0, 0, 1, 0]),
        outer=whole(outer.T),
        outer_bias=whole(nothing[0]),
    )


def _last_write(spaces: Spaces, readers: int, eta: int) -> AttentionLayer:
    """One head reads the symbol that was last written on the queried cell, and the blank if there was none.

    Let eta = floor(ln 2 L^2) + 1, R = N + T + 1 and B = 2 eta R. For the querying token k, token j has the score -B (cell_j -
    ask_k)^2 + eta (2 time_j + 1). [BOS], whose `real` is 0, has the score 0. Writes on the queried cell score at least eta,
    and a later one scores 2 eta more than an earlier one. Writes elsewhere score at most eta (2 time_j + 1) - 2 eta R <= -eta,
    as time_j <= R - 1.

    So the greatest score is eta above all others, and the weight of its token is 1 (`blocks.hard_maximum`). This token is the
    last write. If there is none, it is [BOS], whose `write` is 0, the blank. The number that is read is added to `token`. Only
    losing scores saturate.
    """
    real = spaces["real"]
    same_cell = match(number(spaces, "ask"), number(spaces, "cell"), real, factors=(readers, 2 * eta), present=real)
    latest = Scores(real, eta * (2 * spaces["time"] + real))
    return AttentionLayer((head(same_cell + latest, spaces["write"], spaces["token"]),))


def _readout(spaces: Spaces, machine: Machine) -> tuple[Rows, Int64[np.ndarray, "tokens"]]:
    """The logit of configuration i is 2 i v - i^2 for the number v in `token`; other tokens have -1.

    At i = v it is v^2, which is above every other one by at least 1. At a configuration with the rule (q', w, d), v = S q' + c
    for the symbol c under the head after the move. At the prompt's last token v = c, which is the number of the start state
    with the symbol on the first cell.
    """
    configurations = np.arange(len(machine.states) * len(machine.symbols))
    others = len(machine.symbols) + 1
    rows = np.concatenate([2 * configurations[:, None] * spaces["token"], spaces.nothing(others)])
    return rows, np.concatenate([-(configurations**2), np.full(others, -1)])


def _grid(machine: Machine, length: int, steps: int, rounding: Rounding) -> Grid:
    """Return the least grid on which only losing scores saturate.

    |cell| and |ask| are at most R, and their squares at most R^2. The other numbers are the entries of queries and keys,
    winning scores of at most eta (2 R - 1), logits, and the i^2 of the read-out. All are at most n0^2 if 2 eta <= n0. So L =
    n0^2 and p = bit_length(2 n0^4) from n0 = 30 on, where eta = 15.
    """
    readers = length + steps + 1
    vocabulary = _vocabulary(machine)

    def needed(eta: int) -> int:
        return max(match_needs(readers, (readers, 2 * eta)), eta * (2 * readers + 1), vocabulary**2)

    return least_grid(max(readers + 1, vocabulary), needed, rounding)


def _vocabulary(machine: Machine) -> int:
    """Configurations, symbols and [BOS]."""
    return (len(machine.states) + 1) * len(machine.symbols) + 1


def bound(machine: Machine, length: int, steps: int) -> dict[str, Number]:
    """Every size, from Q, S, N and T alone.

    p = bit_length(2 L^2) with L of `_grid`; core = 3 * 4 d p, with d = 9 (the head has 5 rows: 15 d p); program = p E with
    E = 2 V d + V (embedding, read-out, its bias) + 4 + 4 d (recurrence) + 18 d + 12 + d (products) + 12 d (head).
    """
    vocabulary = _vocabulary(machine)
    p = _grid(machine, length, steps, "floor").precision
    entries = 2 * vocabulary * WIDTH + vocabulary + 4 + 4 * WIDTH + 19 * WIDTH + 12 + 12 * WIDTH
    return {
        "width": WIDTH,
        "heads": 1,
        "layers": 2,
        "precision": p,
        "core_bits": 15 * WIDTH * p,
        "program_bits": p * entries,
        "tables_bits": p * entries,
        "tokens_a_step": 1,
        "state_numbers": NUMBERS_REMEMBERED,
        "state_bits": NUMBERS_REMEMBERED * p,
        "state_bits_by_range": (2 * steps).bit_length() + (length + steps).bit_length(),
    }


def check(
    machine: MachineName | None = None,
    length: Annotated[Length, Range(0, 1 << 16)] = 8,
    steps: Steps = 200,
    machines: Machines = 10,
    words: Words = 3,
    seed: Seed = 0,
) -> list[Outcome]:
    """Build the network of a machine and follow its run on words of up to `length` symbols, as long as `steps` steps.

    With `machine`, a machine file or the name of a shipped machine: that one, on the empty word and `words` drawn ones. Else
    every shipped machine, and `machines` drawn ones of 1 to 5 states and 2 to 4 symbols. The network must generate the
    configurations of the direct simulator, one token each, on the grid, and in float64 if a run has at most 8,192 tokens.
    Raises ValueError for a machine file that is malformed, and TheoremFails with the machine, the word and the step at which
    the network generates something else.
    """
    groups = trials.groups(machine, machines, seed)
    return [_check_machines(group, length, steps, words=words, seed=seed) for group in groups]


def verify(machines: int = 10_000, length: int = 8, steps: int = 200, words: int = 9, seed: int = 0) -> list[Outcome]:
    """Check the shipped machines, and 10,000 drawn ones on ten words each, the empty one among them, for up to 200 steps."""
    return check(None, length, steps, machines=machines, words=words, seed=seed)


def _check_machines(machines: Sequence[tuple[str, Machine]], length: int, steps: int, *, words: int, seed: int) -> Outcome:
    """Follow the runs of the machines on the empty word and on drawn ones."""
    random = np.random.default_rng([seed, 2])
    tried = Tried(CLAIM)
    grid_only = ""
    for name, machine in machines:
        trial = Trial(CLAIM.name, build(machine, length, steps), in_floats=FLOAT_WORDS if tried.inputs < FLOAT_WORDS else 0)
        some_words = drawn_words(machine, words, length, random)
        if not _follow(trial, name, machine, some_words, steps=steps):
            grid_only = ", on the grid only"
        tried.note(trial, bound(machine, length, steps), tokens_a_step=1)
    return tried.outcome(machines, length, f"{steps} steps{grid_only}", as_printed=AS_PRINTED)


def _follow(trial: Trial, name: str, machine: Machine, words: Sequence[str], *, steps: int) -> bool:
    """Require that the network generates, after each word, the configurations of the direct simulator.

    Return False if a run has too many tokens for float64, so that all are followed on the grid only.
    """
    prompts = [_prompt(machine, word) for word in words]
    runs = [[_token(machine, one) for one in simulate(machine, word, steps)[0]] for word in words]

    def readable(example: int) -> Mapping[str, Any]:
        return {"machine": name, "rules": dict(machine.rules), "input": words[example]}

    sequences = [prompt + run for prompt, run in zip(prompts, runs, strict=True)]
    fits = max(map(len, sequences)) <= MOST_IN_FLOATS
    if not fits:
        trial.in_floats = 0
    trial.follow(sequences, [len(prompt) for prompt in prompts], readable)
    return fits


def _token(machine: Machine, configuration: Configuration) -> int:
    """S q + c for the state number q and the symbol number c."""
    return len(machine.symbols) * machine.states.index(configuration.state) + machine.symbols.index(configuration.symbol)


def _configuration(machine: Machine, token: int) -> Configuration:
    """The configuration of a token. Raises IndexError for a token that is not a configuration."""
    state, symbol = divmod(token, len(machine.symbols))
    return Configuration(machine.states[state], machine.symbols[symbol])


def _prompt(machine: Machine, word: str) -> list[int]:
    """[BOS] and the symbols, which come after the configurations in the vocabulary."""
    configurations = len(machine.states) * len(machine.symbols)
    return [_vocabulary(machine) - 1, *(configurations + machine.symbols.index(symbol) for symbol in word)]


def predictor(length: Annotated[Length, Range(0, 1 << 16)], machine: MachineName, steps: Steps = 200) -> Predictor:
    """Answer {"input": "1011"} by the built weights of a machine: {"state", "halted", "steps", "tape", "head"}.

    `machine` is the path of a machine file (`_machine`) or the name of a shipped machine, `length` the most symbols of an input
    and `steps` the most steps. The simulator's configurations are proposed to the weights, and one pass says whether they write
    the same (`maths.networks.generation`); if not, they write token by token. The tape is read off what they write: `tape` is
    printed from its first to its last cell that is not blank, and `head` counts cells from 1, the first of the input. Raises
    ValueError for a malformed machine file; the answer does so for an input that is not a string, is longer than `length`, or
    has a symbol that the machine does not know.

    >>> predictor(length=4, machine="binary-increment")({"input": "1011"})
    {'state': 'H', 'halted': True, 'steps': 8, 'tape': '1100', 'head': 2}
    """
    chosen = machine_of(machine)
    network = build(chosen, length, steps)
    every = product(chosen.states, chosen.symbols)
    stops = {_token(chosen, Configuration(*one)) for one in every if one not in chosen.rules}

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        word = chosen.word(given, length)
        prompt = _prompt(chosen, word)
        thought = [_token(chosen, one) for one in simulate(chosen, word, steps)[0]]
        try:
            follow(network, [prompt + thought], [len(prompt)])
        except GenerationDiffers:
            thought = generate(network, prompt, stops, most=steps + 1)
        trace = [_configuration(chosen, token) for token in thought]
        return replay(chosen, word, trace).record(chosen.blank)

    return answer


def certificate_witness(
    machine: MachineName = "binary-increment", length: Length = 2, steps: Annotated[Steps, Range(1, 1 << 12)] = 20
) -> Evidence:
    """Show the configurations written after every word of N = `length` symbols; of a machine file, or a shipped machine.

    The machine's rules are in the certificate, and the checker runs it (`_shown`). Raises ValueError for a malformed machine
    file or too many words.
    """
    chosen = machine_of(machine)
    traces = [(word, simulate(chosen, word, steps)[0]) for word in words_of(chosen, length)]
    runs = [(_prompt(chosen, word), [_token(chosen, one) for one in trace]) for word, trace in traces]
    return shown("turing-machine", chosen, build(chosen, length, steps), runs, steps=steps)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the machines, words and numbers of steps that it gets.",
    not_shown="This does not show that the network is right for others. The proof covers all of them.",
    build=build,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
)
