"""A linear recurrence of constant size answers index lookup, recall and counting if it may search its own text by patterns.

The model writes a regular expression token by token. A retriever searches the text before it and writes the text that matches.
So a constant number of tokens, the chain of thought, replaces a large state.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.2, its first part: index lookup, associative recall, c-gram retrieval
and counting.

We differ: the paper's patterns find other text than they should (see the errata). A count {k} in a pattern is one token here.
There is one ReLU unit for each copy of a token of the question, and one for the answer. A number has p = bit_length(2 n0^4)
bits. The vocabulary has n0 tokens: S numbers, the marks of the pattern, and 6 others. If the pattern has a count, there are
also S + 1 counts.

Retriever. RETRIEVE is as in the paper (Definition A.5). The pattern that the model writes is searched in everything before it,
the question included.

Text. The model writes [, then r tokens of the pattern, then ]. The retriever writes one token, and the model writes the
answer. So there are r + 4 tokens. Here r is 5 for index lookup, 2 c + 4 for c-grams and 18 for counting. The templates of
these tokens are in `_written_query`.

Margins. They are proved in `_read_out` for every S, every number of tokens of data and every question. The logit of the next
token is above every other logit by at least 1. Numbers are whole and at most n0^2 in magnitude, so no number is rounded or cut
off.

State. It holds the numbers of the last u tokens, where u is just large enough: each token of the question must still be among
them when it is copied for the last time. It also holds, as r + 2 numbers, how far back the mark [ is. Together these are u + r
+ 2 numbers of p bits. By their ranges they fit in u bit_length(S) + r + 2 bits. Here u is 4 for an index, 2 c - 1 for c-grams
and 18 for counting.

The proof continues at `_remember` (the shift registers), `_copy` (the FFN) and `_read_out` (the logits).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Annotated, Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.generation import GenerationDiffers, follow, generate
from seqsep.maths.networks.network import FeedForward, LinearLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.blocks import Rows, Spaces, Units, feed_forward, linear_layer, shift_register
from seqsep.theorems.evidence import Evidence, GeneratedRun
from seqsep.theorems.options import Alphabet, AlphabetFrom2, Gram, Inputs, Length, LengthFrom2, Seed
from seqsep.theorems.retrieval._pattern_errata import ERRATA
from seqsep.theorems.retrieval._pattern_inputs import WORDS, Given, drawn_inputs, every_input, read, solved
from seqsep.theorems.retrieval._shown import words
from seqsep.theorems.retrieval._written_query import Question, Template
from seqsep.theorems.trial import Trial

Queried = Annotated[Question, "index (places 1 to N), recall (of c-grams) or counting (thresholds 0 to S - 1)."]

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


def build(question: Queried, alphabet: Alphabet, gram: Gram = 2) -> Network:
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
    """The shift registers: place[i] is 1 at the i-th token after [, and asked[j] is the next number to copy.

    Let the j-th copy be written at place p of the pattern, and let the token to be copied be the b-th from the end of the
    prompt. Then asked[j] must hold the number of this token when place p - 1 is read, and there it is p - 1 + b tokens back.
    """
    places = {back + 1: row[None] for back, row in enumerate(spaces["place"])}
    nothing = spaces.nothing()
    taps: dict[int, Rows] = {}
    for row, (place, copy) in zip(spaces["asked"], template.copies, strict=True):
        back = place - 1 + copy.back
        taps[back] = taps.get(back, nothing) + row[None]
    return linear_layer(shift_register(spaces["number"], taps), shift_register(spaces["opens"], places))


def _copy(spaces: Spaces, template: Template) -> FeedForward:
    """The units of the FFN, one for each copy: relu(v - S (1 - g)) is added to `copied`.

    Numbers v are at most S, so this is v for g = 1 and 0 for g = 0. For a copy at place p of the pattern, v is asked[j] and g
    is place[p - 1], the place of the token before. For the answer, v is the number that the retriever found. Then g is place[r
    + 2], which is 1 exactly at this number, the token after ]. In counting the answer is YES or NO, and v is subtracted from
    `copied`.
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
    """The logits of all tokens. Below, z is `copied`. [x] is 1 if the next token is x, and 0 if not:

        number s    2 (s + 1) z - (s + 1)^2 + 2 [a copy of a number, or an answer that is one]
        count {i}   2 u z - u^2 + 2 [a count], with u = i + 1 in index lookup, and u = i in counting
        mark        2 [one of its places]; the place of ] is after the pattern
        [           1
        FAILED      2 [an answer that is a number]
        NO          2 [an answer YES or NO]
        YES         2 [an answer YES or NO] - 2 z - 1

    In each case the right token is above every other one by at least 1:
    * In the prompt and directly after it z = 0. The mark [ has the logit 1, and all others have at most 0.
    * Before a mark of the pattern z = 0 too. This mark has 2, [ has 1, and all others have at most 0.
    * Before a copy z >= 1 is the number to be copied, plus 1. The right token has z^2 + 2, and others of its kind (numbers or
      counts) have at least 1 less. Tokens of the other kind have at most z^2. [ has 1, and YES less than 0.
    * Before an answer that is a number, after FAILED: z = 0. FAILED has 2, and numbers have at most 1.
    * Before an answer that is a number, after a number was found: z is this number, plus 1. It has z^2 + 2, and other numbers
      have at least 1 less. FAILED has 2, and counts have at most z^2.
    * Before an answer YES or NO, after FAILED: z = 0. NO has 2, YES has 1, and [ has 1.
    * Before an answer YES or NO, after a number was found: z <= -1. YES has 1 - 2 z >= 3, NO has 2, and [ has 1. Numbers and
      counts have at most 0.
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


def check(length: Length = 16, gram: Gram = 3, inputs: Inputs = 200, seed: Seed = 0) -> list[Outcome]:
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
    trial = Trial(CLAIM.name, build(question, alphabet, gram), in_floats=FLOAT_INPUTS)
    given = every_input(template, length) if every else drawn_inputs(template, length, inputs, seed)
    while some := list(islice(given, AT_ONCE)):
        _put(trial, template, some)
    shown = f"recall of {gram}-grams" if question == "recall" else question
    return trial.outcome(
        CLAIM,
        bound(question, alphabet, gram),
        more={"thought_tokens": len(template.written) + BEHIND},
        length=length,
        variant=f"{shown}, every input over {', '.join(map(str, WORDS))}" if every else shown,
    )


def _put(trial: Trial, template: Template, some: Sequence[Given]) -> None:
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


def predictor(length: Length, alphabet: Alphabet | None = None) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Answer a question of one of the four tasks by the weights built for it, with a live retriever.

    {"symbols": [..], "position": p} is index lookup, {"tokens": [..], "query": [..]} recall (of c-grams for a query of c - 1),
    {"tokens": [..], "query": q, "threshold": t} counting. The data are at most N = `length` numbers out of 0 .. S - 1, S =
    `alphabet` (by default N + 1), and so are p, q and t. The answer is {"answer": number, "thought": texts}: a number, None for
    FAILED; in counting 1 or 0. Raises ValueError with the field's name for any other input.

    >>> predictor(length=4)({"tokens": [3, 1, 3, 2], "query": [3]})["answer"]
    1
    """
    size = length + 1 if alphabet is None else alphabet
    if min(length, size) < 1:
        raise ValueError(f"predictor(length={length}, alphabet={alphabet}): both are at least 1")
    built = cache(build)

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        template, asked = read(given, length, size)
        network = built(template.question, size, template.gram)
        thought = _generated(network, template, asked)
        return {"answer": template.answered(thought), "thought": [template.texts[token] for token in thought[:-1]]}

    return answer


def _generated(network: Network, template: Template, asked: Given) -> list[int]:
    """Return the tokens that the network writes with a live retriever.

    One pass checks if the weights write the right chain of thought (`maths.networks.generation`). If not, they write token by
    token, at most as many tokens as it has.
    """
    prompt = template.prompt(asked.numbers, asked.question)
    thought = template.thought(asked.question, solved(template, asked))
    retriever = template.retriever()
    try:
        follow(network, [prompt + thought], [len(prompt)], [retriever.inserted(prompt + thought, len(prompt))])
    except GenerationDiffers:
        return generate(network, prompt, (), most=len(thought), retriever=retriever.behind(len(prompt)))
    return thought


def certificate_witness(
    length: LengthFrom2 = 3,
    alphabet: AlphabetFrom2 | None = None,
    gram: Gram = 2,
    question: Queried = "recall",
    seed: Seed = 0,
) -> Evidence:
    """Show the runs of one question about N = `length` numbers out of 0 .. S - 1, S = `alphabet`.

    `question` is "index" (places 1 .. N, by default S = N + 1), "recall" (of c-grams, c = `gram`) or "counting" (thresholds
    0 .. S - 1; by default S = 2 for both). Every sequence with every question if these are at most 256, else up to 32 drawn
    ones. The checker searches the pattern in all the text before it. Raises ValueError for another question, a gram or an
    alphabet below 2, or a length below that of a gram.
    """
    if question not in QUESTIONS:
        raise ValueError(f"certify(question={question!r}): expected one of {', '.join(QUESTIONS)}")
    size = alphabet if alphabet is not None else length + 1 if question == "index" else 2
    if length < (gram if question == "recall" else 1) or min(gram, size) < 2:
        raise ValueError(f"certify({length=}, {alphabet=}, {gram=}): expected 2 <= gram <= length, 2 <= alphabet")
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


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the sizes that it builds.",
    not_shown="This does not show that the models are right at other sizes. The proof covers every S.",
    build=build,
    predictor=predictor,
    verify=verify,
    errata=ERRATA,
    certificate_witness=certificate_witness,
)
