"""What running Theorem 13 shows of its printed text."""

from seqsep.theorems.base import Choice, Erratum

TESTS = "tests/theorems/sparse_threshold/test_two_layers.py"

CHOICES = (
    Choice(
        where="Theorem 13, appendix F.3, mask",
        printed='"the output of the attention block at the ith position will be a k dimensional vector"',
        found="right, for attention without a mask, which the paper has; position i needs bits after it, so under a "
        "causal mask 175 of 256 answers to disjointness are wrong at N = 8, without a mask none",
        built="a slot for each feature after the bits: causal, and any number of features; `variant=printed` has no mask",
        test=f"{TESTS}::test_the_printed_layout_needs_attention_without_a_mask",
    ),
)
ERRATA = (
    Erratum(
        where="Theorem 13, appendix F.3, FFN",
        printed='"Finally, the feedforward network can then compute the function g_(I_i)(x) at every position"; '
        '"we will have input embeddings of size 1 + (k+1)r"',
        found="the FFN is the same at every position and g is not; no printed coordinate depends on g: they "
        "are equal for all functions g of the same bits",
        built="signs and count in the slot's embedding, attention evaluates literals; tables are sums of such slots",
        test=f"{TESTS}::test_no_printed_coordinate_depends_on_the_feature",
    ),
    Erratum(
        where="Section 4, appendices B.1 and F.3, DISJ",
        printed='"the Disjointness function can be represented as a 2-CNF"',
        found="B.1 defines DISJ as 1 where the sets meet, the 2-DNF that F.3 gives for its complement; from N = 6 "
        "on no clause of 2 literals follows from it, so it is no 2-CNF",
        built="DISJ as in B.1, a 2-DNF",
        test=f"{TESTS}::test_disj_of_b1_is_a_2_dnf_and_no_2_cnf",
    ),
)
