"""Chains of thought, token by token: networks that decide whether a graph is a tree, and one that runs Turing machines."""

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote

from seqsep.commands.explore.forms import whole_between
from seqsep.commands.explore.pages.tape import MOST_STEPS, MOST_WORD, THEOREM, WORDS, machines, tape_run
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.core.names import BadInput, choose, text_of
from seqsep.report.page.is_tree_example import PLACES
from seqsep.report.worked_example import WorkedExample, WrittenToken, worked_example
from seqsep.report.worked_networks import NETWORKS
from seqsep.theorems.is_tree.figure_3 import EDGES

STEPS = "40"


@dataclass(frozen=True)
class ThoughtEdge:
    """An edge of the graph at a step: its ends, and whether the thought is on it, has been on it, or neither."""

    ends: tuple[tuple[int, int], tuple[int, int]]
    look: str


@dataclass(frozen=True)
class ThoughtStep:
    """A written token, the vertex or token before it, and the graph as the thought has left it."""

    written: WrittenToken
    edges: tuple[ThoughtEdge, ...]


def content(visit: Visit) -> PageContent:
    """Return the page of a network. Raises BadInput for an unknown one."""
    names = [one.writer.name for one in NETWORKS]
    name = choose("network", visit.name or names[0], [*names, THEOREM])
    shared = {"name": name, "networks": NETWORKS, "machine_name": THEOREM, "machines": machines()}
    if name == THEOREM:
        return _of_a_machine(visit, shared)
    example = worked_example(NETWORKS[names.index(name)])
    values = {"example": example, "steps": steps_of(example), "places": PLACES}
    return PageContent(example.words.title, "thought.html", {**shared, **values}, command=f"seqsep check {name}")


def steps_of(example: WorkedExample) -> list[ThoughtStep]:
    """Return the steps of a worked example, each with the graph.

    >>> steps = steps_of(worked_example(NETWORKS[0]))
    >>> [sum(edge.look == "gone" for edge in step.edges) for step in steps][:4]
    [0, 0, 1, 2]
    """
    gone: set[frozenset[int]] = set()
    found = []
    for one in example.written:
        edges = tuple(_edge(edge, one, gone) for edge in EDGES)
        found.append(ThoughtStep(one, edges))
        if one.along is not None:
            gone.add(one.along)
    return found


def _edge(edge: tuple[int, int], written: WrittenToken, gone: set[frozenset[int]]) -> ThoughtEdge:
    ends = frozenset(edge)
    look = "now" if written.along == ends else "gone" if ends in gone else "left"
    return ThoughtEdge((PLACES[edge[0]], PLACES[edge[1]]), look)


def _of_a_machine(visit: Visit, shared: Mapping[str, object]) -> PageContent:
    machine = visit.asked("machine", "binary-increment")
    word = visit.asked("word") if "word" in visit.query else WORDS.get(machine, "")
    steps = visit.asked("steps", STEPS)
    error = ""
    run = None
    try:
        run = tape_run(machine, word, whole_between("steps", steps, 0, MOST_STEPS))
    except (BadInput, ValueError) as wrong:
        error = text_of(wrong)
    values = {"run": run, "machine": machine, "word": word, "asked_steps": steps, "most": (MOST_WORD, MOST_STEPS)}
    command = f"seqsep check {THEOREM} --machine {quote(machine)}"
    return PageContent("A Turing machine in a thought", "tape.html", {**shared, **values}, error=error, command=command)
