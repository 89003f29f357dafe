"""Retrieval at its smallest sizes: what is refused, models that keep every bit, and a claim whose model does not err."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from seqsep.models.model import Model
from seqsep.theorems import TheoremFails
from seqsep.theorems.protocols.machine import as_machine
from seqsep.theorems.retrieval import associative_recall_state, by_pattern, counting_state, index_lookup_state
from seqsep.theorems.retrieval.recall_oracle import without_oracle


@pytest.mark.parametrize(("length", "alphabet"), [(0, 2), (2, 0), (-1, 2)])
def test_no_pairs_or_no_labels_are_refused(length, alphabet):
    with pytest.raises(ValueError, match="both are at least 1"):
        associative_recall_state.build(length, alphabet)
    assert associative_recall_state.build(1, 1).state_bits == 0


@pytest.mark.parametrize(("length", "alphabet", "bits"), [(3, 2, 3), (2, 3, 4)])
def test_a_model_that_keeps_every_bit_needs_no_oracle(length, alphabet, bits):
    """It reads labels at even places, numbers in between, and then which of the labels is asked for."""
    model = without_oracle(length, alphabet, bits)
    for labels in itertools.product(range(alphabet), repeat=length):
        read = [token for label in labels for token in (label, alphabet)]
        answers = [model.answer([*read, alphabet + 2 + place]) for place in range(length)]
        assert answers == list(labels)


def test_a_model_that_does_not_err_is_no_counterexample():
    """The same collision, by the definition of the task and by one after which the model's answer is right."""
    model = as_machine(index_lookup_state.with_fewer_bits(4, 2, 2))

    def outcome_of(solve):
        return dataclasses.replace(index_lookup_state.state_bound(4, 2), solve=solve).outcome("small", model, seed=0)

    outcome = outcome_of(lambda prompt: prompt[prompt[-1] - 2])
    assert outcome.witness["answer"] != outcome.witness["expected"]
    with pytest.raises(TheoremFails, match="state bits = 2"):
        outcome_of(lambda prompt: outcome.witness["answer"])


@pytest.mark.parametrize(("length", "alphabet"), [(3, 3), (4, 2), (2, 5)])
def test_the_table_of_index_lookup_answers_every_input(length, alphabet):
    network = index_lookup_state.build_network(length, alphabet)
    every = list(itertools.product(*[range(alphabet)] * length, range(length)))
    inputs = np.array([[*symbols, alphabet + place] for *symbols, place in every])
    with torch.no_grad():
        answers = Model.load(network)(torch.from_numpy(inputs), torch.full((len(inputs),), length)).argmax(-1)
    assert answers.tolist() == [symbols[place] for *symbols, place in every]


def test_counting_asks_every_question_of_every_list():
    """n^n lists, n numbers and n thresholds."""
    for length, inputs in ((2, 16), (3, 243)):
        assert counting_state.check(length)[0].inputs == inputs


@pytest.mark.parametrize(("question", "kinds", "indexed"), [("index", 2, 35), ("recall", 1, 17)])
def test_tables_are_generated_by_as_many_numbers_as_are_counted(question, kinds, indexed):
    """Of width d: the embeddings of a s and [; a, b and c of each kind of read-out row, and the rows of all other tokens."""
    network = by_pattern.build(question, alphabet=17)
    rows = 3 * kinds + len(network.readout.integers) - indexed
    assert network.code_bits == network.precision * (2 * network.width + rows * (network.width + 1))
