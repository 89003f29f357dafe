"""The pages, a file each: a function from a `Visit` to a `PageContent`.

rendered     a page as HTML
start        what is proved and what is measured, and four doors
theorems     the list of theorems
theorem      one theorem: attention weights of an input, sizes, and differences from the paper
one_run      a built network on one input: its attention weights and its answer
lengths      sizes of a theorem over N, and where weights and state cross
protocol     a recurrent model as a protocol between two parties
language     the classes of a regular language
capacity     what a published model keeps between tokens
card         the card of a layer, and two compared
audit        what a trained model stores, needs and carries
certificate  what a certificate proves
experiments  heat maps, curves and runs of the committed experiments
sweeps       the same of the reader's store, with the progress of each sweep
heat_map     a heat map, its chosen cell and run
thought      chains of thought, token by token
tape         a Turing machine's run, cell by cell
"""

from collections.abc import Callable, Mapping

from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.core.registry import Registry

Page = Callable[[Visit], PageContent]

PAGES: Registry[Page] = Registry(
    "page",
    {
        "": f"{__name__}.start:content",
        **{name: f"{__name__}.{name}:content" for name in ("theorems", "theorem", "protocol", "language")},
        **{
            name: f"{__name__}.{name}:content"
            for name in ("capacity", "card", "audit", "certificate", "thought", "experiments")
        },
    },
)
FORMS: Mapping[str, int] = {
    "capacity": 1 << 20,
    "card": (2 << 20) + (64 << 10),
    "audit": (4 << 20) + (64 << 10),
    "certificate": (10 << 20) + (64 << 10),
}
"""The pages that take a form with a file or a text, and the greatest number of its bytes."""
MENU: tuple[tuple[str, str], ...] = (
    ("theorems", "Theorems"),
    ("protocol", "Protocol"),
    ("language", "Languages"),
    ("thought", "Chains of thought"),
    ("capacity", "Capacity"),
    ("card", "Cards"),
    ("audit", "Audits"),
    ("experiments", "Experiments"),
    ("certificate", "Certificates"),
)
"""The pages of the menu, in its order."""
