"""A user's own theorem, FILE.py:NAME: a `Theorem` in a Python file, which is run and trusted as a user's layer is.

The file may import seqsep, as the `Theorem` record is from there. Its check runs in the process of the command.
"""

import inspect
from typing import Any, ClassVar

from seqsep.core.names import excerpt
from seqsep.models.plugins.load import PlugInFails, attribute, in_words, run_file
from seqsep.models.plugins.name import PlugIn
from seqsep.theorems.base import FUNCTIONS, Claim, Theorem

VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)


class UserTheorem(PlugIn):
    """A user's own theorem, not loaded yet."""

    KIND: ClassVar[str] = "theorem"
    EXAMPLE: ClassVar[str] = "THEOREM"

    def load(self) -> Theorem:
        """Run the file and return its theorem.

        Raises PlugInFails, in one line, if the file does not load, or the name is not a `Theorem` whose options can be read.
        """
        if self.path is None:
            raise PlugInFails(f"{self}: expected the file of {self.class_name}")
        theorem = attribute(run_file(self.path, self.digest), self.path, self.class_name)
        if not isinstance(theorem, Theorem):
            raise PlugInFails(f"{self.words}: expected a seqsep.theorems.Theorem, found a {type(theorem).__name__}")
        self._require_claim(theorem.claim)
        for command, field in FUNCTIONS.items():
            self._require_options(theorem, command, "bound" if command == "bound" else field)
        return theorem

    def _require_claim(self, claim: Any) -> None:
        if not isinstance(claim, Claim):
            raise PlugInFails(f"{self.words}: claim: expected a seqsep.theorems.Claim, found a {type(claim).__name__}")
        for name in ("name", "source", "statement"):
            value = getattr(claim, name)
            if not isinstance(value, str) or not value.strip():
                raise PlugInFails(f"{self.words}: {name} of the claim: expected a text, found {excerpt(repr(value))}")

    def _require_options(self, theorem: Theorem, command: str, field: str) -> None:
        """Raise PlugInFails unless the function of a command has options that flags can give, with defaults if it checks."""
        function = getattr(theorem, field)
        if function is None and field != "check":
            return
        if not callable(function):
            raise PlugInFails(f"{self.words}: {field}: expected a function, found a {type(function).__name__}")
        try:
            options = theorem.options_of(command)
            named = {option.name for option in options}  # the fields of a record are options in the place of its keywords
            parameters = inspect.signature(function).parameters.values()
            variadic = [one for one in parameters if one.kind in VARIADIC and one.name in named]
        except Exception as error:
            raise PlugInFails(
                f"{self.words}: {field}: expected parameters that can be read, found {in_words(error, self.path)}"
            ) from error
        if variadic:
            raise PlugInFails(f"{self.words}: {field}: expected each option as a parameter by name, found {variadic[0]}")
        missing = [option.name for option in options if option.is_required]
        if field == "check" and missing:
            raise PlugInFails(f"{self.words}: check: expected a default for {missing[0]}, found none")


def load_theorem(text: str) -> Theorem:
    """Load the theorem that FILE.py:NAME specifies.

    Raises ValueError, in one line, if the file is not Python, does not load, or has no theorem of that name. Raises
    FileNotFoundError if the file does not exist.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "mine.py")
    >>> _ = path.write_text("from seqsep.theorems.retrieval.index_lookup_state import THEOREM as MINE")
    >>> load_theorem(f"{path}:MINE").name
    'index-lookup-state'
    """
    return UserTheorem.parse(text).load()
