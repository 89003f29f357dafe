"""The page of a published model: what it keeps between tokens, from its config.json, and what follows.

A configuration is chosen from those that come with seqsep, or pasted. A pasted one is read by the reader of `seqsep capacity`,
which loads no code.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from seqsep.commands.capacity import DECIMAL, MEMORY, quantity
from seqsep.commands.explore.uploads import Upload
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.language_models.capacity import Capacity, capacity
from seqsep.language_models.capacity.config import config_of
from seqsep.language_models.capacity.crossings import LONGEST, crossings
from seqsep.language_models.capacity.declare import Layer
from seqsep.language_models.capacity.notes import notes
from seqsep.language_models.capacity.published import published
from seqsep.language_models.capacity.text import CapacityQuery, asked, meaning, proved, sizes
from seqsep.report.figures.chart import Chart
from seqsep.report.page.capacity_chart import bytes_chart

DEFAULT = "tiiuae/falcon-mamba-7b"
OTHER = "meta-llama/Llama-3.1-8B"
LENGTH = "128k"
MOST_CONFIG = 1 << 20
MOST_STRIP = 200
PASTED = "your config.json"
LETTERS = {"recurrent": "R", "attention": "A", "window": "W", "latent": "L", "cross": "X", "compressed": "C", "index": "I"}
"""The letter of a layer, by the first of these kinds that it keeps. Any other layer is S: a short convolution or a shift."""
MEANINGS = {
    "R": "recurrent: a fixed state",
    "A": "attention: keys and values of every token",
    "W": "window: keys and values of the last tokens",
    "L": "latent attention: a compressed vector of every token",
    "X": "cross-attention: of every source token",
    "C": "compressed cache",
    "I": "an index of every token",
    "S": "a short convolution or a shift: the last few tokens",
    "–": "nothing: an MLP without memory",
}


@dataclass(frozen=True)
class LayerCell:
    """A layer in the strip: its letter, what it keeps, and the name of its colour."""

    letter: str
    kinds: str
    number: int


@dataclass(frozen=True)
class ShownModel:
    """A model: its name, its status, its layers, and the lines of `seqsep capacity`."""

    name: str
    status: str
    found: Capacity
    strip: tuple[LayerCell, ...]
    facts: tuple[tuple[str, str], ...]
    said: tuple[str, ...]
    proved: tuple[str, ...]


def content(visit: Visit) -> PageContent:
    """Return the page of one model, or of two that are compared."""
    choices = [model.name for model in published()]
    error = ""
    models: list[ShownModel] = []
    chart: Chart | None = None
    crossed: list[str] = []
    fields = _fields(visit)
    try:
        query = CapacityQuery(
            quantity("length", fields["length"], DECIMAL),
            quantity("memory", fields["memory"], MEMORY) if fields["memory"] else None,
            written=fields["length"],
        )
        models = [shown(name, found, query) for name, found in _models(visit, fields)]
        alone = [model.found for model in models]
        last = max(LONGEST, query.length or 0)
        chart = bytes_chart(alone, [model.name for model in models], last)
        crossed = crossed_at(models, last)
    except (BadInput, ValueError) as wrong:
        error = text_of(wrong)
    title = "Capacity" if not models else f"Capacity of {models[0].name}"
    values = {"choices": choices, "fields": fields, "models": models, "chart": chart, "crossed": crossed, "meanings": MEANINGS}
    command = "seqsep capacity config.json" + (f" --length {fields['length']}" if not error else "")
    return PageContent(title, "capacity.html", values, error=error, command=command)


def _fields(visit: Visit) -> dict[str, str]:
    upload = Upload(visit.body or b"", visit.kind)
    given = {name: upload.text(name).strip() for name in ("length", "memory", "config", "second")}
    names = {"model": DEFAULT, "second": "", "length": LENGTH, "memory": "", "config": ""}
    first = visit.name.replace("--", "/")
    return {
        name: given.get(name) or visit.asked(name, first if name == "model" and first else start)
        for name, start in names.items()
    }


def _models(visit: Visit, fields: dict[str, str]) -> list[tuple[tuple[str, str], Capacity]]:
    """Return the models of the form, each with its name and status. Raises BadInput for one that cannot be read."""
    found: list[tuple[tuple[str, str], Capacity]] = []
    if visit.body is not None:
        data = Upload(visit.body, visit.kind).require("config", "the text of a config.json")
        if len(data) > MOST_CONFIG:
            raise BadInput(f"{PASTED}: expected at most 1 MiB, found more")
        read = capacity(config_of(PASTED, data))
        found.append(((PASTED, "read from the pasted text"), replace(read, where=PASTED)))
    else:
        found.append(_published(fields["model"]))
    if fields["second"]:
        found.append(_published(fields["second"]))
    return found


def _published(name: str) -> tuple[tuple[str, str], Capacity]:
    model = next((one for one in published() if one.name == name), None)
    if model is None:
        raise BadInput(f"model: expected one of the models of the list, found {excerpt(repr(name))}")
    status = f"config: {model.status}; {model.source}{f'; {model.note}' if model.note else ''}"
    return (model.name, status), replace(model.capacity(), where=model.name)


def shown(name: tuple[str, str], found: Capacity, query: CapacityQuery) -> ShownModel:
    """Return a model with the lines that `seqsep capacity` prints of it."""
    return ShownModel(
        name[0],
        name[1],
        found,
        strip=strip(found.layers),
        facts=(*sizes(found), *asked(found, query)),
        said=(*notes(found), *query.unit, *meaning(found)),
        proved=tuple(line.strip() for line in proved(found, query.length)),
    )


def crossed_at(models: Sequence[ShownModel], last: int) -> list[str]:
    """Return a sentence for each length at which two models change places."""
    found = crossings([model.found for model in models], last)
    lines = []
    for pair, lengths in found.items():
        for at in lengths:
            less, more = sorted((models[place] for place in pair), key=lambda model: model.found.bytes_at(at))
            lines.append(f"From {at:,} tokens on {more.name} keeps more than {less.name}.")
    return lines


def strip(layers: Sequence[Layer]) -> tuple[LayerCell, ...]:
    """Return the layers as letters, up to 200 of them.

    >>> one = capacity({"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4})
    >>> [(cell.letter, cell.kinds) for cell in strip(one.layers)]
    [('R', 'conv and recurrent'), ('R', 'conv and recurrent')]
    """
    return tuple(_cell(number, layer) for number, layer in enumerate(layers[:MOST_STRIP], 1))


def _cell(number: int, layer: Layer) -> LayerCell:
    kinds = list(dict.fromkeys(part.kind for part in layer))
    letters = [letter for kind, letter in LETTERS.items() if kind in kinds]
    return LayerCell("".join(letters[:2]) or ("S" if kinds else "–"), " and ".join(kinds) or "nothing", number)
