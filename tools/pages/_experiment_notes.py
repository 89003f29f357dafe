"""Written sentences of the experiments' pages on tested causes; `tests/pages/test_experiment_notes.py` computes each number."""

from collections.abc import Mapping, Sequence

from pages._markdown import table
from seqsep.report.formatting import count
from seqsep.report.result_table import ResultTable
from seqsep.report.used_bits import UsedAtLength, UsedBits, model_words, share_in_percent

RAISED = "Learned positions raise the accuracy of"
THOUGHT = "So the models fail at the thought, and not at the answer."

NOTES: Mapping[str, Sequence[str]] = {
    "dyck-architectures-reach": (
        "Positions: 7 architectures were trained at N = 100 with learned positions and without. With learned positions 3 of "
        "them have 99 %, without positions 3. The best of them without positions has 99.4 %. "
        f"{RAISED} 5 of 7.",
    ),
    "equality-next-reach": (
        "Positions: 7 architectures were trained at N = 20 with learned positions and without. With learned positions 4 of "
        "them have 99 %, without positions 0. The best of them without positions has 92.4 %. "
        f"{RAISED} 7 of 7.",
    ),
    "equality-random": (
        "A model that compares only the first 4 of the 10 symbols has 96.9 % at N = 20. The best run here has 96.8 %.",
    ),
    "index-lookup-architectures-reach": (
        "Positions: 7 architectures were trained at N = 20 with learned positions and without. With learned positions 5 of "
        "them have 99 %, without positions 0. The best of them without positions has 31.9 %. "
        f"{RAISED} 7 of 7.",
    ),
    "index-lookup-architectures-readings": (
        'Appendix H.1 draws a length k between 10 and N, then "N symbols", then a position up to k.\n'
        "It can be read in three ways:\n\n"
        "* `drawn-length`: training inputs have k symbols, and a uniform position.\n"
        "* `full-length`: training inputs have N symbols, and a uniform position.\n"
        "* `drawn-position`: training inputs have N symbols, and a uniform position up to k.",
        "At N = 200, attention first has 99 % after 3,600 steps under `full-length`. Under `drawn-length` and "
        "`drawn-position` it stays below 99 % within 12,000 steps.",
        "3 of 12 runs end below 99.9 %. In 3 of them the last tenth of the positions is the worst.",
        'The paper says that attention is near-perfect at N = 200 "within a few thousand steps". '
        "So the demo and the claims train with `full-length`. "
        "This does not show which reading the authors implemented.",
    ),
    "index-lookup-architectures-state-bits": (
        "The picture shows the bits about the symbols that an accuracy proves to be in the state (Fano's inequality). "
        "A state may hold more than its model reads.",
        "Heads change the state and hardly the parameters: at width 64, by at most 2.2 %.",
    ),
    "is-tree": (
        "If the right `peel` is given, every model answers at least 97.2 % of the graphs correctly. "
        f"After a thought that it writes itself, the lowest of them has 49.4 %. {THOUGHT}",
    ),
    "is-tree-length": (
        "If the right `peel` is given, every model answers at least 94.0 % of the graphs correctly. "
        f"After a thought that it writes itself, the lowest of them has 46.0 %. {THOUGHT}",
    ),
    "is-tree-reach": (
        "If the right `retrieval` is given, every model answers at least 99.4 % of the graphs correctly. "
        f"After a thought that it writes itself, the lowest of them has 76.7 %. {THOUGHT}",
        "If the right `peel` is given, every model answers at least 99.8 % of the graphs correctly. "
        f"After a thought that it writes itself, the lowest of them has 47.2 %. {THOUGHT}",
    ),
    "is-tree-state": (
        "If the right `peel` is given, every model answers at least 93.8 % of the graphs correctly. "
        f"After a thought that it writes itself, the lowest of them has 48.3 %. {THOUGHT}",
    ),
    "mamba-width-reach": (
        "Positions: 3 sizes were trained at N = 20 with learned positions and without. With learned positions 2 of them have "
        "99 %, without positions 0. The best of them without positions has 64.0 %. "
        f"{RAISED} 3 of 3.",
    ),
}
"""By the name of the page."""


def used_bits_table(states: ResultTable) -> str:
    """Return a line for each length: the most bits that are used, and the greatest share of a state."""
    head = ["N", "models", "bits asked", "most bits used", "by", "greatest share", "by", "models with less than 1 bit"]
    lines = [head]
    for one in map(UsedAtLength.of, states.columns):
        numbers = [str(one.length), str(one.models), count(one.asked), count(round(one.most.used)), model_words(one.most.model)]
        share = share_in_percent(one.greatest.share)
        lines.append([*numbers, f"{share}: {_of_state(one.greatest)}", model_words(one.greatest.model), str(one.none)])
    return table(lines)


def _of_state(one: UsedBits) -> str:
    return f"{count(round(one.used))} of {count(one.state_bits)} bits"
