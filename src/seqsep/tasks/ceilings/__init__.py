"""Ceilings: the highest accuracy that a state of B bits allows, and the accuracy that codes of B bits reach.

A ceiling holds for every model, trained or built: no accuracy above it is possible. For an accuracy below it the state does not
forbid it, which is all that it says: the best code may be worse than the ceiling, and a given architecture may have no weights
that reach the best code, or training may not find them. `codes` has accuracies that some code reaches.

Files:

    ceiling          the ceiling of a task, and from which length it is below 1
    inverses         the least state that an accuracy asks for, and the longest input that a state allows it at
    forms            what tasks ask for at any number of items
    index_lookup     one question about independent symbols, by Fano's inequality
    one_of_many      one question about different values or a phonebook; errors that depend on the place
    answer_lists     many questions, all of them answered right
    random_equality  equality of random halves, exactly
    double_stars     IsTree on the double stars of the paper's experiments
    uniform_graphs   IsTree on uniform graphs: trees against near misses
    retrieval        recall, c-grams and counting over [n]: questions whose answers depend on each other
    state_tracking   letters of a group, counts, registers, traces, and recall that depends on a parity
    codes            what the best code, or some code, of B bits reaches on index lookup
    fano             from the bits that are missing to the highest accuracy, rounded up
"""

from seqsep.tasks.ceilings.answer_lists import counting_ceiling
from seqsep.tasks.ceilings.ceiling import carried_bits, ceiling, first_bitten_length
from seqsep.tasks.ceilings.codes import best_accuracy, code_accuracy
from seqsep.tasks.ceilings.double_stars import double_star_ceiling
from seqsep.tasks.ceilings.index_lookup import index_lookup_ceiling, length_where_it_bites
from seqsep.tasks.ceilings.inverses import least_state_bits, longest
from seqsep.tasks.ceilings.one_of_many import carried_bits_by_place, distinct_values_ceiling, phonebook_ceiling
from seqsep.tasks.ceilings.random_equality import random_equality_accuracy, random_equality_ceiling
from seqsep.tasks.ceilings.retrieval import gram_ceiling, occurrence_ceiling, recall_ceiling
from seqsep.tasks.ceilings.uniform_graphs import uniform_graph_ceiling

__all__ = [
    "best_accuracy",
    "carried_bits",
    "carried_bits_by_place",
    "ceiling",
    "code_accuracy",
    "counting_ceiling",
    "distinct_values_ceiling",
    "double_star_ceiling",
    "first_bitten_length",
    "gram_ceiling",
    "index_lookup_ceiling",
    "least_state_bits",
    "length_where_it_bites",
    "longest",
    "occurrence_ceiling",
    "phonebook_ceiling",
    "random_equality_accuracy",
    "random_equality_ceiling",
    "recall_ceiling",
    "uniform_graph_ceiling",
]
