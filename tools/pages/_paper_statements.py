"""The statements of the first two papers in our words, by the label that they have in `papers`.

Each says what the paper claims, with the paper's letters and constants. Our statement, which may differ, is on the same page.
"""

from collections.abc import Mapping

from pages.papers import RETRIEVAL, SEPARATIONS, Paper

OF_SEPARATIONS: Mapping[str, str] = {
    "Theorem 1": "For every N, a Transformer with one layer, width O(log N) and precision O(log N) answers index lookup on "
    "all inputs of up to N symbols.",
    "Theorem 2": "A recurrent model of m numbers with p bits computes a function of N symbols. Alice has the first K symbols "
    "and Bob has the rest. Then one message of m p bits from Alice is enough for Bob to compute the value.",
    "Theorem 3": "A recurrent model of width m with p bits per number that answers index lookup on all sequences of length N "
    "has m >= N/p.",
    "section 3 (discussion of Theorem 3)": "The lower bounds also apply to causal linear attention, which has products in "
    "place of the softmax.",
    "Theorem 4": "One attention layer has width m, H heads and p bits per number. Alice and Bob each have a part of the N "
    "inputs, for any partition. Then 3 m (p + log N) H bits of communication are enough to compute the output.",
    "Lemma 1": "Alice has the symbols at odd positions of a word of length N, and Bob those at even positions. To decide if it "
    "is in Dyck-(2,2), they exchange at least N - 1 bits.",
    "Theorem 5": "If one attention layer decides Dyck-(2,2), then m H >= (N - 1) / (3 (p + log N)).",
    "section 4.1": "Two-layer Transformers can model Dyck languages of bounded depth. The paper cites earlier work for this.",
    "section 4.2": "Equality and disjointness need Omega(N) bits of communication. So a one-layer Transformer and a recurrent "
    "model that compute them have width Omega(N).",
    "Theorem 6": "For every N, a Transformer with two layers and two heads, width O(log N) and precision O(log N) decides "
    "equality of the two halves of all words of N bits.",
    "section 5 (total size)": "The two-layer Transformers for equality and for nearest neighbour have O((log N)^3) bits in "
    "total.",
    "Theorem 7": "For every N, a Transformer with two layers, width O(log N) and precision O(log N) answers nearest neighbour. "
    "The inputs are unit vectors, and the product with the nearest is greater than others by at least N^-c.",
    "Theorem 8": "A recurrent model of width m with p bits per number that answers nearest neighbour on all inputs of length N "
    "has m >= N/(2p).",
    "Fact 1": "Every deterministic protocol for the disjointness of two words of N bits exchanges at least N bits. A "
    "randomised protocol needs Omega(N) bits.",
    "Fact 2": "Every deterministic protocol for the equality of two words of N bits exchanges at least N bits. For a "
    "randomised protocol O(log N) bits are enough.",
    "Fact 3": "Alice has a word of N bits, and Bob has a position. If only Alice sends, Bob needs N bits to compute the bit at "
    "his position. A randomised protocol needs Omega(N) bits.",
    "Lemma 2": "For every N there are N vectors of k = O(log(N) / gamma^2) coordinates, each plus or minus 1/sqrt(k). The "
    "product of a vector with itself is at least 1 - gamma, and with any other at most gamma.",
    "Lemma 3": "For N unit vectors and eps in (0, 1/2) there is a linear map to O(log(N) / eps^2) coordinates. It has entries "
    "of one absolute value, and changes no inner product by more than eps. Appendix B.3 adds that log space is enough to "
    "compute it.",
    "Corollary 8.1": "For every N there are N vectors of k = O(log N) coordinates, each plus or minus 1/sqrt(k). The product "
    "of a vector with itself is at least 3/4, and with any other at most 1/4.",
    "Proposition 9": "A recurrent model of width m with p bits a number that answers associative recall on all sequences of "
    "length N has m >= N/p.",
    "Definition 1": "A fooling set is a set of input pairs with the same value of the function. For any two of them, one of "
    "the two crossed pairs has another value.",
    "Fact 4": "If a function has a fooling set of size |S|, its communication complexity is at least log2 |S|.",
    "appendix E": "Dyck-(2,2) has a DFA of 7 states, so a recurrent model of constant size recognises it at every length.",
    "Theorem 10": "If one attention layer of width d decides Dyck-(2,2), then d H >= (N - 1) / (3 (p + log N)).",
    "Lemma 4": "If a recurrent model agrees with a DFA of n states on every word, its state has m p >= log n bits.",
    "Theorem 11": "A recurrent model of m numbers with p bits that decides inequality of the two halves of all words of N bits "
    "has m p >= N/2.",
    "Theorem 12": "If one attention layer decides inequality of the two halves of all words of N bits, then m p H = Omega(N).",
    "Theorem 13": "A Transformer with two layers, width O(log N), k heads and precision O(log N) computes each threshold of N "
    "features. A feature depends on at most k of the N bits.",
    "Lemma 5": "For every partition of N positions into two halves there is a two-layer Transformer of width and precision "
    "O(log N). Alice and Bob, with a half each, exchange at least N/2 bits to compute its output.",
    "Corollary 13.1": "Suppose O(m p H g(N)) bits are enough to compute the output of every two-layer Transformer for every "
    "partition. Then g(N) = Omega(N / (log N)^2).",
}
"""The statements of Bhattamishra et al. 2024."""

OF_RETRIEVAL: Mapping[str, str] = {
    "Theorem 4.1": "Assume that PSPACE is not contained in P/poly. Then linear RNNs of constant size solve some problem with a "
    "chain of thought of polynomial length, and no RNN of constant size solves it without one.",
    "Theorem 4.6": "Transformers of constant size solve Index, associative recall, c-gram retrieval and Counting without a "
    "chain of thought. For large n, no RNN with o(n) bits of memory solves them, however long its chain of thought is.",
    "Theorem 4.7": "A Transformer of constant size with O(log n) bits per number decides IsTree with a chain of thought of "
    "O(n) tokens. No RNN with o(n) bits of memory does so, however long its chain of thought is.",
    "Theorem 4.8": "A step of an RNN is a circuit of size C(n), and the RNN answers within n^A tokens of thought. Then a "
    "Transformer with O(C(n)) parameters and O(log n) bits a number gives the same answer in (C(n) + 1) n^A tokens.",
    "Proposition 5.1": "RNNs with O(log n) bits of memory, together with an oracle for associative recall, do not solve Index "
    "at length n, however long their chain of thought is.",
    "Theorem 5.2": "Linear RNNs of constant size with retrieval by regular expressions solve the four retrieval tasks in O(1) "
    "tokens of thought, and IsTree in O(n log n) tokens.",
    "Theorem 5.3": "A linear RNN with O(log n) bits of memory and parameters, with retrieval, decides IsTree in O(n) tokens of "
    "thought.",
    "Theorem 5.4": "A linear RNN with retrieval simulates every Turing machine that takes n^A steps, with B states and B "
    "symbols. It has O(A log n) bits of memory and O(A B^2) parameters, and writes O(n^A) tokens.",
    "Theorem 5.6": "A hybrid is a linear RNN of constant size with one attention layer after it. It solves the four retrieval "
    "tasks without a chain of thought. It solves IsTree with a chain of thought of O(n log n) tokens.",
    "Theorem 5.7": "A hybrid with O(log n) bits of memory and parameters decides IsTree with a chain of thought of O(n log n) "
    "tokens.",
    "Theorem 5.8": "A hybrid simulates every Turing machine that takes n^A steps, with B states and B symbols. It has O(A "
    "log n) bits of memory and O(A B^2 log n) bits of parameters, and writes O(n^A) tokens.",
    "appendix C, attention blocks": "Each of COPY, COUNT, Match, MatchClose, MatchNearest and MatchNext is computed by one "
    "feed-forward network and one attention head.",
}
"""The statements of Wen, Dang, Lyu 2025."""

STATEMENTS: Mapping[str, Mapping[str, str]] = {SEPARATIONS.name: OF_SEPARATIONS, RETRIEVAL.name: OF_RETRIEVAL}
"""The statements by the names of the papers; the other papers have no statement that seqsep repeats."""


def statement_of(paper: Paper, label: str) -> str:
    """Return a statement of a paper in our words; empty for sources whose statements are ours.

    >>> from pages.papers import OWN_STATEMENT, paper_of
    >>> statement_of(SEPARATIONS, "Fact 4"), statement_of(paper_of(OWN_STATEMENT), OWN_STATEMENT)
    ('If a function has a fooling set of size |S|, its communication complexity is at least log2 |S|.', '')
    """
    return STATEMENTS.get(paper.name, {}).get(label, "")
