"""The section of docs/reference/mixers.md on the speed of layers that track a state, from results/mixers-tracking.json."""

import json
from pathlib import Path
from typing import Any, Final

from pages._markdown import table
from seqsep.core.files import read_text

NAMES: Final = {
    "MLSTM": "mlstm",
    "SLSTM": "slstm",
    "KDA": "kda",
    "GatedDelta(negative)": "gated-delta(negative)",
    "GatedDelta(steps=2, negative)": "gated-delta(negative, steps=2)",
    "Rotation": "rotation",
}
"""The layers by their names in the benchmark."""
OURS, ATTENTION = "seqsep", "scaled_dot_product_attention"
TITLE: Final = "{}: the mixer alone, width 64, 4 heads, N = 1,024, batch 2"
"""The title of a comparison in the file."""
SECTION = """
## Speed of the layers that track a state

The table compares training steps of one layer with a layer of another library that computes the same or almost the same
recurrence. A layer has width 64 and 4 heads, and reads 2 sequences of 1,024 tokens. The time is CPU time of one thread on
{processor}, in milliseconds. {faster} of the {layers} layers of seqsep are faster than the other layer.

`PYTHONPATH=src python benchmarks/mixers.py tracking --json results/mixers-tracking.json` measures it again. The last column is
a layer of causal attention with `scaled_dot_product_attention` of PyTorch. Mamba-2, the layer beside `rotation`, has no
rotation.

"""


def mixer_speeds_section(results: Path) -> str:
    """Return the table of times, layer by layer. Raises KeyError if a comparison is missing in the file."""
    found = json.loads(read_text(results / "mixers-tracking.json"))
    medians = found["medians"]
    rows = []
    faster = 0
    for title, name in NAMES.items():
        sides: dict[str, dict[str, Any]] = dict(medians[TITLE.format(title)])
        ours = sides.pop(OURS)["CPU ms"]
        attention = sides.pop(ATTENTION)["CPU ms"]
        (peer, other), *_ = ((side, times["CPU ms"]) for side, times in sides.items())
        faster += other > ours
        rows.append([f"`{name}`", _shown(ours), peer, _shown(other), f"{other / ours:.2f}", _shown(attention)])
    said = SECTION.format(processor=found["processor"], faster=faster, layers=len(NAMES))
    return said + table([["layer", "seqsep, ms", "other layer", "its time, ms", "its time / ours", "attention, ms"], *rows])


def _shown(milliseconds: float) -> str:
    return f"{milliseconds:.0f}" if milliseconds >= 100 else f"{milliseconds:.1f}"
