"""The tokens of a prompt of IsTree and of the answer; each thought may add some after them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tokens:
    """The tokens of a network for up to `vertices` = n: [BOS] is 0, vertex v is v; then come ~, NO and YES.

    >>> tokens = Tokens(6)
    >>> tokens.begin, tokens.between, tokens.answers, tokens.count
    (0, 7, (8, 9), 10)
    """

    vertices: int

    @property
    def begin(self) -> int:
        """The token [BOS]."""
        return 0

    @property
    def between(self) -> int:
        """The token ~ between the ends of an edge."""
        return self.vertices + 1

    @property
    def answers(self) -> tuple[int, int]:
        """The tokens NO and YES."""
        return self.vertices + 2, self.vertices + 3

    @property
    def count(self) -> int:
        """The size of the vocabulary."""
        return self.vertices + 4

    def most_written(self, vertices: int) -> int:
        """Return the most tokens of a chain of thought about `vertices` vertices, with its answer: 2n."""
        return 2 * vertices

    def shown(self, token: int) -> int | str:
        """Return a token as a reader sees it: a vertex is its number.

        >>> [Tokens(6).shown(token) for token in (0, 3, 7, 9)]
        ['[BOS]', 3, '~', 'YES']
        """
        names = {self.begin: "[BOS]", self.between: "~", self.answers[0]: "NO", self.answers[1]: "YES"}
        return names.get(token, token)


def tokens_of_a_run(vertices: int) -> int:
    """Return T = 5n - 3, the most tokens read: [BOS], three for each of n - 1 edges, and a chain of thought of 2n - 1.

    >>> tokens_of_a_run(64)
    317
    """
    return 5 * vertices - 3
