"""The sizes of a theorem over N, next to the least state of a recurrent model, and where they cross."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from seqsep.commands.explore.forms import taken
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.page.ledger_charts import power_of_ten, within
from seqsep.report.styles import STYLES, Style
from seqsep.tasks import Equality, IndexLookup, Task
from seqsep.theorems import Theorem

FIRST_POWER = 1
LAST_POWER = 16
LAST_POWERS = {
    "counting-state": 13,
    "retrieval-one-layer": 11,
    "composition-one-layer": 9,
    "induction-one-layer": 11,
    "recall-state": 5,
    "is-tree-state": 8,
    "nearest-neighbor-two-layers": 10,
}
"""The last power of two of theorems whose sizes take longer to count at larger N."""
MARK = 1.09
WEIGHTS = "program_bits"
STATE = "state_bits"
DRAWN: Mapping[str, Style] = {
    WEIGHTS: replace(STYLES["attention"], title="weights"),
    "recurrent_bits": replace(STYLES["lstm"], title="state"),
    STATE: replace(STYLES["lstm"], title="state"),
    "message_bits": replace(STYLES["linear-attention"], title="message"),
}
"""The sizes that the chart draws."""
RECURRENT = Style("least-state", "least state", light="#131a22", dark="#e9eef3", marker="s", strong=True)


@dataclass(frozen=True)
class SizesOverLengths:
    """The chart, the chosen N with its sizes in bits, and the crossing.

    `crossing` is an N at which the least state has more bits than the weights, while at `before` it has not. It is None if
    there is none up to the greatest N of the chart, or if the page does not know one of the two. `others` are the sizes that
    do not change over the chart, in words.
    """

    chart: Chart
    power: int
    length: int
    most_power: int
    bits: tuple[tuple[str, int], ...]
    crossing: int | None
    before: int
    compares: bool
    others: str


def sizes_over_lengths(
    theorem: Theorem, options: Mapping[str, Any], task: Task | None, power: int | None
) -> SizesOverLengths | None:
    """Return the sizes of a theorem over N; None if it has no size in bits that depends on N."""
    ranges = {option.name: option.range for option in theorem.options_of("bound")}
    if theorem.constants is None or "length" not in ranges:
        return None
    most = ranges["length"]
    last = LAST_POWERS.get(theorem.name, LAST_POWER)
    if most is not None and most.most is not None:
        last = min(last, int(most.most).bit_length() - 1)
    known = {name: value for name, value in taken(theorem.options_of("bound"), options).items() if name != "length"}
    sizes = TheoremSizes(theorem, known, task)
    powers = [one for one in range(FIRST_POWER, last + 1) if sizes.at(1 << one)]
    if len(powers) < 2:
        return None
    chosen = min(max(power or powers[-1] - 2, powers[0]), powers[-1])
    lengths = [1 << one for one in powers]
    crossing = sizes.crossing(lengths)
    return SizesOverLengths(
        chart=_chart(theorem, sizes, lengths, crossing=crossing, chosen=1 << chosen),
        power=chosen,
        length=1 << chosen,
        most_power=powers[-1],
        bits=tuple((style.title, bits) for style, bits in sizes.at(1 << chosen)),
        crossing=crossing,
        before=(crossing or 0) - sizes.step,
        compares=sizes.compares,
        others=", ".join(f"{name} {value}" for name, value in known.items() if type(value) is int),
    )


@dataclass(frozen=True)
class TheoremSizes:
    """The sizes of a theorem at each N, in bits, with the line that draws each."""

    theorem: Theorem
    options: Mapping[str, Any]
    task: Task | None

    @property
    def step(self) -> int:
        """The distance of two lengths that the task has: inputs of equality have two equal halves."""
        return 2 if isinstance(self.task, Equality) else 1

    @property
    def compares(self) -> bool:
        """True if weights are compared with the least state of a recurrent model."""
        styles = {style.title for style, _ in self.at(8)}
        return {"weights", RECURRENT.title} <= styles

    def at(self, length: int) -> list[tuple[Style, int]]:
        """Return the sizes at N; empty for an N that the theorem does not take."""
        try:
            found = self.theorem.call("bound", {**self.options, "length": length})
        except ValueError:
            return []
        drawn = [(style, int(found[name])) for name, style in DRAWN.items() if name in found]
        least = self.least_state(length)
        if least is not None and STATE not in found and "recurrent_bits" not in found and drawn:
            drawn.append((RECURRENT, least))
        return drawn

    def least_state(self, length: int) -> int | None:
        """Return the bits of state that a recurrent model needs to be right on every input; None if no formula gives them."""
        return replace(self.task, length=length).answer_bits() if isinstance(self.task, IndexLookup | Equality) else None

    def crossing(self, lengths: list[int]) -> int | None:
        """Return an N at which the state has more bits than the weights, and one step before it has not."""
        if not self.compares:
            return None
        larger = [self._is_state_larger(length) for length in lengths]
        if True not in larger or larger.index(True) == 0:
            return None
        place = larger.index(True)
        low = lengths[place - 1]
        high = lengths[place]
        while high - low > self.step:
            middle = (low + high) // (2 * self.step) * self.step
            if self._is_state_larger(middle):
                high = middle
            else:
                low = middle
        return high

    def _is_state_larger(self, length: int) -> bool:
        sizes = {style.title: bits for style, bits in self.at(length)}
        return sizes.get(RECURRENT.title, 0) > sizes.get("weights", 0)


def _chart(theorem: Theorem, sizes: TheoremSizes, lengths: list[int], crossing: int | None, chosen: int) -> Chart:
    points: dict[Style, list[tuple[float, float]]] = {}
    for length in lengths:
        for style, bits in sizes.at(length):
            points.setdefault(style, []).append((float(length), float(max(1, bits))))
    highest = max(bits for line in points.values() for _, bits in line)
    top = len(str(int(highest)))
    dots = () if crossing is None else tuple((float(crossing), float(bits)) for _, bits in sizes.at(crossing)[-1:])
    lines = [LineData(style, "", style.title, within(tuple(line))) for style, line in points.items()]
    if dots:
        lines[-1] = replace(lines[-1], dots=dots)
    ticks = tuple((float(1 << power), f"{1 << power:,}") for power in range(lengths[0].bit_length() - 1, 17, 4))
    step = 1 + top // 6
    ends = "; ".join(f"{line.name} {int(line.points[-1][1]):,} bits" for line in lines)
    crossed = f" The state is larger than the weights at N = {crossing:,}." if crossing is not None else ""
    return Chart(
        f"Sizes of {theorem.name} over N",
        f"Bits over N from {lengths[0]} to {lengths[-1]:,}. At the end: {ends}.{crossed}",
        lines=tuple(lines),
        x=Axis(float(lengths[0]), float(lengths[-1]), ticks, "N (both axes logarithmic)", log=True),
        y=Axis(1.0, 10.0**top, tuple((10.0**one, power_of_ten(one)) for one in range(0, top + 1, step)), "bits", log=True),
        band=(max(lengths[0], chosen / MARK), min(lengths[-1], chosen * MARK)),
    )
