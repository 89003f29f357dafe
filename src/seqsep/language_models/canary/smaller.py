"""Make a wrong prompt small: drop tokens while an answer stays wrong, then put fillers in place of others."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from seqsep.language_models.canary.exam import Asked, Budget, WrongAnswer, say_nothing
from seqsep.language_models.engines.protocol import EngineFails
from seqsep.theorems.canary import Canary
from seqsep.theorems.canary.vocabulary import FILLER, WORDS

ASKED = 400
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
    """

    tokens: tuple[int, ...]
    expected: tuple[int, ...]
    found: int | None
    before: tuple[tuple[int, ...], ...] = ()
    beside: tuple[tuple[int, ...], ...] = ()

    def line(self) -> str:
        """Return the prompt in words.

        >>> SmallPrompt((1, 10, 10, 10, 13, 9, 37), (7,), 4).line()
        '<bos> x (3 times) k0 v1 q0: expected a1, found absent'
        """
        answered = f" {shown(self.expected[:-1])}" if len(self.expected) > 1 else ""
        found = "no token" if self.found is None else WORDS[self.found] if self.found < len(WORDS) else f"token {self.found}"
        further = f", after {len(self.before)} other prompts" if self.before else ""
        further += f", in a batch with a prompt of {len(self.beside[0])} tokens" if self.beside else ""
        return f"{shown(self.tokens)}{answered}: expected {WORDS[self.expected[-1]]}, found {found}{further}"


def shown(tokens: Sequence[int]) -> str:
    """Return tokens as words; a word that follows itself is counted.

    >>> shown((1, 10, 10, 8))
    '<bos> x (2 times) v0'
    """
    runs = [(WORDS[token], len(list(run))) for token, run in groupby(tokens)]
    return " ".join(word if count == 1 else f"{word} ({count} times)" for word, count in runs)


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
    attempt = _Attempt(engine, canary, wrong.place + 1, Budget(requests=ASKED))
    before = tuple(map(tuple, asked))
    longest = max(before, key=len, default=())
    settings = [((), ())] + ([(before, ()), ((), (longest,))] if before else [])
    for attempt.before, attempt.beside in settings:
        small = attempt.wrong(wrong.prompt.prompt)
        if small is not None:
            break
    while small is not None:
        say(f"making it small: {len(small.tokens)} tokens")
        next_one = next((found for tokens in _smaller(small.tokens) if (found := attempt.wrong(tokens))), None)
        if next_one is None:
            return small
        small = next_one
    return None


class _Attempt:
    """Asks one prompt, after others and with others, as often as the budget allows."""

    def __init__(self, engine: Asked, canary: Canary, count: int, budget: Budget) -> None:
        self.engine = engine
        self.canary = canary
        self.count = count
        self.budget = budget
        self.before: tuple[tuple[int, ...], ...] = ()
        self.beside: tuple[tuple[int, ...], ...] = ()
        self._right: set[tuple[int, ...]] = set()

    def wrong(self, tokens: Sequence[int]) -> SmallPrompt | None:
        """Return the prompt with its first wrong answer, or None."""
        prompt = tuple(tokens)
        key = (*prompt, len(self.before), len(self.beside))
        try:
            expected = self.canary.continued(prompt, self.count)
        except ValueError:
            return None
        if key in self._right or not self.budget.take(1):
            return None
        try:
            for other in self.before:
                self.engine.complete([other], 1)
            found = self.engine.complete([prompt, *self.beside], self.count)[0]
        except EngineFails:
            return None
        for place, right in enumerate(expected):
            token = found[place] if place < len(found) else None
            if token != right:
                self.count = place + 1
                return SmallPrompt(prompt, tuple(expected[: place + 1]), token, self.before, self.beside)
        self._right.add(key)
        return None


def _smaller(tokens: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the prompt without a part, larger parts first; then with a filler in place of a part."""
    size = len(tokens) // 2
    while size:
        for start in range(1, len(tokens) - size, size):
            yield (*tokens[:start], *tokens[start + size :])
        size //= 2
    size = len(tokens) // 2
    while size:
        for start in range(1, len(tokens) - size, size):
            part = tokens[start : start + size]
            if any(token != FILLER for token in part):
                yield (*tokens[:start], *[FILLER] * size, *tokens[start + size :])
        size //= 2
