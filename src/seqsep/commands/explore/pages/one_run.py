"""A built network on one input: the weights of every attention head, and the answer with its logits.

Inputs are those of the theorem's certificate, or the reader's own, in the form of `seqsep apply`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqsep.commands.explore.forms import taken
from seqsep.commands.explore.squares import DrawnSquares, squares_of
from seqsep.core.names import BadInput, excerpt
from seqsep.maths.networks.executor import run
from seqsep.maths.networks.network import AttentionLayer, Network
from seqsep.report.attention_weights import attention_weights
from seqsep.tasks import BY_NAME as TASKS
from seqsep.tasks import Equality, IndexLookup, Task
from seqsep.tasks.reading import read_input
from seqsep.theorems import Theorem
from seqsep.theorems.evidence import Evidence, GeneratedRun, NetworkRun

MOST_TOKENS = 64
MOST_TYPED = 2000
MOST_LOGITS = 6
MOST_HEADS = 12


@dataclass(frozen=True)
class Logit:
    """A class with its logit, and its share of the greatest distance to the least logit."""

    name: str
    value: float
    share: float


@dataclass(frozen=True)
class NetworkOnInput:
    """The run: tokens as a reader sees them, one picture a head, and the answer.

    `expected` is the answer by the definition of the task, and None if the page has no such function. `written` are the tokens
    that the network writes after the prompt.
    """

    tokens: tuple[str, ...]
    heads: tuple[DrawnSquares, ...]
    answer: str
    expected: str | None
    logits: tuple[Logit, ...]
    margin: float
    written: tuple[str, ...] = ()
    prompt: int = 0
    more_heads: int = 0

    @property
    def is_right(self) -> bool:
        """True if the answer is the expected one."""
        return self.expected is None or self.answer == self.expected


@dataclass(frozen=True)
class ShownInputs:
    """The inputs that a theorem's evidence has, and one of them as text."""

    count: int
    number: int
    text: str
    can_type: bool


def task_of(evidence: Evidence) -> Task | None:
    """Return the task that the evidence is about; None for one that the registry does not have."""
    kind = TASKS.get(evidence.task)
    if kind is None:
        return None
    fields = {name: value for name, value in evidence.parameters.items() if isinstance(value, int)}
    try:
        return kind(**fields)
    except TypeError:
        return None


def inputs_of(evidence: Evidence, number: int, typed: str) -> tuple[tuple[int, ...], ShownInputs, tuple[int, ...]]:
    """Return the tokens of an input, what the page says of the inputs, and the tokens that are written after it.

    Raises BadInput for a text that is not an input of the task.
    """
    witness = evidence.witness
    task = task_of(evidence)
    if isinstance(witness, GeneratedRun):
        place = min(number, len(witness.prompts)) - 1
        prompt = tuple(witness.prompts[place].tolist())
        return prompt, ShownInputs(len(witness.prompts), place + 1, "", can_type=False), tuple(witness.generated[place])
    if not isinstance(witness, NetworkRun):
        raise BadInput("expected evidence with a network, found none")
    place = min(number, len(witness.inputs)) - 1
    tokens = tuple(witness.inputs[place].tolist())
    if task is None or task.coordinates:
        return tokens, ShownInputs(len(witness.inputs), place + 1, "", can_type=False), ()
    text = json.dumps(_fields(task, tokens))
    if typed:
        tokens = _typed(task, typed)
    return tokens, ShownInputs(len(witness.inputs), place + 1, text, can_type=True), ()


def _typed(task: Task, typed: str) -> tuple[int, ...]:
    if len(typed) > MOST_TYPED:
        raise BadInput(f"your input: expected at most {MOST_TYPED:,} characters, found {len(typed):,}")
    try:
        given = json.loads(typed)
    except (ValueError, RecursionError):
        raise BadInput(f"your input: expected JSON as in the example, found {excerpt(repr(typed))}") from None
    if not isinstance(given, Mapping):
        raise BadInput(f"your input: expected a JSON object, found {excerpt(repr(typed))}")
    tokens = read_input(task, given)
    return tuple(token for token in tokens if token != task.vocabulary - 1) if isinstance(task, Equality) else tokens


def _fields(task: Task, tokens: tuple[int, ...]) -> dict[str, Any]:
    """Return an input as a reader writes it. The words of a certificate have no separator between their halves."""
    fields = task.readable(_separated(task, tokens), 0)
    return {name: part for name, part in fields.items() if name not in ("label", "answer")}


def _separated(task: Task, tokens: tuple[int, ...]) -> tuple[int, ...]:
    half = len(tokens) // 2
    return (*tokens[:half], task.vocabulary - 1, *tokens[half:]) if isinstance(task, Equality) else tokens


def token_names(evidence: Evidence, tokens: Sequence[int]) -> list[str]:
    """Return the tokens as a reader sees them: a queried position of index lookup as ?3, and others as numbers.

    >>> from seqsep.theorems import BY_NAME
    >>> evidence = BY_NAME["index-lookup-attention"].call("certify", {"length": 3, "alphabet": 2})
    >>> token_names(evidence, (1, 0, 1, 4))
    ['1', '0', '1', '?3']
    """
    task = task_of(evidence)
    if isinstance(task, IndexLookup):
        return [str(token) if token < task.alphabet else f"?{token - task.alphabet + 1}" for token in tokens]
    return [str(token) for token in tokens]


def network_on_input(
    theorem: Theorem, evidence: Evidence, options: Mapping[str, Any], tokens: tuple[int, ...], written: tuple[int, ...] = ()
) -> NetworkOnInput:
    """Run the network of a theorem on an input. Raises BadInput for an input that is too long for the page."""
    network = built(theorem, evidence, options)
    read = (*tokens, *written[:-1])
    if len(read) > MOST_TOKENS:
        raise BadInput(f"this page draws at most {MOST_TOKENS} tokens, found {len(read)}; choose a smaller length")
    names = token_names(evidence, read)
    heads = _heads(network, np.array(read), names)
    execution = run(network, np.array([read]), at=-1)
    logits = execution.logits.floats()[0, 0]
    answer = int(execution.answers[0, 0])
    order = np.argsort(-logits, kind="stable")[:MOST_LOGITS].tolist()
    least = float(logits.min())
    spread = float(logits.max()) - least or 1.0
    return NetworkOnInput(
        tokens=tuple(names),
        heads=tuple(heads[:MOST_HEADS]),
        answer=str(answer),
        expected=_expected(evidence, tokens, written),
        logits=tuple(Logit(str(place), float(logits[place]), (float(logits[place]) - least) / spread) for place in order),
        margin=float(np.diff(np.sort(logits)[-2:])[0]) if len(logits) > 1 else 0.0,
        written=tuple(token_names(evidence, written)),
        prompt=len(tokens),
        more_heads=max(0, len(heads) - MOST_HEADS),
    )


def built(theorem: Theorem, evidence: Evidence, options: Mapping[str, Any]) -> Network:
    """Return the network of the evidence; if an option that only `build` takes is not its default, the one of `build`."""
    witness = evidence.witness
    if not isinstance(witness, NetworkRun | GeneratedRun):
        raise BadInput(f"{theorem.name}: expected evidence with a network, found none")
    of_evidence = {option.name for option in theorem.options_of("certify")}
    chosen = taken(theorem.options_of("build"), options)
    differing = {one.name for one in theorem.options_of("build") if one.name in chosen and chosen[one.name] != one.default}
    if differing <= of_evidence:
        return witness.network
    found: Network = theorem.call("build", chosen)
    return found


def _heads(network: Network, tokens: np.ndarray, names: Sequence[str]) -> list[DrawnSquares]:
    numbered = [number for number, (mixer, _) in enumerate(network.layers, 1) if isinstance(mixer, AttentionLayer)]
    found = []
    for layer, heads in zip(numbered, attention_weights(network, tokens), strict=True):
        for head, weights in enumerate(heads, 1):
            title = f"Layer {layer}, head {head}" if len(heads) > 1 else f"Layer {layer}"
            found.append(squares_of(f"head-{layer}-{head}", title, weights, rows=names, columns=names))
    return found


def _expected(evidence: Evidence, tokens: tuple[int, ...], written: tuple[int, ...]) -> str | None:
    if written:
        return str(written[-1])
    task = task_of(evidence)
    if task is not None:
        return str(task.solve(_separated(task, tokens)))
    witness = evidence.witness
    if isinstance(witness, NetworkRun):
        same = np.flatnonzero((witness.inputs == np.array(tokens)).all(axis=1))
        return str(int(witness.answers[same[0]])) if len(same) else None
    return None
