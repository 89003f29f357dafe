"""A linear recurrence of constant size answers index lookup, recall and counting if it may search its own text by patterns.

The model writes a regular expression token by token. A retriever searches the text before it and writes what it finds. So O(1)
tokens of thought replace a large state.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.2, its first part: index lookup, associative recall, c-gram retrieval
and counting.

RETRIEVE is as in the paper (Definition A.5): the model writes a regular expression token by token, and everything before it is
searched, the question included. The templates are in `_written_query`: r + 4 tokens, the answer among them, where r is 5 for
index lookup, 2 c + 4 for c-grams and 18 for counting.

Margins, proved in `_read_out` for every S, every number of tokens of data and every question: the next token's logit is above
every other by at least 1; nothing is rounded and nothing saturates: numbers are at most n0^2 in magnitude.

We differ: the paper's patterns find other things than they should (errata), and their counts {k} are written as one token. One
ReLU unit copies one token of the question, and one the answer; p = bit_length(2 n0^4) for the vocabulary n0, which is S, twice
for a count, and what the pattern needs.

State: the numbers of the last tokens, as far back as the question is where it is copied last, and where [ was: u + r + 2
numbers of p bits, or u bit_length(S) + r + 2 bits by their ranges (u = 4 for an index, 2 c - 1 for c-grams, 18 for counting).

The proof continues at `_copy` and `_read_out`.

A run checks the sizes that it builds. This does not show that the models are right at other sizes. The proof covers every S.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.generation import GenerationDiffers, follow, generate
from seqsep.maths.networks.network import FeedForward, LinearLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Theorem, sizes
from seqsep.theorems.blocks import Rows, Spaces, Units, feed_forward, linear_layer, shift_register
from seqsep.theorems.evidence import Evidence, GeneratedRun
from seqsep.theorems.retrieval._pattern_errata import ERRATA
from seqsep.theorems.retrieval._pattern_inputs import WORDS, Given, drawn_inputs, every_input, read, solved
from seqsep.theorems.retrieval._recurrent_trial import RecurrentTrial
from seqsep.theorems.retrieval._shown import words
from seqsep.theorems.retrieval._written_query import Question, Template

CLAIM = Claim(
    name="retrieval-by-pattern",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.2",
    statement="Linear recurrences of constant size with a retriever answer the four retrieval tasks in O(1) tokens",
)
COPIED = 2
BEHIND = 3
QUESTIONS: tuple[Question, ...] = ("index", "recall", "counting")
TASKS = {"index": "index", "recall": "ngram", "counting": "counting"}
EVERY_INPUT_UP_TO = 4
FLOAT_INPUTS = 300
AT_ONCE = 256


def build(question: Question, alphabet: int, gram: int = 2) -> Network:
    """The network of `question`, index, recall or counting, over the numbers 0 .. S - 1, for data of any length.

    Tokens are as in `Template`.

    Raises ValueError for no numbers, or a gram below 2.

    >>> network = build("index", alphabet=65)
    >>> network.layers[0][0].remembered, len(network.layers[0][1].inner.integers), network.precision
    (11, 2, 30)
    """
    template = Template(question, alphabet, gram)
    spaces = _spaces(template)
    grid = _grid(template)
    readout, readout_bias = _read_out(spaces, template)
    return Network(
        name=f"{CLAIM.name}-{question}",
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(_symbols(spaces, template), by_index=True),
        layers=((_remember(spaces, template), _copy(spaces, template)),),
        readout=whole(readout, by_index=True),
        readout_bias=whole(readout_bias, by_index=True),
        code_bits=_generators(template, spaces.width) * grid.precision,
    )


def _spaces(template: Template) -> Spaces:
    places = len(template.written) + 2
    return Spaces(number=1, opens=1, place=places, asked=len(template.copies), copied=1)


def _grid(template: Template) -> Grid:
    """L = n0^2 for the vocabulary n0 >= S + 6, which holds the (S + 1)^2 of the read-out and the (S + 1)^2 + 2 of logits."""
    return Grid.of(len(template.texts), 2)


def _symbols(spaces: Spaces, template: Template) -> Int64[np.ndarray, "tokens width"]:
    """Number s holds s + 1, [ a 1 in `opens`; everything else, FAILED too, nothing."""
    rows = np.zeros((len(template.texts), spaces.width), dtype=np.int64)
    rows[1 : template.alphabet + 1] = np.arange(1, template.alphabet + 1)[:, None] * spaces["number"]
    rows[template.token("[")] = spaces["opens"][0]
    return rows


def _remember(spaces: Spaces, template: Template) -> LinearLayer:
    """place[i] is 1 at the i-th token after [; asked[j] is the number to be copied at place p_j, where p_j - 1 is reached.

    The token that stands b from the prompt's end stands p - 1 + b tokens before the (p - 1)-th after [.
    """
    places = {back + 1: row[None] for back, row in enumerate(spaces["place"])}
    nothing = spaces.nothing()
    taps: dict[int, Rows] = {}
    for row, (place, copy) in zip(spaces["asked"], template.copies, strict=True):
        back = place - 1 + copy.back
        taps[back] = taps.get(back, nothing) + row[None]
    return linear_layer(shift_register(spaces["number"], taps), shift_register(spaces["opens"], places))


def _copy(spaces: Spaces, template: Template) -> FeedForward:
    """One unit a copy: relu(v - S (1 - g)) is v <= S if g = 1 and 0 if g = 0, and is added to `copied`.

    For a copy at place p, v = asked[j] and g = place[p - 1], where the token before stands. For the answer, v is the number
    found and g says that it stands at place r + 2, after ]. In counting, whose answer is not a number, it is taken from
    `copied` instead.
    """
    most = template.alphabet
    place = spaces["place"]
    copied = zip(spaces["asked"], template.copies, strict=True)
    inner = [asked + most * place[where - 2] for asked, (where, _) in copied]
    inner.append(spaces["number"][0] + most * place[-1])
    outer = np.repeat(spaces["copied"], len(inner), axis=0)
    if template.question == "counting":
        outer[-1] = -outer[-1]
    units = Units(np.array(inner), np.full(len(inner), -most), outer)
    return feed_forward([units], bias=spaces.nothing()[0])


def _read_out(spaces: Spaces, template: Template) -> tuple[Rows, Int64[np.ndarray, "tokens"]]:
    """Logits, with z = `copied`, and [..] for 1 if the next token stands there and 0 if not:

        number s    2 (s + 1) z - (s + 1)^2 + 2 [a copy of a number, or an answer that is one]
        count {i}   2 u z - u^2 + 2 [a count], u = i + 1 for the count {i}, and i for {t + 1}
        mark        2 [one of its places], ] at the place after the pattern
        [           1
        FAILED      2 [an answer that is a number]
        NO          2 [an answer YES or NO]
        YES         2 [an answer YES or NO] - 2 z - 1

    * In the prompt and after it z = 0: [ has 1, all others 0 at most. The same at a mark's place, where the mark has 2.
    * At a copy z >= 1 is the number to be copied, plus 1. The right token has z^2 + 2, others of its kind 1 less at least,
      those of the other kind at most z^2, [ 1, YES less than 0.
    * An answer that is a number: if FAILED was found z = 0, FAILED has 2 and numbers 1 at most. Else z >= 1 is the number
      found, plus 1: it has z^2 + 2, other numbers 1 less at least, FAILED 2, counts z^2 at most.
    * Answers YES and NO: if FAILED was found z = 0, NO has 2, YES 1, [ 1. Else z <= -1: YES has 1 - 2 z >= 3, NO 2, [ 1,
      numbers and counts 0 at most.
    """
    rows = np.zeros((len(template.texts), spaces.width), dtype=np.int64)
    bias = np.zeros(len(template.texts), dtype=np.int64)
    next_at = [spaces["opens"][0], *spaces["place"]]
    answer = next_at[-1]
    numbers = np.arange(1, template.alphabet + 1)
    now_copied = [next_at[place - 1] for place, copy in template.copies if copy.raised is None]
    if template.question == "counting":
        rows[template.token("NO")] = COPIED * answer
        rows[template.token("YES")] = COPIED * answer - 2 * spaces["copied"][0]
        bias[template.token("YES")] = -1
    else:
        now_copied.append(answer)
        rows[template.token("FAILED")] = COPIED * answer
    rows[numbers] = 2 * numbers[:, None] * spaces["copied"] + COPIED * np.sum(now_copied, axis=0)
    bias[numbers] = -(numbers**2)
    for place, token in enumerate([*template.written, "]"], start=1):
        if isinstance(token, str):
            rows[template.token(token)] += COPIED * next_at[place - 1]
        elif token.raised is not None:
            counts = template.token("{0}") + np.arange(template.alphabet + 1)
            asked = np.arange(1, template.alphabet + 2) - token.raised
            rows[counts] = 2 * asked[:, None] * spaces["copied"] + COPIED * next_at[place - 1]
            bias[counts] = -(asked**2)
    bias[template.token("[")] = 1
    return rows, bias


def _generators(template: Template, width: int) -> int:
    """The numbers that generate the tables: rows a s and [ of the embedding; of the read-out a + b i + c i^2 and all others."""
    kinds = 2 if template.has_counts else 1
    indexed = template.alphabet + (template.alphabet + 1 if template.has_counts else 0)
    return 2 * width + (3 * kinds + len(template.texts) - indexed) * (width + 1)


def bound(question: Question, alphabet: int, gram: int = 2) -> dict[str, Number]:
    """Every size with explicit constants, from S and c alone; r, u and the copies k as in the head of this file.

    Vocabulary: S numbers, S + 1 counts if one is written, and 6 and the marks besides.
    """
    template = Template(question, alphabet, gram)
    written = {"index": 5, "recall": 2 * gram + 4, "counting": 18}[question]
    back = {"index": 4, "recall": 2 * gram - 1, "counting": 18}[question]
    copies = {"index": 1, "recall": gram - 1, "counting": 3}[question]
    marks = {"index": 4, "recall": 7, "counting": 10}[question]
    counts = 0 if question == "recall" else alphabet + 1
    precision = (2 * (alphabet + counts + 6 + marks) ** 4).bit_length()
    width = written + copies + 5
    numbers = back + written + 2
    recurrence = numbers * numbers + 2 * numbers * width
    units = (copies + 1) * (2 * width + 1) + width
    return {
        "width": width,
        "layers": 1,
        "precision": precision,
        "program_bits": precision * (recurrence + units + _generators(template, width)),
        "thought_tokens": written + 3,
        "state_numbers": numbers,
        "state_bits": numbers * precision,
        "state_bits_by_range": back * alphabet.bit_length() + written + 2,
    }


def check(length: int = 16, gram: int = 3, inputs: int = 200, seed: int = 0) -> list[Outcome]:
    """Build the network of each question, and require its thought and answer with a live retriever, on the grid and in float64.

    Up to 4 tokens of data: all of 1 to `length` tokens out of 1, 2, 11 and 12, with every question over them (thresholds 0 to
    3; an index within the data). Beyond: `inputs` drawn ones over 0 .. N. Recall is tried for pairs and for c-grams, c =
    `gram`. Raises ValueError for a length below 1 or a gram below 2; TheoremFails with the data and the question on which
    something else is written, found or answered.
    """
    if length < 1:
        raise ValueError(f"check(length={length}): expected at least 1 token of data")
    asked: list[tuple[Question, int]] = [("index", 2), ("recall", 2), ("recall", gram), ("counting", 2)]
    return [_check(question, size, length, inputs=inputs, seed=seed) for question, size in dict.fromkeys(asked)]


def verify(inputs: int = 7_200, seed: int = 0) -> list[Outcome]:
    """Check every input of up to 4 tokens out of four numbers, up to 4-grams, and drawn ones of up to 512 tokens."""
    outcomes = [*check(4, gram=3), *check(4, gram=4)]
    for length in (16, 64):
        outcomes += check(length, gram=3, inputs=inputs, seed=seed)
    return [*outcomes, *check(512, gram=4, inputs=inputs // 30, seed=seed)]


def _check(question: Question, gram: int, length: int, *, inputs: int, seed: int) -> Outcome:
    every = length <= EVERY_INPUT_UP_TO
    alphabet = max(length + 1, max(WORDS) + 1 if every else 0)
    template = Template(question, alphabet, gram)
    trial = RecurrentTrial(CLAIM.name, build(question, alphabet, gram), in_floats=FLOAT_INPUTS)
    given = every_input(template, length) if every else drawn_inputs(template, length, inputs, seed)
    while some := list(islice(given, AT_ONCE)):
        _put(trial, template, some)
    bounds = bound(question, alphabet, gram)
    measured = sizes(trial.network) | trial.remembered() | {"thought_tokens": len(template.written) + BEHIND}
    shown = f"recall of {gram}-grams" if question == "recall" else question
    return CLAIM.upper(
        length=length,
        inputs=trial.inputs,
        measured=CLAIM.within(measured, bounds),
        bound=bounds,
        variant=f"{shown}, every input over {', '.join(map(str, WORDS))}" if every else shown,
        saturated=trial.saturated,
    )


def _put(trial: RecurrentTrial, template: Template, some: Sequence[Given]) -> None:
    """Require thought, results of the live retriever and answer of each input."""
    retriever = template.retriever()
    sequences = []
    starts = []
    inserted = []
    for given in some:
        prompt = template.prompt(given.numbers, given.question)
        sequence = [*prompt, *template.thought(given.question, solved(template, given))]
        try:
            inserted.append(retriever.inserted(sequence, len(prompt)))
        except ValueError as differs:
            raise CLAIM.fails({**given.readable(), "retriever": differs}) from None
        sequences.append(sequence)
        starts.append(len(prompt))
    trial.follow(sequences, starts, lambda example: some[example].readable(), inserted)


def applier(length: int, alphabet: int | None = None) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Answer a question of one of the four tasks by the weights built for it, with a live retriever.

    {"symbols": [..], "position": p} is index lookup, {"tokens": [..], "query": [..]} recall (of c-grams for a query of c - 1),
    {"tokens": [..], "query": q, "threshold": t} counting. The data are at most N = `length` numbers out of 0 .. S - 1, S =
    `alphabet` (by default N + 1), and so are p, q and t. The answer is {"answer": number, "thought": texts}: a number, None for
    FAILED; in counting 1 or 0. Raises ValueError with the field's name for any other input.

    >>> applier(length=4)({"tokens": [3, 1, 3, 2], "query": [3]})["answer"]
    1
    """
    size = length + 1 if alphabet is None else alphabet
    if min(length, size) < 1:
        raise ValueError(f"applier(length={length}, alphabet={alphabet}): both are at least 1")
    built = cache(build)

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        template, asked = read(given, length, size)
        network = built(template.question, size, template.gram)
        thought = _generated(network, template, asked)
        return {"answer": template.answered(thought), "thought": [template.texts[token] for token in thought[:-1]]}

    return answer


def _generated(network: Network, template: Template, asked: Given) -> list[int]:
    """What the network writes with a live retriever.

    The right thought is proposed to the weights, and one pass says whether they write it (`maths.networks.generation`); if not,
    they write token by token, at most as many as it has.
    """
    prompt = template.prompt(asked.numbers, asked.question)
    thought = template.thought(asked.question, solved(template, asked))
    retriever = template.retriever()
    try:
        follow(network, [prompt + thought], [len(prompt)], [retriever.inserted(prompt + thought, len(prompt))])
    except GenerationDiffers:
        return generate(network, prompt, (), most=len(thought), retriever=retriever.behind(len(prompt)))
    return thought


def evidence(
    length: int = 3, alphabet: int | None = None, gram: int = 2, question: Question = "recall", seed: int = 0
) -> Evidence:
    """Show the runs of one question about N = `length` numbers out of 0 .. S - 1, S = `alphabet`.

    `question` is "index" (places 1 .. N, by default S = N + 1), "recall" (of c-grams, c = `gram`) or "counting" (thresholds
    0 .. S - 1; by default S = 2 for both). Every sequence with every question if these are at most 256, else up to 32 drawn
    ones. The checker searches the pattern in all that stands before it. Raises ValueError for another question, a gram or an
    alphabet below 2, or a length below that of a gram.
    """
    if question not in QUESTIONS:
        raise ValueError(f"evidence(question={question!r}): expected one of {', '.join(QUESTIONS)}")
    size = alphabet if alphabet is not None else length + 1 if question == "index" else 2
    if length < (gram if question == "recall" else 1) or min(gram, size) < 2:
        raise ValueError(f"evidence({length=}, {alphabet=}, {gram=}): expected 2 <= gram <= length, 2 <= alphabet")
    template = Template(question, size, gram)
    drawn = words(size, length + template.asked, seed)
    if question == "index":
        drawn = drawn[(drawn[:, -1] >= 1) & (drawn[:, -1] <= length)]
    given = [Given(word[:length], word[length:]) for word in map(tuple, drawn.tolist())]
    prompts = [template.prompt(one.numbers, one.question) for one in given]
    written = [template.thought(one.question, solved(template, one)) for one in given]
    sequences = [[*prompt, *run] for prompt, run in zip(prompts, written, strict=True)]
    starts = [len(prompt) for prompt in prompts]
    inserted = [template.retriever().inserted(sequence, start) for sequence, start in zip(sequences, starts, strict=True)]
    run = GeneratedRun(build(question, size, gram), np.array(prompts), written)
    follow(run.network, sequences, starts, inserted)
    fields = {"alphabet": size, "length": length} | ({"gram": gram} if question == "recall" else {})
    return Evidence(f"{TASKS[question]}-by-pattern", fields, run)


THEOREM = Theorem(CLAIM, check, build=build, applier=applier, verify=verify, errata=ERRATA, evidence=evidence)
