"""The two figures of the size ledger: separation in bits over N, and width against precision at fixed N."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.report.figures.chart import Axis, Chart, LineData, PointData
from seqsep.report.figures.chart_picture import PicturePanel
from seqsep.report.formatting import count
from seqsep.report.index_lookup_ledger import (
    ALPHABET,
    CODES,
    LENGTHS,
    TOTALS,
    CodeAtLength,
    Crossing,
    IndexLookupLedger,
    Total,
    cache_bits,
    formula_bits,
    formula_crossing,
    frontier,
    index_lookup_ledger,
    last_length,
)
from seqsep.report.styles import Style
from seqsep.report.ticks import round_ticks

SMALLEST_BITS = 100.0
LARGEST_BITS = 1e12
FRONTIER_LENGTHS = (1000, (1 << 16) - 1)
SAMPLED = (16, 1 << 10, 1 << 16, 1 << 21)
"""The lengths of the table of sizes."""

MEANING: dict[Total, str] = {
    "core": "c m d p H; the paper prints Θ(m d p H); bands: c = 1 to 4",
    "program": "every array but embeddings by index",
    "tables": "embeddings by index stored as well",
}
CODE_WORDS: dict[str, str] = {
    "parabola": "(x, x²) for position x, two coordinates",
    "circle": "points on a circle, two coordinates",
    "binary": "the position's binary digits, as signs",
    "signs": "drawn signs, as the paper's lemma has them",
    "kerdock": "words of Kerdock's code, as signs",
    "dual-bch": "words of duals of BCH codes, as signs",
    "one-hot": "a coordinate for each position",
}
"""Each position code in a few words."""
TOTAL_WORDS: dict[Total, str] = {
    "core": "the matrices for queries, keys and values of H heads of m coordinates, 3 m d p H for width d and p bits a number. "
    "The paper prints Θ(m d p H); the constant 3 is ours.",
    "program": "every array that has to be stored; embeddings are computed from the index, as in the paper. The fair total.",
    "tables": "the embedding of every index stored as well.",
}
"""The weights that each total of a network counts, in a sentence."""
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

RECURRENT = Style("least-state", "any recurrent model", light="#131a22", dark="#e9eef3", marker="s", strong=True)
CODE_STYLES: dict[str, Style] = {
    style.title: style
    for style in (
        Style("code-parabola", "parabola", light="#d55e00", dark="#ff8a3c", marker="o"),
        Style("code-binary", "binary", light="#0072b2", dark="#53b4ee", marker="s"),
        Style("code-circle", "circle", light="#7a5cc9", dark="#b49bff", marker="v"),
        Style("code-kerdock", "kerdock", light="#c05d93", dark="#ee9cc8", marker="D"),
        Style("code-dual-bch", "dual-bch", light="#009e73", dark="#2fcfa2", marker="^"),
        Style("code-signs", "signs", light="#5d6670", dark="#b9bec4", marker="X"),
        Style("code-one-hot", "one-hot", light="#c48600", dark="#f6c344", marker="P"),
    )
}
CACHE = Style("cache", "cache, parabola", light="#b5179e", dark="#f48fe0", marker="*")
TABLES = Style("size-tables", "weights, tables", light="#5d6670", dark="#b9bec4", marker="X")
FORMULA = Style("size-formula", "c m d p H", light="#0072b2", dark="#53b4ee", marker="D")
MOST_IN_A_LABEL = 100_000
CONSTANTS = (1, 4)
"""The constants c of the band of c m d p H: the paper prints Theta(m d p H), and our matrices have c = 3."""
LEDGER_STYLES: dict[str, Style] = {style.slug: style for style in (*CODE_STYLES.values(), RECURRENT, CACHE, TABLES, FORMULA)}


@dataclass(frozen=True)
class LedgerRow:
    """A code, or the recurrent model, in a table; a cell is one or more lines of text."""

    name: str
    slug: str
    cells: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class SeparationFigure:
    """One panel a total; the crossings, one cell a total; the sizes, one cell a length of `lengths`."""

    panels: tuple[PicturePanel, ...]
    crossings: tuple[LedgerRow, ...]
    sizes: tuple[LedgerRow, ...]
    lengths: tuple[str, ...]


@dataclass(frozen=True)
class FrontierFigure:
    """One chart and its rows for one N; a row is a code and the name of its CSS class."""

    length: int
    chart: Chart
    rows: tuple[tuple[CodeAtLength, str], ...]


def separation_figure(ledger: IndexLookupLedger | None = None) -> SeparationFigure:
    """Return the separation in bits, from `index_lookup_ledger()`."""
    ledger = index_lookup_ledger() if ledger is None else ledger
    least = tuple((f"{bits:,}",) for length, bits in ledger.recurrent if length in SAMPLED)
    return SeparationFigure(
        panels=tuple(PicturePanel(total, MEANING[total], total_chart(ledger, total)) for total in TOTALS),
        crossings=tuple(LedgerRow(name, CODE_STYLES[name].slug, _crossings(ledger, name)) for name in CODES),
        sizes=(
            LedgerRow(RECURRENT.title, RECURRENT.slug, least),
            *(LedgerRow(name, CODE_STYLES[name].slug, _sizes(ledger, name)) for name in CODES),
        ),
        lengths=tuple(count(length) for length in SAMPLED),
    )


def _crossings(ledger: IndexLookupLedger, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the crossings of a code, one cell a total and one line a stretch."""
    return tuple(tuple(crossing_text(ledger.crossing(name, total)).split("; ")) for total in TOTALS)


def _sizes(ledger: IndexLookupLedger, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the sizes of a code, one cell a length and one line a total."""
    lines = [ledger.line(name, total) for total in TOTALS]
    return tuple(tuple(short(size.bits) for line in lines for size in line if size.length == length) for length in SAMPLED)


def total_chart(ledger: IndexLookupLedger, total: Total) -> Chart:
    """Draw one total: every code next to the recurrent model, with the crossings as marks on the latter's line."""
    least = tuple((float(length), float(bits)) for length, bits in ledger.recurrent)
    lines = [_code_line(ledger, name, total) for name in CODES]
    lines += [cache_line(), LineData(RECURRENT, "", RECURRENT.title, least)]
    crossed = "; ".join(f"{line.name} at N = {line.value}" for line in lines if line.value)
    return sizes_over_lengths(
        f"Separation in bits: {total}",
        f"Parameter bits ({total}) of the Transformer for index lookup over N from 16 to {LENGTHS[-1]:,}, by position code, "
        f"next to the least state of any recurrent model, 6 N bits, which grows past it: {crossed or 'for no code'}. The "
        "Transformer's cache is in neither, and is larger than the state.",
        lines,
    )


def sizes_over_lengths(title: str, summary: str, lines: Sequence[LineData]) -> Chart:
    """Draw lines of bits over N from 16 to 2,097,152, both axes logarithmic."""
    x_ticks = tuple((2.0**power, f"{2**power:,}") for power in (4, 8, 12, 16, 20))
    y_ticks = tuple((10.0**power, power_of_ten(power)) for power in range(2, 13, 2))
    words = "N, symbols to remember (both axes logarithmic)"
    return Chart(
        title,
        summary,
        lines=tuple(lines),
        x=Axis(float(LENGTHS[0]), float(LENGTHS[-1]), x_ticks, words, log=True),
        y=Axis(SMALLEST_BITS, LARGEST_BITS, y_ticks, log=True),
    )


def cache_line() -> LineData:
    """Return the cache of the Transformer with the parabola's code."""
    return LineData(CACHE, "", CACHE.title, tuple((float(at), float(cache_bits("parabola", at))) for at in LENGTHS))


def formula_band(name: str) -> tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]:
    """Return the edges of c m d p H for the constants of `CONSTANTS`, cut off at the top of the chart."""
    lengths = [length for length in LENGTHS if length <= last_length(name)]
    low, high = (
        within(tuple((float(length), float(formula_bits(name, length, constant))) for length in lengths))
        for constant in CONSTANTS
    )
    return low, high


def formula_words(name: str) -> str:
    """Return the first N at which a recurrent model needs more bits than c m d p H, for the least and the greatest c, if they
    fit.
    """
    first, last = (formula_crossing(name, constant) for constant in CONSTANTS)
    if first is None or last is None or last > MOST_IN_A_LABEL:
        return ""
    return f"{count(first)}–{count(last)}"


def _code_line(ledger: IndexLookupLedger, name: str, total: Total) -> LineData:
    """Return a code's sizes, with a dot at the crossing with the recurrent model. Sizes that are not verified are dashed."""
    sizes = ledger.line(name, total)
    verified = tuple((float(size.length), float(size.bits)) for size in sizes if size.verified)
    stated = tuple((float(size.length), float(size.bits)) for size in sizes if not size.verified)
    dashed = within((*verified[-1:], *stated))[1:] if stated else ()
    if total == "core":
        style = CODE_STYLES[name]
        return LineData(style, formula_words(name), name, within(verified), dashed=dashed, band=formula_band(name))
    first = ledger.crossing(name, total).first
    if first is None or first > LENGTHS[-1]:
        return LineData(CODE_STYLES[name], "", name, within(verified), dashed=dashed)
    crossing = (float(first), float(first * (ALPHABET.bit_length() - 1)))
    return LineData(CODE_STYLES[name], count(first), name, within(verified), dots=(crossing,), dashed=dashed)


def within(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Return the points of a line, straight on logarithmic axes, that is cut off at the top of the chart."""
    kept: list[tuple[float, float]] = []
    for point in points:
        if point[1] > LARGEST_BITS:
            if kept:
                across, bits = kept[-1]
                share = math.log(LARGEST_BITS / bits) / math.log(point[1] / bits)
                kept.append((across * (point[0] / across) ** share, LARGEST_BITS))
            break
        kept.append(point)
    return tuple(kept)


def crossing_text(crossing: Crossing) -> str:
    """Return the first N at which the recurrent model needs more bits, or the stretches of N at which it does."""
    if crossing.first is None:
        never = crossing.total == "tables" or crossing.code == "one-hot"
        return "never" if never else f"not to {crossing.searched:,}"
    if crossing.held is None:
        return f"{crossing.first:,}"
    again = "" if crossing.settled is None else f"; from {crossing.settled:,}"
    return f"{crossing.first:,} to {crossing.held:,}{again}"


def short(bits: int) -> str:
    """Return bits exactly below a million, then with three digits and a power of ten.

    >>> short(999_999), short(1_234_567)
    ('999,999', '1.23·10⁶')
    """
    if bits < 10**6:
        return f"{bits:,}"
    digits, power = f"{bits:.2e}".split("e+")
    return f"{digits}·{power_of_ten(int(power))}"


def power_of_ten(power: int) -> str:
    """Return 10 with the power as a superscript."""
    return f"10{str(power).translate(SUPERSCRIPT)}"


def steps_text(code: CodeAtLength) -> str:
    """Return L as a power of the number of tokens."""
    return count(code.base) + (str(code.exponent).translate(SUPERSCRIPT) if code.exponent > 1 else "")


def frontier_figures() -> tuple[FrontierFigure, ...]:
    """Draw width against precision, at each N of FRONTIER_LENGTHS."""
    return tuple(_frontier(length, frontier(length)) for length in FRONTIER_LENGTHS)


def _frontier(length: int, codes: tuple[CodeAtLength, ...]) -> FrontierFigure:
    widest = max(code.width for code in codes)
    powers = range(1, math.floor(math.log10(2 * widest)) + 1)
    x_ticks = tuple((10.0**power, f"{10**power:,}") for power in powers)
    high = max(code.precision for code in codes) * 1.18
    y_ticks = tuple((tick, f"{tick:.0f}") for tick in round_ticks(high, 5))
    points = [_point(code) for code in codes]
    said = [
        f"{code.code} d = {code.width:,}, p = {code.precision}{' (on the frontier)' if code.frontier else ''}" for code in codes
    ]
    chart = Chart(
        f"Width against precision at N = {length:,}",
        f"Width and precision of the network at N = {length:,}: {'; '.join(said)}",
        points=tuple(points),
        x=Axis(5.0, 2.0 * widest, x_ticks, "width d (logarithmic)", log=True),
        y=Axis(0.0, high, y_ticks, "precision p, bits a number"),
        frontier=tuple(point.point for point in points if point.strong),
    )
    return FrontierFigure(length, chart, tuple((code, CODE_STYLES[code.code].slug) for code in codes))


def _point(code: CodeAtLength) -> PointData:
    return PointData(CODE_STYLES[code.code], code.code, (float(code.width), float(code.precision)), strong=code.frontier)
