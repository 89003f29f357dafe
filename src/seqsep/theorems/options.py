"""Types of the options that several theorems have; each declares its range and its meaning once, for all commands.

If a theorem has another range, it annotates again: `Annotated[Length, Range(2, 16)]`. An option of one theorem is in its file.
"""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, get_args

from seqsep.core.options import LEAST_FRACTION, MOST_SEED, InPlaceOf, OneOf, Range
from seqsep.maths.arithmetic.grid import Rounding, Softmax
from seqsep.maths.codes.codes import CODES
from seqsep.models.mixers import GROWING, PLACES

RECURRENT = tuple(name for name in PLACES if name not in GROWING)
"""The mixers whose state does not grow with the length."""

# Sizes of an input.
Length = Annotated[int, Range(1, 1 << 16), "N, the greatest number of tokens (vertices, pairs, points or cells of input)."]
LengthFrom2 = Annotated[Length, Range(2, 1 << 16)]
Alphabet = Annotated[int, Range(1, 1 << 16), "S: symbols are 0 to S - 1."]
AlphabetFrom2 = Annotated[Alphabet, Range(2, 1 << 16)]
AlphabetFrom3 = Annotated[Alphabet, Range(3, 1 << 16)]
Classes = Annotated[int, Range(1, 1 << 16), "C: labels are 0 to C - 1."]
Depth = Annotated[int, Range(1, 1 << 10), "k, the greatest depth of the brackets."]
Dimension = Annotated[int, Range(1, 1 << 10), "d, the number of coordinates of a vector."]
Gram = Annotated[int, Range(2, 1 << 6), "c: a query has c - 1 tokens, and the answer is the token after them."]
Keys = Annotated[int, Range(1, 1 << 16), "Number of different keys."]
Kinds = Annotated[int, Range(1, 1 << 10), "n, the number of kinds of brackets."]
Cells = Annotated[int, Range(1, 1 << 12), "Number of cells on each side of the head."]
Steps = Annotated[int, Range(0, 1 << 16), "T, the greatest number of steps of a run."]

# Sizes of a model.
Embedding = Annotated[int, Range(1, 1 << 12), "Number of coordinates of a token's embedding."]
Exponent = Annotated[int, Range(1, 16), "Kc: numbers are multiples of 1/L up to L, and L is the length to the power Kc."]
Heads = Annotated[int, Range(1, 1 << 8), "Number of heads of the layer."]
Layers = Annotated[int, Range(1, 1 << 8), "Number of layers of the model."]
Precision = Annotated[int, Range(1, 1 << 10), "Number of bits that a number is rounded to."]
StatePrecision = Annotated[Precision, Range(1, 32)]
Width = Annotated[int, Range(1, 1 << 12), "Number of coordinates of the layer."]
Eta = Annotated[int, Range(0), "The factor of the scores, in place of the one that is proved."]
GridSteps = Annotated[int, Range(2, 1 << 16), "L, in place of the one that is proved: the grid's numbers are multiples of 1/L."]

# The draws.
Circuits = Annotated[int, Range(0, 1 << 20), "Number of random circuits."]
GraphCount = Annotated[int, Range(0, 1 << 20), "Number of random graphs."]
GraphCountFrom1 = Annotated[GraphCount, Range(1, 1 << 20)]
Inputs = Annotated[int, Range(0, 1 << 20), "Number of random inputs."]
Machines = Annotated[int, Range(0, 1 << 20), "Number of random Turing machines."]
Seed = Annotated[int, Range(0, MOST_SEED), "Random seed."]
Sequences = Annotated[int, Range(1, 1 << 20), "Number of random sequences."]
Words = Annotated[int, Range(0, 1 << 20), "Number of random words for each machine."]

# Fractions.
Coherence = Annotated[Fraction, Range(LEAST_FRACTION, Fraction(1), below=True), "The greatest product of two unit vectors."]
Error = Annotated[Fraction, Range(LEAST_FRACTION, Fraction(1, 2), below=True), "The greatest probability of a wrong answer."]
Gamma = Annotated[
    Fraction | float, Range(LEAST_FRACTION, Fraction(1)), "The least margin between the nearest point and the others."
]

# Choices.
ROUNDING = "Rounding of the grid: floor (the first paper) or nearest (the second paper)."
SOFTMAX = "Division on the grid: stepwise (the first paper) or once (the second paper)."
Code = Annotated[str, OneOf(*(code.name for code in CODES)), "The family of position codes."]
RoundingMode = Annotated[Rounding, ROUNDING]
GridRounding = Annotated[str, OneOf(*get_args(Rounding)), ROUNDING]
SoftmaxMode = Annotated[Softmax, SOFTMAX]
GridSoftmax = Annotated[str, OneOf(*get_args(Softmax)), SOFTMAX]
Repair = Annotated[str, OneOf("repaired", "printed"), "repaired (ours) or printed (the paper's construction)."]
Tightness = Annotated[bool, "Search for the smallest scale and the smallest grid that still work."]

RecurrentMixer = Annotated[str, OneOf(*RECURRENT, or_file=True), "A layer with random weights as the model that is too small."]

# Files.
Checkpoint = Annotated[Path, "A trained model in safetensors, in place of one with random weights."]
Text = Annotated[
    Path,
    InPlaceOf("length", "alphabet", "tightness", "seed"),
    "A file: the network is built for its length, over bytes, and queried at every position of a file up to 16 KiB, at 1,000 "
    "evenly spaced positions of a larger one.",
]
