"""The commands: one file each, with its flags, its help and what it does.

    demo          `seqsep demo`: theorems, training, the page
    list          `seqsep list`: the members of a registry
    check         `seqsep check`: theorems, also a user's own, or the laws on a user's own parts
    bound         `seqsep bound`: the constants of a theorem
    apply         `seqsep apply`: built weights on the user's inputs
    certify       `seqsep certify`: certificates
    export_network  `seqsep export-network`: hand-built weights in a file
    capacity      `seqsep capacity`: what a published model keeps between tokens
    analyze       `seqsep analyze`: the least state of a function
    classify      `seqsep classify`: the class of a regular language
    ceiling       `seqsep ceiling`: the highest accuracy that a state of some bits allows
    sample        `seqsep sample`: examples of a task
    ask           `seqsep ask`: what a trained model answers to the user's inputs
    audit         `seqsep audit`: what a trained model carries, and where it fails
    generate      `seqsep generate`: what a trained model writes
    claims        `seqsep claims`: the papers' experiments, claim by claim
    train         `seqsep train`: models on a task, described by flags
    card          `seqsep card`: what a layer can hold, follow, recall and learn
    card_model    its cards of published models
    run           `seqsep run`: the runs of an experiment
    export        `seqsep export`: the rows of a store
    store         `seqsep store`: what a store holds, and its repair
    report        `seqsep report`: the page from a store or from rows
    examples      `seqsep examples`: a copy of the examples and committed rows
    text          `seqsep text`: language models that answer questions in plain words
    canary        `seqsep canary`: models whose every answer is known, and engines that are asked for the answers
    explore       `seqsep explore`: pages in a browser, on this machine only
    canary_check  its action check: prompts, verdicts and a diagnosis
    cli           the command line: arguments in, one command run, the exit status out
    shipped       the files that come with seqsep besides its code
    sweeping      the sweep that run and train share: flags, engine, end
    later_steps   what the stages after this one may add to a sweep
    comparison    the reader's rows beside the committed ones
    completion    `seqsep completion`: words for bash, zsh and fish, by argcomplete
    run_settings  the settings of a run as flags
    several_values  one value or several of a flag
    equal_states  the width of each model for a state of some bits
    layer_labels  labels of runs by their layers
    chosen_runs   which runs `seqsep run` trains
    command       what a command is
    outputs       the files that one command writes
    kept          what an interrupted command has kept
    outcome_cache  the outcomes of theorems, kept for the report and the demo
    stored_rows   what the rows of a store came to
    named_theorems  the theorem of a name, or of a user's FILE.py:NAME
    theorem_laws  the laws on a user's own theorem
    theorem_lines  a theorem in one line, and how far long checks are
    own_parts     a user's own layers, models and tasks, for `seqsep check`
    model_laws    the laws of state of a language model, for `seqsep check --model PATH`
    engine_laws   the laws of state of an inference engine, for `seqsep check --engine COMMAND`
    junit         verdicts as a JUnit file
    members       the members of the registries: names, and records for `seqsep list`
    shared_flags  what several commands read from flags
    theorem_options  the options of one theorem, explained
    now_and_then  lines of progress of commands other than sweeps
    users_code    a user's exits and prints: an error of the file, and stderr
    status        the exit statuses
    streams       the standard streams, escaped and guarded

A command is imported when it is first used, and imports what it needs when it runs, since torch takes seconds to import.
"""

from typing import TYPE_CHECKING

from seqsep.commands.command import GROUPS, Command, Group
from seqsep.core.registry import Registry, lazy_names

NAMES = (
    "demo",
    "list",
    "check",
    "bound",
    "capacity",
    "apply",
    "certify",
    "export-network",
    "explore",
    "analyze",
    "classify",
    "ceiling",
    "sample",
    "ask",
    "audit",
    "generate",
    "train",
    "card",
    "run",
    "claims",
    "export",
    "store",
    "report",
    "examples",
    "text",
    "canary",
    "completion",
)
"""In the order of `seqsep --help`."""
BY_NAME: Registry[Command] = Registry("command", {name: f"{__name__}.{name.replace('-', '_')}:COMMAND" for name in NAMES})
if TYPE_CHECKING:
    COMMANDS: tuple[Command, ...]
else:
    __getattr__ = lazy_names(__name__, {"COMMANDS": BY_NAME.members})

__all__ = ["BY_NAME", "COMMANDS", "GROUPS", "Command", "Group"]
