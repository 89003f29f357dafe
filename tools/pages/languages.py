"""docs/reference/languages.md: regular languages against architectures, as `seqsep classify` decides them."""

import numpy as np

from pages._markdown import folded, table
from seqsep.lab.experiments.language_classes import LANGUAGES, NAME, NamedLanguage
from seqsep.maths.automata.automata import DFA
from seqsep.maths.automata.permutations import named_group
from seqsep.theorems import BY_NAME, positions, state_tracking
from seqsep.theorems.analysis.classify import Classification, classify
from seqsep.theorems.analysis.statements import STATEMENTS

HEAD = f"""# Regular languages and architectures

You need this page if you want to know which architectures can represent a language, before you train one. `seqsep classify`
computes the same verdicts for your own language; [the guide](../how-to/classify-a-language.md) shows how. The languages are
those of the [experiment](../reproduction/{NAME}.md) that trains models on them, and three more.

* In a cell, *can* means that weights exist, and *cannot* that none exist. *Up to length* means right for short inputs, and
  wrong from some length on. *Open* means that the quoted papers do not decide.
* Each *can* names the number of tokens N up to which it is shown. *All N* means every length, and *fixed N* means that the
  weights depend on the length. *N open* means that rounded numbers may drift, and that no number is known here.
* The column *trained Transformer* is an exception: *can* means that the language is in C-RASP, where trained models
  succeeded at lengths up to 500. [The architectures](#the-architectures) explains each column and names the papers.
* The column *classes* tests only R-trivial, C-RASP, aperiodic and NC1-complete. If a language is in neither of the last two,
  the column has the derived length of its groups: 1 means abelian.
* S_3 is the group of all permutations of three points, and A_5 that of the even permutations of five.

"""
ARCHITECTURES_HEAD = """
## The architectures

A verdict holds only for its setting: the precision, and the token at which the answer is read. seqsep does not check the
theorems of the quoted papers. The *cannot* of the deep Transformer holds if TC0 is not NC1. Two numbers of
tokens come from theorems of seqsep, `symmetric-reflections` and `solvable-phases`. The counts of trained Transformers are
those of the authors' files, counted again in [crasp-suite.json](../../results/crasp-suite.json). seqsep computes the authors'
classes for all of these languages.

"""
THEOREMS_HEAD = """
## Theorems of seqsep about them

`seqsep check NAME` checks one of these theorems. For an upper bound, seqsep builds the model weight by weight. The last lines
are about positional encodings. `canary-llama` is about a Llama with rotary positions: it does recall, and has an
induction head.

"""
CLASSES_HEAD = "The table has every class that seqsep decides, and its meaning:\n\n"
COLUMNS = (
    "window",
    "soft attention",
    "hard attention",
    "trained Transformer",
    "deep Transformer",
    "diagonal, factors >= 0",
    "diagonal, complex",
    "delta rule",
    "any recurrence",
)
"""Short names of `statements.ARCHITECTURES`, in their order."""
MORE = (NamedLanguage("odd length", ".(..)*"), NamedLanguage("ends in 1", ".*1"))
"""Languages besides those of the experiment."""


def languages_page() -> str:
    """Return docs/reference/languages.md as text."""
    found = [(_named(one), classify(one.pattern, one.alphabet or None, is_regular=True)) for one in (*LANGUAGES, *MORE)]
    found.append(("words over A_5 whose product is 1", classify(word_problem("alternating", 5))))
    lines = [["language", "bits of state", "classes", *COLUMNS], *([name, *_cells(one)] for name, one in found)]
    classes = table([["class", "meaning"], *([one.title, one.meaning] for one in STATEMENTS.values())])
    return (
        f"{HEAD}{table(lines)}{folded('The classes', f'{CLASSES_HEAD}{classes}')}"
        f"{ARCHITECTURES_HEAD}{_architectures([one for _, one in found])}{THEOREMS_HEAD}{_theorems()}"
    )


def word_problem(family: str, degree: int) -> DFA:
    """Return the automaton of the words over all elements of a group whose product is the neutral element.

    >>> len(word_problem("alternating", 5).table)
    60
    """
    table_of_products = named_group(family, degree).products.T  # the letter acts after the product so far
    return DFA(table_of_products, start=0, accepting=np.arange(len(table_of_products)) == 0)


def _named(one: NamedLanguage) -> str:
    pattern = f"`{_escaped(one.pattern)}`"
    letters = f", {one.alphabet} letters" if one.alphabet and "letters" not in one.title else ""
    return f"{pattern}{letters}" if one.title == one.pattern else f"{_escaped(one.title)}: {pattern}{letters}"


def _cells(one: Classification) -> list[str]:
    """Return the bits of state, the least classes by inclusion, and a verdict for each architecture."""
    holds = {name: verdict.holds for name, verdict in one.verdicts.items()}
    inside = [STATEMENTS[name].title for name in ("r_trivial", "c_rasp", "aperiodic", "nc1_complete") if holds[name]]
    if not holds["aperiodic"] and one.derived_length:
        inside.append(f"groups of derived length {one.derived_length}")
    return [str(one.state_bits), ", ".join(inside), *(verdict.said for verdict in one.architectures())]


def _architectures(found: list[Classification]) -> str:
    """Return a line for each architecture: what it is, the setting, and every source of its verdicts."""
    lines = [["column", "architecture", "setting", "source"]]
    for column, verdicts in zip(COLUMNS, zip(*(one.architectures() for one in found), strict=True), strict=True):
        sources = "; ".join(dict.fromkeys(verdict.source for verdict in verdicts))
        lines.append([column, verdicts[0].architecture, verdicts[0].setting, sources])
    return table(lines)


def _theorems() -> str:
    """Return a line for each theorem of state tracking and positions, and for recall by a stock Llama."""
    names = [*state_tracking.PLACES, *positions.PLACES, "canary-llama"]
    lines = [["theorem", "bound", "statement"]]
    for name in names:
        theorem = BY_NAME[name]
        lines.append([f"[{name}](theorems/{name}.md)", " and ".join(theorem.sides), _escaped(theorem.statement)])
    return table(lines)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
