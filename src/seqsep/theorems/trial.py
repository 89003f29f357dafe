"""Trials of a built network, on its grid and in float64: right answers are required, and climbs go towards small margins."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from jaxtyping import Float64, Int64

from seqsep.core.names import required
from seqsep.maths.arithmetic.grid import Array, Tally
from seqsep.maths.networks.executor import Execution, run
from seqsep.maths.networks.generation import GenerationDiffers, asked_places, follow, padded, require_followed
from seqsep.maths.networks.network import Network
from seqsep.maths.networks.recurrent import StateRange
from seqsep.theorems.base import Claim, Described, Margin, Number, Outcome, TheoremFails, sizes

CLIMBS = 12
LOGITS = "the greatest logit above the next"
FLOATS_AT_ONCE = 1 << 24


@dataclass
class Trial:
    """Runs a built network on batches, on its grid and in float64, and requires the right answers of both.

    `inputs` counts what was tried; `margin(result)` gives distances, an example a row, and `least` is the least one met;
    `tally` counts what was rounded and saturated, by place; `state_ranges` are those that each remembered number met.
    The float run is left out beyond `in_floats` inputs.

    >>> from seqsep.theorems.retrieval.index_lookup_attention import build
    >>> trial = Trial("index-lookup-attention", build(length=3, alphabet=2))
    >>> result = trial.require(np.array([[0, 1, 0, 3]]), np.array([1]), lambda row: {"row": row})  # 0 1 0, position 2
    >>> trial.inputs, trial.saturated
    (1, {})
    """

    theorem: str
    network: Network
    margin: Callable[[Execution], Array] | None = None
    in_floats: int = 2_000
    inputs: int = 0
    least: Fraction | None = None
    tally: Tally = field(default_factory=Tally)
    state_ranges: tuple[StateRange, ...] = ()

    @cached_property
    def model(self) -> Any:
        """The network as a `Model` in float64, built when it is first used."""
        from seqsep.models.model import Model  # brings torch

        return Model.load(self.network)

    def require(
        self,
        inputs: np.ndarray,
        expected: np.ndarray,
        readable: Callable[[int], Mapping[str, Any]],
        at: np.ndarray | int = -1,
    ) -> Execution:
        """Require the expected answers, (batch) or (batch, asked), at the positions `at`; a tie is not an answer.

        Inputs are those of `executor.run`. Raises TheoremFails with `readable(example)`, what was expected and what was found.
        """
        result = run(self.network, inputs, at)
        wanted = expected.reshape(len(inputs), -1)
        self.compare(result.answers, result.unique_argmax, wanted, readable, run="on the grid")
        if self.inputs < self.in_floats:
            answers, unique_argmax = self._in_floats(inputs, at)
            self.compare(answers, unique_argmax, wanted, readable, run="in float64")
        self.note(result, wanted.size)
        return result

    def follow(
        self,
        sequences: Sequence[Sequence[int]],
        starts: Sequence[int],
        readable: Callable[[int], Mapping[str, Any]],
        inserted: Sequence[Sequence[bool]] | None = None,
    ) -> Execution:
        """Require that greedy decoding of each prompt, sequence[:start], yields the rest of its sequence.

        A sequence counts as one input; `inserted` and the result are those of `generation.follow`, and a tie is not an answer.
        Raises TheoremFails with `readable(example)`, the place in the sequence, the token expected there and what was found.
        """
        try:
            result = follow(self.network, sequences, starts, inserted)
        except GenerationDiffers as differs:
            raise self._left(differs, readable, run="on the grid") from None
        if self.inputs < self.in_floats:
            try:
                self._follow_in_floats(sequences, asked_places(sequences, starts, inserted))
            except GenerationDiffers as differs:
                raise self._left(differs, readable, run="in float64") from None
        self.note(result, len(sequences))
        return result

    def note(self, result: Execution, inputs: int) -> None:
        """Add a result to the count of inputs, the least margin, the tally, and the ranges of remembered numbers."""
        self.inputs += inputs
        self.tally.rounded.update(result.tally.rounded)
        self.tally.saturated.update(result.tally.saturated)
        if self.margin is not None and inputs:
            apart = self.margin(result)
            least = int(apart.integers.min()) * apart.unit
            self.least = least if self.least is None else min(self.least, least)
        met = zip(self.state_ranges or result.state_ranges, result.state_ranges, strict=True)
        self.state_ranges = tuple(before.joined(now) for before, now in met)

    def sizes(self) -> dict[str, Number]:
        """Measure the network; of a recurrence also the count of numbers kept and their bits, p each and by the ranges met."""
        measured = sizes(self.network)
        if self.state_ranges:
            measured["state_numbers"] = len(self.state_ranges)
            measured["state_bits"] = self.network.state_bits
            measured["state_bits_by_range"] = sum(one.bits for one in self.state_ranges)
        return measured

    def outcome(
        self,
        claim: Claim,
        bound: Mapping[str, Number],
        *,
        more: Mapping[str, Number] | None = None,
        margin_of: str = LOGITS,
        proved: float | None = None,
        statement: str | None = None,
        **run: Unpack[Described],
    ) -> Outcome:
        """Return the outcome of an upper bound: sizes next to their bounds, inputs, saturated numbers, and the least margin.

        Arguments:
            claim: the claim of the theorem.
            bound: the bound of each size.
            more: sizes that were measured next to those of `sizes`.
            margin_of: what the margin of the trial is measured of.
            proved: the margin that the proof guarantees.
            statement: a statement in place of the claim's.
            run: length, variant and the other fields of `Described`.

        Raises TheoremFails for a size or a margin that exceeds its bound.
        """
        return claim.upper(
            statement=statement,
            inputs=self.inputs,
            measured=claim.within(self.sizes() | dict(more or {}), bound),
            bound=bound,
            margin=None if self.margin is None else Margin(float(self.least_margin), proved, margin_of),
            saturated=self.saturated,
            **run,
        )

    @property
    def least_margin(self) -> Fraction:
        """The least margin met. Raises InternalError if none was measured."""
        return required(self.least, "the least margin")

    @property
    def saturated(self) -> dict[str, int]:
        """The number of values that met an end of the grid, by place."""
        return {place: count for place, count in sorted(self.tally.saturated.items()) if count}

    def margins(self, result: Execution) -> Float64[np.ndarray, "batch"]:
        """The least distance of each example, to the nearest float: a climb lowers it."""
        apart = required(self.margin, "the margin of a trial")(result)
        return apart.integers.reshape(len(apart.integers), -1).min(axis=1).astype(np.float64) * float(apart.unit)

    def compare(
        self,
        answers: np.ndarray,
        unique_argmax: np.ndarray,
        expected: np.ndarray,
        readable: Callable[[int], Mapping[str, Any]],
        run: str,
    ) -> None:
        """Raise TheoremFails, with the first example that is wrong or has no `unique_argmax`; `run` says where it was run."""
        wrong = np.argwhere((answers != expected) | ~unique_argmax)
        if len(wrong):
            place = tuple(wrong[0])
            answer = int(answers[place]) if unique_argmax[place] else "a tie"
            shown = readable(int(place[0]))
            raise TheoremFails(self.theorem, {**shown, "expected": int(expected[place]), "found": answer, "run": run})

    def _left(self, differs: GenerationDiffers, readable: Callable[[int], Mapping[str, Any]], run: str) -> TheoremFails:
        """The counterexample of a generation that leaves its sequence."""
        shown = {"place": differs.place, "expected": differs.wanted, "found": differs.found, "run": run}
        return TheoremFails(self.theorem, {**readable(differs.example), **shown})

    def _follow_in_floats(self, sequences: Sequence[Sequence[int]], asked: list[list[int]]) -> None:
        """`generation.follow` in float64. Shorter sequences are padded on the right, which a causal network never reads."""
        inputs = padded([sequence[:-1] for sequence in sequences])
        places = padded(asked)
        time = inputs.shape[1]
        per_example = time * max(time * self.network.heads, self.network.readout.integers.shape[0])
        at_once = max(1, FLOATS_AT_ONCE // per_example)
        parts = [slice(first, first + at_once) for first in range(0, len(inputs), at_once)]
        found = [self._in_floats(inputs[part], places[part] - 1) for part in parts]
        answers = np.concatenate([answer for answer, _ in found])
        unique_argmax = np.concatenate([is_unique for _, is_unique in found])
        require_followed(self.network.name, sequences, asked, answers=answers, unique_argmax=unique_argmax)

    def logits(self, tokens: Int64[np.ndarray, "batch time"]) -> Float64[np.ndarray, "batch time classes"]:
        """The logits after every token, in float64."""
        import torch

        with torch.no_grad():
            found: np.ndarray = self.model(torch.from_numpy(tokens)).numpy()
        return found

    def last_logits(self, tokens: Int64[np.ndarray, "batch time"]) -> Float64[np.ndarray, "batch classes"]:
        """The logits after the last token, in float64."""
        import torch

        with torch.no_grad():
            found: np.ndarray = self.model(torch.from_numpy(tokens), torch.full((len(tokens),), tokens.shape[1] - 1)).numpy()
        return found

    def _in_floats(self, inputs: np.ndarray, at: np.ndarray | int) -> tuple[np.ndarray, np.ndarray]:
        """Return the model's answers at the queried positions, and True for each that is above every other class."""
        import torch

        batch, time = inputs.shape[:2]
        are_tokens = inputs.ndim == 2
        given = torch.from_numpy(inputs if are_tokens else inputs.astype(np.float64) * float(self.network.grid.step))
        with torch.no_grad():
            if isinstance(at, int):
                logits = self.model(given, torch.full((batch,), at % time))[:, None]
            else:
                logits = self.model(given)[torch.arange(batch)[:, None], torch.from_numpy(at)]
        unique_argmax = np.ones(logits.shape[:-1], dtype=bool)
        if logits.shape[-1] > 1:
            first_two = logits.topk(2, dim=-1).values
            unique_argmax = (first_two[..., 0] > first_two[..., 1]).numpy()
        return logits.argmax(-1).numpy(), unique_argmax


def logits_apart(result: Execution) -> Array:
    """The greatest logit less the next one, an entry a question."""
    two = np.partition(result.logits.integers, -2, axis=-1)[..., -2:]
    return Array(two[..., 1] - two[..., 0], result.logits.unit)


def query_scale(network: Network, layer: int = 0) -> int:
    """Measure the factor of the scores: the greatest entry of the first head's queries in an attention layer."""
    return int(network.attention(layer).heads[0].query.largest)


def distances(values: Array, threshold: Fraction) -> Array:
    """|value - threshold| of each entry, exactly.

    >>> apart = distances(Array(np.array([0, 3, 5]), Fraction(1, 4)), Fraction(1, 2))
    >>> [float(entry * apart.unit) for entry in apart.integers.tolist()]
    [0.5, 0.25, 0.75]
    """
    apart = values.plus(Array(np.array([-threshold.numerator]), Fraction(1, threshold.denominator)))
    return Array(np.abs(apart.integers), apart.unit)


def climb(
    put: Callable[[np.ndarray], Float64[np.ndarray, "batch"]],
    inputs: Int64[np.ndarray, "batch *shape"],
    nudged: Callable[[np.ndarray], Int64[np.ndarray, "batch *shape"]],
    rounds: int = CLIMBS,
) -> Float64[np.ndarray, "batch"]:
    """Hill climbing: in each round every example is changed a little and keeps the change unless its margin grows.

    `put` requires the right answers and returns each example's margin. Returns the margins at the end.
    """
    least = put(inputs)
    for _ in range(rounds):
        changed = nudged(inputs)
        margins = put(changed)
        kept = (margins <= least).reshape(-1, *(1,) * (inputs.ndim - 1))
        inputs = np.where(kept, changed, inputs)
        least = np.minimum(margins, least)
    return least


def edited(
    inputs: Int64[np.ndarray, "batch length"], alphabet: int, random: np.random.Generator
) -> Int64[np.ndarray, "batch length"]:
    """One symbol of each input drawn again, and at times a few."""
    chosen = random.random(inputs.shape) < random.choice([1, 2, 8]) / max(1, inputs.shape[1])
    chosen[np.arange(len(inputs)), random.integers(inputs.shape[1], size=len(inputs))] = True
    return np.where(chosen, random.integers(alphabet, size=inputs.shape), inputs)
