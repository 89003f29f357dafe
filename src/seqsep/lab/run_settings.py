"""The settings of a run that are flags: range or choices, meaning and default, declared once and read without torch."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from seqsep.core.options import OneOf, Range

STEPS = 5000
POSITIVE = Range(0, above=True)
Precision = Literal["float32", "bfloat16"]
Decay = Literal["constant", "linear", "cosine"]


@dataclass(frozen=True)
class RunSettings:
    """The settings of a run that are flags, with the flags' defaults.

    A run has the same defaults except for `steps`; a test compares them. `Run` refuses a value that is out of its range here.
    """

    heads: Annotated[int, Range(1), "attention heads of a layer"] = 4
    steps: Annotated[int, Range(1), "greatest number of steps; each step has a batch of fresh examples"] = STEPS
    batch: Annotated[int, Range(1), "examples of a step"] = 64
    learning_rate: Annotated[float, Range(0, 1000, above=True, below=True), "learning rate of Adam after the warm-up"] = 0.001
    decay: Annotated[str, OneOf(*get_args(Decay)), "schedule of the learning rate after the warm-up"] = "constant"
    warm_up: Annotated[int, Range(0), "steps over which the learning rate grows"] = 0
    mixed_steps: Annotated[int, Range(0), "number of steps at the start with training inputs of mixed lengths"] = 0
    embedding_scale: Annotated[float, POSITIVE, "standard deviation of the initial weights of embeddings"] = 0.02
    weight_scale: Annotated[float, POSITIVE, "standard deviation of the initial weights of linear layers"] = 0.02
    evaluate_every: Annotated[int, Range(1), "steps between evaluations"] = 250
    evaluation: Annotated[int, Range(1), "examples of an evaluation"] = 5000
    target: Annotated[float, Range(0, 1, above=True), "accuracy, as a fraction, at which a run has converged"] = 1.0
    positions: Annotated[
        str,
        OneOf("default", "learned", "sinusoidal", "rope", "none"),
        "positional encoding; with default, the one that the layers need",
    ] = "default"
    dtype: Annotated[
        str,
        OneOf(*get_args(Precision)),
        "type of matrix products (bfloat16 is slower on a processor without units for it)",
    ] = "float32"
    norm: Annotated[
        str, OneOf("default", "layer", "rms"), "norm before each part of a block; with default, the one that the layers need"
    ] = "default"
    feed_forward: Annotated[str, OneOf("gelu", "swiglu"), "feed-forward part of a block"] = "gelu"
    hidden: Annotated[int, Range(0), "width within the feed-forward part; 0 means four times the width of the model"] = 0
    biases: Annotated[bool, OneOf("true", "false"), "true if linear layers have biases"] = True
    embeddings: Annotated[str, OneOf("learned", "tied-sinusoids"), "embeddings of tokens and positions"] = "learned"
    live: Annotated[int, Range(0), "examples for which the model writes the chain of thought itself, if the task has one"] = (
        1000
    )
