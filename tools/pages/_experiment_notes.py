"""Written sentences of the experiments' pages on tested causes; `tests/pages/test_experiment_notes.py` computes each number."""

from collections.abc import Mapping, Sequence

from pages._markdown import table
from seqsep.report.formatting import count
from seqsep.report.result_table import ResultTable
from seqsep.report.used_bits import UsedAtLength, UsedBits, model_words, share_in_percent

THOUGHT = "So a model with a low accuracy fails by writing a wrong thought, and not by a wrong answer after a right thought."

NOTES: Mapping[str, Sequence[str]] = {
    "dyck-architectures-reach": (
        "7 architectures were trained at N = 100 twice, with learned positions and without positions. "
        "With learned positions, 3 of them reach 99 %. Without positions, 3 of them do, and the highest accuracy is 99.4 %. "
        "5 of the 7 are more accurate with learned positions.",
    ),
    "equality-next-reach": (
        "7 architectures were trained at N = 20 twice, with learned positions and without positions. "
        "With learned positions, 4 of them reach 99 %. Without positions, none does, and the highest accuracy is 92.4 %. "
        "7 of the 7 are more accurate with learned positions.",
    ),
    "equality-random": (
        "A model can take a shortcut. If it compares only the first 4 of the 10 symbols, it has 96.9 % at N = 20. "
        "The best run here has 96.8 %.",
    ),
    "index-lookup-architectures-reach": (
        "7 architectures were trained at N = 20 twice, with learned positions and without positions. "
        "With learned positions, 5 of them reach 99 %. Without positions, none does, and the highest accuracy is 31.9 %. "
        "7 of the 7 are more accurate with learned positions.",
    ),
    "index-lookup-architectures-readings": (
        "Appendix H.1 says how a training input is drawn: "
        'first a length k between 10 and N, then "N symbols", then a position up to k.\n'
        "These words can be read in three ways:\n\n"
        "* `drawn-length`: training inputs have k symbols, and a uniform position.\n"
        "* `full-length`: training inputs have N symbols, and a uniform position.\n"
        "* `drawn-position`: training inputs have N symbols, and a uniform position up to k.",
        "At N = 200, attention first has 99 % after 3,600 steps under `full-length`. Under `drawn-length` and "
        "`drawn-position` it stays below 99 % within 12,000 steps.",
        "3 of 12 runs end below 99.9 %. In 3 of these runs, the last tenth of the positions has the lowest accuracy.",
        'The paper says that attention is near-perfect at N = 200 "within a few thousand steps". '
        "So [the demo](demo.md) and the [runs that decide claims](claims-all.md) use `full-length`. "
        "This does not show which reading the authors implemented.",
    ),
    "index-lookup-architectures-state-bits": (
        "By Fano's inequality, a model can have its accuracy only if its state holds at least a certain number of bits about "
        "the symbols. The picture and the table call these bits *used*. A state may hold more bits than its model reads.",
        "The number of heads changes the size of the state. "
        "It hardly changes the number of parameters: at width 64, by at most 2.2 %.",
    ),
    "is-tree": (
        "If a model reads the right chain of thought `peel`, it answers at least 97.2 % of the graphs correctly. "
        f"If it writes this thought itself, the accuracy of the worst model is 49.4 %. {THOUGHT}",
    ),
    "is-tree-length": (
        "If a model reads the right chain of thought `peel`, it answers at least 94.0 % of the graphs correctly. "
        f"If it writes this thought itself, the accuracy of the worst model is 46.0 %. {THOUGHT}",
    ),
    "is-tree-reach": (
        "If a model reads the right chain of thought `retrieval`, it answers at least 99.4 % of the graphs correctly. "
        f"If it writes this thought itself, the accuracy of the worst model is 76.7 %. {THOUGHT}",
        "If a model reads the right chain of thought `peel`, it answers at least 99.8 % of the graphs correctly. "
        f"If it writes this thought itself, the accuracy of the worst model is 47.2 %. {THOUGHT}",
    ),
    "is-tree-state": (
        "If a model reads the right chain of thought `peel`, it answers at least 93.8 % of the graphs correctly. "
        f"If it writes this thought itself, the accuracy of the worst model is 48.3 %. {THOUGHT}",
    ),
    "mamba-width-reach": (
        "3 sizes were trained at N = 20 twice, with learned positions and without positions. "
        "With learned positions, 2 of them reach 99 %. Without positions, none does, and the highest accuracy is 64.0 %. "
        "3 of the 3 are more accurate with learned positions.",
    ),
}
"""By the name of the page."""


def used_bits_table(states: ResultTable) -> str:
    """Return a line for each length: the most bits that are used, and the greatest share of a state."""
    head = ["N", "models", "bits of the symbols", "most bits used", "by which model"]
    head += ["greatest used share of a state", "by which model", "models that use less than 1 bit"]
    lines = [head]
    for one in map(UsedAtLength.of, states.columns):
        numbers = [str(one.length), str(one.models), count(one.asked), count(round(one.most.used)), model_words(one.most.model)]
        share = share_in_percent(one.greatest.share)
        lines.append([*numbers, f"{share}: {_of_state(one.greatest)}", model_words(one.greatest.model), str(one.none)])
    return table(lines)


def _of_state(one: UsedBits) -> str:
    return f"{count(round(one.used))} of {count(one.state_bits)} bits"
