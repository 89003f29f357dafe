"""Tasks: each is a frozen dataclass in a file of its own, which begins with the query.

A task is imported when it is first used.

Files:

    base                       what every task is: `Task`, and `Batch`, a block of its examples; `GeneratedTask` writes answers
    index_lookup               symbols, then a position: the symbol there
    bounded_dyck               is a string of brackets well matched, with few of them open?
    equality                   are two halves equal?
    disjointness               do two sets meet?
    associative_recall         pairs, then a key: its value
    ngram_retrieval            symbols, then a few of them: the symbol after
    counting                   numbers, then one and a threshold: does it occur more often?
    multi_query_recall         pairs, then many keys: their values
    nearest_neighbor           labelled vectors, then vectors to label
    is_tree                    is a list of edges a tree? the answer after a thought
    sparse_threshold           do more than t features of a few bits each hold?
    word_problem               letters of a finite group: their product
    modular_count              symbols: how many are 1, modulo m?
    flip_flop                  registers are written and read: the last value written
    permutation_trace          variables are swapped and printed: the printed value
    induction_heads            symbols with one trigger, then the trigger: the symbol after it
    selective_copying          items among blanks, then their copies in order
    state_based_recall         values, then permutations that move a pointer: the value there
    parity_conditioned_recall  pairs, then a key: its value, reversed if the sum is odd
    regular_language           letters: is the word so far in a regular language?
    fields                     the earlier names of Range and OneOf
    reading                    inputs of the user's own, as `readable` writes them
    trees                      IsTree on tokens: the definition, how a graph is written, the thoughts that decide it
    retriever                  in-context retrieval: queries between two marks, and what they find
    ceilings                   upper limits of accuracy for a state of B bits
    returned                   checks of what the members of a task return
    _blocks                    the draws of a block of examples, and ranges of examples that fit in a cache
    _rows                      array operations in which every row has its own places
    _orders                    random orders and distinct numbers
    _halves                    two halves around a separator: equality and disjointness
    _fixed_length              a yes or no at the last of exactly `length` tokens
    _graphs                    double stars, random trees, near misses and other graphs
    _incidences                every vertex's edges in order; leaf peeling
    _thoughts                  the thoughts about a block of graphs at once
    _spherical_code            unit vectors in general position that stay apart
    _thresholds                thresholds of features: drawn ones, DIMACS text, quick evaluation
    _walks                     a state that one letter a token moves, and where it is asked for
"""

from typing import TYPE_CHECKING

from seqsep.core.registry import Registry, from_places, lazy_names

if TYPE_CHECKING:
    from seqsep.tasks.associative_recall import AssociativeRecall
    from seqsep.tasks.base import EVERY_CLASS, NOTHING_ASKED, Batch, GeneratedTask, LiveRetriever, Task
    from seqsep.tasks.bounded_dyck import BoundedDyck
    from seqsep.tasks.counting import Counting
    from seqsep.tasks.disjointness import Disjointness
    from seqsep.tasks.equality import Equality
    from seqsep.tasks.flip_flop import FlipFlop
    from seqsep.tasks.index_lookup import IndexLookup
    from seqsep.tasks.induction_heads import InductionHeads
    from seqsep.tasks.is_tree import IsTree
    from seqsep.tasks.modular_count import ModularCount
    from seqsep.tasks.multi_query_recall import MultiQueryRecall
    from seqsep.tasks.nearest_neighbor import NearestNeighbor
    from seqsep.tasks.ngram_retrieval import NgramRetrieval
    from seqsep.tasks.parity_conditioned_recall import ParityConditionedRecall
    from seqsep.tasks.permutation_trace import PermutationTrace
    from seqsep.tasks.regular_language import RegularLanguage
    from seqsep.tasks.selective_copying import SelectiveCopying
    from seqsep.tasks.sparse_threshold import SparseThreshold
    from seqsep.tasks.state_based_recall import StateBasedRecall
    from seqsep.tasks.word_problem import WordProblem

    TASKS: tuple[type[Task], ...]

PLACES = {
    "associative-recall": "seqsep.tasks.associative_recall:AssociativeRecall",
    "bounded-dyck": "seqsep.tasks.bounded_dyck:BoundedDyck",
    "counting": "seqsep.tasks.counting:Counting",
    "disjointness": "seqsep.tasks.disjointness:Disjointness",
    "equality": "seqsep.tasks.equality:Equality",
    "flip-flop": "seqsep.tasks.flip_flop:FlipFlop",
    "index-lookup": "seqsep.tasks.index_lookup:IndexLookup",
    "induction-heads": "seqsep.tasks.induction_heads:InductionHeads",
    "is-tree": "seqsep.tasks.is_tree:IsTree",
    "modular-count": "seqsep.tasks.modular_count:ModularCount",
    "multi-query-recall": "seqsep.tasks.multi_query_recall:MultiQueryRecall",
    "nearest-neighbor": "seqsep.tasks.nearest_neighbor:NearestNeighbor",
    "ngram-retrieval": "seqsep.tasks.ngram_retrieval:NgramRetrieval",
    "parity-conditioned-recall": "seqsep.tasks.parity_conditioned_recall:ParityConditionedRecall",
    "permutation-trace": "seqsep.tasks.permutation_trace:PermutationTrace",
    "regular-language": "seqsep.tasks.regular_language:RegularLanguage",
    "selective-copying": "seqsep.tasks.selective_copying:SelectiveCopying",
    "sparse-threshold": "seqsep.tasks.sparse_threshold:SparseThreshold",
    "state-based-recall": "seqsep.tasks.state_based_recall:StateBasedRecall",
    "word-problem": "seqsep.tasks.word_problem:WordProblem",
}
BY_NAME: "Registry[type[Task]]" = Registry("task", PLACES)

_HOMES = {
    **{place.partition(":")[2]: place for place in PLACES.values()},
    "Batch": "seqsep.tasks.base:Batch",
    "EVERY_CLASS": "seqsep.tasks.base:EVERY_CLASS",
    "GeneratedTask": "seqsep.tasks.base:GeneratedTask",
    "LiveRetriever": "seqsep.tasks.base:LiveRetriever",
    "NOTHING_ASKED": "seqsep.tasks.base:NOTHING_ASKED",
    "Task": "seqsep.tasks.base:Task",
}
if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, {**from_places(_HOMES), "TASKS": BY_NAME.members})

__all__ = [
    "BY_NAME",
    "EVERY_CLASS",
    "NOTHING_ASKED",
    "PLACES",
    "TASKS",
    "AssociativeRecall",
    "Batch",
    "BoundedDyck",
    "Counting",
    "Disjointness",
    "Equality",
    "FlipFlop",
    "GeneratedTask",
    "IndexLookup",
    "InductionHeads",
    "IsTree",
    "LiveRetriever",
    "ModularCount",
    "MultiQueryRecall",
    "NearestNeighbor",
    "NgramRetrieval",
    "ParityConditionedRecall",
    "PermutationTrace",
    "RegularLanguage",
    "SelectiveCopying",
    "SparseThreshold",
    "StateBasedRecall",
    "Task",
    "WordProblem",
]
