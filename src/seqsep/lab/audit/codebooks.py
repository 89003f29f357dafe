"""Fixed codebooks: a state is replaced by the nearest of at most 2^b states, which belong to the model and not to the example.

Every codebook is fitted on states of other examples than those that it is tried on and then kept, so a state of b bits takes at
most 2^b values, and every ceiling for b bits holds for the model that reads it. Bits are the sum of ceil(log2 levels) over
coordinates or axes: no entropy coding, and no scale taken from the example. One level is 0 bits: that number is left out.

    lloyd       each coordinate at 8, 4, 3, 2 or 1 bits, with the levels of Lloyd 1957 and Max 1960
    variance    principal axes; each bit goes to the axis of greatest remaining variance, var 4^(-bits so far), which is reverse
                water-filling for Gaussian states (Cover and Thomas, section 10.3.3)
    gradient    the same with the variance times the mean square of the derivative of the model's margins along the axis

The axes are those of the fitted states' covariance, as many as there are examples at most, found from the smaller of covariance
and Gram matrix. States of more than NUMBERS_AT_ONCE numbers are read in parts of that size, and their axes kept in 32 bits: a
codebook may be any fixed one, so its rounding costs accuracy at most, never the truth of the number.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

LLOYD_BITS = (8, 4, 3, 2, 1)
MOST_BITS_OF_AN_AXIS = 6
MOST_AXES = 1024
ROUNDS = 24
NEGLIGIBLE = 1e-10
SCALARS_AT_ONCE = 4096
NUMBERS_AT_ONCE = 1 << 15
RESTORED_AT_ONCE = 1 << 26
"""Numbers of states that are restored together."""


@dataclass(frozen=True)
class Levels:
    """Levels of scalars: row i has those of scalar i in rising order, with the borders between them.

    >>> levels = Levels.fitted(torch.tensor([[0.0, 1.0], [0.2, 1.0], [4.0, 1.0]]), bits=1)
    >>> levels.restored(torch.tensor([[0.3, 7.0], [2.5, 1.0]]))
    tensor([[0.1000, 1.0000],
            [4.0000, 1.0000]], dtype=torch.float64)
    >>> levels.bits
    1
    """

    values: Float[Tensor, "scalars levels"]

    @classmethod
    def fitted(cls, samples: Float[Tensor, "examples scalars"], bits: int) -> "Levels":
        """Return at most 2^bits levels for each scalar: its own values if there are as few, else those of Lloyd's iteration
        from quantiles.
        """
        return cls(torch.cat([_fitted(block, bits) for block in samples.split(SCALARS_AT_ONCE, dim=1)]))

    @property
    def levels(self) -> Int64[Tensor, "scalars"]:
        """The number of different levels of each scalar."""
        return 1 + (self.values.diff(dim=1) > 0).sum(1)

    @property
    def bits(self) -> int:
        """The sum of ceil(log2 levels)."""
        return sum(math.ceil(math.log2(count)) for count in self.levels.tolist())

    def restored(self, scalars: Float[Tensor, "examples scalars"]) -> Float[Tensor, "examples scalars"]:
        """Return the nearest level of each scalar."""
        borders = ((self.values[:, 1:] + self.values[:, :-1]) / 2).contiguous()
        places = torch.searchsorted(borders, scalars.T.double().contiguous())
        return self.values.gather(1, places).T


def _fitted(samples: Float[Tensor, "examples scalars"], bits: int) -> Float[Tensor, "scalars levels"]:
    """Return the levels of some scalars."""
    ordered = samples.T.double().sort(dim=1).values.contiguous()
    count = ordered.shape[1]
    levels = 1 << bits
    at = ((torch.arange(levels) + 0.5) / levels * count).long()
    values = ordered[:, at]
    sums = torch.cat([ordered.new_zeros(len(ordered), 1), ordered.cumsum(1)], dim=1)
    whole = torch.tensor([0, count]).expand(len(ordered), 2)
    for _ in range(ROUNDS):
        ends = torch.searchsorted(ordered, (values[:, 1:] + values[:, :-1]) / 2, right=True)
        borders = torch.cat([whole[:, :1], ends, whole[:, 1:]], dim=1)
        sizes = borders.diff(dim=1)
        means = sums.gather(1, borders).diff(dim=1) / sizes.clamp(min=1)
        values = torch.where(sizes > 0, means, values).sort(dim=1).values
    return _own_values(ordered, values)


def _own_values(ordered: Float[Tensor, "scalars examples"], values: Float[Tensor, "scalars levels"]) -> Tensor:
    """Return the levels. If a scalar takes at most as many values as there are levels, its own values replace them."""
    is_new = torch.cat([torch.ones_like(ordered[:, :1], dtype=torch.bool), ordered.diff(dim=1) > 0], dim=1)
    ranks = is_new.cumsum(1) - 1
    few = (ranks[:, -1] < values.shape[1]).nonzero()[:, 0]
    values = values.clone()
    values[few] = ordered[few, -1:].expand(-1, values.shape[1])
    own = ordered[few]
    values[few] = values[few].scatter(1, ranks[few], own)
    return values


@dataclass(frozen=True)
class Codebook:
    """A codebook of `bits` bits: the state less its mean on some axes (None: its own coordinates), each with its levels."""

    name: str
    bits: int
    mean: Float[Tensor, "numbers"]
    axes: Float[Tensor, "numbers axes"] | None
    parts: tuple[tuple[Tensor, Levels], ...]

    def restored(self, rows: Float[Tensor, "prefixes numbers"]) -> Float[Tensor, "prefixes numbers"]:
        """Return the states that are read in place of these, in the same type."""
        at_once = max(1, RESTORED_AT_ONCE // rows.shape[1])
        return torch.cat([self._restored(some) for some in rows.split(at_once)])

    def _restored(self, rows: Float[Tensor, "prefixes numbers"]) -> Float[Tensor, "prefixes numbers"]:
        found = self.mean.expand(len(rows), -1).clone()
        for places, levels in self.parts:
            if self.axes is None:
                found[:, places] = levels.restored(rows[:, places])
            else:
                axes = self.axes[:, places]
                found += levels.restored(projected(rows, self.mean, axes)).to(axes.dtype) @ axes.T
        return found.to(rows.dtype)


def projected(
    rows: Float[Tensor, "prefixes numbers"], mean: Float[Tensor, "numbers"], axes: Float[Tensor, "numbers axes"]
) -> Float[Tensor, "prefixes axes"]:
    """Return the coordinates on each axis of the states less the mean, in float64.

    >>> projected(torch.tensor([[1.0, 2.0]]), torch.tensor([1.0, 0.0]), torch.tensor([[1.0], [0.5]])).tolist()
    [[1.0]]
    """
    parts = zip(*(tensor.split(NUMBERS_AT_ONCE, axis) for tensor, axis in ((rows, 1), (mean, 0), (axes, 0))), strict=True)
    return sum(
        ((some.double() - centre) @ directions.double() for some, centre, directions in parts),
        start=rows.new_zeros(len(rows), axes.shape[1], dtype=torch.float64),
    )


@dataclass(frozen=True)
class Axes:
    """Principal axes with the variance of each, in falling order, and the mean.

    >>> rows = torch.tensor([[0.0, 0.0], [4.0, 2.0], [2.0, 1.0]])
    >>> Axes.fitted(rows).variances.numpy().round(3).tolist()
    [3.333]
    """

    mean: Float[Tensor, "numbers"]
    directions: Float[Tensor, "numbers axes"]
    variances: Float[Tensor, "axes"]

    @classmethod
    def fitted(cls, rows: Float[Tensor, "prefixes numbers"]) -> "Axes":
        """Return the axes of at most MOST_AXES states. Axes of negligible variance are left out."""
        some = rows[:MOST_AXES]
        mean = some.mean(0, dtype=torch.float64)
        if len(some) >= some.shape[1]:
            centred = some.double() - mean
            variances, directions = _axes_of(centred.T @ centred / len(some))
            return cls(mean, directions, variances)
        parts = list(zip(some.split(NUMBERS_AT_ONCE, 1), mean.split(NUMBERS_AT_ONCE), strict=True))
        gram = sum((part.double() - centre) @ (part.double() - centre).T for part, centre in parts)
        sizes, vectors = _axes_of(gram / len(some))
        scale = (sizes * len(some)).sqrt()
        kept_in = torch.float64 if len(parts) == 1 else torch.float32
        directions = torch.cat([((part.double() - centre).T @ vectors / scale).to(kept_in) for part, centre in parts])
        return cls(mean, directions, sizes)

    def codebooks(
        self, name: str, rows: Float[Tensor, "prefixes numbers"], weights: Float[Tensor, "axes"], budgets: Sequence[int]
    ) -> Iterator[Codebook]:
        """Yield a codebook for each budget of bits. The bits go to the axes of greatest weight times remaining variance."""
        order = handed_out((self.variances * weights).tolist(), max(budgets, default=0))
        scalars = projected(rows, self.mean, self.directions)
        fitted = {}
        for budget in budgets:
            counts = torch.bincount(torch.tensor(order[:budget], dtype=torch.long), minlength=len(self.variances))
            parts = []
            for bits in counts.unique().tolist():
                if bits:
                    places = (counts == bits).nonzero()[:, 0]
                    if bits not in fitted:
                        fitted[bits] = Levels.fitted(scalars, bits).values
                    parts.append((places, Levels(fitted[bits][places])))
            yield Codebook(
                name=name,
                bits=sum(levels.bits for _, levels in parts),
                mean=self.mean,
                axes=self.directions,
                parts=tuple(parts),
            )


def _axes_of(matrix: Float[Tensor, "n n"]) -> tuple[Float[Tensor, "axes"], Float[Tensor, "n axes"]]:
    """Return the eigenvalues that are not negligible, in falling order, and their eigenvectors."""
    sizes, vectors = torch.linalg.eigh(matrix)
    kept = sizes > NEGLIGIBLE * sizes[-1:].clamp(min=NEGLIGIBLE)
    return sizes[kept].flip(0), vectors[:, kept].flip(1)


def handed_out(sizes: Sequence[float], bits: int) -> list[int]:
    """Return the axis that gets each bit in turn: that of the greatest remaining size, which a bit divides by four.

    >>> handed_out([16.0, 2.0], bits=4)
    [0, 0, 1, 0]
    """
    heap = [(-size, place, MOST_BITS_OF_AN_AXIS) for place, size in enumerate(sizes) if size > 0]
    heapq.heapify(heap)
    order: list[int] = []
    while heap and len(order) < bits:
        size, place, left = heapq.heappop(heap)
        order.append(place)
        if left > 1:
            heapq.heappush(heap, (size / 4, place, left - 1))
    return order


def lloyd(rows: Float[Tensor, "prefixes numbers"]) -> Iterator[Codebook]:
    """Yield the codebooks with equally many bits for every coordinate.

    >>> [book.bits for book in lloyd(torch.randn(600, 3))]
    [24, 12, 9, 6, 3]
    """
    every = torch.arange(rows.shape[1])
    for bits in LLOYD_BITS:
        levels = Levels.fitted(rows, bits)
        mean = rows.double().mean(0)
        yield Codebook(name="lloyd", bits=levels.bits, mean=mean, axes=None, parts=((every, levels),))


def budgets(most: int) -> list[int]:
    """Return the numbers of bits to test, from 0 on: two for each doubling, up to `most`.

    >>> budgets(20)
    [0, 1, 2, 3, 4, 6, 8, 12, 16, 20]
    """
    found = {0, 1, 2, 3, most}
    size = 4
    while size <= most:
        found |= {step for step in (size, size * 3 // 2) if step <= most}
        size *= 2
    return sorted(found)
