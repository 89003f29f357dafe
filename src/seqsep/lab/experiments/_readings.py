"""The preset `readings`: which reading of appendix H.1 do the paper's accuracies support?

H.1 samples a length k, "N symbols" and a position up to k, and evaluates on exactly N symbols. The three readings are those of
`IndexLookup.training_inputs`. Each of the paper's six architectures trains under each reading, at N = 20 and 50, by one
recipe: learned positions, learning rate 0.001 with a cosine, embedding scale 0.3, one seed.

Attention has the paper's size, one layer of width 64, and N = 100 and 200 too, where its readings differ most. The recurrent
architectures have the paper's width 256 and as many layers as half an hour of one core allows: the LSTM its three, the others
two of six.
"""

from seqsep.lab.experiments._search import Search, SearchCell
from seqsep.lab.run import Run
from seqsep.tasks import IndexLookup
from seqsep.tasks.index_lookup import TRAINING

SIZES = (
    ("attention", 1, 64),
    ("linear-attention", 2, 256),
    ("retention", 2, 256),
    ("dss", 2, 256),
    ("mamba", 2, 256),
    ("lstm", 3, 256),
)
STEPS = {20: 6000, 50: 4000}
ATTENTION_STEPS = {100: 12_000, 200: 12_000}
RATE = 1e-3


def readings() -> Search:
    """Return a cell for each architecture, length and reading; the architecture with the cheapest step comes first."""
    steps = {name: STEPS | (ATTENTION_STEPS if name == "attention" else {}) for name, *_ in SIZES}
    shapes = [(size, length, steps[size[0]][length]) for size in SIZES for length in steps[size[0]]]
    cells = [make(*size, length, steps=steps, training=one) for size, length, steps in shapes for one in TRAINING]
    return Search(SearchCell.each(*cells), rates=(RATE,))


def make(name: str, layers: int, width: int, length: int, *, steps: int, training: str) -> Run:
    """Return the run of one cell."""
    return Run(
        task=IndexLookup(length, training_inputs=training),
        layers=(name,) * layers,
        width=width,
        steps=steps,
        decay="cosine",
        embedding_scale=0.3,
        evaluate_every=steps // 20,
        target=0.999,
        positions="default" if name in ("attention", "linear-attention") else "learned",
    )
