"""Make a wrong prompt small: put fillers in place of tokens while an answer stays wrong, then drop tokens."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from seqsep.language_models.canary.exam import Asked, Budget, WrongAnswer, say_nothing, word
from seqsep.language_models.engines.protocol import EngineFails
from seqsep.theorems.canary import Canary
from seqsep.theorems.canary.vocabulary import FILLER, WORDS

ASKED = 300
"""The most prompts that are asked to make one small."""


@dataclass(frozen=True)
class SmallPrompt:
    """A small prompt with a wrong answer.

    Fields:
        tokens: the prompt.
        expected: the answers to the first wrong one.
        found: the token in place of the last one of `expected`, or None.
        before: prompts that have to be asked first.
        beside: prompts that have to be asked at the same time.
        words: the word of each token, by its number.
    """

    tokens: tuple[int, ...]
    expected: tuple[int, ...]
    found: int | None
    before: tuple[tuple[int, ...], ...] = ()
    beside: tuple[tuple[int, ...], ...] = ()
    words: Sequence[str] = WORDS

    def record(self) -> dict[str, Any]:
        """Return the prompt for JSON."""
        return {name: value for name, value in asdict(self).items() if name != "words"}

    def line(self) -> str:
        """Return the prompt in words.

        >>> SmallPrompt((1, 10, 10, 10, 13, 9, 37), (7,), 4).line()
        '<bos> x (3 times) k0 v1 q0: expected a1, found absent'
        """
        answered = f" {shown(self.expected[:-1], self.words)}" if len(self.expected) > 1 else ""
        further = f", after {len(self.before)} other prompts" if self.before else ""
        further += f", in a batch with a prompt of {len(self.beside[0])} tokens" if self.beside else ""
        pair = f"expected {word(self.expected[-1], self.words)}, found {word(self.found, self.words)}"
        return f"{shown(self.tokens, self.words)}{answered}: {pair}{further}"


def shown(tokens: Sequence[int], words: Sequence[str] = WORDS) -> str:
    """Return tokens as words; a word that follows itself is counted.

    >>> shown((1, 10, 10, 8))
    '<bos> x (2 times) v0'
    """
    runs = [(word(token, words), len(list(run))) for token, run in groupby(tokens)]
    return " ".join(name if count == 1 else f"{name} ({count} times)" for name, count in runs)


def made_small(
    engine: Asked,
    canary: Canary,
    wrong: WrongAnswer,
    asked: Sequence[Sequence[int]],
    *,
    say: Callable[[str], None] = say_nothing,
) -> SmallPrompt | None:
    """Return a smaller prompt with a wrong answer; None if the prompt is answered rightly when it is asked again.

    Arguments:
        engine: the engine.
        canary: its canary.
        wrong: the wrong answer.
        asked: prompts that were asked before this one or with it.
        say: function that is given lines of progress.
    """
    attempt = _Attempt(engine, canary, wrong, Budget(requests=ASKED))
    before = tuple(map(tuple, asked))
    longest = max(before, key=len, default=())
    settings = [((), ())] + ([(before, ()), ((), (longest,))] if before else [])
    for attempt.before, attempt.beside in settings:
        small = attempt.wrong(wrong.prompt.prompt)
        if small is not None:
            break
    if small is None:
        return None
    for change, step in ((_filled, 1), (_without, 0)):
        size = len(small.tokens) // 2
        while size:
            say(f"making it small: {len(small.tokens)} tokens")
            start = 1
            while start + size < len(small.tokens):
                found = attempt.wrong(change(small.tokens, start, start + size))
                small = found or small
                start += size * step if found else size
            size //= 2
    return small


class _Attempt:
    """Asks one prompt, after others and with others, as often as the budget allows."""

    def __init__(self, engine: Asked, canary: Canary, wrong: WrongAnswer, budget: Budget) -> None:
        self.engine = engine
        self.canary = canary
        self.count = wrong.place + 1
        self.found = wrong.found
        self.budget = budget
        self.before: tuple[tuple[int, ...], ...] = ()
        self.beside: tuple[tuple[int, ...], ...] = ()
        self._tried: set[tuple[int, ...]] = set()

    def wrong(self, tokens: Sequence[int]) -> SmallPrompt | None:
        """Return the prompt with its first wrong answer if that is the same token as before; else None."""
        prompt = tuple(tokens)
        key = (*prompt, len(self.before), len(self.beside))
        if key in self._tried:
            return None
        self._tried.add(key)
        try:
            expected = self.canary.continued(prompt, self.count)
        except ValueError:
            return None
        if not self.budget.take(1):
            return None
        try:
            for other in self.before:
                self.engine.complete([other], 1)
            found = self.engine.complete([prompt, *self.beside], self.count)[0]
        except EngineFails:
            return None
        for place, right in enumerate(expected):
            token = found[place] if place < len(found) else None
            if token != right and token != self.found:
                return None
            if token != right:
                self.count = place + 1
                answers = tuple(expected[: place + 1])
                return SmallPrompt(prompt, answers, token, before=self.before, beside=self.beside, words=self.canary.words)
        return None


def _without(tokens: Sequence[int], start: int, stop: int) -> tuple[int, ...]:
    """Return the tokens without a part."""
    return (*tokens[:start], *tokens[stop:])


def _filled(tokens: Sequence[int], start: int, stop: int) -> tuple[int, ...]:
    """Return the tokens with fillers in place of a part."""
    return (*tokens[:start], *[FILLER] * (stop - start), *tokens[stop:])
