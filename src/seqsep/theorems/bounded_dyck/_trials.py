"""Runs an attention network for Dyck-(n,k) on strings and compares what it allows after each prefix with the right answer."""

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64, Shaped

from seqsep.maths.arithmetic.grid import Array
from seqsep.maths.networks.executor import Execution, run
from seqsep.theorems.base import Claim
from seqsep.theorems.bounded_dyck._layers import assemble
from seqsep.theorems.bounded_dyck._plan import DyckPlan
from seqsep.theorems.bounded_dyck._prefixes import Prefixes, Strings, prefixes
from seqsep.theorems.bounded_dyck._strings import alphabet, with_start, written
from seqsep.theorems.bounded_dyck._words import every, hard, nudged, walks
from seqsep.theorems.checking import passes
from seqsep.theorems.trial import Trial, climb, distances

FLOATS_UP_TO = 1 << 22
LONGEST_CLIMBED = 64


class DyckQuestions(NamedTuple):
    """The questions about some words: lengths of prefixes, what may follow each, and which of the answers count."""

    words: Strings
    sizes: Int64[np.ndarray, "asked"]
    expected: Bool[np.ndarray, "batch asked outputs"]
    counted: Bool[np.ndarray, "batch asked"]


class Trials:
    """The trials of one network: on its grid, and in float64 for the first inputs; `least` is the least distance from 1/2."""

    def __init__(self, claim: Claim, plan: DyckPlan, in_floats: int = 2_000) -> None:
        self.claim = claim
        self.plan = plan
        self.trial = Trial(claim.name, assemble(plan), in_floats=in_floats)
        self.least: Fraction | None = None

    def put_all(self, inputs: Iterable[Strings]) -> None:
        """Run every block of words."""
        for words in inputs:
            self.put(words)

    def put_every(self) -> None:
        """Run all strings of the plan's length, read after every prefix; each prefix counts once.

        A prefix counts in the first string that has it, which continues with zeros only.
        """
        for words in every(self.plan.length, self.plan.kinds):
            left_over = np.cumsum(words[:, ::-1], axis=1)[:, ::-1]
            self.put(words, fresh=left_over == 0)

    def put_some(self, random: np.random.Generator, inputs: int, asked: int | None) -> None:
        """Run hard strings until a number of prefixes are read.

        Of long strings, one at a time, `asked` prefixes in the upper half are read.
        """
        plan = self.plan
        sizes = None
        batch = 8
        changed = None
        if asked is not None:
            sizes = np.unique(np.linspace(max(plan.length // 2, 1024), plan.length, asked).astype(np.int64))
            batch = 1
            changed = 2
        for words in hard(plan.length, plan.kinds, plan.depth, random, batch=batch, changed=changed):
            if self.trial.inputs < inputs:
                self.put(words, sizes)
        if plan.length <= LONGEST_CLIMBED:
            self._climb(int(random.integers(plan.depth)), random)

    def put_hard(self, random: np.random.Generator) -> None:
        """Run hard strings; up to N = 64, climb towards smaller margins from words that keep brackets open or do not."""
        plan = self.plan
        self.put_all(hard(plan.length, plan.kinds, plan.depth, random))
        if plan.length <= LONGEST_CLIMBED:
            for floor in sorted({0, plan.depth - 1}):
                self._climb(floor, random)

    def _climb(self, floor: int, random: np.random.Generator) -> None:
        """Climb from words that keep `floor` brackets open."""
        plan = self.plan
        words = walks(plan.length, plan.kinds, plan.depth, random, batch=6, floor=floor)
        climb(self.put, words, lambda changed: nudged(changed, plan.kinds, plan.depth, random), rounds=10)

    def put(
        self,
        words: Strings,
        sizes: Int64[np.ndarray, "asked"] | None = None,
        fresh: Bool[np.ndarray, "batch length"] | None = None,
    ) -> Float64[np.ndarray, "batch"]:
        """Ask for the brackets after every prefix of every string, or after those of some sizes; return the margin of each
        string.

        Of the answers those after `fresh` prefixes count as inputs. Raises TheoremFails with the prefix of a wrong answer.
        """
        trial = self.trial
        tokens = with_start(words, self.plan.kinds)
        at = None if sizes is None else np.broadcast_to(sizes, (len(words), len(sizes)))
        after = prefixes(words, self.plan.kinds, self.plan.depth)
        asked = self._asked(words, after, np.arange(tokens.shape[1]) if sizes is None else sizes)
        execution = run(trial.network, tokens, at)
        self._compare(execution.logits.integers, asked, "on the grid")
        if trial.inputs < trial.in_floats and tokens.size * tokens.shape[1] <= FLOATS_UP_TO:
            logits = trial.logits(tokens)
            self._compare(logits[:, asked.sizes], asked, "in float64")
        counted = asked.counted
        if fresh is not None:
            counted = counted & np.pad(fresh, ((0, 0), (0, 1)), constant_values=True)
        trial.note(execution, int(counted.sum()))
        return self._take_margin(execution, after, asked)

    def _asked(self, words: Strings, after: Prefixes, sizes: Int64[np.ndarray, "asked"]) -> DyckQuestions:
        """Collect the questions: sets or only the end, and the prefixes whose answers count."""
        expected = after.allowed[:, sizes]
        valid = after.valid[:, sizes]
        return DyckQuestions(
            words=words,
            sizes=sizes,
            expected=expected if self.plan.gives_sets else expected[..., -1:],
            counted=valid if self.plan.valid_prefixes_only else np.ones_like(valid),
        )

    def _compare(self, logits: Shaped[np.ndarray, "batch asked outputs"], asked: DyckQuestions, how: str) -> None:
        """Require that every logit that counts is above 0 if its bracket (or the end) may follow, else below."""
        is_wrong = ((logits > 0) != asked.expected) | (logits == 0)
        wrong = np.argwhere(is_wrong & asked.counted[..., None])
        if len(wrong) == 0:
            return
        row, prefix, output = wrong[0].tolist()
        outputs = [*alphabet(self.plan.kinds), "end"] if self.plan.gives_sets else ["end"]
        raise self.claim.fails(
            {
                "string": written(asked.words[row, : asked.sizes[prefix]], self.plan.kinds),
                "next": outputs[output],
                "expected": int(asked.expected[row, prefix, output]),
                "found": int(logits[row, prefix, output] > 0),
                "run": how,
            }
        )

    def _take_margin(self, execution: Execution, after: Prefixes, asked: DyckQuestions) -> Float64[np.ndarray, "batch"]:
        """Measure the least distance of a retrieved digit from 1/2 in each string, over the digits that the proof is about."""
        margins = np.full(len(asked.words), np.inf)
        for digits, counts in self._retrieved(execution, after, asked):
            if counts.any() and digits.integers.size:
                apart = distances(digits, Fraction(1, 2))
                least = int(apart.integers[counts].min()) * apart.unit
                self.least = least if self.least is None else min(self.least, least)
                of_each_token = np.where(counts, apart.integers.min(axis=-1).astype(np.float64), np.inf)
                margins = np.minimum(margins, of_each_token.min(axis=1) * float(apart.unit))
        return margins

    def _retrieved(
        self, execution: Execution, after: Prefixes, asked: DyckQuestions
    ) -> list[tuple[Array, Bool[np.ndarray, "batch tokens"]]]:
        """List retrieved digits with the tokens at which the proof says which bracket is retrieved."""
        plan = self.plan
        spaces = self.trial.network.spaces
        retrieved = []
        if plan.gives_sets:
            has_match = after.depth[:, asked.sizes] > 0
            retrieved.append((execution.attended[-1][..., spaces["match"]], has_match))
        if "found" in spaces:
            depth_before = after.depth[:, :-1]
            least_level = 1 if plan.variant == "three-layer" else max(1, plan.depth - 1)
            has_found = (asked.words % 2 == 1) & (depth_before >= least_level)
            retrieved.append((execution.attended[-2][:, 1:][..., spaces["found"]], has_found))
        return retrieved


def answers_hard(trials: Trials, seed: int) -> bool:
    """Tell whether all hard strings of the plan's length are answered."""
    plan = trials.plan
    words = hard(plan.length, plan.kinds, plan.depth, np.random.default_rng(seed), batch=4)
    return passes(lambda: trials.put_all(words))
