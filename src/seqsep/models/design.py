"""The parts of a model around its mixers: norm, MLP, biases or none, and the embedding of its tokens.

The defaults are those of each mixer's own block, with GPT-2's MLP and learned embeddings. `LLAMA` is the design of all models
in Wen, Dang, Lyu 2025 (arXiv:2402.18510), appendix B: RMSNorm, a SwiGLU MLP of 256 units, no biases, and embeddings that are
neither learned nor apart from the read-out.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from seqsep.tasks.base import wrong_field

Norm: TypeAlias = Literal["default", "layer", "rms"]
FeedForward: TypeAlias = Literal["gelu", "swiglu"]
Embeddings: TypeAlias = Literal["learned", "tied-sinusoids"]


@dataclass(frozen=True)
class Design:
    """The parts of a model around its mixers, as `Model.build` takes them.

    Fields:
        norm: norm of the read-out and of the blocks that have one: layer, rms, or default for that of the mixer.
        feed_forward: feed-forward part of the blocks that have an MLP: gelu is W_2 gelu(W_1 x), swiglu is W_2 (silu(W_g x) *
            (W_1 x)).
        hidden: units of the feed-forward part; 0 means four times the width.
        biases: give attention and feed-forward parts biases.
        embeddings: "learned", or "tied-sinusoids": the embedding of token i is the fixed vector `sinusoids(i)`, and so is its
            row of the read-out.

    Raises ValueError for an unknown choice or a negative number of units.

    >>> Design(norm="rms").metadata()
    {'norm': 'rms'}
    >>> Design.of_metadata({"norm": "rms", "hidden": "256"})
    Design(norm='rms', feed_forward='gelu', hidden=256, biases=True, embeddings='learned')
    """

    norm: str = "default"
    feed_forward: str = "gelu"
    hidden: int = 0
    biases: bool = True
    embeddings: str = "learned"

    def __post_init__(self) -> None:
        wrong = wrong_field(self)
        if wrong is not None:
            raise ValueError(f"{self}: {wrong}")
        choices = {"norm": get_args(Norm), "feed_forward": get_args(FeedForward), "embeddings": get_args(Embeddings)}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{self}: {name}: one of {', '.join(allowed)}, found {getattr(self, name)!r}")
        if self.hidden < 0:
            raise ValueError(f"{self}: hidden is a whole number from 0, found {self.hidden}")

    def metadata(self) -> dict[str, str]:
        """Return the choices that differ from the defaults, as strings."""
        defaults = asdict(Design())
        return {name: str(value) for name, value in asdict(self).items() if value != defaults[name]}

    @classmethod
    def of_metadata(cls, metadata: Mapping[str, str]) -> "Design":
        """Return the design of such strings; others are ignored. Raises ValueError for a string that is not a choice."""
        given: dict[str, Any] = {name: metadata[name] for name in asdict(cls()) if name in metadata}
        if "hidden" in given:
            given["hidden"] = int(given["hidden"])
        if "biases" in given:
            given["biases"] = given["biases"] == "True"
        return cls(**given)


DEFAULT = Design()
LLAMA = Design(norm="rms", feed_forward="swiglu", hidden=256, biases=False, embeddings="tied-sinusoids")
