"""A linear recurrence of six numbers with a retriever runs any Turing machine, with five tokens per step.

The model has no attention. The retriever finds the last symbol written to the cell under the head.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.4.

Statement. The machine has Q states and S symbols. It reads words of up to N symbols and runs for T steps. The prompt is [BOS]
x_1 .. x_N. A configuration (q, c) means "in state q, reading c". For each configuration the thought has first the query for
the cell under the head, then the retriever's result, and then the configuration:

    [ cell ] found (q, c)

So the queries are also the record of the cells. The named query `last-write` (`seqsep.tasks.retriever`) finds the latest
earlier query for the same cell, and the configuration after it. The rule of that configuration says what was written on the
cell. Without such a query, `last-write` finds the input symbol on the cell. If there is none, it gives FAILED, which counts as
the blank. As a regular expression it is `Query("last-write", ..).pattern`. The model writes only the cell.

Margins. The logit of the next token is above every other one by at least 1, for every machine, word and number of steps
(`_read_out`). No number is rounded or cut off at the end of the grid.

We differ:
* The paper first copies the tape, cell by cell. Here no copy is needed, since the retriever finds the input itself.
* The paper writes nine tokens a step besides the pattern: state, move, cell and symbol one by one. Here a configuration is one
  token, and its rule is in its embedding.
* The network is a linear recurrence and a read-out of width seven, without attention and without a feed-forward layer. The
  recurrence stores three things: the cell or state in the token four back, the last move, and whether ] is 1 back.

Sizes. There are 2 T + 1 cells. The number of each cell is a token, as in the paper. A number has p = bit_length(2 n0^4) bits
for the n0 = Q S + S + 2 T + 5 tokens.

The proof continues at `_embedding` and `_read_out`.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.core.options import Range
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.generation import GenerationDiffers, follow, generate
from seqsep.maths.networks.network import LinearLayer, Network, whole
from seqsep.theorems.base import Claim, Erratum, Number, Outcome, Predictor, Theorem
from seqsep.theorems.blocks import Rows, Spaces, linear_layer, shift_register
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Length, Machines, Seed, Words
from seqsep.theorems.trial import Trial
from seqsep.theorems.turing_machine import _trials as trials
from seqsep.theorems.turing_machine._machine import Configuration, Machine, replay
from seqsep.theorems.turing_machine._machine_file import MachineName, ReadMachine, Steps, machine_of
from seqsep.theorems.turing_machine._retrieved_run import RunTokens, written
from seqsep.theorems.turing_machine._shown import shown, words_of
from seqsep.theorems.turing_machine._trials import Tried, drawn_words

CLAIM = Claim(
    name="turing-machine-retrieval",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.4",
    statement="A linear recurrence of six numbers with a retriever runs a Turing machine, with five tokens per step",
)
WIDTH = 7
NUMBERS_REMEMBERED = 6
TOKENS_A_STEP = 5
SPECIAL = 4
FLOAT_WORDS = 100
AS_PRINTED: dict[str, Number | str] = {"tokens_a_step": "9, the pattern's tokens, and a copy of the tape before"}


def build(machine: ReadMachine, steps: Steps) -> Network:
    """The network that runs the machine for up to T = `steps` steps, on words of any length; tokens as in `RunTokens`.

    Raises ValueError for a negative number of steps.

    >>> network = build(machine_of("busy-beaver-3"), steps=14)
    >>> network.width, network.layers[0][0].remembered, network.layers[0][1] is None
    (7, 6, True)
    """
    if steps < 0:
        raise ValueError(f"build(steps={steps}): expected 0 steps or more")
    tokens = RunTokens(machine, steps)
    spaces = Spaces(place=1, move=1, closes=1, opens=1, asks=1, target=1, found=1)
    readout, readout_bias = _read_out(spaces, tokens)
    grid = Grid.of(tokens.count, 2)
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(_embedding(spaces, tokens)),
        indices=whole(tokens.cells[:, None] * spaces["place"] + spaces["asks"], by_index=True),
        layers=((_remember(spaces), None),),
        readout=whole(readout, by_index=True),
        readout_bias=whole(readout_bias, by_index=True),
        code_bits=_generators() * grid.precision,
    )


def _embedding(spaces: Spaces, tokens: RunTokens) -> Rows:
    """A configuration with the rule (q', w, d) holds w in `target`, S q' in `place` and d in `move`.

    A symbol holds its number in `target`. [ and ] hold a 1 in `opens` and `closes`. A cell v (`indices`) holds v in `place`
    and a 1 in `asks`. [BOS], FAILED and a configuration without a rule, which ends the run, hold nothing.
    """
    machine = tokens.machine
    symbols = machine.symbols
    rows = np.zeros((tokens.count - len(tokens.cells), spaces.width), dtype=np.int64)
    for configuration, rule in machine.rules.items():
        state = len(symbols) * machine.states.index(rule.state)
        row = state * spaces["place"] + rule.move * spaces["move"] + symbols.index(rule.write) * spaces["target"]
        rows[tokens.configuration(Configuration(*configuration))] = row[0]
    for symbol in symbols:
        rows[tokens.symbol(symbol)] = symbols.index(symbol) * spaces["target"][0]
    rows[tokens.opens] = spaces["opens"][0]
    rows[tokens.closes] = spaces["closes"][0]
    return rows


def _remember(spaces: Spaces) -> LinearLayer:
    """`target` gets `place` of 4 tokens back and `move` of 1 back; `found` says whether ] is 1 back."""
    place = shift_register(spaces["place"], {4: spaces["target"]})
    move = shift_register(spaces["move"], {1: spaces["target"]})
    return linear_layer(place, move, shift_register(spaces["closes"], {1: spaces["found"]}))


def _read_out(spaces: Spaces, tokens: RunTokens) -> tuple[Rows, Int64[np.ndarray, "tokens"]]:
    """Logits, with z = `target` and K = S^2 + 2:

        cell v             2 v z - v^2 + K opens      = z^2 - (z - v)^2 + ..
        configuration i    2 i z - i^2 + K found      = z^2 - (z - i)^2 + ..
        ]                  K asks
        [                  S^2 + 1
        others             0

    The four cases are the four kinds of last tokens. "4 back" means four tokens before the last one. Below, v is a queried
    cell, r the result of the retriever, and a the last configuration:
    * [ v ] r a [ : the next token is the cell of the head. Cell v is 4 back, and the configuration a, with its move d, is 1
      back. So z = v + d is this cell. At the first query, a symbol, [BOS] or nothing is 4 back. All of these have the place 0,
      and the head has not moved. So z = 0, the first cell. Cell z has K + z^2, other cells have less, configurations at most
      z^2, and [ has S^2 + 1 = K - 1.
    * [ v : the next token is ]. The token 4 back has no `place`, and the token 1 back has no `move`, so z = 0. ] has K, and
      cells and configurations have at most 0.
    * a [ v ] r : the next token is the configuration S q' + c = z. Here q' is the state that follows a = (q, b), which is 4
      back. The symbol c is r or, if r is a configuration, what its rule wrote. FAILED is 0, the blank. At the first query the
      prompt's last token is 4 back, with 0 for the start state. Configuration z has K + z^2, cells have at most z^2, [ has K -
      1 and ] has 0.
    * a, or the prompt's last token: the next token is [. Here [ or a token of the prompt is 4 back. So z is a symbol's number,
      plus the move of r if r is a configuration: -1 <= z <= S. So cells and configurations have at most S^2 < S^2 + 1.

    The token after ] is the retriever's. Margins are at least 1. In magnitude |z| <= max(T, Q S) + S. Entries and logits are
    at most (max(T, Q S) + T + Q S)^2, which is at most n0^2.
    """
    configurations = np.arange(tokens.configurations)
    symbols = len(tokens.machine.symbols)
    rows = np.zeros((tokens.count, spaces.width), dtype=np.int64)
    bias = np.zeros(tokens.count, dtype=np.int64)
    above = symbols**2 + 2
    rows[: tokens.configurations] = 2 * configurations[:, None] * spaces["target"] + above * spaces["found"]
    bias[: tokens.configurations] = -(configurations**2)
    rows[-len(tokens.cells) :] = 2 * tokens.cells[:, None] * spaces["target"] + above * spaces["opens"]
    bias[-len(tokens.cells) :] = -(tokens.cells**2)
    rows[tokens.closes] = above * spaces["asks"][0]
    bias[tokens.opens] = above - 1
    return rows, bias


def _generators() -> int:
    """The numbers that generate the rows of cells, a + b v, and of the read-out: a + b i + c i^2 twice, [, ] and 0."""
    return 2 * WIDTH + (2 * 3 + 3) * (WIDTH + 1)


def bound(machine: Machine, steps: int) -> dict[str, Number]:
    """Return every size, from Q, S and T only: p = bit_length(2 n0^4), n0 = Q S + S + 2 T + 5.

    program = p E with E = 7 (Q S + S + 4) + 6^2 + 2 * 6 * 7 + 86. By their ranges: `place` is in -T .. max(T, S (Q - 1)), four
    times; a move has 3 values, whether ] is 1 back 2.
    """
    symbols = len(machine.symbols)
    configurations = len(machine.states) * symbols
    precision = (2 * (configurations + symbols + SPECIAL + 2 * steps + 1) ** 4).bit_length()
    recurrence = NUMBERS_REMEMBERED**2 + 2 * NUMBERS_REMEMBERED * WIDTH
    farthest = max(steps, configurations - symbols)
    return {
        "width": WIDTH,
        "layers": 1,
        "precision": precision,
        "program_bits": precision * (WIDTH * (configurations + symbols + SPECIAL) + recurrence + _generators()),
        "tokens_a_step": TOKENS_A_STEP,
        "state_numbers": NUMBERS_REMEMBERED,
        "state_bits": NUMBERS_REMEMBERED * precision,
        "state_bits_by_range": 4 * (steps + farthest).bit_length() + 3,
    }


def check(
    machine: MachineName | None = None,
    length: Annotated[Length, Range(0, 1 << 16)] = 8,
    steps: Steps = 60,
    machines: Machines = 10,
    words: Words = 2,
    seed: Seed = 0,
) -> list[Outcome]:
    """Build the network of a machine and follow its run, with a live retriever, on words of up to `length` symbols.

    With `machine`, a machine file or the name of a shipped machine: that one, on the empty word and `words` drawn ones, for up
    to `steps` steps. Else every shipped machine, and `machines` drawn ones of 1 to 5 states and 2 to 4 symbols. The retriever
    searches all that is written before a query. The network must write the configurations of the direct simulator, on the grid
    and in float64. Raises ValueError for a machine file that is malformed; TheoremFails with the machine, the word and the
    place at which something else is written or found.
    """
    groups = trials.groups(machine, machines, seed)
    return [_check_machines(group, length, steps, words=words, seed=seed) for group in groups]


def verify(machines: int = 10_000, seed: int = 0) -> list[Outcome]:
    """Check the shipped machines, and 10,000 drawn ones: on two words each for up to 200 steps, on eight for up to 20."""
    shorter = check(None, 8, 20, machines=machines, words=7, seed=seed)
    return [*shorter, *check(None, 8, 200, machines=machines, words=1, seed=seed + 1)]


def _check_machines(machines: Sequence[tuple[str, Machine]], length: int, steps: int, *, words: int, seed: int) -> Outcome:
    """Follow the runs of the machines on the empty word and on drawn ones."""
    random = np.random.default_rng([seed, 3])
    tried = Tried(CLAIM)
    for name, machine in machines:
        trial = Trial(CLAIM.name, build(machine, steps), in_floats=FLOAT_WORDS if tried.inputs < FLOAT_WORDS else 0)
        some_words = drawn_words(machine, words, length, random)
        _follow(trial, name, RunTokens(machine, steps), some_words)
        tried.note(trial, bound(machine, steps), tokens_a_step=TOKENS_A_STEP)
    return tried.outcome(machines, length, f"{steps} steps", as_printed=AS_PRINTED)


def _follow(trial: Trial, name: str, tokens: RunTokens, words: Sequence[str]) -> None:
    """Require that the network writes, with the live retriever, what the direct simulator does on each word."""
    retriever = tokens.retriever()
    sequences = []
    inserted = []
    for word in words:
        shown = {"machine": name, "rules": dict(tokens.machine.rules), "input": word}
        sequences.append([*tokens.prompt(word), *written(tokens, word)])
        try:
            inserted.append(retriever.inserted(sequences[-1], len(word) + 1))
        except ValueError as differs:
            raise CLAIM.fails({**shown, "retriever": differs}) from None

    def readable(example: int) -> Mapping[str, Any]:
        return {"machine": name, "rules": dict(tokens.machine.rules), "input": words[example]}

    trial.follow(sequences, [len(word) + 1 for word in words], readable, inserted)


def predictor(length: Annotated[Length, Range(0, 1 << 16)], machine: MachineName, steps: Steps = 60) -> Predictor:
    """Answer {"input": "1011"} by the built weights of a machine and the retriever, as `hybrid.predictor` does.

    `machine` is the path of a machine file (`_machine`) or the name of a shipped machine, `length` the most symbols of an
    input and `steps` the most steps. Raises ValueError for a malformed machine file; the answer does so for an input that is no
    string, is longer than `length`, or has a symbol that the machine does not know.

    >>> predictor(length=4, machine="binary-increment")({"input": "1011"})
    {'state': 'H', 'halted': True, 'steps': 8, 'tape': '1100', 'head': 2}
    """
    chosen = machine_of(machine)
    tokens = RunTokens(chosen, steps)
    network = build(chosen, steps)
    every = [Configuration(*one) for one in product(chosen.states, chosen.symbols)]
    stops = {tokens.configuration(one) for one in every if one not in chosen.rules}

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        word = chosen.word(given, length)
        prompt = tokens.prompt(word)
        retriever = tokens.retriever()
        thought = written(tokens, word)
        try:
            follow(network, [prompt + thought], [len(prompt)], [retriever.inserted(prompt + thought, len(prompt))])
        except GenerationDiffers:
            most = TOKENS_A_STEP * (steps + 1)
            thought = generate(network, prompt, stops, most=most, retriever=retriever.behind(len(prompt)))
        trace = [every[token] for token in thought[TOKENS_A_STEP - 1 :: TOKENS_A_STEP]]
        return replay(chosen, word, trace).record(chosen.blank)

    return answer


def certificate_witness(
    machine: MachineName = "binary-increment", length: Length = 1, steps: Annotated[Steps, Range(1, 1 << 12)] = 10
) -> Evidence:
    """Show the runs with a retriever after every word of N = `length` symbols; of a machine file, or a shipped machine.

    The machine's rules are in the certificate, and the checker runs it and the retriever (`_shown`). Raises ValueError for a
    malformed machine file or too many words.
    """
    chosen = machine_of(machine)
    tokens = RunTokens(chosen, steps)
    runs = [(tokens.prompt(word), written(tokens, word)) for word in words_of(chosen, length)]
    inserted = [tokens.retriever().inserted([*prompt, *thought], length + 1) for prompt, thought in runs]
    return shown("turing-machine-queries", chosen, build(chosen, steps), runs, steps=steps, inserted=inserted)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the machines, words and numbers of steps that it gets.",
    not_shown="This does not show that the model is right for others. The proof covers all of them.",
    build=build,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    errata=(
        Erratum(
            where="Theorem 5.4, the pattern for the last write",
            printed="p (.) p .*?$ finds the last symbol written on cell p",
            found="re.search takes the leftmost match, which is the first write: on 1 a 1 q 1 b 1 q it finds a, not b. And the "
            "pattern finds no symbol of two characters",
            built="^.* before the record, so that the last one matches, and whole tokens (`last-write`)",
            test="tests/theorems/turing_machine/test_retrieval.py::test_the_printed_pattern_finds_the_first_write",
        ),
        Erratum(
            where="Theorem 5.4, copying the tape",
            printed="Index queries copy the input, cell by cell; beyond its end they give FAILED, an empty cell",
            found="the searched text continues with the thought, so a query beyond the input finds a token of the thought",
            built="no copy: `last-write` takes a token of the text only if all tokens before it, except the first, are input "
            "symbols",
            test="tests/theorems/turing_machine/test_retrieval.py::test_index_queries_run_on_into_the_thought",
        ),
    ),
)
