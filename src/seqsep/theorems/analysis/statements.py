"""Statements about sequence models and the classes of languages: by whom, at which precision, and how the answer is read.

These are statements of other papers, which seqsep does not run. `(abstract)` in a source says that the abstract has the
statement. A verdict is "can", "cannot", "up to length" (right for short inputs, wrong from some length on), or "open" (the
quoted statements do not decide). A verdict "can" has a horizon: the number of tokens up to which it is shown, in numbers that
are rounded as its setting says. Two horizons are theorems of seqsep, `symmetric-reflections` and `solvable-phases`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from seqsep.maths.arithmetic.integers import ceil_log2

CAN = "can"
CANNOT = "cannot"
SHORT = "up to length"
OPEN = "open"
EVERY_LENGTH = "every length"
ONE_LENGTH = "one length"
MOST_POINTS = 9
"""The greatest m for which `symmetric-reflections` has keys."""
PHASE_TOKENS = 1 << 16
"""The tokens up to which `solvable-phases` proves its margin for phases in float64."""
TRAINED_TOKENS = 500
"""The greatest length at which the models of `PREDICTOR` were tested."""
HORIZONS = (
    "all N: right at every length; to n: shown for inputs of up to n tokens; fixed N: the weights depend on the length; "
    "N open: rounded numbers may drift, and no number of tokens is known here."
)
"""The words that `ArchitectureVerdict.said` adds to "can"."""
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
    """The facts about a language that decide the verdicts.

    Fields:
        holds: its classes; None if one is not decided.
        derived_length: the greatest derived length of its groups, None if one is not solvable.
        is_group: True if its syntactic monoid is a group.
        states: states of its least automaton.
        points: if the monoid is a group: the fewest points that it permutes faithfully, None if these are more than 9.
        swaps: the fewest transpositions whose products are the letters on these points.
    """

    holds: Mapping[str, bool | None]
    derived_length: int | None
    is_group: bool
    states: int
    points: int | None = None
    swaps: int = 0


@dataclass(frozen=True)
class ArchitectureVerdict:
    """A verdict of the quoted statements on one architecture and a language.

    Fields:
        architecture: its name.
        setting: precision, and the token at which the answer is read.
        verdict: "can", "cannot", "up to length" or "open".
        why: one line.
        source: by whom.
        horizon: for "can", the tokens up to which it is shown: a number, "every length", or "one length" if the weights depend
            on it. None if it is not known, and for other verdicts.
    """

    architecture: str
    setting: str
    verdict: str
    why: str
    source: str
    horizon: int | str | None = None

    @property
    def said(self) -> str:
        """The verdict with its horizon, in at most 13 characters.

        >>> ArchitectureVerdict("LSTM", "any precision", "can", "", "", horizon=500).said
        'can to 500'
        """
        if self.verdict != CAN:
            return self.verdict
        if isinstance(self.horizon, int):
            return f"{CAN} to {self.horizon:,}"
        return f"{CAN}, " + {EVERY_LENGTH: "all N", ONE_LENGTH: "fixed N", None: "N open"}[self.horizon]

    def record(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return asdict(self)


def window(known: Verdicts) -> ArchitectureVerdict:
    """One layer that reads a fixed number of last tokens."""
    inside = known.holds["definite"]
    return ArchitectureVerdict(
        architecture="window of the last tokens (short convolution)",
        setting="any precision, read at the last token",
        verdict=CAN if inside else SHORT,
        why="the last tokens decide" if inside else "earlier tokens matter too",
        source="by definition",
        horizon=EVERY_LENGTH if inside else None,
    )


def fixed_attention(known: Verdicts) -> ArchitectureVerdict:
    """Causal softmax attention of fixed precision without positions."""
    inside = known.holds["r_trivial"]
    return ArchitectureVerdict(
        architecture="soft attention, strict causal mask, no positions",
        setting="fixed precision, read at an end token",
        verdict=CAN if inside else CANNOT,
        why="the language is R-trivial" if inside else "it recognises only R-trivial languages",
        source="Li and Cotterell 2025 (arXiv:2505.23623, abstract: the past operator; R-trivial: text)",
        horizon=EVERY_LENGTH if inside else None,
    )


def hard_attention(known: Verdicts) -> ArchitectureVerdict:
    """Attention that reads one earlier or later token a head."""
    inside = known.holds["aperiodic"]
    return ArchitectureVerdict(
        architecture="unique hard attention, strict mask, no positions",
        setting="any precision, read at the last token",
        verdict=CAN if inside else CANNOT,
        why="the language is star-free" if inside else "it recognises only star-free languages",
        source="Yang, Chiang and Angluin 2024 (arXiv:2310.13897, abstract)",
        horizon=EVERY_LENGTH if inside else None,
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
        architecture="Transformer trained on short inputs",
        setting="precision of training, read after each token, at 10 times the trained length",
        verdict=CAN if inside else OPEN,
        why=verdict[inside],
        source="Yang et al. 2026, Algebraic Decomposition Theory for Transformer Length Generalization; arXiv:2410.02140",
        horizon=TRAINED_TOKENS if inside else None,
    )


def deep_transformer(known: Verdicts) -> ArchitectureVerdict:
    """Transformers of fixed depth whose precision grows as the logarithm of the length."""
    hard = known.holds["nc1_complete"]
    if hard:
        source = "Merrill and Sabharwal 2023 (arXiv:2207.00729, abstract): these Transformers are in TC0"
    else:
        source = "Liu et al. 2023 (arXiv:2210.10749, abstract of the ICLR paper)"
    return ArchitectureVerdict(
        architecture="Transformer of fixed depth, weights for each length",
        setting="logarithmic precision, read after each token",
        verdict=CANNOT if hard else CAN,
        why="NC1-complete, so not in TC0 (unless TC0 is NC1)" if hard else "each of its groups is solvable",
        source=source,
        horizon=None if hard else ONE_LENGTH,
    )


def positive_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Diagonal linear recurrences whose factors depend on the input and are not negative."""
    inside = known.holds["aperiodic"]
    return ArchitectureVerdict(
        architecture="diagonal recurrence, factors >= 0 from the input",
        setting="finite precision, read after each token",
        verdict=CAN if inside else SHORT,
        why="the language is star-free (Mamba, GLA)" if inside else "it recognises only star-free languages (Mamba, GLA)",
        source="Sarrof, Veitsman and Hahn 2024 (arXiv:2405.17394; abstract: star-free languages; the converse: text)",
        horizon=EVERY_LENGTH if inside else None,
    )


def complex_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Diagonal linear recurrences with complex factors that depend on the input."""
    layers = known.derived_length
    verdict = OPEN
    why = "the sources are about groups, and about star-free languages"
    horizon: int | str | None = None
    if known.holds["aperiodic"]:
        verdict = CAN
        why = "the language is star-free: factors >= 0 are enough"
        horizon = EVERY_LENGTH
    elif known.is_group and layers is None:
        verdict = CANNOT
        why = "its group is not solvable"
    elif known.is_group:
        verdict = CAN
        why = f"a group of derived length {layers}: {layers} layer{'s' * (layers != 1)}, and not fewer"
        horizon = PHASE_TOKENS
    phases = "; tokens: solvable-phases, in float64" if horizon == PHASE_TOKENS else ""
    return ArchitectureVerdict(
        architecture="diagonal recurrence, complex factors from the input",
        setting="finite precision, read after each token",
        verdict=verdict,
        why=why,
        source="Shakerinava et al. 2026 (arXiv:2603.01959, abstract), for groups" + phases,
        horizon=horizon,
    )


def delta_rule(known: Verdicts) -> ArchitectureVerdict:
    """Linear recurrences with products of reflections.

    A letter that permutes m <= 9 points in c cycles is a product of m - c transpositions: reflections with exact keys.
    """
    exact = known.points is not None and known.points > 1
    points = f"letters permute {known.points} points, by {known.swaps} exact reflection{'s' * (known.swaps != 1)} a token"
    return ArchitectureVerdict(
        architecture="delta rule, eigenvalues -1 to 1, steps a token",
        setting="finite precision, read after each token",
        verdict=CAN,
        why=points if exact else "every regular language, with enough steps and layers",
        source="Grazzi et al. 2025 (arXiv:2411.12537, abstract); Siems et al. 2025 (arXiv:2502.10297)"
        + ("; tokens: symmetric-reflections, in bfloat16" if exact else ""),
        horizon=EVERY_LENGTH if exact else None,
    )


def nonlinear_recurrence(known: Verdicts) -> ArchitectureVerdict:
    """Any recurrent model with a state of enough bits."""
    needed = ceil_log2(known.states)
    bits = "1 bit of state is" if needed == 1 else f"{needed} bits of state are"
    return ArchitectureVerdict(
        architecture="recurrence of any kind (LSTM)",
        setting="finite precision, read after each token from the state",
        verdict=CAN,
        why=f"{bits} enough" + (", and fewer are not" if needed else ""),
        source="the least automaton",
        horizon=EVERY_LENGTH,
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
