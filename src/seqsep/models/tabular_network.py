"""A network that prints as a table of its arrays: what `seqsep.build` returns."""

from dataclasses import fields
from typing import Any

import numpy as np

from seqsep.core.tables import Tabular
from seqsep.maths.networks.network import Network


class TabularNetwork(Network, Tabular):
    """A network whose text is its name, its sizes and a row for each array.

    >>> parity = Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1]))
    >>> print(TabularNetwork.of(parity))
    parity: 1 layer, width 4, 6 bits a number
    array                          shape      numbers  not_zero  unit
    symbols                        2 x 4            8         2  1
    layers.0.AutomatonLayer.table  1 x 2 x 2        4         2  1
    readout                        2 x 4            8         2  1
    readout_bias                   2                2         0  1
    """

    @classmethod
    def of(cls, network: Network) -> "TabularNetwork":
        """Return the same network with a table."""
        return cls(**{field.name: getattr(network, field.name) for field in fields(network)})

    def title(self) -> str:
        """Return its name, and its size."""
        layers = f"{len(self.layers)} {'layer' if len(self.layers) == 1 else 'layers'}"
        return f"{self.name}: {layers}, width {self.width}, {self.precision} bits a number"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each array. An entry is a whole number times the unit."""
        return [
            {
                "array": name,
                "shape": " x ".join(map(str, array.integers.shape)),
                "numbers": array.integers.size,
                "not_zero": int(np.count_nonzero(array.integers)),
                "unit": str(array.unit),
            }
            for name, array in self.arrays()
        ]

    def __repr__(self) -> str:
        return self.table()
