"""Theorems: each file has the statement, the proof, what it builds or reduces, and a check that runs it.

A theorem is imported when it is first used: `BY_NAME` has all names before that, and `THEOREMS` imports all theorems.

Folders are subjects; docs/reference/theorems/index.md is the index by paper and number. Files:

    retrieval         index lookup and associative recall
    equality          equality of two halves
    sparse_threshold  thresholds of sparse features
    nearest_neighbor  nearest neighbour
    bounded_dyck      brackets of bounded depth
    is_tree           whether a list of edges is a tree
    turing_machine    Turing machines, run step by step
    circuits          recurrent models whose step is a circuit
    state_tracking    products of group elements, parity and counters
    positions         rotary positions and ALiBi: what a head can distinguish
    canary            weights of stock classes whose every greedy answer is known
    protocols         models as protocols between two parties
    blocks            pieces that several constructions are put together from
    analysis          the least state of a user's function or language
    certificate       certificates: files from which `seqsep_check.py` checks a claim without seqsep
    laws              the laws of theorems, callable by outside authors
    plugins           a user's own theorem, from FILE.py:NAME
    options           the types of the options that several theorems have
    base              claim, outcome, theorem and erratum: the records of a theorem
    evidence          what a theorem exhibits for a certificate
    checking          what the checks of several theorems share
    trial             inputs put to a built network, on its grid and in floats
"""

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from seqsep.core.names import BadInput, choose, excerpt
from seqsep.core.registry import Registry, lazy_names
from seqsep.core.tables import Sizes
from seqsep.models.tabular_network import TabularNetwork
from seqsep.theorems import (
    bounded_dyck,
    canary,
    circuits,
    equality,
    is_tree,
    nearest_neighbor,
    positions,
    protocols,
    retrieval,
    sparse_threshold,
    state_tracking,
    turing_machine,
)
from seqsep.theorems.base import Claim, Outcome, Outcomes, Theorem, TheoremFails

PLACES = {
    **retrieval.PLACES,
    **equality.PLACES,
    **sparse_threshold.PLACES,
    **nearest_neighbor.PLACES,
    **bounded_dyck.PLACES,
    **is_tree.PLACES,
    **turing_machine.PLACES,
    **circuits.PLACES,
    **state_tracking.PLACES,
    **positions.PLACES,
    **canary.PLACES,
    **protocols.PLACES,
}
"""The place of each theorem, by name; a subject's theorems are in the `__init__` of its folder."""
BY_NAME: Registry[Theorem] = Registry("theorem", PLACES)

if TYPE_CHECKING:
    THEOREMS: tuple[Theorem, ...]
else:
    __getattr__ = lazy_names(__name__, {"THEOREMS": BY_NAME.members})


def check(name: str | Theorem, **options: Any) -> Outcomes:
    """Check one theorem on inputs, and measure every size next to its bound.

    The result has an `Outcome` for each side and variant, in a list that prints as a table. `outcome.line()` is one line of
    text and `outcome.record()` an object for JSON. On the side "upper", a network was built and answered the inputs. On the
    side "lower", a reduction or a witness was run on given models; the written proof shows the bound for all models.

    Arguments:
        name: name of a theorem, such as index-lookup-attention; `seqsep list theorems` prints all with their statements. Or
            your own `Theorem`.
        options: keywords of the theorem's check, each with a default; `seqsep check THEOREM --help` explains them.

    Raises ValueError for an unknown name or option, and TheoremFails with the counterexample if an input refutes the theorem.

    >>> upper, *lower = check("index-lookup-state", length=4, alphabet=3)
    >>> upper.measured["state_bits"], upper.exhaustive, lower[0].measured["state_bits"]
    (7, True, 6)
    """
    return Outcomes(_named(name).call("check", options))


def apply(name: str | Theorem, lines: Iterable[str], source: str = "input", **options: Any) -> Iterator[Any]:
    """Yield the answer of a theorem's built weights to each line of input.

    Arguments:
        name: name of a theorem, as `seqsep list theorems` prints it, or your own `Theorem`.
        lines: inputs, each a JSON object in the readable form of `seqsep sample --json`; blank lines are skipped.
        source: name of the input in error messages.
        options: sizes of the construction, as `seqsep apply THEOREM --help` explains them; most need `length`.

    Raises ValueError for an unknown name or option. Raises ValueError with `source` and the number of the line for a line that
    is not such an input.

    >>> list(apply("index-lookup-attention", ['{"symbols": [3, 1, 2], "position": 2}'], length=8, alphabet=4))
    [1]
    """
    theorem = _named(name)
    if theorem.predictor is None:
        raise ValueError(f"apply({theorem.name!r}): {theorem.nothing_to_apply}")
    answer = theorem.call("apply", options)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield answer(_json_object(line))
        except json.JSONDecodeError as error:
            raise ValueError(f"{source}, line {number}: not JSON: {error.msg} at column {error.colno}") from None
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from None


def build(name: str | Theorem, **options: Any) -> TabularNetwork:
    """Build the network of a theorem's upper bound, weight by weight; it prints as a table of its arrays.

    `seqsep.Model.load(network)` is the same network as a `torch.nn.Module` in float64. `seqsep.maths.networks.executor.run`
    runs it on its grid.

    Arguments:
        name: name of a theorem, as `seqsep list theorems` prints it, or your own `Theorem`.
        options: sizes of the network, as `seqsep export-network THEOREM --help` explains them; most need `length`.

    Raises ValueError for an unknown name or option, or a theorem that builds no network.

    >>> build("index-lookup-attention", length=8, alphabet=4).name
    'index-lookup-attention-parabola'
    """
    theorem = _named(name)
    if theorem.build is None:
        builders = ", ".join(known for known, other in BY_NAME.items() if other.build is not None)
        raise ValueError(f"build({theorem.name!r}): expected a theorem that builds a network: {builders}")
    return TabularNetwork.of(theorem.call("build", options))


def bound(name: str | Theorem, **options: Any) -> Sizes:
    """Return the sizes of a theorem's statement with their constants; nothing is built or run.

    The result maps the name of each size to its number: sizes of states and parameters are in bits, widths in coordinates.

    Arguments:
        name: name of a theorem, as `seqsep list theorems` prints it, or your own `Theorem`.
        options: lengths and sizes, as `seqsep bound THEOREM --help` explains them; most need `length`.

    Raises ValueError for an unknown name or option, a size that is missing, or a theorem without such formulas.

    >>> bound("index-lookup-state", length=100, alphabet=64)["state_bits"]
    600
    """
    theorem = _named(name)
    if theorem.constants is None:
        having = ", ".join(known for known, other in BY_NAME.items() if other.bound is not None)
        raise ValueError(f"bound({theorem.name!r}): its sizes depend on more than lengths; these have such formulas: {having}")
    return Sizes(theorem.call("bound", options))


def _named(name: str | Theorem) -> Theorem:
    """The theorem of this name, or the `Theorem` itself. Raises BadInput with the nearest names for another."""
    if isinstance(name, Theorem):
        return name
    if not isinstance(name, str):
        raise BadInput(f"theorem: expected a name, such as index-lookup-state, or a Theorem, found {excerpt(repr(name))}")
    return BY_NAME[choose("theorem", name, list(BY_NAME))]


def _json_object(line: str) -> dict[str, Any]:
    """The input of a line; of an example as `seqsep sample --json` writes it, the readable form."""
    from seqsep.tasks.reading import readable_form  # imports tasks

    try:
        given = json.loads(line)
    except RecursionError:
        raise ValueError("expected a JSON object of lists, found deeper nesting than can be read") from None
    if not isinstance(given, dict):
        raise ValueError(f"expected a JSON object, found {line.strip()[:80]}")
    return dict(readable_form(given))


__all__ = [
    "BY_NAME",
    "PLACES",
    "THEOREMS",
    "Claim",
    "Outcome",
    "Outcomes",
    "Theorem",
    "TheoremFails",
    "apply",
    "bound",
    "build",
    "check",
]
