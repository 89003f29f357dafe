"""The two figures of the size ledger: separation in bits over N, one panel a total, and width against precision at fixed N."""

import math
from dataclasses import dataclass

from seqsep.report.contender import Style
from seqsep.report.ledger import ALPHABET, CODES, LENGTHS, TOTALS, Choice, Crossing, Ledger, Total, frontier, ledger
from seqsep.report.numerals import count
from seqsep.report.svg_chart import Axis, Chart, Data, draw, round_ticks, scatter

LEAST, MOST = 100.0, 1e12
FRONTIER_LENGTHS = (1000, (1 << 16) - 1)
MEANING: dict[Total, str] = {
    "core": "3 m d p H, the paper's formula",
    "program": "every array but embeddings by index",
    "tables": "embeddings by index stored as well",
}
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Look:
    """How a code, or the recurrent model, looks in both figures."""

    slug: str
    style: Style


RECURRENT = Look("least-state", Style("any recurrent model", "#131a22", "#e9eef3", "s"))
LOOKS: dict[str, Look] = {
    name: Look(f"code-{name}", Style(name, light, dark, marker))
    for name, light, dark, marker in (
        ("parabola", "#d55e00", "#ff8a3c", "o"),
        ("binary", "#0072b2", "#53b4ee", "s"),
        ("circle", "#7a5cc9", "#b49bff", "v"),
        ("kerdock", "#c05d93", "#ee9cc8", "D"),
        ("dual-bch", "#009e73", "#2fcfa2", "^"),
        ("signs", "#5d6670", "#b9bec4", "X"),
        ("one-hot", "#c48600", "#f6c344", "P"),
    )
}
LEDGER_STYLES: dict[str, Style] = {look.slug: look.style for look in (*LOOKS.values(), RECURRENT)}


@dataclass(frozen=True)
class SeparationFigure:
    """One panel a total, (total, what it counts, chart); rows of the crossings, (code, slug, one cell a total)."""

    panels: tuple[tuple[str, str, Chart], ...]
    crossings: tuple[tuple[str, str, tuple[str, ...]], ...]
    sizes: tuple[tuple[str, str, tuple[tuple[str, ...], ...]], ...]
    lengths: tuple[str, ...]


@dataclass(frozen=True)
class FrontierFigure:
    """One chart and its rows for one N."""

    length: int
    chart: Chart
    rows: tuple[tuple[Choice, str], ...]


SAMPLED = (16, 1 << 10, 1 << 16, 1 << 21)


def separation_figure(data: Ledger | None = None) -> SeparationFigure:
    """Separation in bits, from `ledger()`."""
    data = ledger() if data is None else data
    return SeparationFigure(
        panels=tuple((total, MEANING[total], panel(data, total)) for total in TOTALS),
        crossings=tuple(
            (name, LOOKS[name].slug, tuple(crossing_text(data.crossing(name, total)) for total in TOTALS)) for name in CODES
        ),
        sizes=(
            (RECURRENT.style.title, RECURRENT.slug, tuple((f"{bits:,}",) for at, bits in data.recurrent if at in SAMPLED)),
            *((name, LOOKS[name].slug, tuple(_at(data, name, length) for length in SAMPLED)) for name in CODES),
        ),
        lengths=tuple(count(length) for length in SAMPLED),
    )


def _at(data: Ledger, name: str, length: int) -> tuple[str, ...]:
    return tuple(short(size.bits) for total in TOTALS for size in data.line(name, total) if size.length == length)


def panel(data: Ledger, total: Total) -> Chart:
    """One total: every code beside the recurrent model, with the crossings as marks on the latter's line."""
    lines = []
    for name in CODES:
        sizes, found = data.line(name, total), data.crossing(name, total)
        sure = tuple((float(size.length), float(size.bits)) for size in sizes if size.verified)
        stated = tuple((float(size.length), float(size.bits)) for size in sizes if not size.verified)
        first = found.first if found.first is not None and found.first <= LENGTHS[-1] else None
        dots = ((float(first), float(first * (ALPHABET.bit_length() - 1))),) if first is not None else ()
        drawn, dashed = within(sure), within((*sure[-1:], *stated))[1:] if stated else ()
        lines.append(Data(LOOKS[name], "" if first is None else count(first), name, drawn, dots=dots, dashed=dashed))
    least = tuple((float(length), float(bits)) for length, bits in data.recurrent)
    lines.append(Data(RECURRENT, "", RECURRENT.style.title, least))
    crossed = [f"{line.name} at N = {line.value}" for line in lines if line.value]
    summary = (
        f"Parameter bits ({total}) of the Transformer for index lookup over N from 16 to {LENGTHS[-1]:,}, by position code, "
        f"beside the least state of any recurrent model, 6 N bits, which grows past it: "
        f"{'; '.join(crossed) if crossed else 'for no code'}."
    )
    x = Axis(float(LENGTHS[0]), float(LENGTHS[-1]), tuple((2.0**power, f"{2**power:,}") for power in (4, 8, 12, 16, 20)),
             "N, symbols to remember (both axes logarithmic)", log=True)  # fmt: skip
    ticks = tuple((10.0**power, f"10{str(power).translate(SUPERSCRIPT)}") for power in range(2, 13, 2))
    return draw(f"Separation in bits: {total}", summary, lines, x, Axis(LEAST, MOST, ticks, log=True))


def within(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """The points up to where their line, straight on logarithmic axes, leaves at the top."""
    kept: list[tuple[float, float]] = []
    for point in points:
        if point[1] > MOST:
            if kept:
                across, bits = kept[-1]
                share = math.log(MOST / bits) / math.log(point[1] / bits)
                kept.append((across * (point[0] / across) ** share, MOST))
            break
        kept.append(point)
    return tuple(kept)


def crossing_text(found: Crossing) -> str:
    """The first N at which the recurrent model needs more bits, and the stretches where it does so only in parts."""
    if found.first is None:
        return "never" if found.total == "tables" or found.code == "one-hot" else f"not to {found.searched:,}"
    if found.held is None:
        return f"{found.first:,}"
    return f"{found.first:,} to {found.held:,}" + ("" if found.settled is None else f"; from {found.settled:,}")


def short(bits: int) -> str:
    """Bits exactly below a million, then with three digits and a power of ten."""
    if bits < 10**6:
        return f"{bits:,}"
    digits, power = f"{bits:.2e}".split("e+")
    return f"{digits}·10{str(int(power)).translate(SUPERSCRIPT)}"


def steps_text(choice: Choice) -> str:
    """L as a power of the number of tokens."""
    return count(choice.base) + (str(choice.exponent).translate(SUPERSCRIPT) if choice.exponent > 1 else "")


def frontier_figures() -> tuple[FrontierFigure, ...]:
    """Width against precision, at each N of FRONTIER_LENGTHS."""
    return tuple(_frontier(length, frontier(length)) for length in FRONTIER_LENGTHS)


def _frontier(length: int, choices: tuple[Choice, ...]) -> FrontierFigure:
    widest = max(choice.width for choice in choices)
    powers = range(1, math.floor(math.log10(2 * widest)) + 1)
    x = Axis(5.0, 2.0 * widest, tuple((10.0**power, f"{10**power:,}") for power in powers), "width d (logarithmic)", log=True)
    high = max(choice.precision for choice in choices) * 1.18
    y = Axis(0.0, high, tuple((tick, f"{tick:.0f}") for tick in round_ticks(high, 5)), "precision p, bits a number")
    best = [(float(choice.width), float(choice.precision)) for choice in choices if choice.frontier]
    points = [
        (LOOKS[choice.code], choice.code, (float(choice.width), float(choice.precision)), choice.frontier) for choice in choices
    ]
    summary = f"Width and precision of the network at N = {length:,}: " + "; ".join(
        f"{choice.code} d = {choice.width:,}, p = {choice.precision}{' (on the frontier)' if choice.frontier else ''}"
        for choice in choices
    )
    chart = scatter(f"Width against precision at N = {length:,}", summary, points, x, y, best)
    return FrontierFigure(length, chart, tuple((choice, LOOKS[choice.code].slug) for choice in choices))
