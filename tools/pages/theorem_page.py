"""docs/reference/theorems/NAME.md: the statement of a theorem, its proof, and what a run of it prints.

The text is the docstring of the theorem's file. Its first paragraph says what is shown; paragraphs before "Source:" explain it.
"We differ:" is a section of its own, and the rest is the proof. The fields of the theorem say what a run shows, and what not.
"""

import inspect
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pages._docstrings import ITEM, blocks, inline, markdown
from pages._glossary import with_terms
from pages._markdown import table
from pages._outputs import console
from pages._paper_statements import statement_of
from pages._size_words import size_words
from pages.errata import entries
from pages.papers import paper_of
from pages.theorems import claims, file_of, test_file
from seqsep.commands.certify import certify
from seqsep.core.names import docstring, required
from seqsep.report.page.proofs import module_of
from seqsep.theorems import BY_NAME, THEOREMS, Theorem

CONTINUES = re.compile(r"The proofs? (?:continues?|goes on|stands?|is|are)\b|Margins\b.*beside the weights")
DIFFERS = "We differ:"
SIDES = {
    "upper": "seqsep builds a model or a protocol, and runs it",
    "lower": "seqsep runs the reduction of the proof on given models or protocols",
}
WORDS = {
    "least margin of": "`least margin of` gives the name of a distance, then the least value that the run measured, and in "
    "brackets the least value that the proof guarantees.",
    "; wrong on": "`wrong on` gives an input that the model answers wrongly.",
    "saturated:": "`saturated` counts the numbers that were cut off at an end of the grid.",
}
"""The meaning of a word in the output of a check, on pages where it occurs."""
LEFT_OUT = "In an output, `...` stands for text that this page leaves out, such as the statement above."


@dataclass
class PageParts:
    """The blocks of a theorem's docstring by section."""

    summary: str
    explained: list[str] = field(default_factory=list)
    source: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    proof: list[str] = field(default_factory=list)


def parts_of(text: str) -> PageParts:
    """Return the blocks of a docstring by section; items and code follow the paragraph before them.

    >>> parts_of("A sum.\\n\\nIt adds.\\n\\nSource: x.\\n\\nWe differ: y.\\n\\nProof. z.").proof
    ['Proof. z.']
    """
    summary, *rest = blocks(text)
    parts = PageParts(summary)
    place = parts.explained
    for block in rest:
        if block.startswith("Source:"):
            place = parts.source
        elif block.startswith(DIFFERS):
            place = parts.differs
        elif place is not parts.explained and not block.startswith("    ") and ITEM.match(block) is None:
            place = parts.proof
        place.append(block)
    return parts


def theorem_page(theorem: Theorem, clone: Path) -> str:
    """Return the page of a theorem; its test file and its long check are those of a clone."""
    parts = parts_of(docstring(module_of(theorem)))
    output = console(("check", theorem.name), claims(theorem))
    sections = [
        f"# {theorem.name}\n\n{markdown([parts.summary, *parts.explained])}",
        _papers(theorem),
        _papers_statements(theorem),
        _statement(theorem),
        "\n\n".join(["## Check", *([] if theorem.bound else [LEFT_OUT]), output]),
        _shown(theorem, output),
    ]
    if parts.differs:
        first = parts.differs[0].removeprefix(DIFFERS).strip()
        differs = [f"{first[0].upper()}{first[1:]}", *parts.differs[1:]] if first else parts.differs[1:]
        sections.append("## Differences from the paper\n\n" + markdown(differs))
    sections.append("## Proof\n\n" + markdown([*parts.source, *parts.proof]) + _steps(theorem, parts.proof))
    sections += [_errata(theorem), _files(theorem, clone)]
    page = linked("\n".join(section for section in sections if section), theorem)
    return with_terms(page, clone, up="../../")


def linked(page: str, theorem: Theorem) -> str:
    """Return a page with a link for each theorem, or file of a theorem, that its text mentions in backticks."""
    package = module_of(theorem).__name__.rpartition(".")[0]
    files = {module_of(other).__name__: other.name for other in THEOREMS}

    def link(found: re.Match[str]) -> str:
        said = found[1]
        near = files.get(f"{package}.{said}")
        far = [name for file, name in files.items() if file.rpartition(".")[2] == said]
        name = said if said in BY_NAME else near or (far[0] if len(far) == 1 else theorem.name)
        return found[0] if name == theorem.name else f"[{name}]({name}.md)"

    parts = re.split(r"(^```.*?^```$|^#[^\n]*$)", page, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if place % 2 else re.sub(r"`([\w-]+)`", link, part) for place, part in enumerate(parts))


def _papers(theorem: Theorem) -> str:
    """Return the statements of papers that its claims name, each with its verdict."""
    rows = {}
    for claim in claims(theorem):
        paper = paper_of(claim.source)
        for label in paper.labels(claim.source):
            statement = paper.statements[paper.order.index(label)]
            detail = f": {inline(statement.detail)}" if statement.detail else ""
            place = f"[{paper.name}]({paper.address}), {label}" if paper.address else label
            rows[paper.name, label] = [place, f"**{statement.verdict}**{detail}"]
    return table([["statement", "verdict"], *rows.values()])


def _papers_statements(theorem: Theorem) -> str:
    """The statements of papers that its claims name, as the papers have them; empty if there is none."""
    said = {}
    for claim in claims(theorem):
        paper = paper_of(claim.source)
        for label in paper.labels(claim.source):
            if text := statement_of(paper, label):
                said[paper.name, label] = f"* **{paper.name}, {label}:** {inline(text)}\n"
    return f"## The paper's statement\n\nThis is what the paper says, in our words.\n\n{''.join(said.values())}" if said else ""


def _statement(theorem: Theorem) -> str:
    said = [f"* {inline(part[0].upper() + part[1:])}." for part in theorem.statement.split("; ")]
    kinds = "\n\n".join(f"**{side.capitalize()} bound:** {SIDES[side]}." for side in theorem.sides)
    parts = ["## Statement\n\n", "\n".join(said), f"\n\n{kinds}\n"]
    if theorem.bound is not None:
        length = _default_length(theorem)
        at_length = f" at length {length}" if length else ""
        sizes = f"The sizes that the proof guarantees{at_length}{_defaults(theorem)} are below. {LEFT_OUT}"
        parts.append(f"\n{sizes}\n\n{console(_bound_command(theorem), claims(theorem))}")
    return "".join(parts)


def _bound_command(theorem: Theorem) -> tuple[str, ...]:
    """Return the words of `seqsep bound` on a theorem, at the length that its check has by default."""
    length = _default_length(theorem)
    return ("bound", theorem.name, *(() if length is None else ("--length", str(length))))


def _defaults(theorem: Theorem) -> str:
    """Return the other options of its bound with their defaults, as a part of a sentence."""
    given = inspect.signature(required(theorem.constants, "constants")).parameters.items()
    said = [f"{name} {one.default}" for name, one in given if name != "length" and one.default is not None]
    return f", with the default options ({', '.join(said)})," if said else ""


def _default_length(theorem: Theorem) -> int | None:
    """Return the length that a check has by default and its bound takes; None without one."""
    given = inspect.signature(inspect.unwrap(theorem.check)).parameters.get("length")
    known = theorem.constants is not None and "length" in inspect.signature(theorem.constants).parameters
    return given.default if given is not None and known and isinstance(given.default, int) else None


def _shown(theorem: Theorem, output: str) -> str:
    """Return the words of the output, and its scope."""
    said = "Each line is one model or one variant. For each size it gives the measured number and the bound from the proof."
    words = [meaning for word, meaning in WORDS.items() if word in output]
    sizes = size_words(theorem.name, output, console(_bound_command(theorem), claims(theorem)) if theorem.bound else "")
    parts = (" ".join([said, *words]), sizes.rstrip("\n"), inline(theorem.shown), inline(theorem.not_shown))
    return "\n\n".join(part for part in parts if part) + "\n"


def _steps(theorem: Theorem, proof: Sequence[str]) -> str:
    """Return the docstrings of the steps in which the proof says that it continues."""
    module = module_of(theorem)
    parts = []
    following = False
    for block in proof:
        following = CONTINUES.match(block) is not None or (following and ITEM.match(block) is not None)
        if following:
            for name in re.findall(r"`([\w.]+)`", block):
                said = _documentation(name, module.__name__)
                if said:
                    parts.append(f"\n### `{name}`\n\n{markdown(blocks(said))}")
    return "".join(dict.fromkeys(parts))


def _documentation(name: str, module: str) -> str:
    """Return the docstring of a member of a module, of a private file next to it, or of such a file; empty if it has none."""
    package = module.rpartition(".")[0]
    for holder in (module, package, "seqsep.theorems"):
        found: object = sys.modules[holder]
        walked = holder
        for part in name.split("."):
            walked = f"{walked}.{part}"
            found = getattr(found, part, sys.modules.get(walked))
        found = getattr(found, "func", getattr(found, "fget", found))
        if found is not None:
            return docstring(found) if inspect.ismodule(found) or callable(found) else ""
    return ""


def _errata(theorem: Theorem) -> str:
    listed = entries(theorem)
    if not listed:
        return ""
    rows = [["entry", "severity", "place in the paper", "what we found"]]
    for entry in listed:
        found = entry.graded.summary
        if entry.graded.severity == "choice":
            found = f"The paper: {inline(entry.remark.printed)}. We found: {inline(entry.remark.found)}."
        link = f"[{entry.title}](../errata.md#{entry.anchor})"
        rows.append([link, entry.graded.severity, inline(entry.remark.where), found])
    return "## Errata\n\n" + table([[cell.replace("|", r"\|") for cell in row] for row in rows])


def _files(theorem: Theorem, clone: Path) -> str:
    row = f"results/verify/{theorem.name}.json"
    rows = [
        ["what", "where"],
        ["proof and code", f"`src/seqsep/{file_of(theorem)}`"],
        ["tests", f"`{test_file(theorem, clone)}`"],
        ["long check", f"`make verify`, whose outcome is `{row}`" if (clone / row).is_file() else "none"],
        ["certificate", _certificate(theorem)],
    ]
    return "## Files\n\n" + table(rows)


def _certificate(theorem: Theorem) -> str:
    """Return the type of the certificate that `seqsep certify` writes, or the reason why there is none."""
    if theorem.certificate_witness is None:
        return f"none: {inline(theorem.nothing_to_certify or '')}"
    kind = json.loads(certify(theorem.name))["type"]
    return f"type `{kind}`: `seqsep certify {theorem.name} -o FILE` writes it, see [certificates](../certificates.md)"
