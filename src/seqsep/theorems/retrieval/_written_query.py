r"""A query that a model writes token by token, as a template: marks of a regular expression, and tokens copied from the prompt.

    [ mark mark copy mark .. ] found answer

The templates are the patterns of `seqsep.tasks.retriever.queries`, as `Query.tokens` has them, for the questions

    index      token-at i           x_1 .. x_N i              (?x) ^ (?:\S+\s) {i} (\S+)
    recall     follower g_1 ..      x_1 .. x_N g_1 ..         (?x) (?<!\S) g_1 \s .. \s (\S+) (?=(?:\s\S+) {c-1} )
    counting   count-above q t      x_1 .. x_N q t            (?x) ^ (?: (?: (?! q \s ) \S+ \s )* ( q ) \s (?=\S+\s\S) ) {t+1}

{i} and {t+1} are one token each: a space inside braces would make them literal text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from seqsep.tasks.retriever import Pattern, Query, Retriever

Question = Literal["index", "recall", "counting"]
PLACEHOLDER = 123_456_000


class Copy(NamedTuple):
    """A place of the template for a copy of the token that is `back` places from the prompt's end (1: the last one).

    If `raised` is a number, the place holds the count {i + raised} for the number i there.
    """

    back: int
    raised: int | None = None


@dataclass(frozen=True)
class Template:
    """The tokens of a question over the numbers 0 .. S - 1: what is written, and what is copied.

    Token 0 is [BOS] and number s is token s + 1; then, if a count is written, {0} .. {S}; then [, ], FAILED, NO, YES and the
    marks. `gram` is c for a recall of c-grams. Raises ValueError for no numbers, or a gram below 2.

    >>> template = Template("recall", alphabet=3, gram=2)
    >>> template.written
    ('(?x)', '(?<!\\\\S)', Copy(back=1, raised=None), '\\\\s', '(\\\\S+)', '(?=(?:\\\\s\\\\S+)', '{1}', ')')
    >>> template.texts[:8]
    ('<s>', '0', '1', '2', '[', ']', 'FAILED', 'NO')
    """

    question: Question
    alphabet: int
    gram: int = 2

    def __post_init__(self) -> None:
        if self.alphabet < 1 or self.gram < 2:
            raise ValueError(f"Template(alphabet={self.alphabet}, gram={self.gram}): at least 1 number, and 2-grams")

    @property
    def asked(self) -> int:
        """The tokens of the question."""
        return {"index": 1, "recall": self.gram - 1, "counting": 2}[self.question]

    @cached_property
    def written(self) -> tuple[str | Copy, ...]:
        """The tokens between the marks [ and ]."""
        places = [str(PLACEHOLDER + back) for back in range(self.asked, 0, -1)]
        if self.question == "index":
            tokens = Query("token-at", tuple(places)).tokens
        elif self.question == "recall":
            tokens = Query("follower", tuple(places)).tokens
        else:
            tokens = Query("count-above", tuple(places)).tokens
        copies: dict[str, Copy] = {place: Copy(int(place) - PLACEHOLDER) for place in places}
        raised = 1 if self.question == "counting" else 0
        copies[f"{{{PLACEHOLDER + 1 + raised}}}"] = Copy(1, raised)
        return tuple(copies.get(token, token) for token in tokens)

    @property
    def copies(self) -> list[tuple[int, Copy]]:
        """The places of the template, from 1, that are copied."""
        return [(place, token) for place, token in enumerate(self.written, start=1) if isinstance(token, Copy)]

    @property
    def has_counts(self) -> bool:
        """True if the template has a count {i}."""
        return any(copy.raised is not None for _, copy in self.copies)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each token."""
        numbers = ["<s>", *map(str, range(self.alphabet))]
        counts = [f"{{{count}}}" for count in range(self.alphabet + 1)] if self.has_counts else []
        marks = dict.fromkeys(token for token in self.written if isinstance(token, str))
        return (*numbers, *counts, "[", "]", "FAILED", "NO", "YES", *marks)

    def token(self, text: str) -> int:
        """The token with this text."""
        return self.texts.index(text)

    def prompt(self, numbers: Sequence[int], question: Sequence[int]) -> list[int]:
        """[BOS], the data and the question."""
        return [0, *(number + 1 for number in (*numbers, *question))]

    def thought(self, question: Sequence[int], found: int | None) -> list[int]:
        """Return the tokens after the prompt: the query, the retrieved tokens, and the answer, a copied number or None.

        >>> template = Template("index", alphabet=30)
        >>> print(*(template.texts[token] for token in template.thought([4], found=17)))
        [ (?x) ^ (?:\\S+\\s) {4} (\\S+) ] 17 17
        """
        pattern = []
        for token in self.written:
            if isinstance(token, str):
                pattern.append(token)
                continue
            number = question[-token.back]
            pattern.append(str(number) if token.raised is None else f"{{{number + token.raised}}}")
        shown = "FAILED" if found is None else str(found)
        answer = shown
        if self.question == "counting":
            answer = "NO" if found is None else "YES"
        return [self.token(text) for text in ("[", *pattern, "]", shown, answer)]

    def answered(self, thought: Sequence[int]) -> int | None:
        """The answer that a thought ends with: a number, or None for FAILED; in counting 1 for YES and 0 for NO.

        >>> template = Template("recall", alphabet=3)
        >>> template.answered(template.thought([1], found=2)), template.answered(template.thought([1], found=None))
        (2, None)
        """
        shown = self.texts[thought[-1]]
        if self.question == "counting":
            return {"YES": 1, "NO": 0}.get(shown)
        return int(shown) if shown.isdecimal() else None

    def retriever(self) -> Retriever:
        """RETRIEVE as in the paper: the pattern is searched in all tokens before the mark [."""
        return Retriever(vocabulary=self.texts, read=_Searched.of, region="everything")


class _Searched(Pattern):
    """A pattern that is known to take polynomial time, searched in this process."""

    def find(self, tokens: Sequence[str]) -> str | None:
        """Return the text that the first group matches in the tokens joined by spaces, or None."""
        found = re.search(self.expression, " ".join(tokens))
        return None if found is None else found.group(1)
