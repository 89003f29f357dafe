"""The cases that every mutant of the checker is shown: certificates, forgeries, sizes at the bounds, logits and weights."""

import functools
import json
from typing import Any

import numpy as np

from seqsep.maths.networks.executor import run
from seqsep.theorems.certificate import certificate, certify
from seqsep.theorems.circuits._circuit import parsed
from seqsep.theorems.circuits._shown import shown as circuit_shown
from seqsep.theorems.circuits.attention import build as circuit_network
from support.certificates.checker_cases import Case, Cost, Digits, Enclosure, Logits, Shown, Softmax, Work, runs_of
from support.certificates.checker_limits import limits
from support.certificates.checker_queries import queries
from support.certificates.checker_work import work_of
from support.certificates.forgeries import FORGERIES
from support.certificates.samples import samples, seal
from support.certificates.truth import as_network


@functools.cache
def corpus() -> list[Shown]:
    """Cheap ones first."""
    cases: list[Shown] = [Case(data, 0, "holds") for data in samples().values()]
    cases += [Case(forgery.data(), forgery.status, forgery.why) for make in FORGERIES.values() for forgery in make()]
    for name, data in samples().items():
        if name.startswith(("network", "generated-run")):
            given = json.loads(data)
            cases.append(Logits(given, _logits_of(given)))
            cases.append(Work(data, work_of(given)))
    return (
        sorted(cases, key=lambda case: isinstance(case, Case) and case.status == 0)
        + softmaxes()
        + limits()
        + queries()
        + named()
    )


def named() -> list[Shown]:
    """A certificate of each theorem that is not among the samples."""
    certified = {
        "index-lookup-one-layer": certify("index-lookup-one-layer", length=2, alphabet=2),
        "is-tree-tour": certify("is-tree-tour", graphs=6),
        "is-tree-one-layer": certify("is-tree-one-layer", graphs=6),
        "is-tree-hybrid": certify("is-tree-hybrid", length=2),
        "recall-hybrid": certify("recall-hybrid", length=2, alphabet=2),
        "counting-hybrid": certify("counting-hybrid", length=1, alphabet=2),
    }
    of_two = parsed({"inputs": 2, "gates": [["x0", "s0"], ["g0", "x1"]], "state": ["g1"], "output": ["g0", "g1"]})
    shown_of_two = circuit_shown(of_two, circuit_network(of_two, length=1), 1)
    certified["circuits-attention"] = certificate("circuits-attention", shown_of_two)
    certified["turing-machine-hybrid"] = certify("turing-machine-hybrid", length=1)  # all runs end alike
    certified["retrieval-by-pattern"] = certify("retrieval-by-pattern", length=3, alphabet=2, gram=3)
    cases: list[Shown] = [Case(data, 0, f"holds: {theorem}: ") for theorem, data in certified.items()]
    of_one_place = certify("retrieval-by-pattern", length=3, alphabet=2, question="index")
    cases.append(Case(of_one_place, 0, "index-by-pattern: alphabet 2, length 3, all 1, heads 1, inputs 8, "))
    given = json.loads(of_one_place)
    given["task"]["alphabet"] = 1
    cases.append(Case(seal(given), 1, "with an alphabet of 1 there is no place to ask for"))
    said = "holds: index-lookup-state: index-lookup: alphabet 2, length 2, rows 4, state_bits 2, alice [0, 1]; sha256 "
    cases.append(Case(certify("index-lookup-state", length=2, alphabet=2), 0, said))
    given = json.loads(samples()["distinguishing-table: inequality"])
    given["task"] |= {"alphabet": 1, "length": 80}
    given["witness"] = {"alice": [*range(79)], "columns": [[0]], "rows": [[0] * 79]}
    cases.append(Case(seal(given | {"claims": {"rows": 1, "state_bits": 0}}), 0, f"alice {str([*range(79)])[:100]}; sha256 "))
    circuit = {"bits": 1, "gates": [[0, 0]] * 64, "length": 1, "output": [0], "start": [0], "state": [0]}
    machine = {"alphabet": 2, "head": 0, "length": 3, "rules": [[], []], "steps": 4096}
    return [*cases, Cost({"name": "circuit", **circuit}, 670), Cost({"name": "turing-machine", **machine}, 49_164)]


def _logits_of(given: dict[str, Any]) -> list[list[list[int]]]:
    """The executor's logits at the last place of each input and at every place after it."""
    network = as_network(given)
    rows = []
    for word, answer in runs_of(given["witness"]):
        places = np.arange(len(word) - 1, len(word) + len(answer) - 1)
        logits = run(network, np.array([word + answer[:-1]]), at=places[None]).logits
        rows.append(logits.of_unit(network.grid.step).integers[0].tolist())
    return rows


def softmaxes() -> list[Shown]:
    huge = 1 << 100
    return [
        Softmax(4, "floor once", (0, -4), (2, 1)),  # e^-1: 0.731 and 0.269 of 4
        Softmax(4, "nearest once", (0, -4), (3, 1)),
        Softmax(4, "floor stepwise", (0, -4), (3, 0)),  # parts 4 and floor(1.47) = 1: 3.2 and 0.8
        Softmax(4, "nearest stepwise", (0, -4), (3, 1)),
        Softmax(8, "floor once", (5, 5), (4, 4)),
        Softmax(3, "nearest once", (1, 1), (2, 2)),  # 1.5, halves up
        Softmax(3, "floor once", (1, 1), (1, 1)),
        Softmax(10, "floor once", (0, -huge), (9, 0)),  # below 1 by less than any number of digits shows
        Softmax(10, "floor stepwise", (0, -huge), (10, 0)),
        Softmax(10, "nearest once", (0, -huge), (10, 0)),
        Softmax(4, "floor once", (7, 7, -huge), (1, 1, 0)),
        Softmax(3, "nearest once", (7, 7, -huge), (1, 1, 0)),  # 1.5 from below
        Softmax(2, "floor stepwise", (0, -1), (1, 0)),
        Softmax(1000, "floor stepwise", (0, -2000), (881, 118)),  # parts 1000 and floor(135.3)
        # e^0 over the sum is 3.7e-12 steps above 449, and 4.1e-12 below 865: 14 digits of it cannot tell (found by search)
        Softmax(1000, "floor once", (0, -321, -1108, -1763), (449, 325, 148, 77)),
        Softmax(1000, "floor once", (0, -2187, -3201, -5778), (864, 97, 35, 2)),
        Enclosure(50, 1, 41, (19287498479639177830, 19287498479639177831)),
        Enclosure(0, 7, 3, (1000, 1000)),
        Enclosure(1, 1, 1, (3, 4)),
        Enclosure(21, 10, 1, (1, 2)),
        Enclosure(1, 2, 5, (60653, 60654)),
        Enclosure(41, 10, 1, (0, 1)),
        Enclosure(huge, 1, 8, (0, 1)),
        Digits(10**14, 50),
        Digits(7, 22),
        Softmax(huge, "floor stepwise", (0, -1), (huge // 2, huge // 2 - 1)),
    ]
