"""Statements about sequence models and the classes of languages: by whom, at which precision, and how the answer is read.

These are statements of other papers, which seqsep does not run. `(abstract)` in a source says that the abstract has the
statement. A verdict is "can", "cannot", "up to length" (right for short inputs, wrong from some length on), or "open" (the
quoted statements do not decide).
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
    "generalised_definite": ClassStatement("generalised definite", "a window of the first and of the last tokens decides"),
    "locally_testable": ClassStatement("locally testable", "the set of short blocks decides, with the first and the last one"),
    "j_trivial": ClassStatement("J-trivial", "the set of short subsequences decides (piecewise testable)"),
    "r_trivial": ClassStatement("R-trivial", "no state of the least automaton is entered again once it is left"),
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
    """What is known of a language.

    Fields:
        holds: its classes; None if one is not decided.
        derived_length: the greatest derived length of its groups, None if one is not solvable.
        is_group: True if its syntactic monoid is a group.
        state_bits: bits of its least state.
    """

    holds: Mapping[str, bool | None]
    derived_length: int | None
    is_group: bool
    state_bits: int


@dataclass(frozen=True)
class ArchitectureVerdict:
    """What the quoted statements say of one architecture and a language.

    Fields:
        architecture: its name.
        setting: precision, and the token at which the answer is read.
        verdict: "can", "cannot", "up to length" or "open".
        why: one line.
        source: by whom.
    """

    architecture: str
    setting: str
    verdict: str
    why: str
    source: str

    def record(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return asdict(self)


def window(known: Verdicts) -> ArchitectureVerdict:
    """One layer that reads a fixed number of last tokens."""
    inside = known.holds["definite"]
    return ArchitectureVerdict(
        "window of the last tokens (short convolution)",
        "any precision, read at the last token",
        CAN if inside else SHORT,
        "the last tokens decide" if inside else "earlier tokens matter too",
        "by definition",
    )


def fixed_attention(known: Verdicts) -> ArchitectureVerdict:
    """Causal softmax attention of fixed precision without positions."""
    inside = known.holds["r_trivial"]
    return ArchitectureVerdict(
        "soft attention, strict causal mask, no positions",
        "fixed precision, read at an end token",
        CAN if inside else CANNOT,
        "the language is R-trivial" if inside else "it recognises only R-trivial languages",
        "Li and Cotterell 2025 (arXiv:2505.23623, abstract: the past operator; R-trivial: text)",
    )


def hard_attention(known: Verdicts) -> ArchitectureVerdict:
    """Attention that reads one earlier or later token a head."""
    inside = known.holds["aperiodic"]
    return ArchitectureVerdict(
        "unique hard attention, strict mask, no positions",
        "any precision, read at the last token",
        CAN if inside else CANNOT,
        "the language is star-free" if inside else "it recognises only star-free languages",
        "Yang, Chiang and Angluin 2024 (arXiv:2310.13897, abstract)",
    )


def generalising_transformer(known: Verdicts) -> ArchitectureVerdict:
    """Transformers that are right at lengths which they were not trained at."""
    inside = known.holds["c_rasp"]
    verdict = {
        True: "in C-RASP, where trained models succeeded (61 of 65)",
        False: "outside of C-RASP, where trained models failed (0 of 60)",
        None: "membership in C-RASP is not decided",
    }
    return ArchitectureVerdict(
        "Transformer trained on short inputs",
        "precision of training, read after each token, at 10 times the trained length",
        CAN if inside else OPEN,
        verdict[inside],
        "Yang et al. 2026, Algebraic Decomposition Theory for Transformer Length Generalization; arXiv:2410.02140",
    )


def deep_transformer(known: Verdicts) -> ArchitectureVerdict:
    """Transformers of fixed depth whose precision grows as the logarithm of the length."""
    hard = known.holds["nc1_complete"]
    if hard:
        source = "Merrill and Sabharwal 2023 (arXiv:2207.00729, abstract): these Transformers are in TC0"
    else:
        source = "Liu et al. 2023 (arXiv:2210.10749, abstract of the ICLR paper)"
    return ArchitectureVerdict(
        "Transformer of fixed depth, weights for each length",
        "logarithmic precision, read after each token",
        CANNOT if hard else CAN,
        "NC1-complete, so not in TC0 (unless TC0 is NC1)" if hard else "each of its groups is solvable",
        source,
    )


def positive_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Diagonal linear recurrences whose factors depend on the input and are not negative."""
    inside = known.holds["aperiodic"]
    return ArchitectureVerdict(
        "diagonal recurrence, factors >= 0 from the input",
        "finite precision, read after each token",
        CAN if inside else SHORT,
        "the language is star-free (Mamba, GLA)" if inside else "it recognises only star-free languages (Mamba, GLA)",
        "Sarrof, Veitsman and Hahn 2024 (arXiv:2405.17394; abstract: star-free languages; the converse: text)",
    )


def complex_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Diagonal linear recurrences with complex factors that depend on the input."""
    layers = known.derived_length
    verdict, why = OPEN, "the sources are about groups, and about star-free languages"
    if known.holds["aperiodic"]:
        verdict, why = CAN, "the language is star-free: factors >= 0 are enough"
    elif known.is_group and layers is None:
        verdict, why = CANNOT, "its group is not solvable"
    elif known.is_group:
        verdict, why = CAN, f"a group of derived length {layers}: {layers} layer{'s' * (layers != 1)}, and not fewer"
    return ArchitectureVerdict(
        "diagonal recurrence, complex factors from the input",
        "finite precision, read after each token",
        verdict,
        why,
        "Shakerinava et al. 2026 (arXiv:2603.01959, abstract), for groups",
    )


def delta_rule(known: Verdicts) -> ArchitectureVerdict:
    """Linear recurrences with products of reflections."""
    return ArchitectureVerdict(
        "delta rule, eigenvalues -1 to 1, steps a token",
        "finite precision, read after each token",
        CAN,
        "every regular language, with enough steps and layers",
        "Grazzi et al. 2025 (arXiv:2411.12537, abstract); Siems et al. 2025 (arXiv:2502.10297)",
    )


def nonlinear_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Any recurrent model with a state of enough bits."""
    bits = "1 bit of state is" if known.state_bits == 1 else f"{known.state_bits} bits of state are"
    return ArchitectureVerdict(
        "recurrence of any kind (LSTM)",
        "finite precision, read after each token from the state",
        CAN,
        f"{bits} enough" + (", and fewer are not" if known.state_bits else ""),
        "the least automaton",
    )


ARCHITECTURES: Sequence[Callable[[Verdicts], ArchitectureVerdict]] = (
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
