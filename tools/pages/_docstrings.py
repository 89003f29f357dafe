"""Docstrings as Markdown: paragraphs, lists, code blocks, and the labelled parts of a theorem's text.

In a docstring a paragraph is lines without an empty line between them, an item begins with `* ` or `1. `, and four more spaces
than the text around it make a block of code. A paragraph may begin with a label, such as "Proof.".
"""

import re
from collections.abc import Iterator
from itertools import groupby

ITEM = re.compile(r"(\s*)(\*|\d+\.) (?=\S)")
LABEL = re.compile(r"([A-Z][\w',()/ ]{2,60}[.:])(?= |$)")
CODE = re.compile(r"(`[^`]*`)")
EMPHASIS = re.compile(r"(?<![\w*)])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*(])")


def blocks(docstring: str) -> list[str]:
    """Return the paragraphs, lists and blocks of code of a docstring, without its doctests.

    >>> blocks("One\\nline.\\n\\n* an item\\n  of two lines\\n* another")
    ['One line.', '* an item of two lines', '* another']
    >>> blocks("The sizes:\\n    a = 1\\n    b = 2\\nfollow.")
    ['The sizes:', '    a = 1\\n    b = 2', 'follow.']
    """
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", docstring.strip("\n")):
        if not paragraph.lstrip().startswith(">>>"):
            found += _split(paragraph.split("\n"))
    return found


def inline(text: str) -> str:
    r"""Escape what Markdown would read as markup; code in backticks and *emphasis* stay as they are.

    >>> inline("*Sizes.* d * k < m, `a * b`, <x, y>")
    '*Sizes.* d \\* k < m, `a * b`, \\<x, y>'
    """
    parts = CODE.split(text)
    return "".join(part if part.startswith("`") else _escaped(part) for part in parts)


def markdown(found: list[str]) -> str:
    r"""Return blocks as Markdown: code is fenced, a paragraph's label is bold.

    >>> markdown(["Proof. It is so:", "    a = b", "* one", "* two"])
    '**Proof.** It is so:\n\n```text\na = b\n```\n\n* one\n* two\n'
    """
    parts: list[str] = []
    for is_item, group in groupby(found, lambda block: ITEM.match(block) is not None):
        if is_item:
            parts.append("\n".join(map(_item, group)))
        else:
            parts += map(_paragraph, group)
    return "\n\n".join(parts) + "\n"


def _split(lines: list[str]) -> Iterator[str]:
    """Yield the blocks of a paragraph: plain lines are joined, items and code begin their own block."""
    kind = ""
    waiting: list[str] = []
    for line in lines:
        item = ITEM.match(line)
        deep = len(line) - len(line.lstrip())
        if item is not None:
            new = "item"
        elif kind == "item" and deep > 0:
            waiting.append(line.strip())
            continue
        else:
            new = "code" if deep >= 4 else "text"
        if waiting and (new == "item" or new != kind):
            yield _joined(kind, waiting)
            waiting = []
        kind = new
        waiting.append(line.rstrip() if new in ("code", "item") else line.strip())
    if waiting:
        yield _joined(kind, waiting)


def _joined(kind: str, lines: list[str]) -> str:
    return "\n".join(lines) if kind == "code" else " ".join(lines)


def _escaped(text: str) -> str:
    kept = EMPHASIS.split(text)
    plain = [re.sub(r"<(?=[A-Za-z/!?])", r"\\<", part.replace("*", r"\*")) for part in kept]
    return "".join(f"*{part}*" if place % 2 else part for place, part in enumerate(plain))


def _item(block: str) -> str:
    found = ITEM.match(block)
    if found is None:
        return inline(block)
    return f"{found[1]}{found[2]} {inline(block[found.end() :])}"


def _paragraph(block: str) -> str:
    if block.startswith("    "):
        lines = block.split("\n")
        least = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        return "\n".join(["```text", *(line[least:] for line in lines), "```"])
    label = LABEL.match(block)
    return f"**{label[1]}**{inline(block[label.end() :])}" if label and len(label[1].split()) <= 3 else inline(block)
