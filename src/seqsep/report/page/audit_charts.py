"""The charts of an audit: accuracy over bits with the ceiling and the three numbers, accuracy by position, and sizes."""

from collections.abc import Sequence

from seqsep.lab.audit.answer import Audit
from seqsep.lab.audit.needed import CodebookResult
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.formatting import count
from seqsep.report.page.curves import PERCENT
from seqsep.report.page.ledger_charts import power_of_ten
from seqsep.report.sized_model import Style
from seqsep.report.ticks import round_ticks
from seqsep.tasks.ceilings import ceiling

STORED = Style("audit-stored", "stored", light="#5d6670", dark="#b9bec4", marker="X")
NEEDED = Style("audit-needed", "needs at most", light="#0072b2", dark="#53b4ee", marker="s")
CARRIED = Style("audit-carried", "carries at least", light="#009e73", dark="#2fcfa2", marker="^")
ALL_RIGHT = Style("audit-all-right", "all right", light="#131a22", dark="#e9eef3", marker="D")
CEILING = Style("audit-ceiling", "ceiling", light="#b3261e", dark="#ff8d84", marker="o")
MEASURED = Style("audit-measured", "best codebook", light="#d55e00", dark="#ff8a3c", marker="o")
LLOYD = Style("audit-lloyd", "each coordinate alike", light="#c48600", dark="#f6c344", marker="P")
STYLES = {one.slug: one for one in (STORED, NEEDED, CARRIED, ALL_RIGHT, CEILING, MEASURED, LLOYD)}
STEPS = 60


def curve_chart(found: Audit) -> Chart:
    """Draw accuracy over bits of the restored state, which is never above the ceiling, and the three numbers as uprights."""
    most = float(found.stored_bits)
    powers = range(len(str(found.stored_bits)))
    ticks = tuple((10.0**power, count(10**power)) for power in powers)
    axes_books = [one for one in found.curve if one.codebook != "lloyd"]
    lines = [
        LineData(CEILING, "", CEILING.title, _ceiling(found)),
        LineData(MEASURED, "", MEASURED.title, _best(axes_books)),
        LineData(LLOYD, "", LLOYD.title, _best([one for one in found.curve if one.codebook == "lloyd"])),
        *_uprights(found),
    ]
    said = [f"{line.name} {line.value}" for line in lines if line.value]
    return Chart(
        "Accuracy over bits",
        f"Accuracy of the model's own reader over bits of the state that it reads, below the ceiling; {', '.join(said)} bits.",
        lines=tuple(lines),
        x=Axis(1.0, most, ticks, "bits of the state that is read (logarithmic)", log=True),
        y=Axis(0.0, 1.0, PERCENT),
    )


def _ceiling(found: Audit) -> tuple[tuple[float, float], ...]:
    bits = sorted({round(found.stored_bits ** (step / STEPS)) for step in range(STEPS + 1)} | {1})
    limits = ((one, ceiling(found.task, one)) for one in bits)
    return tuple((float(one), limit) for one, limit in limits if limit is not None)


def _best(curve: Sequence[CodebookResult]) -> tuple[tuple[float, float], ...]:
    best: dict[int, float] = {}
    for one in curve:
        best[one.bits] = max(best.get(one.bits, 0.0), one.accuracy)
    return tuple((float(bits), accuracy) for bits, accuracy in sorted(best.items()) if bits)


def _uprights(found: Audit) -> list[LineData]:
    """Return a line from the floor to the accuracy at each number."""
    numbers: list[tuple[Style, float | None]] = [
        (CARRIED, found.carries_at_least_bits),
        (ALL_RIGHT, found.all_right_bits),
        (NEEDED, found.needs_at_most_bits),
        (STORED, found.stored_bits),
    ]
    return [
        LineData(style, f"{bits:,.1f}".removesuffix(".0"), style.title, ((bits, 0.0), (bits, found.accuracy)))
        for style, bits in numbers
        if bits is not None and bits >= 1
    ]


def places_chart(found: Audit) -> Chart:
    """Draw accuracy at each position with its lower limit."""
    places = found.places
    points = tuple((float(one.position), one.accuracy) for one in places)
    limits = tuple((float(one.position), one.at_least) for one in places)
    worst = min(places, key=lambda one: one.accuracy)
    ticks = tuple((tick, count(int(tick))) for tick in round_ticks(float(len(places)), 5) if tick >= 1)
    return Chart(
        "Accuracy by position",
        f"Accuracy by the queried position; the lowest is {worst.accuracy:.1%} at position {worst.position}.",
        lines=(LineData(MEASURED, "", "accuracy", points), LineData(CARRIED, "", "lower limit", limits)),
        x=Axis(1.0, float(max(2, len(places))), ticks, "position"),
        y=Axis(0.0, 1.0, PERCENT),
    )


def sizes_chart(title: str, audits: Sequence[tuple[int, Audit]], lowest: int, highest: int) -> Chart:
    """Draw the three numbers and the least possible one over widths; `lowest` and `highest` are powers of ten."""
    widths = [width for width, _ in audits]
    lines = []
    for style, value in (
        (STORED, lambda one: one.stored_bits),
        (NEEDED, lambda one: one.needs_at_most_bits),
        (ALL_RIGHT, lambda one: one.all_right_bits),
        (CARRIED, lambda one: one.carries_at_least_bits),
    ):
        points = tuple((float(width), float(value(one))) for width, one in audits if value(one))
        lines.append(LineData(style, "", style.title, points, dots=points))
    ticks = tuple((float(width), f"{width}, N = {one.task.length}") for width, one in audits)
    said = "; ".join(
        f"width {width}, N = {one.task.length}: {one.stored_bits:,} stored, {one.needs_at_most_bits or 0:,} needed at most, "
        f"{one.carries_at_least_bits:.1f} carried at least"
        for width, one in audits
    )
    return Chart(
        title,
        f"{title}, bits over width. {said}.",
        lines=tuple(lines),
        x=Axis(float(min(widths)), float(max(widths)), ticks, "width (logarithmic), and the N of that model", log=True),
        y=Axis(10.0**lowest, 10.0**highest, tuple((10.0**p, power_of_ten(p)) for p in range(lowest, highest + 1)), log=True),
    )
