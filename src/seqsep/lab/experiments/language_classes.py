"""Does the class of a regular language predict which architectures learn it for longer words?

Twelve languages: four in C-RASP, four star-free ones outside of it, and four whose syntactic monoid has a group. `classify`
computes the class of each. Eight architectures of two layers and width 32 are trained on words of 10 to 40 letters, with a
query after every letter, by one recipe and with two seeds. A run ends after 4,000 steps, or when it answers 1,000 of 1,000
words of 40 letters right. Then it is tested on words of 80, 160 and 320 letters. A word is right if all its answers are, so a
right word of 160 letters has right answers at lengths 81 to 160 too.

A run counts only if it answers 99 % of the words of 40 letters right. Otherwise the language was *not learned*, and nothing
about longer words follows.

Preset `quick` is the experiment. Its runs are ordered by seed, then by architecture, so that an interrupted queue has
complete parts. Preset `smoke` has a short run for one language of each class, which shows that everything works.

This does not show what weights can do: an architecture may fail under this recipe and succeed under another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from seqsep.lab.experiments.base import Experiment
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.models.model import Positions
from seqsep.tasks import RegularLanguage

NAME = "language-classes"
TRAINED = 40
"""The greatest length of a training word."""
TESTED = (80, 160, 320)
LEARNED = 0.99
"""The accuracy at the greatest training length from which a run counts."""
SEEDS = (0, 1)
STEPS = 4000
WIDTH = 32
IN_C_RASP = "in C-RASP"
STAR_FREE = "star-free, not in C-RASP"
GROUPS = "with groups"
OF_CLASSES = (IN_C_RASP, STAR_FREE, GROUPS)


@dataclass(frozen=True)
class NamedLanguage:
    """A regular language under a short name; `alphabet` is 0 for the letters of the pattern."""

    title: str
    pattern: str
    alphabet: int = 0

    def task(self, length: int) -> RegularLanguage:
        """Return the task of words of at most this length."""
        return RegularLanguage(length, self.pattern, alphabet=self.alphabet)

    @property
    def verdict(self) -> str:
        """The class of the language, as `classify` computes it."""
        return _verdict(self.pattern, self.alphabet)


LANGUAGES = (
    NamedLanguage("contains 01", ".*01.*"),
    NamedLanguage("(01)*", "(01)*"),
    NamedLanguage("Dyck-(1,2)", "(0(01)*1)*"),
    NamedLanguage("(0011)*", "(0011)*"),
    NamedLanguage("flip-flop", ".*10*", alphabet=3),
    NamedLanguage("contains 01, three letters", ".*01.*", alphabet=3),
    NamedLanguage("no 11", "(0|10)*1?"),
    NamedLanguage("(01 or 110)*", "(01|110)*"),
    NamedLanguage("even number of ones", "(0|10*1)*"),
    NamedLanguage("number of ones modulo 3", "(0|10*10*1)*"),
    NamedLanguage("(10*1)*", "(10*1)*"),
    NamedLanguage("S_3, image of a point", "((0|1)(0|10*1))*"),
)


@dataclass(frozen=True)
class Architecture:
    """A mixer with its positional encoding, in two layers."""

    title: str
    mixer: str
    positions: Positions = "none"

    def run(self, task: RegularLanguage, seed: int, *, width: int = WIDTH, steps: int = STEPS) -> Run:
        """Return the run of a task by the recipe of the experiment."""
        return Run(
            task=task,
            layers=(self.mixer, self.mixer),
            width=width,
            steps=steps,
            batch=32,
            learning_rate=1e-3,
            seed=seed,
            decay="linear",
            warm_up=steps // 20,
            weight_scale=0.09,
            embedding_scale=0.3,
            evaluate_every=steps // 8,
            evaluation=1000,
            positions=self.positions,
            test_lengths=TESTED,
        )


ARCHITECTURES = (
    Architecture("LSTM", "lstm"),
    Architecture("Mamba", "mamba"),
    Architecture("Attention, no positions", "attention"),
    Architecture("Attention, rotary positions", "attention", "rope"),
    Architecture("Gated delta rule", "gated-delta"),
    Architecture("Gated delta rule, negative", "gated-delta(negative)"),
    Architecture("Rotation", "rotation"),
    Architecture("sLSTM", "slstm"),
)


@cache
def _verdict(pattern: str, alphabet: int) -> str:
    from seqsep.theorems.analysis.classify import classify  # a worker that trains needs no theorems

    holds = {name: one.holds for name, one in classify(pattern, alphabet or None, is_regular=True).verdicts.items()}
    if holds["c_rasp"]:
        return IN_C_RASP
    return STAR_FREE if holds["aperiodic"] else GROUPS


def quick() -> list[Run]:
    """Return all runs: seed by seed, architecture by architecture."""
    return [one.run(language.task(TRAINED), seed) for seed in SEEDS for one in ARCHITECTURES for language in LANGUAGES]


def smoke() -> list[Run]:
    """Return a short run for one language of each class."""
    lstm = ARCHITECTURES[0]
    chosen = {language.verdict: language for language in LANGUAGES}
    return [lstm.run(language.task(TRAINED), 0, width=16, steps=16) for language in chosen.values()]


@dataclass(frozen=True)
class Measured:
    """A language and an architecture with its runs, by seed."""

    language: NamedLanguage
    architecture: Architecture
    rows: tuple[Row, ...]

    @property
    def learned(self) -> tuple[Row, ...]:
        """The rows with at least 99 % at the greatest training length."""
        return tuple(row for row in self.rows if row.result["accuracy"] >= LEARNED)

    def at(self, length: int) -> tuple[float, ...]:
        """Return the accuracy of each learned run at a test length."""
        return tuple(dict(row.result["accuracy_by_length"])[length] for row in self.learned)


def measured(rows: Iterable[Row]) -> list[Measured]:
    """Return every language and architecture in their order, with those of these rows that are runs of the experiment.

    >>> cells = measured([])
    >>> len(cells), cells[0].language.title, cells[0].rows
    (96, 'contains 01', ())
    """
    by_key = {row.key: row for row in rows if row.status in ("converged", "finished")}
    found = []
    for language in LANGUAGES:
        for one in ARCHITECTURES:
            keys = [one.run(language.task(TRAINED), seed).key() for seed in SEEDS]
            found.append(Measured(language, one, tuple(by_key[key] for key in keys if key in by_key)))
    return found


EXPERIMENT = Experiment.of_presets(
    name=NAME,
    question="Does the class of a regular language predict which architectures learn it for longer words?",
    lists={"smoke": smoke, "quick": quick},
    searches={},
)
