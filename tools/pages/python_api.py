"""docs/reference/python/: the public functions and classes, by what they are for, from their source and docstrings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pages._docstrings import blocks, inline, markdown
from pages._glossary import with_terms
from pages._markdown import table
from pages._members import Member, Parameter
from seqsep.tasks import TASKS

FOLDER = "docs/reference/python"
LABEL = re.compile(r"^\*\*(?!Source|We differ)([^*\n]+[.:])\*\*", re.MULTILINE)
"""The first words of a paragraph that only look like a label."""


@dataclass(frozen=True)
class PythonPage:
    """A page: its file, its title, who needs it, and its members."""

    file: str
    title: str
    purpose: str
    members: tuple[Member, ...]


def _members(module: str, *names: str) -> tuple[Member, ...]:
    return tuple(Member(module, name) for name in names)


PYTHON_PAGES = (
    PythonPage(
        "theorems",
        "Theorems",
        "You need this page if you check a theorem, compute its bound, or use the network that it builds. [Every theorem]"
        "(../theorems/index.md) has a page with its options.",
        (
            *_members("seqsep", "check", "bound", "build", "apply", "certify"),
            *_members("seqsep.theorems", "Outcome", "Outcomes", "Theorem", "Claim", "TheoremFails"),
            *_members("seqsep.theorems.laws", "check_theorem"),
        ),
    ),
    PythonPage(
        "functions",
        "Functions and accuracy limits",
        "You need this page if you ask how large a state must be for a function, or how accurate a model with a given state "
        "can be.",
        (
            *_members("seqsep", "analyze", "classify"),
            *_members("seqsep.theorems.analysis", "Analysis", "AtLength", "InputPair", "Width"),
            *_members("seqsep", "ceiling", "least_state_bits", "longest", "first_bitten_length"),
        ),
    ),
    PythonPage(
        "ceilings",
        "Accuracy limits by task",
        "You need this page if you know a task's sizes and want its accuracy limit from numbers, or the bits that a measured "
        "accuracy proves. For a task object, `ceiling` on the page [functions](functions.md) chooses the right formula. Each "
        "file of `seqsep.tasks.ceilings` has its formulas with proofs.",
        (
            *_members("seqsep.tasks.ceilings", "index_lookup_ceiling", "length_where_it_bites"),
            *_members("seqsep.tasks.ceilings", "best_accuracy", "code_accuracy", "carried_bits", "carried_bits_by_place"),
            *_members("seqsep.tasks.ceilings", "distinct_values_ceiling", "phonebook_ceiling", "counting_ceiling"),
            *_members("seqsep.tasks.ceilings", "recall_ceiling", "gram_ceiling", "occurrence_ceiling"),
            *_members("seqsep.tasks.ceilings", "random_equality_ceiling", "random_equality_accuracy"),
            *_members("seqsep.tasks.ceilings", "double_star_ceiling", "uniform_graph_ceiling"),
        ),
    ),
    PythonPage(
        "tasks",
        "Tasks",
        "You need this page if you make examples of a task or write your own task. The page [tasks](../tasks.md) explains "
        "the notation of inputs and answers.",
        (
            *_members(
                "seqsep",
                *("IndexLookup", "AssociativeRecall", "MultiQueryRecall", "NgramRetrieval", "NearestNeighbor", "Counting"),
                *("SparseThreshold", "Equality", "Disjointness", "BoundedDyck", "IsTree"),
                *("WordProblem", "ModularCount", "FlipFlop", "PermutationTrace", "InductionHeads", "SelectiveCopying"),
                *("StateBasedRecall", "ParityConditionedRecall", "RegularLanguage"),
            ),
            *_members("seqsep.tasks", "Task", "GeneratedTask", "Batch"),
        ),
    ),
    PythonPage(
        "training",
        "Training",
        "You need this page if you train a model from Python, or read the rows of runs.",
        (
            *_members("seqsep", "Run", "train"),
            *_members("seqsep.lab.train", "Result"),
            *_members("seqsep", "save", "load", "Row", "Rows", "read_rows"),
        ),
    ),
    PythonPage(
        "models",
        "Models, layers and networks",
        "You need this page if you build a model, let it write text, write your own layer, or run a hand-built network. "
        "The page [mixers]"
        "(../mixers.md) lists the layers that come with seqsep.",
        (
            *_members("seqsep", "Model", "Model.build", "Model.load"),
            *_members("seqsep.models.design", "Design"),
            *_members("seqsep.models.decode", "generate", "Generated", "GenerationFails"),
            *_members("seqsep.models.weights", "load_model"),
            *_members("seqsep.models.thought_accuracy", "thought_accuracy", "ThoughtAccuracy"),
            *_members("seqsep.tasks.retriever", "Retriever"),
            *_members("seqsep.models.mixers", "Mixer", "Block", "state_bits", "state_to_bytes", "state_from_bytes"),
            *_members("seqsep", "load_network", "save_network"),
            *_members("seqsep.maths.networks.network", "Network"),
            *_members("seqsep.maths.networks.executor", "run"),
            *_members("seqsep.maths.arithmetic.grid", "Grid", "Tally"),
            *_members("seqsep.maths.arithmetic.softmax", "attend"),
        ),
    ),
    PythonPage(
        "published-models",
        "Published and trained models",
        "You need this page if you measure the state of a published or trained model. It is measured from the model's "
        "configuration, code or weights.",
        (
            *_members("seqsep", "capacity"),
            *_members("seqsep.language_models.capacity", "Capacity"),
            *_members("seqsep", "check_language_model"),
            *_members("seqsep", "check_engine"),
            *_members("seqsep.language_models.laws.check", "ModelVerdict"),
            *_members("seqsep", "audit"),
            *_members("seqsep.lab.audit", "Audit"),
            *_members("seqsep", "worst_case"),
            *_members("seqsep.lab.audit", "WorstCase"),
            *_members("seqsep.lab.audit", "accuracy_by", "AccuracyBy"),
            *_members("seqsep", "audit_language_model"),
            *_members("seqsep.language_models.audit.answer", "LanguageModelAudit"),
        ),
    ),
)
"""The pages, in the order of the index."""


def python_index(clone: Path) -> str:
    """Return the index: a line for each function and class."""
    parts = [
        "# Python API\n\nYou need these pages if you use seqsep from Python. Each page has the functions and classes for one "
        "purpose, such as training.\n`make pages` generates these pages from the source. A test runs every example.\n\n"
        "All names of the module `seqsep` are imported when they are first used: `import seqsep` does not load PyTorch.\n"
    ]
    for page in PYTHON_PAGES:
        rows = [
            [f"[`{one.name}`]({page.file}.md#{anchor(one)})", f"`{one.module}`", _cell(_first(one))] for one in page.members
        ]
        parts.append(f"\n## {page.title}\n\n{table([['name', 'module', 'meaning'], *rows])}")
    names = "\n".join(page.file for page in PYTHON_PAGES)
    return f"{with_terms(''.join(parts), clone, up='../../')}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def python_page(page: PythonPage, clone: Path) -> str:
    """Return one page: every member with signature, parameters, errors and example."""
    parts = [f"# {page.title}\n\n{page.purpose}\n", *map(section, page.members)]
    return with_terms("".join(parts), clone, up="../../")


def section(member: Member) -> str:
    """Return the section of a member.

    >>> print(section(Member("seqsep.models.mixers", "state_bits"))[:96])
    <BLANKLINE>
    ## state_bits
    <BLANKLINE>
    ```text
    from seqsep.models.mixers import state_bits
    state_bits(state: State) -> int
    ```
    """
    parameters = member.parameters
    text = LABEL.sub(r"\1", markdown(blocks(member.text)))
    parts = [f"\n## {member.name}\n\n", f"```text\n{signature(member)}\n```\n\n{text}"]
    if member.value in TASKS:
        name = member.value.name
        parts.append(f"\nIts examples, its source and the differences from the paper: [{name}](../tasks.md#{name}).\n")
    if parameters:
        meanings = member.meanings
        rows = [
            [f"`{one.name}`", _code(member.spelt_out(one.kind)), _code(one.default), _cell(meanings[one.name])]
            for one in parameters
        ]
        header = ["parameter", "type", "default", "meaning"]
        parts.append(f"\n{table([header, *rows])}")
    if member.returns not in ("", "None"):
        parts.append(f"\nReturns: `{member.returns}`\n")
    parts += [f"\n{inline(error)}\n" for error in member.errors]
    if member.example:
        parts.append(f"\n```python\n{member.example}\n```\n")
    return "".join(parts)


def signature(member: Member) -> str:
    """Return the import of a member and its call; a long call has a line for each parameter."""
    root = member.name.split(".")[0]
    returns = f" -> {member.returns}" if member.returns else ""
    words = list(_words(member))
    line = f"{member.name}({', '.join(words)}){returns}"
    if len(line) > 100:
        line = f"{member.name}(\n" + "".join(f"    {word},\n" for word in words) + f"){returns}"
    return f"from {member.module} import {root}\n{line}"


def anchor(member: Member) -> str:
    """Return the anchor of a member's heading."""
    return member.name.lower().replace(".", "")


def _words(member: Member) -> Iterator[str]:
    """Yield the parameters of a member as its signature has them."""
    keyword_only, options = member.keyword_only, member.options
    for one in member.parameters:
        if one.name == keyword_only:
            yield "*"
        yield f"**{_word(one)}" if one.name == options else _word(one)


def _word(one: Parameter) -> str:
    return f"{one.name}: {one.kind}" + (f" = {one.default}" if one.default else "")


def _first(member: Member) -> str:
    """Return the first sentence of a docstring."""
    return member.text.split("\n\n")[0].replace("\n", " ").rstrip()


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


def _cell(text: str) -> str:
    return inline(text).replace("|", "\\|")
