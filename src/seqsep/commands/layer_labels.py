"""`--label` of `seqsep train` and `seqsep run`: a name of all runs, or names of the runs with some layers."""

from collections.abc import Callable, Iterable, Sequence

from seqsep.core.names import BadInput, nearest
from seqsep.lab.run import Run
from seqsep.lab.run_labels import require_label
from seqsep.report.named_layers import written


def read_labels_of_layers(given: Sequence[str], runs: Iterable[Run]) -> Callable[[Iterable[Run]], dict[str, str]]:
    """Return the function from runs to the labels of their keys. Raises BadInput for layers that none of `runs` has.

    A text is a label of all runs, or LAYERS=NAME. A single label may have the sign =, if what is before it are no layers.

    >>> from seqsep.tasks import IndexLookup
    >>> runs = [Run(IndexLookup(5), (name,), 8) for name in ("lstm", "dss")]
    >>> list(read_labels_of_layers(["lstm=mine"], runs)(runs).values())
    ['mine']
    """
    known = [written(run) for run in runs]
    everywhere: list[str] = []
    of_layers: dict[str, str] = {}
    for text in given:
        layers, equals, name = text.rpartition("=")
        layers = layers.replace(" ", "")
        if equals and any(layers in names for names in known):
            of_layers[layers] = require_label(name, f"--label {text}")
        elif equals and len(given) > 1:
            names = list(dict.fromkeys(names[0] for names in known))
            raise BadInput(f"--label {text}: expected layers of a run: {'; '.join(names)}{nearest(layers, names)}")
        else:
            everywhere.append(require_label(text, f"--label {text}"))

    def named(runs: Iterable[Run]) -> dict[str, str]:
        found = {}
        for run in runs:
            labels = [*everywhere, *(of_layers[names] for names in written(run) if names in of_layers)]
            if labels:
                found[run.key()] = labels[-1]
        return found

    return named
