"""The page of proofs, proofs.html: the text of each theorem's proof, and the file with the program next to it.

Like the other pages it needs neither the network nor JavaScript, and is next to them, so that links work wherever they are.
"""

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from markupsafe import Markup

import seqsep
from seqsep.core.files import write_file
from seqsep.core.names import docstring
from seqsep.report.page.templates import environment, source
from seqsep.theorems import BY_NAME, Theorem

FILE = "proofs.html"


@dataclass(frozen=True)
class Proof:
    """A theorem with the text at the head of its file, the file's path below src/seqsep, and the whole of it."""

    theorem: Theorem
    text: str
    path: str
    program: str

    @classmethod
    def of(cls, theorem: Theorem) -> "Proof":
        """Return the proof in the file of a theorem."""
        module = module_of(theorem)
        file = Path(inspect.getfile(module))
        program = file.read_text(encoding="utf-8")
        path = file.relative_to(Path(seqsep.__file__).parent).as_posix()
        return cls(theorem, docstring(module), path, program)


def module_of(theorem: Theorem) -> ModuleType:
    """Return the module of a theorem of the registry.

    >>> module_of(BY_NAME["canary-llama"]).__name__
    'seqsep.theorems.canary.llama'
    """
    return import_module(BY_NAME.places[theorem.name].partition(":")[0])


def proof_link(theorem: str) -> str:
    """Return the link to a theorem's proof from a page of the same folder; empty for a name of another kind.

    >>> proof_link("index-lookup-state"), proof_link("x")
    ('proofs.html#index-lookup-state', '')
    """
    return f"{FILE}#{theorem}" if theorem in BY_NAME else ""


def write_proofs(folder: Path, theorems: Iterable[str]) -> Path | None:
    """Write the proofs of the theorems of these names beside the page; return the path, None if there are none."""
    proofs = [Proof.of(BY_NAME[name]) for name in dict.fromkeys(theorems) if name in BY_NAME]
    if not proofs:
        return None
    text = environment().get_template("proofs.html").render(css=Markup(source("page.css")), proofs=proofs)
    write_file(folder / FILE, text)
    return folder / FILE
