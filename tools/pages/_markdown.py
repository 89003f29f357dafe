"""Tables in Markdown, among them those with a column for each length."""

from collections.abc import Iterable, Sequence


def markdown(lengths: Iterable[int], rows: Iterable[tuple[str, Sequence[str]]], corner: str = "Accuracy, %") -> str:
    """Return the table of these rows, each a label and its entries. `corner` says what the entries are."""
    columns = [f"N = {length}" for length in lengths]
    return table([[corner, *columns], *([label, *entries] for label, entries in rows)])


def table(lines: Sequence[Sequence[str]]) -> str:
    """Return the table of these lines, the first of which is its header."""
    header, *body = [f"| {' | '.join(line)} |\n" for line in lines]
    return f"{header}|{'---|' * len(lines[0])}\n{''.join(body)}"


def folded(summary: str, text: str) -> str:
    """Return Markdown that a page shows once a reader opens its summary."""
    return f"\n<details>\n<summary>{summary}</summary>\n\n{text}\n</details>\n"


def unbroken(words: str) -> str:
    """Return words that stay on one line of a cell: `1.3&nbsp;MiB`."""
    return words.replace(" ", "&nbsp;")
