"""In-context retrieval: a model writes a query between two marks, and what it finds in the text so far is put after it.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), section 5.1. Detokenised, a text is its tokens joined by single spaces; RETRIEVE
searches the text before the last opening mark, and takes `re.search(pattern, text).group(1)`, or FAILED if nothing matches.
We differ: the region that is searched is always said (the prompt, or everything before the query), and a query may be named, by
a short text that no pattern of an edge or a record can match; its pattern in the paper's language is given too.

Files:

    queries    the named queries: what each finds, in plain Python and as a regular expression
    pattern    a regular expression of the user's, searched in a process that is stopped if it takes too long
    retriever  reads the queries that a model generates, and says what to insert after each
    bounded    calls that are given up in time
"""

from seqsep.tasks.retriever.bounded import TimeoutCall, TookTooLong
from seqsep.tasks.retriever.pattern import Pattern, SearchTooLong
from seqsep.tasks.retriever.queries import NAMED, Query
from seqsep.tasks.retriever.retriever import Region, Retriever

__all__ = ["NAMED", "Pattern", "Query", "Region", "Retriever", "SearchTooLong", "TimeoutCall", "TookTooLong"]
