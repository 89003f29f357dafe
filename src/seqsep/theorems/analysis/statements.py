"""Statements about sequence models and the classes of languages: by whom, at which precision, and how the answer is read.

These are statements of other papers, quoted from their abstracts if `(abstract)` is in the source; seqsep does not run them. A
verdict is "can", "cannot", "up to length" (right for short inputs, wrong from some length on), or "open" (the quoted statements
do not decide).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

CAN = "can"
CANNOT = "cannot"
SHORT = "up to length"
OPEN = "open"
PREDICTOR = (
    "C-RASP as a predictor: GPT-2 models trained on lengths to 50 reached 99 % at lengths 451 to 500 on 61 of 65 languages "
    "inside of C-RASP and on 0 of 60 outside (the best of each sweep in github.com/bveseli/state-tracking-crasp)."
)


@dataclass(frozen=True)
class ClassStatement:
    """A class with its title, and one line of what membership says."""

    title: str
    meaning: str


STATEMENTS: dict[str, ClassStatement] = {
    "commutative": ClassStatement("commutative", "only the number of each letter matters, not their order"),
    "definite": ClassStatement("definite", "a window of the last tokens decides: one short convolution"),
    "reverse_definite": ClassStatement("reverse definite", "a window of the first tokens decides"),
    "locally_testable": ClassStatement("locally testable", "the set of short blocks decides, with the first and the last one"),
    "j_trivial": ClassStatement("J-trivial", "the set of short subsequences decides (piecewise testable)"),
    "r_trivial": ClassStatement("R-trivial", "what fixed-precision attention without positions recognises at an end token"),
    "l_trivial": ClassStatement("L-trivial", "the mirrored language is R-trivial"),
    "da": ClassStatement("DA", "two-variable first-order logic"),
    "aperiodic": ClassStatement("aperiodic", "star-free: no part counts modulo a number"),
    "c_rasp": ClassStatement("C-RASP", "counts over prefixes: Transformers that generalise in length"),
    "r_infinity": ClassStatement("R-infinity", "aperiodic, and a superset of C-RASP"),
    "ac0": ClassStatement("AC0", "circuits of fixed depth without counting gates"),
    "acc0": ClassStatement("ACC0", "all groups are solvable: circuits of fixed depth with gates that count modulo m"),
    "nc1_complete": ClassStatement("NC1-complete", "some group is not solvable: beyond fixed depth if TC0 is not NC1"),
}
"""In the order in which they are printed."""


@dataclass(frozen=True)
class Verdicts:
    """What is known of a language: its classes, the derived length and the sizes of its groups, and the bits of its state."""

    holds: Mapping[str, bool | None]
    derived_length: int | None
    groups: Sequence[tuple[int, int | None]]
    state_bits: int


@dataclass(frozen=True)
class ArchitectureVerdict:
    """What the quoted statements say of one architecture and a language."""

    architecture: str
    verdict: str
    why: str
    source: str

    def record(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return asdict(self)


def fixed_attention(known: Verdicts) -> ArchitectureVerdict:
    """Causal softmax attention of fixed precision without positions."""
    inside = known.holds["r_trivial"]
    return ArchitectureVerdict(
        "attention, fixed precision, no positions, end token",
        CAN if inside else CANNOT,
        "the language is R-trivial" if inside else "it recognises only R-trivial languages",
        "arXiv:2505.23623 (abstract)",
    )


def generalising_transformer(known: Verdicts) -> ArchitectureVerdict:
    """Transformers that are right at lengths which they were not trained at."""
    inside = known.holds["c_rasp"]
    return ArchitectureVerdict(
        "Transformer that generalises in length",
        CAN if inside else OPEN,
        "the language is in C-RASP" if inside else "outside of C-RASP, trained models failed (0 of 60)",
        "Yang et al. 2026, Algebraic Decomposition Theory for Transformer Length Generalization",
    )


def hard_attention(known: Verdicts) -> ArchitectureVerdict:
    """Masked attention that reads one token a head."""
    inside = known.holds["aperiodic"]
    return ArchitectureVerdict(
        "masked hard attention, no positions",
        CAN if inside else CANNOT,
        "the language is star-free" if inside else "it recognises exactly the star-free languages",
        "Yang, Chiang and Angluin 2024 (arXiv:2310.13897, abstract)",
    )


def deep_transformer(known: Verdicts) -> ArchitectureVerdict:
    """Transformers of fixed depth whose precision grows as the logarithm of the length."""
    hard = known.holds["nc1_complete"]
    return ArchitectureVerdict(
        "Transformer, fixed depth, log precision",
        CANNOT if hard else OPEN,
        "NC1-complete; these Transformers are in TC0 (if TC0 is not NC1)" if hard else "inside of ACC0, which TC0 contains",
        "Merrill and Sabharwal 2023 (arXiv:2207.00729, abstract)",
    )


def window(known: Verdicts) -> ArchitectureVerdict:
    """One layer that reads a fixed number of last tokens."""
    inside = known.holds["definite"]
    return ArchitectureVerdict(
        "one window of the last tokens (short convolution)",
        CAN if inside else SHORT,
        "the last tokens decide" if inside else "earlier tokens matter too",
        "by definition",
    )


def positive_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Diagonal linear recurrences whose factors are not negative."""
    inside = known.holds["aperiodic"]
    return ArchitectureVerdict(
        "diagonal recurrence, factors >= 0, finite precision",
        CAN if inside else SHORT,
        "the language is star-free" if inside else "it recognises exactly the star-free languages (Mamba, GLA, retention)",
        "Sarrof, Veitsman and Hahn 2024 (arXiv:2405.17394, abstract)",
    )


def complex_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Diagonal linear recurrences with complex factors that depend on the input."""
    layers = known.derived_length
    solvable = layers is not None
    why = "some group is not solvable"
    if solvable:
        why = f"solvable groups of derived length {layers}: that many layers" if layers else "no groups"
    return ArchitectureVerdict(
        "diagonal recurrence, complex factors from the input", CAN if solvable else OPEN, why, "arXiv:2603.01959 (abstract)"
    )


def delta_rule(known: Verdicts) -> ArchitectureVerdict:
    """Products of reflections a token."""
    return ArchitectureVerdict(
        "delta rule, eigenvalues -1 to 1, several steps a token",
        CAN,
        "every regular language, with enough steps a token and layers",
        "Grazzi et al. 2024 (arXiv:2411.12537, abstract); Siems et al. 2025 (arXiv:2502.10297, abstract)",
    )


def nonlinear_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Any recurrent model with a state of enough bits."""
    bits = "1 bit" if known.state_bits == 1 else f"{known.state_bits} bits"
    return ArchitectureVerdict(
        "recurrence of any kind (LSTM)", CAN, f"{bits} of state are enough, and fewer are not", "the least automaton"
    )


ARCHITECTURES: tuple[Callable[[Verdicts], ArchitectureVerdict], ...] = (
    window,
    fixed_attention,
    hard_attention,
    generalising_transformer,
    deep_transformer,
    positive_recurrence,
    complex_recurrence,
    delta_rule,
    nonlinear_recurrence,
)
