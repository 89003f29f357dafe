"""Experiments: one file a question, with its presets; a user's own Python file with `runs(preset)` works the same way.

An experiment is imported when it is first used; names do not wait for torch.

Files:

    index_lookup_architectures  which architecture learns index lookup at which length?
    dyck_architectures          which architecture learns bounded Dyck languages, and how fast?
    mamba_width                 does a wider Mamba look up more?
    equality_random             which architecture distinguishes equal halves from two random ones?
    equality_one                which architecture distinguishes equal halves from halves that differ at one place?
    equality_next               which architecture copies?
    is_tree                     which architecture learns to decide IsTree, and with which chain of thought?
    language_classes            does the class of a regular language predict who learns it for longer words?
    claims                      which claims of the papers hold here?
    base                        what an experiment is
    _load                       an experiment by its name, or a user's own file
    _search                     a grid of rates, rates around the best, more seeds
    _reach                      longer and longer inputs: architectures under both choices of positions
    _state_bits                 accuracy over bits of state at fixed steps
    _drawn                      index lookup with training inputs of a drawn length
    _readings                   index lookup under each reading of appendix H.1
    _curriculum                 index lookup with and without a curriculum
    _paper                      the sizes of the paper, and the grid of its appendix H
    _equality                   what the three experiments on equality share
"""

from typing import TYPE_CHECKING

from seqsep.core.registry import Registry, from_places, lazy_names

if TYPE_CHECKING:
    from seqsep.lab.experiments._load import load_experiment
    from seqsep.lab.experiments._reach import Reach
    from seqsep.lab.experiments._search import Search
    from seqsep.lab.experiments.base import Experiment

    EXPERIMENTS: tuple[Experiment, ...]

PLACES = {
    "index-lookup-architectures": "seqsep.lab.experiments.index_lookup_architectures:EXPERIMENT",
    "dyck-architectures": "seqsep.lab.experiments.dyck_architectures:EXPERIMENT",
    "mamba-width": "seqsep.lab.experiments.mamba_width:EXPERIMENT",
    "equality-random": "seqsep.lab.experiments.equality_random:EXPERIMENT",
    "equality-one": "seqsep.lab.experiments.equality_one:EXPERIMENT",
    "equality-next": "seqsep.lab.experiments.equality_next:EXPERIMENT",
    "is-tree": "seqsep.lab.experiments.is_tree:EXPERIMENT",
    "language-classes": "seqsep.lab.experiments.language_classes:EXPERIMENT",
    "claims": "seqsep.lab.experiments.claims:EXPERIMENT",
}
BY_NAME: "Registry[Experiment]" = Registry("experiment", PLACES)

_HOMES = {
    "Experiment": "seqsep.lab.experiments.base:Experiment",
    "Reach": "seqsep.lab.experiments._reach:Reach",
    "Search": "seqsep.lab.experiments._search:Search",
    "load_experiment": "seqsep.lab.experiments._load:load_experiment",
}
if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, {**from_places(_HOMES), "EXPERIMENTS": BY_NAME.members})

__all__ = ["BY_NAME", "EXPERIMENTS", "PLACES", "Experiment", "Reach", "Search", "load_experiment"]
