"""One attention layer writes out the run of any recurrent model whose step is C NAND gates, in C tokens a step.

These tokens are a chain of thought. So a Transformer with a chain of thought can do what any recurrent model does, at this
price in tokens.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.8. Let a step of a recurrent model be a circuit of size C. Then a
Transformer with O(C) parameters and a precision of O(log n) bits gives the model's answer. It writes a thought of C + 1 tokens
a step.

The recurrent model. It is any circuit of `_circuit`. A token has I bits, and the state has any number of bits. The model may
write a thought of its own. The prompt is its input, filled up with "=" to N + 1 tokens.

The network's thought. After the prompt the network writes the value of every gate in every step, one token each. Then it
writes "stop" and the O bits of the answer. These are C t + 1 + O tokens after t steps.

Sequence. Each token has a clock u, which is -N .. 0 in the prompt, and k at the k-th token of the thought. Each token of the
thought has a number (`_tokens`): c for gate c, C for "stop", and C + 1 + i for bit i of the answer. The embedding of a token
describes the next token of the thought. Its entry v is the number of the next token, with one exception: after the last gate of
a step v is 0, even if "stop" follows. If the next token belongs to step t, then u = C (t - 1) + v. A gate has two sources: the
tokens whose bits it reads. For the token at clock u, the sources of the next token are o_1 and o_2 tokens back, at the clocks u
- o_1 and u - o_2.

Residual stream. The embedding writes the entries of the first three lines, and the layer writes those of the last line. All
entries are whole numbers:
    [time: u, u^2 | place: r, r^2, with r = min(u, 0) | thought: 1 if u > 0 | one |
     bit: the gate's value | prompt: 1 in the prompt | given: the token's I bits | over: 1 for "=" |
     next: v | back: o_1, o_2 | kind: one-hot | may_stop: 1 if "stop" may follow |
     first: bit, prompt | second: bit, prompt | read: I bits | ended | value].

Proof, by induction: let the tokens up to clock u be right, and u >= 0.
1. `_source`: heads 1 and 2 each attend to one source of the next token, and fetch its bit.
2. `_given`: head 3 attends to the t-th token of the prompt, or to its last one, and fetches the input of step t.
3. `_nand`: value = 1 if the next gate is 1, else -1.
4. `_readout`: the logit of the right token is the greatest, by at least 2.
A weight of attention is exactly 1 or 0 (`_grid`), so nothing is rounded and every number of the run is whole.

Margins. A winning score is above all others by at least eta = floor(ln 2 L^2) + 1, on the grid of multiples of 1/L
(`blocks.hard_maximum`). The right logit is above all others by at least 2.

We differ:
* Gates are NAND.
* A step takes C tokens and one layer. In the paper it takes C + 1 tokens and five layers. Here the token contains the number
  of its gate. In the paper layers compute this number from the position (`_position_modulo`).
* An input token is embedded as its bits. The paper uses the embedding of the recurrent model.
* One network serves inputs of 1 to N tokens and runs of up to T steps.

The proof continues at `_source`, `_given`, `_nand`, `_readout` and `_grid`.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from seqsep.core.files import read_text
from seqsep.core.options import Range, Read
from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.generation import generate
from seqsep.maths.networks.network import FeedForward, Head, Network, whole
from seqsep.theorems.base import Choice, Claim, Number, Outcome, Theorem, field_of, symbols_in
from seqsep.theorems.blocks import (
    Rows,
    Scores,
    Spaces,
    Units,
    feed_forward,
    hard_scale,
    head,
    least_grid,
    match,
    number,
    side_by_side,
)
from seqsep.theorems.circuits import _trials as trials
from seqsep.theorems.circuits._circuit import PARITY, Circuit, parsed
from seqsep.theorems.circuits._rows import positions, spaces_of, symbols, tokens_in_all
from seqsep.theorems.circuits._shown import shown
from seqsep.theorems.circuits._tokens import Vocabulary
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import Circuits, GridRounding, Length, Seed, Steps
from seqsep.theorems.trial import Trial, logits_apart

CircuitFile = Annotated[Path, "A JSON file with the circuit."]
ReadCircuit = Annotated[Circuit, Read(lambda path: _of_file(Path(path))), "A JSON file with the circuit."]

CLAIM = Claim(
    name="circuits-attention",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.8",
    statement="One attention layer writes out any recurrent model whose step is C NAND gates, in C tokens a step",
)
MARGIN = "a logit above all others"
MOST_BYTES = 1 << 20
"""Of a file of a circuit."""
APART = 2.0
PEAK = 4
STOP = 8


def build(
    circuit: ReadCircuit,
    length: Length,
    steps: Annotated[Steps, Range(1, 1 << 16)] | None = None,
    rounding: GridRounding = "floor",
) -> Network:
    """The network for inputs of 1 to N = `length` tokens and runs of up to T = `steps` steps, by default N.

    `rounding` is "floor" for B.2's grid or "nearest" for the second paper's (`blocks.least_grid`).
    Raises ValueError for a length below 1 or less steps than tokens.

    >>> network = build(parsed(PARITY), length=3)
    >>> network.width, len(network.layers), network.heads
    (23, 1, 3)
    """
    steps = length if steps is None else steps
    if length < 1 or steps < length:
        raise ValueError(f"build(length={length}, steps={steps}): expected at least 1 token, and a step for each")
    vocabulary = Vocabulary(circuit, length)
    spaces = spaces_of(vocabulary)
    grid = _grid(vocabulary, steps, rounding)
    eta = hard_scale(grid.steps)
    readout, readout_bias = _readout(vocabulary, spaces)
    heads = (_source(spaces, eta, "first"), _source(spaces, eta, "second"), _given(vocabulary, spaces, eta))
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(symbols(vocabulary, spaces)),
        positions=whole(positions(vocabulary, spaces, steps), by_index=True),
        layers=((side_by_side(*heads), _nand(vocabulary, spaces)),),
        readout=readout,
        readout_bias=readout_bias,
    )


def _source(spaces: Spaces, eta: int, source: str) -> Head:
    """Heads 1 and 2 each fetch the bit of a source, and a flag that is 1 if the source is in the prompt.

    The query is at clock u, and the source is o tokens back. The key at clock u_j has the score -eta (u_j - u)^2 - 2 eta o u_j
    = -eta (u_j - u + o)^2 + eta o^2 - 2 eta o u. The last two summands are the same for every key. So the key at u_j = u - o
    has the greatest score, by eta. As o >= 0, this key is not after the query.

    In step 1, a source that is a bit of the state has u - o <= 0. Then a token of the prompt has the greatest score. At this
    token the bit is 0 and the flag `prompt` is 1. If u - o < -N, no token has this clock, and the first token has the greatest
    score. It leads by more than eta, since the squares of two neighbouring distances differ by at least 3.
    """
    back = spaces["back"][:1] if source == "first" else spaces["back"][1:]
    time = number(spaces, "time")
    scores = match(time, time, spaces["one"], factors=(eta, 1)) + Scores(-2 * eta * back, time.value)
    return head(scores, np.concatenate([spaces["bit"], spaces["prompt"]]), spaces[source])


def _given(vocabulary: Vocabulary, spaces: Spaces, eta: int) -> Head:
    """Head 3 fetches the bits of the input's token t, and a flag that is 1 if the input has fewer than t tokens.

    If the next token belongs to step t, then u - v = C (t - 1). If "stop" is next, v is 0, so t is the step after the last one.
    If a bit of the answer is next, t is the last step. Let a = C (t - 1 - N) = u - v - C N and c = ceil(eta / C^2). The score
    is

        -c C^2 r_j^2 + 2 c C r_j a - eta [j in the thought] = -c (C r_j - a)^2 - eta [..] + c a^2.

    In the prompt r_j = -N .. 0. The last summand is the same for every key. If t <= N + 1, the t-th token has C r_j = a and the
    greatest score, by at least c C^2 >= eta. If t > N + 1, then a > 0. Then the last token of the prompt, with r_j = 0, has the
    greatest score in the prompt, by more than c C^2. Tokens of the thought have r_j = 0 too, and a score that is lower by eta.
    """
    gates = vocabulary.gates
    place = number(spaces, "place")
    scale = -(-eta // gates**2)
    asked = spaces["time"][:1] - spaces["next"] - gates * vocabulary.length * spaces["one"]
    near = Scores(2 * scale * asked, gates * place.value)
    square = Scores(-scale * gates**2 * spaces["one"], place.square)
    prompt_only = Scores(spaces["one"], -eta * spaces["thought"])
    read = np.concatenate([spaces["given"], spaces["over"]])
    return head(near + square + prompt_only, read, np.concatenate([spaces["read"], spaces["ended"]]))


def _nand(vocabulary: Vocabulary, spaces: Spaces) -> FeedForward:
    """value = 1 - 2 y z for the values y and z of the two sources, so it is 1 if their NAND is 1, and -1 otherwise.

    A source has a kind, which says how its value is found:
    * "bit": the value is the fetched bit.
    * "start": a bit of the state that is 1 at the start. The value is bit + prompt. If the source is in the prompt, the bit is
      0 and the flag `prompt` is 1, so the value is 1.
    * "x1" and so on: a bit of the token that the step reads. The value is read_1 while the input lasts. After its end it is
      the fetched bit, of the token that the model wrote itself.

    Each pair of kinds (k, l) has a flag in the space `kind`. For the first source, let y_k be the value of the kind k while the
    input lasts, and y'_k the value after its end. For the second source and the kind l these are z_l and z'_l. The unit
    relu(y_k + z_l + flag - 2) is y_k z_l if the gate has this pair of kinds, and 0 for all other pairs.

    If the model writes a thought, a pair in which k or l is a bit of the input has a second unit, relu(y'_k + z'_l + ended +
    flag - 3). After the end of the input it is y'_k z'_l, and before it is 0. The first unit of such a pair is 0 after the
    end, since read = 0 then.
    """
    units = []
    for index, kinds in enumerate(vocabulary.kinds):
        named = spaces["kind"][index : index + 1]
        pairs = tuple(zip(kinds, ("first", "second"), strict=True))
        product = sum((_bit_of(spaces, kind, source) for kind, source in pairs), named)
        units.append(Units(product, np.array([-2]), -2 * spaces["value"]))
        if vocabulary.circuit.thinks and any(kind.startswith("x") for kind in kinds):
            emitted = sum((_emitted_bit_of(spaces, kind, source) for kind, source in pairs), named + spaces["ended"])
            units.append(Units(emitted, np.array([-3]), -2 * spaces["value"]))
    return feed_forward(units, bias=spaces["value"][0])


def _bit_of(spaces: Spaces, kind: str, source: str) -> Rows:
    """Return y of `_nand`: the row that reads a source's value before the input has ended."""
    if kind.startswith("x"):
        return spaces["read"][int(kind[1:])][None]
    bit, prompt = spaces[source]
    return (bit + prompt if kind == "start" else bit)[None]


def _emitted_bit_of(spaces: Spaces, kind: str, source: str) -> Rows:
    """Return y' of `_nand`: the row that reads a source's value when the input has ended."""
    return _bit_of(spaces, "bit" if kind.startswith("x") else kind, source)


def _readout(vocabulary: Vocabulary, spaces: Spaces) -> tuple[Array, Array]:
    """The logit of the token with number i and bit w is 4 (2 i v - i^2) + value if w = 1, and 4 (2 i v - i^2) - value if w = 0.

    For a bit of the answer the two logits are exchanged, because both of its sources are the gate that computes it. So `value`
    is the NAND of this gate with itself, its complement.

    At i = v the logit of the right bit is 4 v^2 + 1, and that of the wrong bit is 4 v^2 - 1. For any other number i the first
    summand is lower by at least 4, and the second is at most 1. So the right logit leads by at least 2. The logit of "stop" is
    8 ended + 8 may_stop - 12. If the step was the last, this is 4. Then v = 0, and the logit of each bit is at most 1.
    Otherwise it is at most -4, and the logit of the right bit is at least 1. The logit of a token of the prompt is -12.
    """
    weights = spaces.nothing(vocabulary.size)
    bias = np.full(vocabulary.size, -12)
    for written in (*range(vocabulary.gates), *vocabulary.answers):
        for value in (0, 1):
            token = vocabulary.bit(written, value)
            says_one = value == (written < vocabulary.gates)
            weights[token] = (2 * PEAK * written * spaces["next"] + (1 if says_one else -1) * spaces["value"])[0]
            bias[token] = -PEAK * written**2
    weights[vocabulary.stop] = (STOP * spaces["ended"] + STOP * spaces["may_stop"])[0]
    return whole(weights), whole(bias)


def _grid(vocabulary: Vocabulary, steps: int, rounding: str) -> Grid:
    """Return the least grid that holds every entry, and every number of the run except losing scores and losing logits.

    Let U be the greatest magnitude of a clock, D the greatest o, and V more than the greatest number v. Heads 1 and 2 have the
    numbers U^2, eta U and 2 eta D. A winning score is eta o^2 - 2 eta o u. If no key has the clock u - o, and the nearest clock
    is at the distance d < C, it is lower by eta d^2. So it is at most eta (2 D U + D^2 + C^2) in magnitude. L is at least this
    limit plus eta. So the winning score stays at least eta above a losing score that is cut off at -L.

    Head 3 has c = ceil(eta / C^2). Its numbers are at most c C^2, C N, N^2 and 2 c (U + V + C N). Its winning score is c C^2
    N^2 if t <= N, else 0. Logits are at most 4 V^2 + 4.

    Let n be the number of all tokens. Then U, C N and V are at most n, and o is below 2 n. So all of these numbers are at most
    10 eta n^2, and L = n^3 is enough from n = 400 on, where eta = 37. So p = O(log n), for every circuit.
    """
    gates = vocabulary.gates
    numbers = vocabulary.answers[-1] + 1
    length = vocabulary.length
    clock = tokens_in_all(vocabulary, steps)
    written = (*range(gates), *vocabulary.answers)
    back = max(reading.back for number_written in written for reading in vocabulary.readings(number_written)) - 1

    def needed(eta: int) -> int:
        scale = -(-eta // gates**2)
        sources = max(clock**2, eta * clock, 2 * eta * back, eta * (2 * back * clock + back**2 + gates**2 + 1))
        given = max(
            2 * scale * (clock + numbers + gates * length), gates * length, scale * gates**2 * max(length, 1) ** 2 + eta
        )
        return max(sources, given, PEAK * numbers**2 + PEAK)

    return least_grid(tokens_in_all(vocabulary, steps), needed, rounding)


def bound(circuit: Circuit, length: int, steps: int) -> dict[str, Number]:
    """Every size with explicit constants, from the circuit, N and T.

    With I bits a token, O bits of answer, K kinds of pairs and F units (one a kind, two if it reads what is emitted):
    d = 19 + 2 I + K; V = 2^I + 2 + 2 C + 2 O tokens; p = bit_length(2 L^2) for the least L of `_grid`; core = 9 m d p for the
    widest head, m = max(5, I + 1); program = p E with E = V d + 3 (10 + 2 max(2, I + 1)) d + 2 F d + F + d + V d + V: O(C) for
    constant I. A thought has C tokens a step, and 1 + O more.
    """
    vocabulary = Vocabulary(circuit, length)
    kinds = vocabulary.kinds
    inputs = circuit.inputs
    d = 19 + 2 * inputs + len(kinds)
    reads_emitted = [pair for pair in kinds if circuit.thinks and any(kind.startswith("x") for kind in pair)]
    units = len(kinds) + len(reads_emitted)
    p = _grid(vocabulary, steps, "floor").precision
    size = (1 << inputs) + 2 + 2 * len(circuit.gates) + 2 * len(circuit.output)
    entries = 2 * size * d + 3 * (10 + 2 * max(2, inputs + 1)) * d + 2 * units * d + units + d + size
    return {
        "width": d,
        "heads": 3,
        "layers": 1,
        "precision": p,
        "core_bits": 9 * max(5, inputs + 1) * d * p,
        "program_bits": p * entries,
        "tables_bits": p * (entries + tokens_in_all(vocabulary, steps) * d),
        "tokens_a_step": len(circuit.gates),
        "thought_tokens": len(circuit.gates) * steps + 1 + len(circuit.output),
    }


def check(length: Length = 6, circuits: Circuits = 6, circuit: CircuitFile | None = None, seed: Seed = 0) -> list[Outcome]:
    """Build the network of parity and of random circuits (or of one in a file), and follow it through their runs.

    `length`: the most tokens of an input; every input if there are at most 512, else 64 random ones. `circuits`: how many
    random ones, of 2 to 12 gates; every other one thinks, for at most `length` steps more. `circuit`: a JSON file as in
    `circuits._circuit`.
    Raises ValueError for a file that holds no circuit; TheoremFails with the circuit, the input and the token that is wrong.
    """
    if circuit is not None:
        return [_check_circuit(_of_file(circuit), length, seed, variant=circuit.name)]
    outcomes = [_check_circuit(parsed(PARITY), length, seed, variant="parity")]
    for index, one in enumerate(trials.random_circuits(circuits, seed)):
        kind = "with" if one.thinks else "without"
        outcomes.append(_check_circuit(one, length, seed, variant=f"random {index}, {len(one.gates)} gates, {kind} a thought"))
    return outcomes


def verify(circuits: int = 340, seed: int = 1) -> list[Outcome]:
    """Check parity on every input of 1 to 8 bits, and random circuits on every input of 1 to 7 tokens (4 if of two bits)."""
    outcomes = [_check_circuit(parsed(PARITY), 8, seed, variant="parity")]
    for one in trials.random_circuits(circuits, seed):
        length = 7 if one.inputs == 1 else 4
        kind = "with" if one.thinks else "without"
        outcomes.append(_check_circuit(one, length, seed, variant=f"random, {one.inputs} bits a token, {kind} a thought"))
    return outcomes


def _of_file(path: Path) -> Circuit:
    text = read_text(path, most=MOST_BYTES)
    try:
        return parsed(json.loads(text))
    except RecursionError:
        raise ValueError(f"{path}: expected a circuit, found deeper nesting than can be read") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _check_circuit(circuit: Circuit, length: int, seed: int, variant: str) -> Outcome:
    steps = 2 * length if circuit.thinks else length
    vocabulary = Vocabulary(circuit, length)
    trial = Trial(CLAIM.name, build(circuit, length, steps), logits_apart)
    inputs, exhaustive = trials.inputs_of(circuit, length, seed)
    longest = trials.require_runs(trial, vocabulary, inputs, steps)
    return trial.outcome(
        CLAIM,
        bound(circuit, length, steps),
        more={"tokens_a_step": len(circuit.gates), "thought_tokens": longest},
        margin_of=MARGIN,
        proved=APART,
        length=length,
        exhaustive=exhaustive,
        as_printed={"layers": 5, "tokens_a_step": len(circuit.gates) + 1},
        variant=variant,
    )


def predictor(
    length: Length, steps: Annotated[Steps, Range(1, 1 << 16)] | None = None
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Answer {"circuit": {..}, "input": [..]} by the weights built for the circuit, for inputs of at most N = `length` tokens.

    `steps` is T, by default N. The answer is {"answer": token, "thought": ["g0=1", .., "stop", "a0=1"]}.
    """
    built = cache(lambda circuit: build(circuit, length, steps))

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        circuit = parsed(field_of(given, "circuit"))
        tokens = symbols_in(given, "input", 1 << circuit.inputs, most=length)
        vocabulary = Vocabulary(circuit, length)
        most_steps = length if steps is None else steps
        last = [vocabulary.bit(vocabulary.answers[-1], value) for value in (0, 1)]
        most_tokens = vocabulary.gates * most_steps + 1 + len(vocabulary.answers)
        thought = generate(built(circuit), vocabulary.prompt(tokens), last, most_tokens)
        answered = vocabulary.answered(thought)
        if answered is None:
            raise ValueError(f"input: the circuit does not stop within {most_steps} steps; steps allows more")
        return {"answer": answered, "thought": [vocabulary.name(token) for token in thought]}

    return answer


def certificate_witness(length: Length = 4, circuit: CircuitFile | None = None) -> Evidence:
    """Show the runs of a circuit's model on every input of N = `length` tokens, at most 64; parity, or a circuit in a file.

    Raises ValueError for a file that holds no circuit, for one that thinks, which has no form in a certificate, or for more
    inputs.
    """
    chosen = parsed(PARITY) if circuit is None else _of_file(circuit)
    return shown(chosen, build(chosen, length), length)


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the circuits, lengths N and numbers of steps T that it gets.",
    not_shown="This does not show that a recurrent model needs this number of gates, or that a Transformer needs the thought. "
    "The proof covers every circuit, N and T.",
    build=build,
    predictor=predictor,
    verify=verify,
    certificate_witness=certificate_witness,
    choices=(
        Choice(
            where="Theorem 4.8, proof: layer 1",
            printed="a feed-forward part of width O(C) computes the position modulo C + 1 from the position alone, up to n^A",
            found="the paper gives no weights for this part. In p-bit arithmetic 2 (C + 1) units are enough, because a "
            "rounded product is the quotient of a division with remainder. With exact numbers w units relu(a i + b)(c i + d) "
            "give a function of at most w + 1 quadratic pieces. For C >= 2, the remainders of n^A positions need ceil(n^A / "
            "(C + 1)) pieces. For example, 200 positions modulo 4 (C = 3) need 50 pieces, but a width of 10 C gives at most "
            "31. For C = 1 a piece covers 3 positions, so 200 positions need 67 pieces",
            built="each token specifies its gate, so its embedding specifies the next gate, and no part computes a remainder",
            test="tests/theorems/circuits/test_attention.py::test_the_printed_layer_divides_by_rounding",
        ),
    ),
)
