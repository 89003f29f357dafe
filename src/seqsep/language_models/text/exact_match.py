"""Exact match as HotpotQA defines it: two answers are equal once case, punctuation, articles and spacing are gone.

Source: the evaluation that belongs to Yang et al. 2018 (arXiv:1809.09600); the rule is SQuAD's (Rajpurkar et al. 2016).
"""

import re
import string

PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalised(answer: str) -> str:
    """Return the answer in lower case, without punctuation and articles, words one space apart, in this order.

    >>> normalised("The  Eiffel-Tower, Paris.")
    'eiffeltower paris'
    >>> normalised("an A.") == normalised("!")
    True
    """
    without_punctuation = answer.lower().translate(PUNCTUATION)
    return " ".join(ARTICLES.sub(" ", without_punctuation).split())
