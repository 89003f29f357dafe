"""The start: what is proved, what is measured, and four doors."""

from dataclasses import dataclass

from seqsep.commands.explore.pages.lengths import sizes_over_lengths
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.commands.shipped import shipped
from seqsep.lab.rows_of import read_rows
from seqsep.report.demo_heatmap import Heatmap, heatmap
from seqsep.report.demo_runs import DemoRuns
from seqsep.tasks import IndexLookup
from seqsep.theorems import BY_NAME, THEOREMS

PROVED = "index-lookup-attention"
STATE = "index-lookup-state"
ALPHABET = 64
ROWS = "results/demo.jsonl"


@dataclass(frozen=True)
class StartStep:
    """A step of the path through the pages: where it goes, and what to look at there."""

    page: str
    name: str
    title: str
    what: str


@dataclass(frozen=True)
class StartDoor:
    """A door: its title, what is on the other side, and its pages with their names."""

    title: str
    what: str
    pages: tuple[tuple[str, str], ...]


PATH = (
    StartStep(
        "theorem",
        PROVED,
        "The Transformer",
        "The network has one attention layer. Its squares show that the last token reads the queried position.",
    ),
    StartStep(
        "protocol",
        "index-lookup",
        "The recurrent model",
        "Alice reads the list and sends the state to Bob, who does not know the list. So the state must hold all of it.",
    ),
    StartStep(
        "protocol",
        "index-lookup",
        "One bit less",
        "At the end of the same page the state loses one bit. Two lists leave one state, and the model answers wrongly.",
    ),
    StartStep(
        "theorem",
        PROVED,
        "The sizes",
        "With N, the weights grow slowly and the least state of a recurrent model grows in proportion. So the lines cross.",
    ),
    StartStep(
        "certificate",
        STATE,
        "The proof in a file",
        "A short program checks the claim without seqsep. Change one number, and it rejects the file.",
    ),
)
"""The separation in five steps."""
DOORS = (
    StartDoor(
        "Theorems",
        "Networks built weight by weight, lower bounds with witnesses, and errata of the papers.",
        (("theorems", "All theorems"), ("protocol", "A model as a protocol"), ("certificate", "Certificates")),
    ),
    StartDoor(
        "Languages and functions",
        "The minimal automaton of a regular expression, and chains of thought of graphs and Turing machines, token by token.",
        (("language", "Languages"), ("thought", "Chains of thought")),
    ),
    StartDoor(
        "Layers and models",
        "What a published model keeps of its past, what a layer learns, and what a trained model carries in its state.",
        (("capacity", "Capacity"), ("card", "Cards of layers"), ("audit", "Audits of models")),
    ),
    StartDoor(
        "Experiments",
        "Trained models: a heat map, the curves of a cell, and one run with all fields. Also of your own store.",
        (("experiments", "All experiments"),),
    ),
)


def content(visit: Visit) -> PageContent:
    """Return the start page."""
    proved = sizes_over_lengths(BY_NAME[PROVED], {"alphabet": ALPHABET}, IndexLookup(8, ALPHABET), None)
    table = measured()
    values = {
        "proved": proved,
        "measured": table,
        "any_ceiling": any(cell.bites and cell.run for row in table.rows for cell in row.cells),
        "path": PATH,
        "doors": DOORS,
        "theorems": len(THEOREMS),
        "errata": sum(len(theorem.errata) for theorem in THEOREMS),
        "alphabet": ALPHABET,
    }
    return PageContent("Start", "start.html", values, command="seqsep demo")


def measured() -> Heatmap:
    """Return the table of the committed runs of the demo: accuracy by model and length, with ceilings."""
    return heatmap(DemoRuns.of_rows((), read_rows(shipped(ROWS))))
