"""The errors in the paper's patterns of retrieval, and in the counts in them."""

from seqsep.theorems.base import Erratum

_TESTS = "tests/theorems/retrieval/test_by_pattern.py"

ERRATA = (
    Erratum(
        where="Definition A.5 with Theorem 5.2",
        printed="the text searched, S[1 : l_s - 1], is all before the mark that begins the query",
        found="this text ends with the question. A pattern that is right on the data only also counts q in the question: for "
        "the data 1 and the question 2 above 0 the answer is yes. If recall asks for the last token of the data, it finds the "
        "token of the question. For data of up to 3 tokens over 3 numbers, 145 of 351 answers of counting and 21 of 117 of "
        "recall are wrong",
        built="patterns that look ahead for as many tokens as the question has",
        test=f"{_TESTS}::test_patterns_right_on_the_data_find_the_question",
    ),
    Erratum(
        where="Definition A.5 with Theorem 5.2",
        printed="patterns with counts, {k-1} and {t+1}, are generated token by token and joined by spaces",
        found="a count of three tokens is { 3 }, which `re` reads as literal text, also under (?x). So no query is answered",
        built="a count is one token, so the vocabulary has S + 1 more tokens",
        test=f"{_TESTS}::test_a_count_of_three_tokens_is_literal_text",
    ),
)
