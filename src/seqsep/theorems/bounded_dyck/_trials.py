"""Strings that `bounded_dyck_attention` is tried on, what is allowed after each prefix, and how answers are compared."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int64

from seqsep.exact.executor import Execution, run
from seqsep.exact.grid import Array
from seqsep.tasks import BoundedDyck
from seqsep.tasks.bounded_dyck import BRACKETS
from seqsep.theorems.base import TheoremFails
from seqsep.theorems.bounded_dyck._layers import assemble
from seqsep.theorems.bounded_dyck._parts import Plan
from seqsep.theorems.checking import passes
from seqsep.theorems.trial import Trial, climb, distances

Words = Int64[np.ndarray, "batch length"]
FLOATS_UP_TO = 1 << 22


class Prefixes(NamedTuple):
    """For the prefix of every length: which brackets, and last the end, may follow; whether it is one of a word; its depth."""

    allowed: Bool[np.ndarray, "batch prefix outputs"]
    valid: Bool[np.ndarray, "batch prefix"]
    depth: Int64[np.ndarray, "batch prefix"]


def prefixes(words: Words, kinds: int, depth: int) -> Prefixes:
    """By a stack for each string, all strings at a time."""
    batch, length = words.shape
    rows, stack = np.arange(batch), np.full((batch, depth + 2), -1, dtype=np.int64)
    open_now, valid = np.zeros(batch, dtype=np.int64), np.ones(batch, dtype=bool)
    allowed = np.zeros((batch, length + 1, 2 * kinds + 1), dtype=bool)
    found = Prefixes(allowed, np.zeros((batch, length + 1), dtype=bool), np.zeros((batch, length + 1), dtype=np.int64))
    for place in range(length + 1):
        if place:
            kind, closes = words[:, place - 1] // 2, words[:, place - 1] % 2 == 1
            valid &= np.where(closes, stack[rows, open_now] == kind, open_now < depth)
            open_now = np.where(valid, open_now + 1 - 2 * closes, 0)
            opened = valid & ~closes
            stack[rows[opened], open_now[opened]] = kind[opened]
        found.valid[:, place], found.depth[:, place] = valid, open_now
        allowed[:, place, :-1:2] = (valid & (open_now < depth))[:, None]
        inside = valid & (open_now > 0)
        allowed[rows[inside], place, 2 * stack[rows, open_now][inside] + 1] = True
        allowed[:, place, -1] = valid & (open_now == 0)
    return found


def every(length: int, kinds: int, at_once: int = 1 << 13) -> Iterator[Words]:
    """Every string of one length; their prefixes are all the shorter ones."""
    powers = (2 * kinds) ** np.arange(length)[::-1]
    for first in range(0, (2 * kinds) ** length, at_once):
        yield np.arange(first, min(first + at_once, (2 * kinds) ** length))[:, None] // powers % (2 * kinds)


def walks(
    length: int, kinds: int, depth: int, random: np.random.Generator, batch: int, floor: int = 0, opposed: bool = False
) -> Words:
    """Words (of odd length: all but the last bracket): `floor` brackets stay open from the start to the end.

    With `opposed` those that stay open, and the last one opened in between, differ from all others in every digit they can.
    """
    ups, kind = np.empty((batch, length), dtype=bool), random.integers(0, kinds, (batch, length))
    open_now = np.zeros(batch, dtype=np.int64)
    even = length + length % 2
    floor = max(0, min(floor, depth - 1, even // 2 - 1))
    for place in range(length):
        lowest = min(floor, place, even - place - 2)
        up = np.where(random.random(batch) < 1 / 2, True, open_now <= lowest)
        up &= open_now < min(depth, even - place)
        up |= open_now <= min(lowest, even - place - 1)
        up &= open_now < even - place
        if opposed:
            kind[:, place] = kinds - 1 if place < floor or place >= even - 2 * floor - 2 else 0
        ups[:, place] = up
        open_now = open_now + np.where(up, 1, -1)
    return closed(ups, kind)


def closed(ups: Bool[np.ndarray, "batch length"], kind: Int64[np.ndarray, "batch length"]) -> Words:
    """Brackets that open or close as told; one that opens has the kind told, one that closes that of its match."""
    batch, length = ups.shape
    rows, words = np.arange(batch), np.empty((batch, length), dtype=np.int64)
    level = np.cumsum(np.where(ups, 1, -1), axis=1)
    stack = np.zeros((batch, int(level.max(initial=0)) + 1), dtype=np.int64)
    for place in range(length):
        up = ups[:, place]
        stack[rows[up], level[up, place]] = kind[up, place]
        words[:, place] = np.where(up, 2 * kind[:, place], 2 * stack[rows, level[:, place] + ~up] + 1)
    return words


def nudged(words: Words, kinds: int, depth: int, random: np.random.Generator) -> Words:
    """Words with one pair of another kind, and two neighbouring brackets swapped where the depth allows it."""
    (batch, length), rows = words.shape, np.arange(len(words))
    ups, kind = words % 2 == 0, words // 2
    kind[rows, random.integers(length, size=batch)] = random.integers(kinds, size=batch)
    swapped, place = ups.copy(), random.integers(max(1, length - 1), size=batch)
    after = np.minimum(place + 1, length - 1)
    swapped[rows, place], swapped[rows, after] = ups[rows, after], ups[rows, place]
    level = np.cumsum(np.where(swapped, 1, -1), axis=1)
    fits = (level.min(axis=1) >= 0) & (level.max(axis=1) <= depth)
    return closed(np.where(fits[:, None], swapped, ups), kind)


def mutated(word: Int64[np.ndarray, "length"], places: np.ndarray, kinds: int) -> Words:
    """The word with one bracket turned around, or of another kind, at each of the places."""
    turned, other = (np.repeat(word[None], len(places), axis=0) for _ in range(2))
    which = np.arange(len(places))
    turned[which, places] ^= 1
    if kinds == 1:
        return turned
    bracket = other[which, places]
    other[which, places] = 2 * ((bracket // 2 + 1 + which % (kinds - 1)) % kinds) + bracket % 2
    return np.concatenate([turned, other])


def hard(
    length: int, kinds: int, depth: int, random: np.random.Generator, batch: int = 8, changed: int | None = None
) -> Iterator[Words]:
    """Words with matches as far apart as they go, with one bracket changed at every place (or at `changed` drawn ones), and
    random strings."""

    def places() -> np.ndarray:
        return np.arange(length) if changed is None else random.integers(0, length, changed)

    for floor in sorted({0, min(1, depth - 1), depth // 2, depth - 1}):
        for opposed in (False, True):
            words = walks(length, kinds, depth, random, batch, floor, opposed)
            yield words
            yield mutated(words[0], places(), kinds)
    once = mutated(walks(length, kinds, depth, random, 1)[0], places(), kinds)
    yield np.concatenate([mutated(word, random.integers(0, length, 2), kinds) for word in once[::7]])
    yield random.integers(0, 2 * kinds, (batch, length))


class Asking:
    """Puts strings to a network, compares what it allows after prefixes, and keeps the least distance of a digit from 1/2."""

    def __init__(self, plan: Plan, in_floats: int = 2_000) -> None:
        self.plan = plan
        self.trial = Trial(plan.name, assemble(plan), in_floats=in_floats)
        self.least: Fraction | None = None

    def put_all(self, inputs: Iterator[Words]) -> None:
        for words in inputs:
            self.put(words)

    def put_every(self) -> None:
        """All strings of the plan's length, read after every prefix; each prefix counts once."""
        for words in every(self.plan.length, self.plan.kinds):
            self.put(words, fresh=~np.cumsum(words[:, ::-1], axis=1)[:, ::-1].astype(bool))

    def put_some(self, random: np.random.Generator, inputs: int, asked: int | None) -> None:
        """Hard strings until so many prefixes are read; of long strings one at a time, `asked` prefixes in the upper half."""
        length, batch = self.plan.length, 1 if asked else 8
        places = None if asked is None else np.unique(np.linspace(max(length // 2, 1024), length, asked).astype(np.int64))
        for words in hard(length, self.plan.kinds, self.plan.depth, random, batch, None if asked is None else 2):
            if self.trial.inputs < inputs:
                self.put(words, places)
        if length <= 64:
            self._climb(int(random.integers(self.plan.depth)), random)

    def put_hard(self, random: np.random.Generator) -> None:
        """Hard strings; and climbs towards smaller margins, up to N = 64, from words that keep brackets open or do not."""
        length, kinds, depth = self.plan.length, self.plan.kinds, self.plan.depth
        self.put_all(hard(length, kinds, depth, random))
        for floor in sorted({0, depth - 1}) if length <= 64 else ():
            self._climb(floor, random)

    def _climb(self, floor: int, random: np.random.Generator, rounds: int = 10) -> None:
        length, kinds, depth = self.plan.length, self.plan.kinds, self.plan.depth
        words = walks(length, kinds, depth, random, 6, floor)
        climb(self.put, words, lambda changed: nudged(changed, kinds, depth, random), rounds)

    def put(self, words: Words, asked: np.ndarray | None = None, fresh: np.ndarray | None = None) -> np.ndarray:
        """Every prefix of every string, or those of the lengths `asked`; `fresh` ones count. Raises TheoremFails.

        Returns the margin of each string.
        """
        plan, trial = self.plan, self.trial
        tokens = with_start(words, plan.kinds)
        at = None if asked is None else np.broadcast_to(asked, (len(words), len(asked)))
        everywhere = np.arange(tokens.shape[1]) if asked is None else asked
        truth = prefixes(words, plan.kinds, plan.depth)
        expected, valid = truth.allowed[:, everywhere], truth.valid[:, everywhere]
        counted = valid if plan.variant in ("one-layer", "two-layer-valid") else np.ones_like(valid)
        if plan.ask == "word":
            expected = expected[..., -1:]
        result = run(trial.network, tokens, at)
        self._compare(result.logits.integers, expected, counted, words, everywhere, "on the grid")
        if trial.inputs < trial.in_floats and tokens.size * tokens.shape[1] <= FLOATS_UP_TO:
            with torch.no_grad():
                logits = trial.model(torch.from_numpy(tokens)).numpy()[:, everywhere]
            self._compare(logits, expected, counted, words, everywhere, "in float64")
        if fresh is not None:
            counted = counted & np.pad(fresh, ((0, 0), (0, 1)), constant_values=True)
        trial.note(result, int(counted.sum()))
        return self._take_margin(result, truth, everywhere, words)

    def _compare(
        self, logits: np.ndarray, expected: np.ndarray, counted: np.ndarray, words: Words, asked: np.ndarray, how: str
    ) -> None:
        wrong = np.argwhere((((logits > 0) != expected) | (logits == 0)) & counted[..., None])
        if len(wrong):
            row, prefix, output = wrong[0].tolist()
            brackets = [*alphabet(self.plan.kinds), "end"] if self.plan.ask == "next" else ["end"]
            raise TheoremFails(
                self.plan.name,
                {"string": spelled(words[row, : asked[prefix]], self.plan.kinds), "next": brackets[output],
                 "expected": int(expected[row, prefix, output]), "found": int(logits[row, prefix, output] > 0), "run": how},
            )  # fmt: skip

    def _take_margin(self, result: Execution, truth: Prefixes, asked: np.ndarray, words: Words) -> np.ndarray:
        """Of each string: digits of a retrieved kind count where the proof says which bracket is retrieved."""
        plan, spaces = self.plan, self.trial.network.spaces
        taken: list[tuple[Array, np.ndarray]] = []
        if plan.ask == "next":
            taken.append((result.attended[-1][..., spaces["match"]], truth.depth[:, asked] > 0))
        if "found" in spaces:
            level = truth.depth[:, :-1]
            closes = (words % 2 == 1) & (level > (0 if plan.variant == "three-layer" else max(0, plan.depth - 2)))
            taken.append((result.attended[-2][:, 1:][..., spaces["found"]], closes))
        margins = np.full(len(words), np.inf)
        for digits, where in taken:
            if where.any() and digits.integers.size:
                apart = distances(digits, Fraction(1, 2))
                least = int(apart.integers[where].min()) * apart.unit
                self.least = least if self.least is None else min(self.least, least)
                each = np.where(where, apart.integers.min(axis=-1).astype(np.float64), np.inf).min(axis=1)
                margins = np.minimum(margins, each * float(apart.unit))
        return margins


def answers_hard(asking: Asking, seed: int) -> bool:
    """Whether all hard strings of the plan's length are answered."""
    plan = asking.plan
    words = hard(plan.length, plan.kinds, plan.depth, np.random.default_rng(seed), batch=4)
    return passes(lambda: asking.put_all(words))


def read(given: Mapping[str, Any], kinds: int, length: int) -> Words:
    """A user's string as one row of tokens. Raises ValueError with the field's name."""
    if not isinstance(given.get("string"), str):
        found = str(given["string"])[:80] if "string" in given else f"no such field in {', '.join(given) or 'the input'}"
        raise ValueError(f"string: expected a string of brackets, found {found}")
    numbers = {bracket: token for token, bracket in enumerate(alphabet(kinds))}
    parts = list(given["string"]) if 2 * kinds <= len(BRACKETS) else given["string"].split()
    wrong = next((part for part in parts if part not in numbers), None)
    if wrong is not None:
        raise ValueError(
            f"string: expected brackets {' '.join(list(numbers)[:8])}{' ..' if kinds > 4 else ''}, found {wrong[:80]!r}"
        )
    if len(parts) > length:
        raise ValueError(f"string: expected at most {length} brackets, found {len(parts)}")
    return np.array([[numbers[part] for part in parts]], dtype=np.int64)


def require_valid(words: Words, plan: Plan) -> None:
    """Raises ValueError for a string that goes on after an invalid prefix or is one itself."""
    valid = prefixes(words, plan.kinds, plan.depth).valid[0]
    if not valid.all():
        raise ValueError(
            f"string: bracket {int(np.argmin(valid))} may not stand there, and {plan.variant} answers valid prefixes"
        )


def with_start(words: Words, kinds: int) -> Int64[np.ndarray, "batch length+1"]:
    """[BOS] is the token after the brackets."""
    return np.pad(words, ((0, 0), (1, 0)), constant_values=2 * kinds)


def alphabet(kinds: int) -> list[str]:
    """The brackets in the order of their tokens, as `BoundedDyck.readable` writes them."""
    task = BoundedDyck(2, kinds)
    return [task.readable((token,), 0)["string"] for token in range(2 * kinds)]


def spelled(words: Int64[np.ndarray, "length"], kinds: int) -> str:
    return str(BoundedDyck(2, kinds).readable(tuple(words.tolist()), 0)["string"])
