"""docs/separation.svg, for the README: weights, cache and least state over N in bits, and the weights by position code.

`make pages` writes it; a test compares the committed file with this code.
"""

from seqsep.core.names import required
from seqsep.report.figures.chart import Chart, LineData
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, picture_svg
from seqsep.report.formatting import count
from seqsep.report.index_lookup_ledger import LENGTHS, IndexLookupLedger, Total, index_lookup_ledger, least_state_bits
from seqsep.report.page.ledger_charts import (
    CACHE,
    CODE_STYLES,
    FORMULA,
    RECURRENT,
    TABLES,
    cache_line,
    crossing_text,
    formula_band,
    formula_words,
    sizes_over_lengths,
    total_chart,
    within,
)


def separation_picture() -> ChartPicture:
    """Return the picture of `index_lookup_ledger()`."""
    ledger = index_lookup_ledger()
    crossed = crossing_text(ledger.crossing("parabola", "program"))
    return ChartPicture(
        title=f"From N = {crossed} on, a recurrent state has more bits than this Transformer's weights",
        subtitle=(
            "Index lookup of N symbols out of 64. Weights are compared with run-time state. The Transformer's cache is in "
            "neither of them."
        ),
        panels=(
            PicturePanel("One network, counted in each way", "in bits; positions as (x, x²)", parabola_chart(ledger)),
            PicturePanel("Weights by position code", "in bits; the total program", total_chart(ledger, "program")),
        ),
        caption=(
            "Black: the least state of any recurrent model, 6 N bits. Program: every weight, except vectors that are "
            "computed from the index. Tables: those vectors are stored too. Cache: the keys and values of N symbols. The "
            "paper prints Θ(m d p H): the band has the constants c = 1 to 4. Number at a name: the first N at "
            "which the state has more bits. This does not show that a Transformer keeps less while it runs: its cache is "
            "larger than the state at every N."
        ),
    )


def parabola_chart(ledger: IndexLookupLedger) -> Chart:
    """Draw the network with the parabola's code: its weights counted in each way, its cache, and the least recurrent state."""
    low, high = formula_band("parabola")
    crossed = required(ledger.crossing("parabola", "program").first, "the crossing of the parabola's code")
    dot = (float(crossed), float(least_state_bits(crossed)))
    program = LineData(CODE_STYLES["parabola"], count(crossed), "weights, program", _bits(ledger, "program"), dots=(dot,))
    lines = [
        LineData(FORMULA, formula_words("parabola"), FORMULA.title, low, band=(low, high)),
        program,
        LineData(TABLES, "", TABLES.title, _bits(ledger, "tables")),
        LineData(CACHE, "", "cache of N symbols", cache_line().points),
        LineData(RECURRENT, "", RECURRENT.title, tuple((float(at), float(bits)) for at, bits in ledger.recurrent)),
    ]
    return sizes_over_lengths(
        "Weights, cache and least state",
        f"Bits over N from 16 to {LENGTHS[-1]:,}: the Transformer's weights by two totals and by the paper's formula with "
        f"constants from 1 to 4, its cache, and the least recurrent state, which is larger than program from N = {crossed:,} "
        "on.",
        lines,
    )


def _bits(ledger: IndexLookupLedger, total: Total) -> tuple[tuple[float, float], ...]:
    return within(tuple((float(size.length), float(size.bits)) for size in ledger.line("parabola", total)))


def ledger_picture() -> str:
    """Return the picture as SVG text."""
    return picture_svg(separation_picture())
