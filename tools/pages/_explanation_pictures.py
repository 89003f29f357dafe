"""The pictures of docs/explanation/: each is drawn from numbers that seqsep computes, or from the committed rows."""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from seqsep.lab.answers import chance
from seqsep.lab.row import Row, read_rows
from seqsep.maths.arithmetic.grid import Array, Grid, Tally
from seqsep.maths.arithmetic.softmax import attend
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, picture_svg
from seqsep.report.formatting import count, listed, percent
from seqsep.report.limited_state import PERCENT
from seqsep.report.styles import STYLES, Style, spare_style
from seqsep.tasks import IndexLookup
from seqsep.tasks.ceilings import ceiling
from seqsep.theorems.retrieval import index_lookup_attention

LOOKUP_ROWS = "index-lookup-architectures-reach.jsonl"
DYCK_ROWS = "dyck-architectures-reach.jsonl"
ALPHABET = 64
MOST_BITS = 10_000
POINTS = 120
LENGTHS = (20, 100, 700)
SCORE = 3
STEPS = 10
MOST_KEYS = 60
LOOKUP_LAYERS = ("retention", "mamba", "mamba2", "gated-delta", "rwkv7", "lstm", "dss")
DYCK_LAYERS = ("lstm", "mamba", "gated-delta", "rwkv7", "dss")
TOLD = ("none", "learned")
SYMBOLS = 4
ROUNDINGS = {
    "stepwise": Style("stepwise", "stepwise", light="#d55e00", dark="#ff8a3c", marker="o"),
    "once": Style("once", "once", light="#0072b2", dark="#53b4ee", marker="s"),
}
EXACT = Style("exact", "not rounded", light="#131a22", dark="#e9eef3", marker="D")


def bounds_picture(results: Path) -> str:
    """Return docs/explanation/bounds.svg: the ceiling on accuracy over the bits of a state, and a trained LSTM below it."""
    best = _best(_rows(results, LOOKUP_ROWS, LENGTHS[0]), "lstm")
    measured = (float(best.result["state_bits"][0]), float(best.result["accuracy"]))
    lines = [_ceiling(length, spare_style(place)) for place, length in enumerate(LENGTHS)]
    lstm = f"LSTM, N = {LENGTHS[0]}"
    lines.append(LineData(STYLES["lstm"], percent(measured[1]), lstm, (measured,), dots=(measured,)))
    needed = "; ".join(f"N = {length}: {count(_bits(length))} bits" for length in LENGTHS)
    ticks = tuple((10.0**power, count(10**power)) for power in range(5))
    chart = Chart(
        "Ceiling over bits of state",
        f"The highest accuracy over the bits of a state. It is 100 % from these sizes on: {needed}. "
        f"A trained LSTM of {count(int(measured[0]))} bits has {percent(measured[1])} % at N = {LENGTHS[0]}.",
        lines=tuple(lines),
        x=Axis(1.0, float(MOST_BITS), ticks, "bits of state (logarithmic)", log=True),
        y=Axis(0.0, 1.0, PERCENT),
    )
    return picture_svg(
        ChartPicture(
            title="A state that is too small limits the accuracy",
            subtitle="Index lookup over 64 symbols: the highest accuracy that a state of B bits allows, for three lengths N.",
            caption=(
                "A model reads N symbols, then a position, and answers with the symbol there. Each line is a proved ceiling: "
                "no model with that many bits of state is above it, whatever its weights. The lines reach 100 % at "
                f"{listed([count(_bits(length)) for length in LENGTHS])} bits, 6 for each of the N symbols. The square "
                f"is a trained LSTM (one layer of width {best.run.width}, {count(best.result['steps'])} steps). Its state is "
                f"large enough for N = {LENGTHS[0]}, so the bound does not explain its low accuracy. This does not show that a "
                "model reaches a ceiling."
            ),
            panels=(PicturePanel("", "", chart),),
        )
    )


def rounding_picture() -> str:
    """Return docs/explanation/p-bit-arithmetic.svg: the weight of one key over the number of others, rounded at two places."""
    keys = range(MOST_KEYS + 1)
    lines = [
        LineData(
            style,
            f"{_weight(MOST_KEYS, name):.1f}",
            style.title,
            tuple((float(others), _weight(others, name)) for others in keys),
        )
        for name, style in ROUNDINGS.items()
    ]
    exact = tuple((float(others), math.exp(SCORE) / (math.exp(SCORE) + others)) for others in keys)
    lines.append(LineData(EXACT, f"{exact[-1][1]:.2f}", EXACT.title, exact))
    ends = "; ".join(f"{line.name} {line.value}" for line in lines)
    chart = Chart(
        "Weight of the first key",
        f"The attention weight of a key with score {SCORE} over the number of other keys with score 0. "
        f"With {MOST_KEYS} others it is: {ends}.",
        lines=tuple(lines),
        x=Axis(
            0.0, float(MOST_KEYS), tuple((float(tick), str(tick)) for tick in range(0, 61, 20)), "other keys, each of score 0"
        ),
        y=Axis(0.0, 1.0, tuple((tick / 4, f"{tick / 4:g}") for tick in range(5))),
    )
    return picture_svg(
        ChartPicture(
            title="The place of the rounding decides the attention weight",
            subtitle=f"The softmax weight of one key with score {SCORE}, over the number of other keys with score 0.",
            caption=(
                f"All numbers are multiples of 1/{STEPS}, and are rounded down. Stepwise: each exponential is rounded before "
                f"the sum. So each exp(-{SCORE}) = {math.exp(-SCORE):.3f} becomes 0, and the first key keeps all of the "
                "weight. Once: only the weights are rounded, so the line follows the exact weight in steps of one tenth."
            ),
            panels=(PicturePanel("", "", chart),),
        )
    )


def positions_picture(results: Path) -> str:
    """Return docs/explanation/positions.svg: the best accuracy of each layer without positions and with learned ones."""
    lookup = _of_layers(_rows(results, LOOKUP_ROWS, 20), LOOKUP_LAYERS)
    dyck = _of_layers(_rows(results, DYCK_ROWS, 100), DYCK_LAYERS)
    panels = (
        _positions_panel("Index lookup", "N = 20, accuracy in %", LOOKUP_LAYERS, lookup),
        _positions_panel("Dyck words", "N = 100, accuracy in %", DYCK_LAYERS, dyck),
    )
    return picture_svg(
        ChartPicture(
            title="On index lookup most layers need learned positions, on Dyck words most do not",
            subtitle="Best accuracy of one layer of width 64: on the left without positions, on the right with learned ones.",
            caption=(
                "Each line is a layer, and the number next to its name is its accuracy with learned positions. Index lookup "
                f"asks for the symbol at a position, and guessing has {percent(chance(lookup[0].run.task))} %. A Dyck word has "
                f"well-matched brackets, and no query is a position; guessing has {percent(chance(dyck[0].run.task))} %. Each "
                "point is the best committed run of the preset length-scaling, of at most "
                f"{count(max(row.run.steps for row in lookup))} steps on index lookup and "
                f"{count(max(row.run.steps for row in dyck))} on Dyck words. This does not show that a layer cannot count."
            ),
            panels=panels,
        )
    )


def scores_picture() -> str:
    """Return docs/explanation/theorem-to-program.svg: scores and weights of the layer that the page builds."""
    network = index_lookup_attention.build(length=SYMBOLS, alphabet=SYMBOLS)
    arrays = {name: array.integers for name, array in network.arrays()}
    head = "layers.0.heads.0."
    queries = arrays["indices"] @ arrays[f"{head}query"].T
    keys = arrays["positions"] @ arrays[f"{head}key"].T
    scores = queries @ keys.T
    weights = np.array([_shares(network.grid, line) for line in scores])
    low = float(10 * math.floor(scores.min() / 10))
    high = float(10 * math.ceil(scores.max() / 10))
    ticks = tuple((at, f"{at:g}") for at in np.arange(low, high + 1, 10).tolist())
    shares = tuple((tick / 4, f"{tick / 4:g}") for tick in range(5))
    least = min(weights[place, place] for place in range(SYMBOLS))
    return picture_svg(
        ChartPicture(
            title="The query of a position finds the key of that position",
            subtitle=(
                f"The attention layer that is built for index lookup of {SYMBOLS} symbols: a line for each queried position, "
                "over the positions of the keys."
            ),
            caption=(
                "Score: the product of a query with each key, after both matrices of the head. Its maximum is at the queried "
                "position, and every other score is lower by at least 2. Weight: the softmax of these scores on the network's "
                f"grid, in steps of 1/{network.grid.steps}. The queried position gets at least {least:.2f} of the weight in "
                f"this network. Position {SYMBOLS + 1} is that of the question. All numbers are from the network's arrays."
            ),
            panels=(
                _keys_panel("Score", scores.astype(float), Axis(low, high, ticks)),
                _keys_panel("Weight", weights, Axis(0.0, 1.0, shares)),
            ),
        )
    )


def _bits(length: int) -> int:
    """Return the bits that the symbols of an input need."""
    return IndexLookup(length, alphabet=ALPHABET).answer_bits() or 0


def _ceiling(length: int, style: Style) -> LineData:
    task = IndexLookup(length, alphabet=ALPHABET)
    spaced = {round(MOST_BITS ** (place / POINTS)) for place in range(POINTS + 1)} | {_bits(length)}
    limits = [(float(bits), ceiling(task, bits)) for bits in sorted(spaced)]
    points = tuple((bits, limit) for bits, limit in limits if limit is not None)
    full = (float(_bits(length)), 1.0)
    return LineData(style, "", f"N = {length}", points, dots=(full,))


def _rows(results: Path, name: str, length: int) -> list[Row]:
    """Return the rows of a file that have an outcome at a length."""
    return [row for row in read_rows(results / name) if row.has_outcome and row.run.task.length == length]


def _of_layers(rows: Sequence[Row], layers: Sequence[str]) -> list[Row]:
    """Return the rows of one of these layers, with learned positions or without."""
    return [
        row for row in rows if row.run.layers[1:] == () and row.run.layers[0] in layers and row.run.positions_told() in TOLD
    ]


def _best(rows: Sequence[Row], layer: str, positions: str | None = None) -> Row:
    """Return the row of a layer with the highest accuracy, under one choice of positions if it is given."""
    chosen = [row for row in rows if row.run.layers == (layer,) and positions in (None, row.run.positions_told())]
    return max(chosen, key=lambda row: float(row.result["accuracy"]))


def _weight(others: int, softmax: str) -> float:
    """Return the weight of a key with score 3 among others with score 0."""
    scores = Array(np.array([[SCORE] + [0] * others]), Fraction(1))
    grid = Grid(STEPS, softmax="once" if softmax == "once" else "stepwise")
    return float(attend(grid, scores, None, Tally(), "picture").steps[0]) / STEPS


def _shares(grid: Grid, scores: np.ndarray) -> list[float]:
    """Return the weight of each key for one row of scores."""
    found = attend(grid, Array(scores.reshape(1, -1)), None, Tally(), "picture")
    shares = [0.0] * len(scores)
    for key, steps in zip(found.key.tolist(), found.steps.tolist(), strict=True):
        shares[key] = steps / grid.steps
    return shares


def _positions_panel(name: str, meaning: str, layers: Sequence[str], rows: Sequence[Row]) -> PicturePanel:
    lines = []
    for layer in layers:
        without, learned = (float(_best(rows, layer, told).result["accuracy"]) for told in TOLD)
        points = ((0.0, without), (1.0, learned))
        lines.append(LineData(STYLES[layer], percent(learned), STYLES[layer].title, points, dots=points))
    told = "; ".join(f"{line.name} {percent(line.points[0][1])} % without, {line.value} % with" for line in lines)
    chart = Chart(
        name,
        f"{name}: accuracy without positions and with learned positions: {told}.",
        lines=tuple(lines),
        x=Axis(-0.15, 1.15, ((0.0, "none"), (1.0, "learned")), "positions"),
        y=Axis(0.0, 1.0, PERCENT),
    )
    return PicturePanel(name, meaning, chart)


def _keys_panel(name: str, numbers: np.ndarray, scale: Axis) -> PicturePanel:
    """Return the panel of one number for each query and key."""
    lines = []
    for query, line in enumerate(numbers.tolist()):
        points = tuple((float(key + 1), number) for key, number in enumerate(line))
        lines.append(LineData(spare_style(query), "", f"query for {query + 1}", points, dots=points))
    x = Axis(1.0, float(SYMBOLS + 1), tuple((float(key), str(key)) for key in range(1, SYMBOLS + 2)), "position of the key")
    tops = "; ".join(f"query for {query + 1}: {max(line):.4g}" for query, line in enumerate(numbers.tolist()))
    chart = Chart(name, f"{name} of each key, by query. The highest of each: {tops}.", lines=tuple(lines), x=x, y=scale)
    return PicturePanel(name, "of each key, by query", chart)
