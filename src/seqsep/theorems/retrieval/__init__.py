"""Index lookup and associative recall: attention needs little width for them, and a recurrent state many bits.

Files:

    index_lookup_attention    one attention layer of width O(log N) answers index lookup (Theorem 1)
    index_lookup_one_layer    index lookup by one attention layer of width 6 (Wen et al., Theorem 4.6)
    index_lookup_state        index lookup needs N log2 S state bits, and they suffice (Theorem 3)
    index_lookup_hybrid       index lookup by an attention head on two counters (Wen et al., Theorem 5.6)
    counting_hybrid           counting by an attention head on a linear recurrence (Wen et al., Theorem 5.6)
    recall_hybrid             c-gram retrieval by an attention head on a linear recurrence (Wen et al., Theorem 5.6)
    counting_attention        counting by two attention layers (Wen et al., Theorem 4.6)
    attention_blocks          COPY, COUNT and the four Match blocks, by one head each (Wen et al., appendix C)
    recall_attention          associative recall and c-gram retrieval by two attention layers (Wen et al., Theorem 4.6)
    by_pattern                the four tasks by a linear recurrence with a retriever (Wen et al., Theorem 5.2)
    associative_recall_state  associative recall of N pairs needs N log2 S state bits (Proposition 9)
    near_orthogonal           N nearly orthogonal sign vectors in O(log N / gamma^2) coordinates (Lemma 2)
    log_space_code            such vectors computed in O(log N) bits of memory (Lemma 3)
    linear_attention_state    the length from which linear attention cannot answer index lookup (section 3)
    counting_state            counting over n numbers needs log2 C(2n-1, n) state bits, with or without a chain of thought
    one_layer                 one layer with exact weights answers neither recall nor counting, unless it is wide
    composition_one_layer     one layer composes two functions only if n log2 n bits pass through it (Peng et al.)
    induction_one_layer       one layer with exact weights does induction heads only if it is wide (Sanford et al.)
    _running_sums             one layer in floats, whose positions are read in order into sums
    _numbered_parts           the one-way protocol through one layer with exact weights, by one counted number
    _one_layer_trials         random layers on which this protocol runs
    _log_space                the program of `log_space_code`, in registers that are counted
    _exact_attention          one attention layer with exact weights, as two parties
    counting_one_layer        one layer answers counting, by the rounding of its attention weights
    recall_state              associative recall and c-grams over [n] need Theta(n log n) state bits, with any chain of thought
    recall_oracle             an oracle of associative recall saves a recurrent model almost nothing
    _recall_classes           the number of states that associative recall over [n] needs, counted in polynomial time
    _printed_reductions       instances of Wen et al. that code bits into retrieval, in the paper and corrected
    _recall                   c-gram retrieval: the definition, its tokens, a user's input
    _construction             a network for all sizes of a task, and the functions that its theorem has
    _recall_trials            inputs of c-gram retrieval, and the comparison of answers
    _recall_errata            the printed hard instances of c-gram retrieval
    _counting                 counting: the definition, its tokens, a user's input, thresholds as numbers of a grid
    _counting_trials          inputs of counting, and the comparison of answers
    _counting_errata          the printed construction of counting
    _attention_blocks         these blocks from their definitions, and inputs
    _printed_units            hidden units of Lemmas C.3 and C.5, in the paper and corrected
    _written_query            a query that a model writes token by token: marks, and tokens copied from the question
    _pattern_errata           the printed patterns, and counts in them
    _pattern_inputs           inputs of the four tasks by pattern: drawn ones, every small one, a user's own
    _shown                    evidence of the networks for recall and counting in a certificate
    _index_lookup_trials      inputs of index lookup, and the comparison of attention's answers
"""

from seqsep.core.registry import Members
from seqsep.theorems.base import Theorem

PLACES = {
    "index-lookup-attention": "seqsep.theorems.retrieval.index_lookup_attention:THEOREM",
    "index-lookup-one-layer": "seqsep.theorems.retrieval.index_lookup_one_layer:THEOREM",
    "index-lookup-state": "seqsep.theorems.retrieval.index_lookup_state:THEOREM",
    "attention-blocks": "seqsep.theorems.retrieval.attention_blocks:THEOREM",
    "recall-attention": "seqsep.theorems.retrieval.recall_attention:THEOREM",
    "counting-attention": "seqsep.theorems.retrieval.counting_attention:THEOREM",
    "index-lookup-hybrid": "seqsep.theorems.retrieval.index_lookup_hybrid:THEOREM",
    "recall-hybrid": "seqsep.theorems.retrieval.recall_hybrid:THEOREM",
    "counting-hybrid": "seqsep.theorems.retrieval.counting_hybrid:THEOREM",
    "retrieval-by-pattern": "seqsep.theorems.retrieval.by_pattern:THEOREM",
    "near-orthogonal-vectors": "seqsep.theorems.retrieval.near_orthogonal:THEOREM",
    "log-space-code": "seqsep.theorems.retrieval.log_space_code:THEOREM",
    "associative-recall-state": "seqsep.theorems.retrieval.associative_recall_state:THEOREM",
    "linear-attention-state": "seqsep.theorems.retrieval.linear_attention_state:THEOREM",
    "counting-state": "seqsep.theorems.retrieval.counting_state:THEOREM",
    "counting-one-layer": "seqsep.theorems.retrieval.counting_one_layer:THEOREM",
    "retrieval-one-layer": "seqsep.theorems.retrieval.one_layer:THEOREM",
    "composition-one-layer": "seqsep.theorems.retrieval.composition_one_layer:THEOREM",
    "induction-one-layer": "seqsep.theorems.retrieval.induction_one_layer:THEOREM",
    "recall-state": "seqsep.theorems.retrieval.recall_state:THEOREM",
    "recall-oracle-state": "seqsep.theorems.retrieval.recall_oracle:THEOREM",
}
THEOREMS: Members[Theorem] = Members(PLACES)

__all__ = ["PLACES", "THEOREMS"]
