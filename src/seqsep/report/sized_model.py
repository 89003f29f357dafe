"""An architecture at a size under one choice of positions, and how it is named, coloured and marked everywhere in the report.

Colours follow Okabe and Ito's, which people with any common colour blindness tell apart, with a lighter set for dark
pages; a marker and a printed name always say the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from seqsep.lab.run import Run
from seqsep.mixers.settings import mixer_named
from seqsep.plugins.name import PlugIn, shown

MOST_NAMED = 12
"""How many models a figure or a sentence names; beyond it names architectures."""


@dataclass(frozen=True)
class Style:
    """How a line or a row looks.

    `slug` is the name of its CSS class and `title` what a reader calls it. The colours are those on `light` and on `dark`
    ground; the marker is matplotlib's.
    """

    slug: str
    title: str
    light: str
    dark: str
    marker: str


STYLES: dict[str, Style] = {
    style.slug: style
    for style in (
        Style("attention", "Attention", light="#d55e00", dark="#ff8a3c", marker="o"),
        Style("lstm", "LSTM", light="#0072b2", dark="#53b4ee", marker="s"),
        Style("linear-attention", "Linear attention", light="#009e73", dark="#2fcfa2", marker="^"),
        Style("retention", "Retention", light="#c05d93", dark="#ee9cc8", marker="D"),
        Style("dss", "DSS", light="#4d4d4d", dark="#b9bec4", marker="X"),
        Style("mamba", "Mamba", light="#c48600", dark="#f6c344", marker="P"),
        Style("mamba2", "Mamba-2", light="#7a4b00", dark="#d8a860", marker="*"),
        Style("gated-delta", "Gated delta rule", light="#2f9bd8", dark="#8ed0f5", marker="<"),
        Style("rwkv7", "RWKV-7", light="#8c1d40", dark="#f08aa5", marker=">"),
        Style("sliding-attention", "Sliding attention", light="#8a8f00", dark="#cfd45a", marker="h"),
    )
}
"""The style of each architecture, by the mixer's name."""

OTHER = Style("other", "", light="#7a5cc9", dark="#b49bff", marker="v")
"""The style of hybrids and of a user's own layers."""


@dataclass(frozen=True)
class SizedModel:
    """An architecture at a size: the mixers, layer by layer, and the width. Different mixers make a hybrid.

    `positions` are those that the model has, `learned` or `none` or others of `Model.build`: what "default" stands for.
    Unknown ones are the empty word. `heads` are 0 if they are not told apart.

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

    @classmethod
    def of(cls, run: Run) -> "SizedModel":
        """The model of a run."""
        if run.positions != "default":
            return cls(run.layers, run.width, run.positions)
        learned = any(isinstance(layer, str) and mixer_named(layer).block.positions == "learned" for layer in run.layers)
        own = any(isinstance(layer, PlugIn) for layer in run.layers)
        return cls(run.layers, run.width, "learned" if learned else "" if own else "none")

    @property
    def distinct_layers(self) -> tuple[str | PlugIn, ...]:
        """One layer for all if they are equal, else each of them in order."""
        return self.layers[:1] if len(set(self.layers)) == 1 else self.layers

    @property
    def architecture(self) -> str:
        """The mixer's name, or the names of a hybrid joined by +."""
        return "+".join(map(str, self.distinct_layers))

    @property
    def title(self) -> str:
        """The architecture as a reader knows it; a user's own layer by its class and its file's digest."""
        return self.style.title or "+".join(map(shown, self.distinct_layers))

    @property
    def style(self) -> Style:
        """How it looks wherever it appears."""
        return STYLES.get(self.architecture, OTHER)

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
    def rank(self) -> tuple[int, str, int, int, str, int]:
        """Its place in every table and legend."""
        order = list(STYLES).index(self.slug) if self.slug in STYLES else len(STYLES)
        return order, self.architecture, len(self.layers), self.width, self.positions, self.heads


def model_names(models: Iterable[SizedModel]) -> dict[SizedModel, str]:
    """The short name of each model, in the order of every table.

    If models of one architecture differ in size, the name has the size, and if they differ in positions or heads, these.

    >>> list(model_names([SizedModel(("mamba",), 64), SizedModel(("mamba",), 32), SizedModel(("lstm",), 64)]).values())
    ['LSTM', 'Mamba (1, 32)', 'Mamba (1, 64)']
    >>> list(model_names(SizedModel(("dss",), 64, positions) for positions in ("learned", "none")).values())
    ['DSS, learned positions', 'DSS, no positions']
    """
    ordered = sorted(set(models), key=lambda model: model.rank)
    names = {}
    for model in ordered:
        same = [other for other in ordered if other.architecture == model.architecture]
        size = f" {model.size}" if len({other.size for other in same}) > 1 else ""
        positions = f", {model.position_words}" if len({other.positions for other in same}) > 1 else ""
        heads = f", heads {model.heads}" if len({other.heads for other in same}) > 1 else ""
        names[model] = f"{model.title}{size}{positions}{heads}"
    return names
