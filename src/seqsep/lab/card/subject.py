"""The layers that a card is about: one mixer, a stack of several, or layers from a user's file."""

from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.lab.card.battery import DEPTH, Layer
from seqsep.models.mixers.settings import canonical_name
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.model import parse_layer
from seqsep.models.plugins.name import names_a_file, shown


@dataclass(frozen=True)
class Subject:
    """A stack of mixers, from the first layer to the last; one mixer stands for `DEPTH` layers of it.

    >>> Subject.parse("mamba, attention").label
    'mamba,attention'
    >>> Subject.parse("mamba").stack
    ('mamba', 'mamba')
    """

    layers: tuple[Layer, ...]

    @classmethod
    def parse(cls, text: str) -> "Subject":
        """Return the subject of mixers with commas between them; a layer of a user is FILE.py:CLASS.

        Raises ValueError for an unknown mixer, for a file without the class, and for a complete model.
        """
        from seqsep.core.names import split_names

        return cls.of(split_names(text))

    @classmethod
    def of(cls, names: Sequence[str]) -> "Subject":
        """Return the subject of these names. Raises as `parse` does."""
        layers: list[Layer] = []
        for name in names:
            layer = parse_layer(name) if names_a_file(name) else canonical_name(name)
            if not isinstance(layer, str | UserLayer):
                raise ValueError(f"{name}: expected a layer for a card, found a complete model")
            layers.append(layer)
        if not layers:
            raise ValueError("a card: expected at least one layer, found none")
        return cls(tuple(layers))

    @property
    def stack(self) -> tuple[Layer, ...]:
        """The layers of the model that is trained."""
        return self.layers if len(self.layers) > 1 else self.layers * DEPTH

    @property
    def label(self) -> str:
        """The layers in a few words."""
        return ",".join(map(shown, self.layers))

    @property
    def own(self) -> tuple[UserLayer, ...]:
        """The layers of the user's files, each once."""
        return tuple(dict.fromkeys(layer for layer in self.layers if isinstance(layer, UserLayer)))
