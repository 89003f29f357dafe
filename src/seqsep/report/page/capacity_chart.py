"""The chart of `seqsep capacity --compare`: bytes of state and cache over the length, and where models cross."""

import math
from collections.abc import Sequence

from seqsep.core.names import BadInput
from seqsep.language_models.capacity.answer import Capacity
from seqsep.language_models.capacity.crossings import LONGEST, crossings, crossings_in_words, lengths_to, names_of
from seqsep.language_models.capacity.text import readable
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, picture_svg
from seqsep.report.styles import SPARE_MARKERS, STYLES, Style, spare_style

MOST_MODELS = 12
UNITS = ("", "k", "M", "G", "T", "P", "E")
PLAIN = ("attention", "mamba", "lstm", "linear-attention", "retention", "dss", "gated-delta", "rwkv7")
"""Styles in the order in which models take them, before the spare ones."""


def capacity_chart(models: Sequence[Capacity], length: int | None = None) -> str:
    """Return the chart as SVG text, which every viewer draws.

    Bytes of one sequence are drawn up to `length` tokens, or a million; both axes are logarithmic. A mark is on the
    lines of two models at the first length at which the other one keeps more (`crossings`). Raises BadInput
    for more than 12 models, for none, or for models that keep nothing at all.

    >>> from seqsep.language_models.capacity import capacity
    >>> small = capacity({"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4})
    >>> capacity_chart([small]).startswith("<svg")
    True
    """
    chart = bytes_chart(models, names_of(models), length)
    widths = sorted({bits for model in models for bits in (model.state_bits, model.cache_bits)})
    picture = ChartPicture(
        "State and cache of one sequence, in bytes",
        f"At {' and '.join(map(str, widths))} bits a number. Marks: where two lines cross.",
        (PicturePanel("", "", chart),),
    )
    return picture_svg(picture)


def bytes_chart(models: Sequence[Capacity], names: Sequence[str], length: int | None = None) -> Chart:
    """Return the chart of `capacity_chart` for models with these names. Raises BadInput as it does."""
    if not 1 <= len(models) <= MOST_MODELS:
        raise BadInput(f"--chart: expected 1 to {MOST_MODELS} models, found {len(models)}")
    last = max(2, LONGEST if length is None else length)
    found = crossings(models, last)
    dots = {place: [at for pair, ats in found.items() if place in pair for at in ats] for place in range(len(models))}
    lengths = sorted({*lengths_to(last), *(at for ats in found.values() for at in ats)})
    curves = [[(float(at), float(model.bytes_at(at))) for at in lengths] for model in models]
    heights = [height for curve in curves for _, height in curve if height > 0]
    if not heights:
        raise BadInput("--chart: expected a model that keeps something between tokens")
    styles = [_style(place) for place in range(len(models))]
    lines = [
        LineData(
            style,
            readable(model.bytes_at(last)),
            name,
            tuple(point for point in curve if point[1] > 0),
            dots=tuple((float(at), float(model.bytes_at(at))) for at in dots[place]),
        )
        for place, (style, model, name, curve) in enumerate(zip(styles, models, names, curves, strict=True))
    ]
    ends = "; ".join(f"{line.name}: {line.value} at {last:,} tokens" for line in lines)
    return Chart(
        "State and cache over length",
        f"Bytes kept by one sequence: {ends}. {' '.join(crossings_in_words(models, last))}",
        lines=tuple(lines),
        x=Axis(1.0, float(last), _powers_of_ten(last), "tokens (logarithmic)", log=True),
        y=_heights(heights),
    )


def _style(place: int) -> Style:
    if place < len(PLAIN):
        return STYLES[PLAIN[place]]
    return spare_style((place - len(PLAIN)) % len(SPARE_MARKERS))


def _powers_of_ten(last: int) -> tuple[tuple[float, str], ...]:
    """Return ticks at the powers of ten up to a length."""
    return tuple((10.0**power, f"{10 ** (power % 3)}{UNITS[power // 3]}") for power in range(len(str(last))))


def _heights(heights: Sequence[float]) -> Axis:
    """Return the vertical axis, from a power of two to a power of two, with a tick every 2^5 or so."""
    low = math.floor(math.log2(min(heights)))
    high = max(low + 1, math.ceil(math.log2(max(heights))))
    step = max(1, round((high - low) / 6))
    ticks = tuple(
        (float(2**power), readable(2**power).replace(".0 ", " ").replace("bytes", "B")) for power in range(low, high + 1, step)
    )
    return Axis(float(2**low), float(2**high), ticks, log=True)
