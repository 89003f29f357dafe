"""An architecture at a size under one choice of positions, and how it is named and marked everywhere in the report."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from seqsep.lab.run import Run
from seqsep.models.mixers.settings import has_heads
from seqsep.models.plugins.name import PlugIn, shown
from seqsep.report.styles import STYLES, Style, spare_style

MOST_NAMED = 12
"""The most models that a figure names; if there are more, it names architectures."""


@dataclass(frozen=True)
class SizedModel:
    """An architecture at a size: the mixers, layer by layer, and the width. Different mixers make a hybrid.

    `positions` are those that the model has, `learned` or `none` or others of `Model.build`: what "default" means.
    Unknown ones are the empty word. `heads` are 0 if they are not distinguished. `label` is the reader's own name for it, and
    `place` its number among those that have no style of their own (`in_places`), which tells no two models apart.

    >>> model = SizedModel(("linear-attention", "linear-attention"), 64)
    >>> model.title, model.size
    ('Linear attention', '(2, 64)')
    >>> SizedModel(("mamba", "attention"), 64).architecture
    'mamba+attention'
    """

    layers: tuple[str | PlugIn, ...]
    width: int
    positions: str = ""
    heads: int = 0
    label: str = ""
    place: int = field(default=0, compare=False)

    @classmethod
    def of(cls, run: Run) -> "SizedModel":
        """Return the model of a run."""
        return cls(run.layers, run.width, run.positions_told())

    @property
    def distinct_layers(self) -> tuple[str | PlugIn, ...]:
        """One layer for all if they are equal, else each of them in order."""
        return self.layers[:1] if len(set(self.layers)) == 1 else self.layers

    @property
    def mixers_in_order(self) -> tuple[str, ...]:
        """Each of its mixers once, in the order in which they first come."""
        return tuple(dict.fromkeys(map(str, self.layers)))

    @property
    def architecture(self) -> str:
        """The mixer's name, or the names of a hybrid joined by +."""
        return "+".join(map(str, self.distinct_layers))

    @property
    def title(self) -> str:
        """The reader's label, or else the architecture as a reader knows it."""
        if self.label:
            return self.label
        settings = self.architecture.removeprefix(self.family)
        return f"{self.style.title} {settings}".strip() if self.family in STYLES else self.layers_in_words

    @property
    def layers_in_words(self) -> str:
        """Its layers, one for all if they are equal; a user's own by its class and its file's digest."""
        return "+".join(map(shown, self.distinct_layers))

    @property
    def family(self) -> str:
        """The mixer without its settings, whose colour the architecture has; a hybrid's own name.

        >>> SizedModel(("mamba2(states=8)",), 64).family
        'mamba2'
        """
        return self.architecture.partition("(")[0] if len(self.distinct_layers) == 1 else self.architecture

    @property
    def style(self) -> Style:
        """Its style in all figures and tables. Sizes and settings of a mixer share it, with other fillings of markers."""
        return STYLES.get(self.family) or spare_style(self.place)

    def with_heads(self, heads: int) -> "SizedModel":
        """Return the model with its heads to distinguish it, if any of its layers has them.

        >>> SizedModel(("lstm",), 64).with_heads(4).heads, SizedModel(("mamba", "attention"), 64).with_heads(4).heads
        (0, 4)
        """
        return replace(self, heads=heads) if has_heads(self.layers) else self

    @property
    def slug(self) -> str:
        """The name of its CSS class."""
        return self.style.slug

    @property
    def size(self) -> str:
        """(depth, width), as the paper writes it."""
        return f"({len(self.layers)}, {self.width})"

    @property
    def position_words(self) -> str:
        """Its positions in words; empty if they are unknown."""
        words = {"none": "no positions", "": ""}
        return words.get(self.positions, f"{self.positions} positions")

    @property
    def size_and_positions(self) -> str:
        """Its title and size, and its positions if they are known.

        >>> SizedModel(("lstm",), 64, "none").size_and_positions
        'LSTM (1, 64) with no positions'
        """
        positions = f" with {self.position_words}" if self.position_words else ""
        return f"{self.title} {self.size}{positions}"

    @property
    def rank(self) -> tuple[int, str, str, int, int, str, int]:
        """Its place in every table and legend."""
        order = list(STYLES).index(self.slug) if self.slug in STYLES else len(STYLES)
        return order, self.architecture, self.label, len(self.layers), self.width, self.positions, self.heads


def in_places(models: Iterable[SizedModel]) -> dict[SizedModel, SizedModel]:
    """Return each model with its place among those that have no style of their own, in the order of every table. Hybrids of the
    same mixers in the same order share a place, however many layers of each they have, as the sizes of one mixer share its
    style.

    >>> hybrid = SizedModel(("mamba", "attention"), 64)
    >>> [model.slug for model in in_places([hybrid, SizedModel(("lstm", "attention"), 64)])]
    ['other-1', 'other-2']
    >>> deeper = SizedModel(("mamba", "mamba", "attention"), 64)
    >>> [model.slug for model in in_places([hybrid, deeper])]
    ['other-1', 'other-1']
    """
    ordered = sorted(set(models), key=lambda model: model.rank)
    without = dict.fromkeys(model.mixers_in_order for model in ordered if model.family not in STYLES)
    places = {mixers: place for place, mixers in enumerate(without)}
    placed = [replace(model, place=places.get(model.mixers_in_order, 0)) for model in ordered]
    return {model: model for model in placed}


def model_names(models: Iterable[SizedModel]) -> dict[SizedModel, str]:
    """Return the short name of each model, in the order of every table.

    If models of one architecture and label differ in size, the name has the size, and if they differ in positions or heads,
    these. Architectures of one label are distinguished by their layers.

    >>> list(model_names([SizedModel(("mamba",), 64), SizedModel(("mamba",), 32), SizedModel(("lstm",), 64)]).values())
    ['LSTM', 'Mamba (1, 32)', 'Mamba (1, 64)']
    >>> list(model_names(SizedModel(("dss",), 64, positions) for positions in ("learned", "none")).values())
    ['DSS, learned positions', 'DSS, no positions']
    """
    ordered = sorted(set(models), key=lambda model: model.rank)
    names = {}
    for model in ordered:
        same = [other for other in ordered if (other.architecture, other.label) == (model.architecture, model.label)]
        size = f" {model.size}" if len({other.size for other in same}) > 1 else ""
        positions = f", {model.position_words}" if len({other.positions for other in same}) > 1 else ""
        heads = f", heads {model.heads}" if len({other.heads for other in same}) > 1 else ""
        shared = model.label and any(other.title == model.title for other in ordered if other not in same)
        layers = f" ({model.layers_in_words})" if shared else ""
        names[model] = f"{model.title}{layers}{size}{positions}{heads}"
    return names
