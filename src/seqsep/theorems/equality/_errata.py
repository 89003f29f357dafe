"""The errata of Theorem 6, appendices F and H.2: equality of two halves."""

from seqsep.theorems.base import Erratum

TESTS = "tests/theorems/equality/test_two_layers.py"
ERRATA = (
    Erratum(
        where="Theorem 6, appendix F.2, eta",
        printed='"Thus, for eta = log N + Kc log 2N, the softmax attention weight at j = i - N/2 will be rounded to 1"',
        found="the inequality before it needs eta >= 2 log((N-1)(2 N^Kc - 1)), nearly twice that: 26.31 instead of 13.86 "
        "at N = 64, Kc = 2. In the worst case of the inequality, the matching product is 1/2 above all others. The printed eta "
        "then gives a weight of 0.942. If it is 3/4 above all others, the weight is 0.998. Neither is 1 on that grid",
        built="a threshold after layer 1, for which a weight above 3/4 is enough: eta = 2 for the parabola code",
        test=f"{TESTS}::test_the_printed_eta_is_half_of_what_its_inequality_needs",
    ),
    Erratum(
        where="Theorem 6, appendices F.2 and B.2, rounding",
        printed='F.2: a weight of at least 1 - 1/(2 N^Kc) "will be rounded to 1"; B.2: "z is rounded down" to a multiple '
        "of N^-Kc",
        found="rounding down gives 1 - N^-Kc, a step below 1, for every eta, unless the softmax is rounded stepwise",
        built="nothing needs a weight of 1",
        test=f"{TESTS}::test_under_floor_no_weight_rounds_to_1",
    ),
    Erratum(
        where="Theorem 6, appendix F.2, embedding",
        printed='"x_i in R^d denote the embedding of the ith input where d = 2 + 2k", then x_i = [x_i, 0, T(i), T(i - N/2), 1]',
        found="x_i, 0 and 1 are three coordinates, and each of the two codes has k: 3 + 2k in all",
        built="2 + 2k for two symbols, since the retrieved value is subtracted from x_i and no constant is needed",
        test=f"{TESTS}::test_the_printed_embedding_has_one_coordinate_more",
    ),
    Erratum(
        where="Appendix F, Equality",
        printed='"This can also be represented as a 2-DNF with N/2 terms, INEQ(x) = (x_1 and not x_(N/2+1)) or (not x_1 '
        'and x_(N/2+1)) or ..."',
        found="the printed formula has two terms for each of the N/2 pairs, N in all. No formula has fewer: the N inputs whose "
        "halves differ in one pair need a separate term each",
        built="our construction does not use terms",
        test=f"{TESTS}::test_inequality_as_a_2_dnf_needs_a_term_for_each_bit",
    ),
    Erratum(
        where="Appendix H.2, lengths",
        printed='"we first pick the length k uniformly at random from N/10, N/10 + 2, N/10 + 4, ..., N", since "the '
        "length of "
        'the strings must be even"',
        found="for N = 50, which figure 4 has, these are 5, 7, ..., 49: odd lengths, and never the 50 that are evaluated",
        built="even lengths, from the even number at or above N/10 up to N",
        test="tests/tasks/test_equality.py::test_the_printed_lengths_are_odd_and_end_before_50",
    ),
    Erratum(
        where="Theorem 6, appendix F.2, vectors of layer 1",
        printed='"Q(x_i) = [T(i), 1] for i <= N/2 and is T(i - N/2) for i > N/2". K(x_i) = [T(i), -1/2], V(x_i) = [0, x_i, '
        "0_k, 0_k]. Att(X)_i + x_i = [x_i, x_(i - N/2), T(i), T(i), 1] for i > N/2",
        found="a query of k coordinates has no product with a key of k + 1, a value of 2 + 2k coordinates cannot be added "
        "to an input of 3 + 2k, and the sum still holds T(i - N/2). The right query is [T(i - N/2), 1]",
        built="no constant: query and key are those of the position code",
        test=f"{TESTS}::test_the_printed_vectors_of_layer_1_do_not_fit",
    ),
    Erratum(
        where="Theorem 6, appendix F.2, sum of layer 2",
        printed="Att(X)_N = 1/N times the sum of x_i xor x_(i - N/2) from i = N/2 to N",
        found="the term of i = N/2 needs x_0, which does not exist. The sum from i = N/2 + 1 is right",
        built="the sum over the second half: mismatches are 0 in the first half",
        test=f"{TESTS}::test_the_printed_sum_of_layer_2_begins_too_early",
    ),
)
