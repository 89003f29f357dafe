"""The theorem that a word of the command line specifies: a name of the registry, or a user's own FILE.py:NAME."""

from typing import TYPE_CHECKING

from seqsep.commands import members
from seqsep.core.names import choose
from seqsep.models.plugins.name import names_a_file

if TYPE_CHECKING:
    from seqsep.theorems import Theorem


def known_theorem(word: str) -> str:
    """Return the name of the registry that a word means, or FILE.py:NAME as it is; nothing is loaded.

    Raises BadInput, with the nearest name, for anything else.

    >>> known_theorem("equality_state"), known_theorem("mine.py:THEOREM")
    ('equality-state', 'mine.py:THEOREM')
    """
    return word if names_a_file(word) else choose("theorem", word, members.names("theorems"))


def theorem_named(word: str) -> "Theorem":
    """Return the theorem of a name or of FILE.py:NAME. A file is run once, also if it is named twice.

    >>> theorem_named("equality-state").name
    'equality-state'
    """
    if names_a_file(word):
        from seqsep.theorems.plugins import load_theorem

        return load_theorem(word)
    from seqsep.theorems import BY_NAME

    return BY_NAME[known_theorem(word)]
