"""Errors in the printed patterns of retrieval, and in counts in them."""

from seqsep.theorems.base import Erratum

_TESTS = "tests/theorems/retrieval/test_by_pattern.py"

ERRATA = (
    Erratum(
        where="Definition A.5 with Theorem 5.2",
        printed="the text searched, S[1 : l_s - 1], is all before the mark that begins the query",
        found="the searched text ends with the question. So a pattern that is right on the data also counts q in the question "
        "(data 1, question 2 above 0: yes). A pattern for the last token of the data finds the last token of the question. "
        "For all data of at most 3 tokens from 3 symbols, the answers to 145 of 351 questions of counting are wrong, and to 21 "
        "of 117 questions of recall",
        built="patterns that look ahead for as many tokens as the question has",
        test=f"{_TESTS}::test_patterns_right_on_the_data_find_the_question",
    ),
    Erratum(
        where="Definition A.5 with Theorem 5.2",
        printed="patterns with counts, {k-1} and {t+1}, are generated token by token and joined by spaces",
        found="a count of three tokens is { 3 }. `re` takes it literally, also under (?x), so no query is answered",
        built="a count is one token, so the vocabulary has S + 1 more tokens",
        test=f"{_TESTS}::test_a_count_of_three_tokens_is_literal_text",
    ),
)
