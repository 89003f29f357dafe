"""Remarks on the printed text of Theorem 13, each shown by running it."""

from seqsep.theorems.base import Choice, Erratum

TESTS = "tests/theorems/sparse_threshold/test_two_layers.py"

CHOICES = (
    Choice(
        where="Theorem 13, appendix F.3, mask",
        printed='"the output of the attention block at the ith position will be a k dimensional vector"',
        found="this is right for attention without a mask, as in the paper. But position i needs bits after it. So under a "
        "causal mask, 175 of 256 answers to disjointness are wrong at N = 8; without a mask, none is",
        built="a slot for each feature after the bits: causal, and any number of features; `variant=printed` has no mask",
        test=f"{TESTS}::test_the_printed_layout_needs_attention_without_a_mask",
    ),
)
ERRATA = (
    Erratum(
        where="Theorem 13, appendix F.3, FFN",
        printed='"Finally, the feedforward network can then compute the function g_(I_i)(x) at every position"; '
        '"we will have input embeddings of size 1 + (k+1)r"',
        found="the FFN is the same at every position, but g differs from position to position. No printed coordinate depends "
        "on g: all functions g of the same bits give equal coordinates",
        built="the embedding of each slot has the signs and the count, and attention evaluates the literals. A table is a sum "
        "of such slots",
        test=f"{TESTS}::test_no_printed_coordinate_depends_on_the_feature",
    ),
    Erratum(
        where="Section 4, appendices B.1 and F.3, DISJ",
        printed='"the Disjointness function can be represented as a 2-CNF"',
        found="B.1 defines DISJ as 1 if the sets meet. This is the 2-DNF that F.3 gives for its complement. From N = 6 on, no "
        "clause of 2 literals follows from it, so it is not a 2-CNF",
        built="DISJ as in B.1, a 2-DNF",
        test=f"{TESTS}::test_disj_of_b1_is_a_2_dnf_and_no_2_cnf",
    ),
)
