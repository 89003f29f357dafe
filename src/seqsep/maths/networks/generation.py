"""Greedy decoding of a causal network on its grid: token by token, or proved for whole sequences by one pass each.

    generate  s_t = the single greatest logit at place t - 1 of s_0 .. s_(t-1), for t from the prompt's end on, up to a stop
    follow    requires, for a whole sequence s, that s_t is the single greatest logit at place t - 1 of s itself

If `follow` passes, `generate` yields the same tokens. Proof by induction on t: a causal network's logits at place t - 1 are a
function of s_0 .. s_(t-1), which are the tokens generated so far; so what it generates next is s_t. Tokens that a retriever
inserts after a closed query are the retriever's, not the network's: `inserted` marks them, and they are not asked for.

So T tokens cost one pass over T tokens instead of T passes. Places are numbered from 0, and the last token of a sequence is
never read.
"""

from collections.abc import Callable, Collection, Sequence
from functools import reduce
from typing import Any

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.maths.arithmetic.grid import Array, Tally, common
from seqsep.maths.networks.executor import Execution, run
from seqsep.maths.networks.network import Network
from seqsep.maths.networks.recurrent import StateRange

Retriever = Callable[[Sequence[int]], Sequence[int] | None]


class GenerationDiffers(Exception):
    """Greedy decoding leaves the sequence of `example`: at `place` it was to yield `wanted`.

    `found` is the token that it yields, or "a tie".

    >>> raise GenerationDiffers("copy", 0, 4, wanted=1, found="a tie")
    Traceback (most recent call last):
    seqsep.maths.networks.generation.GenerationDiffers: copy generates another sequence: example 0, place 4: expected 1, ...
    """

    def __init__(self, network: str, example: int, place: int, *, wanted: int, found: int | str) -> None:
        self.example = example
        self.place = place
        self.wanted = wanted
        self.found = found
        shown = f"example {example}, place {place}: expected {wanted}, found {found}"
        super().__init__(f"{network} generates another sequence: {shown}")


def follow(
    network: Network,
    sequences: Sequence[Sequence[int]],
    starts: Sequence[int],
    inserted: Sequence[Sequence[bool]] | None = None,
) -> Execution:
    """Prove that greedy decoding of each prompt, sequence[:start], yields the rest of its sequence.

    Sequences may differ in length. inserted[i][t] says that a retriever put the token at place t of sequence i, so that it is
    not asked for; by default none is. The logits are those at the asked places, in order: `asked_places` - 1. A sequence with
    fewer of them than another has its last ones repeated on the right; nothing that is repeated is counted in the tally.
    Raises GenerationDiffers with the first example, and its first place, at which the next token is not the single greatest
    logit; ValueError for a network without a causal mask, a start that leaves nothing to generate, or what `run` refuses.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> network = build(3, 2)  # symbols 0 and 1; token 1 + p asks for position p
    >>> follow(network, [[1, 0, 1, 4, 1], [0, 2, 0]], starts=[4, 2]).answers.tolist()
    [[1], [0]]
    """
    if not network.causal:
        raise ValueError(f"follow({network.name}): expected a causal network, found one that reads what comes later")
    asked = asked_places(sequences, starts, inserted)
    alike: dict[tuple[int, int], list[int]] = {}
    for example, places in enumerate(asked):
        alike.setdefault((len(sequences[example]), len(places)), []).append(example)
    runs = []
    for examples in alike.values():
        tokens = np.array([sequences[example] for example in examples], dtype=np.int64)
        at = np.array([asked[example] for example in examples]) - 1
        runs.append(run(network, tokens[:, :-1], at))
    execution = _together(list(alike.values()), runs)
    require_followed(network.name, sequences, asked, answers=execution.answers, unique_argmax=execution.unique_argmax)
    return execution


def asked_places(
    sequences: Sequence[Sequence[int]], starts: Sequence[int], inserted: Sequence[Sequence[bool]] | None = None
) -> list[list[int]]:
    """Return the places whose tokens greedy decoding has to yield: from the start on, without the inserted ones.

    Raises ValueError without a sequence, the arguments differ in length, or a sequence lacks such a place.

    >>> asked_places([[7, 7, 5, 6]], [1], [[False, False, True, False]])
    [[1, 3]]
    """
    if not len(sequences):
        raise ValueError("follow: expected at least 1 sequence, found none")
    if len(starts) != len(sequences) or (inserted is not None and len(inserted) != len(sequences)):
        raise ValueError(f"follow: expected a start, and marks of inserted tokens, for each of {len(sequences)} sequences")
    asked = []
    for example, (sequence, start) in enumerate(zip(sequences, starts, strict=True)):
        marks = [False] * len(sequence) if inserted is None else inserted[example]
        if len(marks) != len(sequence):
            raise ValueError(
                f"follow: sequence {example} has {len(sequence)} tokens, found {len(marks)} marks of inserted ones"
            )
        places = [place for place in range(start, len(sequence)) if not marks[place]]
        if start < 1 or not places:
            raise ValueError(
                f"follow: sequence {example} of {len(sequence)} tokens starts at {start}; expected a token before "
                "the start, and a token to generate after it"
            )
        asked.append(places)
    return asked


def padded(rows: Sequence[Sequence[int]]) -> Int64[np.ndarray, "rows longest"]:
    """Rows of different lengths as one array, the last entry of each repeated on the right.

    >>> padded([[1, 2, 3], [4]]).tolist()
    [[1, 2, 3], [4, 4, 4]]
    """
    longest = max((len(row) for row in rows), default=0)
    return np.array([[*row, *[row[-1]] * (longest - len(row))] for row in rows], dtype=np.int64).reshape(len(rows), longest)


def require_followed(
    name: str,
    sequences: Sequence[Sequence[int]],
    asked: Sequence[Sequence[int]],
    *,
    answers: Int64[np.ndarray, "batch asked"],
    unique_argmax: Bool[np.ndarray, "batch asked"],
) -> None:
    """Require that the answers are surely the tokens at the asked places of each sequence.

    Raises GenerationDiffers with the first example, and its first place, at which they are not.

    >>> require_followed("a network", [[5, 6]], [[1]], answers=np.array([[6]]), unique_argmax=np.array([[True]]))
    """
    wanted = padded([[sequences[example][place] for place in places] for example, places in enumerate(asked)])
    wrong = np.argwhere((answers != wanted) | ~unique_argmax)
    if len(wrong):
        example, number = wrong[0].tolist()
        found = int(answers[example, number]) if unique_argmax[example, number] else "a tie"
        place = asked[example][number]
        raise GenerationDiffers(name, example, place, wanted=int(wanted[example, number]), found=found)


def generate(
    network: Network, prompt: Sequence[int], stops: Collection[int], most: int, retriever: Retriever | None = None
) -> list[int]:
    """Return the tokens that greedy decoding yields after the prompt: up to and with the first stop, at most `most`.

    The retriever is asked after each generated token except a stop: it is given all tokens so far and returns those to
    insert if they end with a closed query, else None. Inserted tokens are among those returned and count in `most`.
    Raises ValueError for an empty prompt, a network without a causal mask, two greatest logits, or what `run` refuses.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> generate(build(3, 2), [1, 0, 1, 4], stops={0, 1}, most=5)
    [1]
    """
    if not network.causal:
        raise ValueError(f"generate({network.name}): expected a causal network, found one that reads what comes later")
    if not len(prompt):
        raise ValueError(f"generate({network.name}): expected a prompt of at least 1 token, found none")
    tokens = [int(token) for token in prompt]
    end = len(tokens) + most
    while len(tokens) < end:
        execution = run(network, np.array([tokens]), at=-1)
        if not execution.unique_argmax.all():
            raise ValueError(
                f"generate({network.name}): two logits are greatest after {len(tokens)} tokens; a tie is not an answer"
            )
        tokens.append(int(execution.answers[0, 0]))
        if tokens[-1] in stops:
            break
        found = None if retriever is None else retriever(tokens)
        if found is not None:
            tokens.extend(int(token) for token in found)
    return tokens[len(prompt) : end]


def _together(examples: list[list[int]], runs: list[Execution]) -> Execution:
    """One execution of all examples; runs[r] is that of examples[r]."""
    tally = Tally()
    for one in runs:
        tally.rounded.update(one.tally.rounded)
        tally.saturated.update(one.tally.saturated)
    layers = range(len(runs[0].attended))
    attended = tuple(_gathered(examples, [one.attended[layer] for one in runs]) for layer in layers)
    met = zip(*(one.state_ranges for one in runs), strict=True)
    ranges = tuple(reduce(StateRange.joined, same_number) for same_number in met)
    return Execution(_gathered(examples, [one.logits for one in runs]), attended, tally, ranges)


def _gathered(examples: list[list[int]], parts: list[Array]) -> Array:
    """One array of all examples; along the second axis a shorter part has its last entry repeated."""
    unit = common(parts)
    longest = max(part.integers.shape[1] for part in parts)
    integers: Any = np.empty((sum(map(len, examples)), longest, parts[0].integers.shape[2]), dtype=np.int64)
    lifted = [part.of_unit(unit).integers for part in parts]
    if any(part.dtype == np.object_ for part in lifted):
        integers = integers.astype(np.object_)
    for numbers, part in zip(examples, lifted, strict=True):
        missing = longest - part.shape[1]
        integers[numbers] = np.concatenate([part, np.repeat(part[:, -1:], missing, axis=1)], axis=1)
    return Array(integers, unit)
