"""The tasks of generated runs from their definitions, by other means than the checker's."""

import itertools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from seqsep.tasks.retriever import Retriever
from seqsep.tasks.trees.walk import WalkTokens
from seqsep.theorems.circuits._circuit import parsed, run_circuit
from seqsep.theorems.circuits._tokens import Vocabulary
from seqsep.theorems.retrieval._written_query import Template
from seqsep.theorems.turing_machine._machine import Machine, Rule, simulate
from seqsep.theorems.turing_machine._retrieved_run import RunTokens


class Generated(NamedTuple):
    """The letters of a prompt, its value, the tokens that end a run, and the retriever, given the fields of it.

    `told` is what a run says, some of whose tokens were inserted: its last token, if not given.
    """

    alphabets: Callable[[dict[str, Any]], list[range]]
    solve: Callable[[dict[str, Any], list[int]], int | list[int]]
    ends: Callable[[dict[str, Any]], set[int]]
    retriever: Callable[[dict[str, Any]], Retriever] | None = None
    told: Callable[[dict[str, Any], list[int], list[bool]], Any] = lambda task, run, inserted: run[-1]


def _tree_alphabets(task: dict[str, Any]) -> list[range]:
    n = task["vertices"]
    edge = [range(1, n + 1), range(n + 1, n + 2), range(1, n + 1)]
    return [range(1), *itertools.chain.from_iterable(itertools.repeat(edge, n - 1))]


def _tree_value(task: dict[str, Any], word: list[int]) -> int:
    """Every vertex is reached from vertex 1 along n - 1 edges."""
    n = task["vertices"]
    edges = [(word[place], word[place + 2]) for place in range(1, len(word), 3)]
    reached = {1}
    for _ in range(n):
        reached |= {end for edge in edges if reached & {*edge} for end in edge}
    return n + 3 if reached == {*range(1, n + 1)} else n + 2


def _ngram_value(task: dict[str, Any], word: list[int]) -> int:
    """By a regular expression on symbols as characters."""
    text = "".join(map(chr, word[1 : task["length"] + 1]))
    asked = "".join(map(chr, word[task["length"] + 1 :]))
    found = re.search(re.escape(asked) + "(.)", text, flags=re.DOTALL)
    return ord(found.group(1)) if found else 0


def _counting_value(task: dict[str, Any], word: list[int]) -> int:
    threshold = word[-1] - 1
    return int(sum(symbol == word[-2] for symbol in word[1 : task["length"] + 1]) > threshold)


def _circuit_run(task: dict[str, Any], word: list[int]) -> list[int]:
    """By the definition of `circuits._circuit`, with sources by name."""
    bits, state = task["bits"], len(task["start"])
    names = [f"x{place}" for place in range(bits)] + [f"s{place}" for place in range(state)]
    names += [f"g{gate}" for gate in range(len(task["gates"]))]
    circuit = parsed(
        {
            "inputs": bits,
            "gates": [[names[one], names[other]] for one, other in task["gates"]],
            "state": [f"g{gate}" for gate in task["state"]],
            "start": task["start"],
            "output": [f"g{gate}" for gate in task["output"]],
        }
    )
    return Vocabulary(circuit, task["length"]).thought(run_circuit(circuit, word[:-1], task["length"]))


def _machine_alphabets(task: dict[str, Any]) -> list[range]:
    rules = len(task["rules"])
    begin = rules + task["alphabet"]
    alphabets = [range(begin, begin + 1)] + [range(rules, begin)] * task["length"]
    return alphabets[::-1] if task["name"] == "turing-machine-numbers" else alphabets


def _machine_run(task: dict[str, Any], word: list[int]) -> list[int]:
    """By the direct simulator, of a machine that first walks to the cell where the head starts."""
    count = task["alphabet"]
    states = range(len(task["rules"]) // count)
    symbols = [chr(33 + number) for number in range(count)]
    rules = {}
    for number, rule in enumerate(task["rules"]):
        assert rule == [] or (rule[0] in states and rule[1] in range(count) and rule[2] in (-1, 0, 1)), rule
        if rule:
            rules[str(number // count), symbols[number % count]] = Rule(str(rule[0]), symbols[rule[1]], rule[2])
    for step in range(task["head"]):
        after = f"walk {step + 1}" if step + 1 < task["head"] else "0"
        rules |= {(f"walk {step}", symbol): Rule(after, symbol, 1) for symbol in symbols}
    machine = Machine("walk 0" if task["head"] else "0", (), symbols[0], rules)
    text = "".join(symbols[token - len(task["rules"])] for token in word if token < len(task["rules"]) + count)
    trace, _ = simulate(machine, text, task["head"] + task["steps"])
    return [int(state) * count + symbols.index(symbol) for state, symbol in trace[task["head"] :]]


def _sizes(task: dict[str, Any]) -> Machine:
    """A machine with as many states and symbols, which is all that tokens depend on."""
    states = [str(number) for number in range(len(task["rules"]) // task["alphabet"])]
    symbols = [chr(33 + number) for number in range(task["alphabet"])]
    rules = {(state, symbol): Rule(state, symbol, 0) for state, symbol in itertools.product(states, symbols)}
    return Machine(states[0], (), symbols[0], rules)


def _configurations(task: dict[str, Any], run: list[int], inserted: list[bool]) -> list[int]:
    return [token for token, found in zip(run, inserted, strict=True) if token < len(task["rules"]) and not found]


PATTERN_OF = {"index-by-pattern": "index", "ngram-by-pattern": "recall", "counting-by-pattern": "counting"}


def _template(task: dict[str, Any]) -> Template:
    return Template(PATTERN_OF[task["name"]], task["alphabet"], task.get("gram", 2))


def _pattern_run(task: dict[str, Any], word: list[int]) -> list[int]:
    """By the template of the theorem, and the definition of the task."""
    asked = [token - 1 for token in word[task["length"] + 1 :]]
    found: int | None
    if task["name"] == "index-by-pattern":
        found = word[asked[0]] - 1
    elif task["name"] == "counting-by-pattern":
        found = asked[0] if _counting_value(task, word) else None
    else:
        value = _ngram_value(task, word)
        found = value - 1 if value else None
    return _template(task).thought(asked, found)


def _index_alphabets(task: dict[str, Any]) -> list[range]:
    symbols = range(1, task["alphabet"] + 1)
    places = [number + 1 for number in range(task["alphabet"]) if 1 <= number <= task["length"]]
    return [range(1), *[symbols] * task["length"], range(places[0], places[-1] + 1) if places else range(0)]


GENERATED = {
    "circuit": Generated(
        lambda task: [range(1 << task["bits"])] * task["length"] + [range(1 << task["bits"], (1 << task["bits"]) + 1)],
        _circuit_run,
        lambda _: set(),
        told=lambda _, run, __: run,
    ),
    "is-tree": Generated(_tree_alphabets, _tree_value, lambda task: {task["vertices"] + 2, task["vertices"] + 3}),
    "ngram": Generated(
        lambda task: [range(1)] + [range(1, task["alphabet"] + 1)] * (task["length"] + task["gram"] - 1),
        _ngram_value,
        lambda task: {*range(task["alphabet"] + 1)},
    ),
    "counting": Generated(
        lambda task: [range(1)] + [range(1, task["alphabet"] + 1)] * (task["length"] + 2),
        _counting_value,
        lambda _: {0, 1},
    ),
}
for name in ("turing-machine", "turing-machine-queries", "turing-machine-numbers"):
    GENERATED[name] = Generated(_machine_alphabets, _machine_run, lambda _: set(), told=_configurations)
GENERATED["turing-machine-queries"] = GENERATED["turing-machine-queries"]._replace(
    retriever=lambda task: RunTokens(_sizes(task), task["steps"]).retriever()
)
for name in PATTERN_OF:
    GENERATED[name] = Generated(
        _index_alphabets if name == "index-by-pattern" else GENERATED[name.removesuffix("-by-pattern")].alphabets,
        _pattern_run,
        lambda _: set(),
        retriever=lambda task: _template(task).retriever(),
        told=lambda _, run, __: run,
    )
GENERATED["is-tree-queries"] = GENERATED["is-tree"]._replace(
    retriever=lambda task: WalkTokens(task["vertices"]).retriever("prompt")
)
