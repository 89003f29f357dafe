"""Tables in Markdown with a column for each length."""

from collections.abc import Iterable, Sequence


def markdown(lengths: Iterable[int], rows: Iterable[tuple[str, Sequence[str]]], corner: str = "Accuracy, %") -> str:
    """The table of these rows, each a label and its entries; `corner` says what the entries are."""
    columns = [f"N = {length}" for length in lengths]
    lines = [[corner, *columns], *([label, *entries] for label, entries in rows)]
    header, *body = [f"| {' | '.join(line)} |\n" for line in lines]
    return f"{header}|{'---|' * (1 + len(columns))}\n{''.join(body)}"
