"""What is wrong with the printed patterns of retrieval, and with counts in them."""

from seqsep.theorems.base import Erratum

_TESTS = "tests/theorems/retrieval/test_by_pattern.py"

ERRATA = (
    Erratum(
        where="Definition A.5 with Theorem 5.2",
        printed="the text searched, S[1 : l_s - 1], is all before the mark that begins the query",
        found="it ends with the question: a pattern that is right on the data alone counts q in the question too (data 1, "
        "question 2 above 0: yes), and asked for the last token of the data it finds the question's own: wrong on 145 of 351 "
        "questions of counting and 21 of 117 of recall, up to 3 tokens out of 3",
        built="patterns that look ahead for as many tokens as the question has",
        test=f"{_TESTS}::test_patterns_right_on_the_data_find_the_question",
    ),
    Erratum(
        where="Definition A.5 with Theorem 5.2",
        printed="patterns with counts, {k-1} and {t+1}, are generated token by token and joined by spaces",
        found="written as three tokens a count is { 3 }, which `re` takes literally, under (?x) too: no query is answered",
        built="a count is one token: S + 1 more in the vocabulary",
        test=f"{_TESTS}::test_a_count_of_three_tokens_is_literal_text",
    ),
)
