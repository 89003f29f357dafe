"""Colours and markers of architectures, which are the same everywhere in the report.

Colours follow Okabe and Ito's, which people with any common colour blindness can distinguish, with a lighter set for dark
pages; a marker and a printed name always say the same.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """The look of a line or a row.

    `slug` is the name of its CSS class and `title` what a reader calls it. The colours are those on `light` and on `dark`
    ground; marker and `fill` are matplotlib's. A `strong` line is wider.
    """

    slug: str
    title: str
    light: str
    dark: str
    marker: str
    fill: str = "full"
    strong: bool = False


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

SPARE_COLOURS = (
    ("#7a5cc9", "#b49bff"),
    ("#b5179e", "#f48fe0"),
    ("#1b7f79", "#57d3ca"),
    ("#a63d00", "#ff9f6b"),
    ("#3d5a80", "#9dbbe3"),
    ("#5a7d00", "#b5d94c"),
    ("#c0303f", "#ff8fa0"),
)
SPARE_MARKERS = ("v", "p", "d", "8", "H")
FILLS = ("full", "none", "left", "right", "top", "bottom")
"""The fillings of a marker, by matplotlib's names."""


def spare_style(place: int) -> Style:
    """Return the style of the contender at a place, from 0, among those without one in `STYLES`: hybrids and a user's own
    layers.

    Marker and fill differ for the first 30 places, and so do colour and fill: 5 markers and 7 colours have no common factor.

    >>> [(style.marker, style.fill, style.light) for style in map(spare_style, (0, 1, 5))]
    [('v', 'full', '#7a5cc9'), ('p', 'full', '#b5179e'), ('v', 'none', '#5a7d00')]
    """
    light, dark = SPARE_COLOURS[place % len(SPARE_COLOURS)]
    return Style(
        slug=f"other-{place + 1}",
        title="",
        light=light,
        dark=dark,
        marker=SPARE_MARKERS[place % len(SPARE_MARKERS)],
        fill=FILLS[place // len(SPARE_MARKERS) % len(FILLS)],
    )
