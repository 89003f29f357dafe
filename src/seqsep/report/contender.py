"""Who competes: an architecture at a size, and how it is named, coloured and marked everywhere in the report.

Colours follow Okabe and Ito's, which people with any common colour blindness tell apart, with a lighter set for dark
pages; a marker and a printed name always say the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from seqsep.plugins.name import PlugIn, shown


@dataclass(frozen=True)
class Style:
    """Reader's name, colour on light and on dark ground, and marker (also of matplotlib)."""

    title: str
    light: str
    dark: str
    marker: str


STYLES: dict[str, Style] = {
    "attention": Style("Attention", "#d55e00", "#ff8a3c", "o"),
    "lstm": Style("LSTM", "#0072b2", "#53b4ee", "s"),
    "linear-attention": Style("Linear attention", "#009e73", "#2fcfa2", "^"),
    "retention": Style("Retention", "#c05d93", "#ee9cc8", "D"),
    "dss": Style("DSS", "#4d4d4d", "#b9bec4", "X"),
    "mamba": Style("Mamba", "#c48600", "#f6c344", "P"),
    "mamba2": Style("Mamba-2", "#7a4b00", "#d8a860", "*"),
    "gated-delta": Style("Gated delta rule", "#2f9bd8", "#8ed0f5", "<"),
    "rwkv7": Style("RWKV-7", "#8c1d40", "#f08aa5", ">"),
    "sliding-attention": Style("Sliding attention", "#8a8f00", "#cfd45a", "h"),
}
OTHER = Style("", "#7a5cc9", "#b49bff", "v")


@dataclass(frozen=True)
class Contender:
    """An architecture at a size; `layers` are names of mixers or a user's own, so that several of them make a hybrid."""

    layers: tuple[str | PlugIn, ...]
    width: int

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
        """The architecture as a reader knows it; a user's own layer by its class and the first digits of its file's digest."""
        return self.style.title or "+".join(map(shown, self.distinct_layers))

    @property
    def style(self) -> Style:
        """How it looks wherever it appears."""
        return STYLES.get(self.architecture, OTHER)

    @property
    def slug(self) -> str:
        """A word that is safe as the name of a style."""
        return self.architecture if self.architecture in STYLES else "other"

    @property
    def size(self) -> str:
        """(depth, width), as the paper writes it."""
        return f"({len(self.layers)}, {self.width})"

    @property
    def rank(self) -> tuple[int, str, int, int]:
        """Its place in every table and legend."""
        order = list(STYLES).index(self.slug) if self.slug in STYLES else len(STYLES)
        return order, self.architecture, len(self.layers), self.width


def names(contenders: Iterable[Contender]) -> dict[Contender, str]:
    """A short name each, with the size where the architecture alone is ambiguous."""
    found = set(contenders)
    alone = {one for one in found if sum(one.architecture == other.architecture for other in found) == 1}
    return {one: one.title if one in alone else f"{one.title} {one.size}" for one in sorted(found, key=lambda one: one.rank)}
