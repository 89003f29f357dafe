"""Labels that a reader gives to models by their layers: `seqsep report --label mamba,attention=mine`."""

from collections.abc import Iterable, Sequence

from seqsep.core.names import BadInput, nearest
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.models.plugins.name import PlugIn


def labels_of_layers(named: Sequence[tuple[str, str]], rows: Iterable[Row]) -> dict[str, str]:
    """Return the label of each row's key, for (layers, label): the rows of these layers, whatever their width.

    Layers are mixers with commas between, one for all if they are equal, and a user's own is the name of its class. Raises
    BadInput for layers that no row has.

    >>> labels_of_layers([], [])
    {}
    """
    found: dict[str, str] = {}
    layers_of = {row.key: written(row.run) for row in rows if named and "question" not in row.configuration}
    for layers, label in named:
        keys = [key for key, names in layers_of.items() if layers.replace(" ", "") in names]
        if not keys:
            known = list(dict.fromkeys(names[0] for names in layers_of.values()))
            raise BadInput(f"--label {layers}={label}: expected layers of a row: {'; '.join(known)}{nearest(layers, known)}")
        found |= dict.fromkeys(keys, label)
    return found


def written(run: Run) -> tuple[str, ...]:
    """Return the ways to write the layers of a run: one for all if they are equal, or each of them."""
    names = [f"{layer.class_name}{layer.settings}" if isinstance(layer, PlugIn) else layer for layer in run.layers]
    whole = ",".join(names)
    return (names[0], whole) if len(set(run.layers)) == 1 else (whole,)
