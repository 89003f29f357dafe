"""A live retriever: it reads the query that a model has just closed, and returns the tokens to insert after it.

    text .. [ query ] found

The query is the text after the last opening mark, and the searched region is the prompt, or everything before that mark. The
text found is split at spaces into tokens. FAILED is inserted if nothing is found, if it is not a text of the vocabulary, or if
the text between the marks is not a query.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from seqsep.tasks.retriever.pattern import Pattern
from seqsep.tasks.retriever.queries import Query

Region = Literal["prompt", "everything"]


@dataclass(frozen=True, kw_only=True)
class Retriever:
    """A retriever: it reads the query that a model has just written, and returns the tokens to insert after it.

    A query is the text between the last two marks, such as [ query ]. The retriever searches the region, splits what it finds
    at spaces, and inserts these tokens. It inserts FAILED if it finds nothing, if the result has a text outside the
    vocabulary, or if the text between the marks is not a query.

    Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), section 5.1. We differ: the searched region is given. A query is a regular
    expression in the paper; here it may also be a kind of search with a name, such as `first-edge`.

    Fields:
        vocabulary: the text of each token, without white space; all texts differ.
        read: function from the texts between the marks to a query or a pattern; it raises ValueError for a text that is not a
            query.
        region: text that is searched: the prompt only, or everything before the query.
        opens: mark that opens a query.
        closes: mark that closes a query.
        failed: text that is inserted if nothing is found.

    Raises ValueError if texts of the vocabulary are equal or have white space, or if a mark or `failed` is not in it.

    >>> words = ("<s>", "~", "[", "]", "FAILED", "1", "2", "3")
    >>> walk = Retriever(vocabulary=words, read=lambda texts: Query("first-edge", tuple(texts)), region="prompt")
    >>> retrieve = walk.behind(4)  # a prompt of four tokens
    >>> retrieve([0, 6, 1, 7, 2, 7, 3]), retrieve([0, 6, 1, 7, 2, 5, 3])  # <s> 2 ~ 3 [ 3 ] and <s> 2 ~ 3 [ 1 ]
    ([6], [4])
    >>> retrieve([0, 6, 1, 7, 2]) is None  # no query is closed
    True
    """

    vocabulary: tuple[str, ...]
    read: Callable[[Sequence[str]], Query | Pattern]
    region: Region
    opens: str = "["
    closes: str = "]"
    failed: str = "FAILED"

    def __post_init__(self) -> None:
        if len(set(self.vocabulary)) != len(self.vocabulary) or any(text.split() != [text] for text in self.vocabulary):
            raise ValueError("Retriever(vocabulary=...): expected different texts without white space")
        for text in (self.opens, self.closes, self.failed):
            if text not in self.vocabulary:
                raise ValueError(f"Retriever: {text} is not in the vocabulary")

    def behind(self, prompt: int) -> Callable[[Sequence[int]], list[int] | None]:
        """Return the retriever of a text whose first `prompt` tokens are the prompt, for `maths.networks.generation.generate`.

        Given all tokens so far it returns those to insert if they end with a closed query, else None.
        """
        return lambda tokens: self(tokens, prompt)

    def inserted(self, tokens: Sequence[int], prompt: int) -> list[bool]:
        """Mark the tokens of a whole text that were inserted after its queries.

        With these marks `maths.networks.generation.follow` proves the run of a model with this retriever: the marked tokens are
        what it inserts, each checked here. Raises ValueError with the place of a token that it would not have inserted.
        """
        texts = [self.vocabulary[token] for token in tokens]
        marks = [False] * len(tokens)
        place = prompt
        while place < len(tokens):
            closes_query = texts[place] == self.closes
            place += 1
            found = self._found(texts[:place], prompt) if closes_query else None
            for token in (found or [])[: len(tokens) - place]:
                if tokens[place] != token:
                    wanted = self.vocabulary[token]
                    shown = self.vocabulary[tokens[place]]
                    raise ValueError(f"Retriever.inserted: place {place}: expected {wanted}, found {shown}")
                marks[place] = True
                place += 1
        return marks

    def __call__(self, tokens: Sequence[int], prompt: int) -> list[int] | None:
        """Return the tokens to insert if `tokens`, of which the first `prompt` are the prompt, end with a closed query; else
        None.

        Raises SearchTooLong for a pattern that takes too long.
        """
        if self.vocabulary[tokens[-1]] != self.closes:
            return None
        return self._found([self.vocabulary[token] for token in tokens], prompt)

    def _found(self, texts: list[str], prompt: int) -> list[int] | None:
        """Return what to insert after texts that end with the closing mark; None if no query was opened after the prompt."""
        before = texts[prompt:-1]
        if self.opens not in before:
            return None
        opened = len(texts) - 2 - before[::-1].index(self.opens)
        searched = texts[: prompt if self.region == "prompt" else opened]
        try:
            found = self.read(texts[opened + 1 : -1]).find(searched)
        except ValueError:
            found = None
        return self._tokens(found or self.failed)

    def _tokens(self, found: str) -> list[int]:
        """Return what is found as tokens, or FAILED if one of its texts is not in the vocabulary."""
        tokens = [self._numbers[text] for text in found.split() if text in self._numbers]
        return tokens if len(tokens) == len(found.split()) > 0 else [self._numbers[self.failed]]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The token of each text."""
        return {text: token for token, text in enumerate(self.vocabulary)}
