"""A task of your own: `length` numbers of an alphabet; asked at the last token: the greatest of them.

    seqsep sample examples/own_task.py:Greatest --length 8 --count 3
    seqsep check --task examples/own_task.py:Greatest --length 8
    seqsep run index-lookup-architectures --task examples/own_task.py:Greatest --length 8

`sample` makes example i from i, the seed and the stream alone. `solve`, `readable` and `answer_bits` may be left out.
"""

import numpy as np


class Greatest:
    """`length` numbers from 0 to `alphabet` - 1, uniform; the greatest is the answer.

    Fields:
        length: N, numbers of an input; from 1.
        alphabet: S, numbers to choose from; from 2.
    """

    def __init__(self, length, alphabet=16):
        self.vocabulary = self.classes = alphabet
        self.longest = length

    def sample(self, start, count, seed, evaluate=False):
        """Tokens, what is asked at each (-100: nothing), and how many there are: int64 arrays, example first."""
        streams = (np.random.default_rng([seed, evaluate, start + i]) for i in range(count))
        inputs = np.stack([stream.integers(self.vocabulary, size=self.longest) for stream in streams])
        targets = np.full_like(inputs, -100)
        targets[:, -1] = inputs.max(axis=1)
        return inputs, targets, np.full(count, self.longest)

    def solve(self, tokens):
        return max(tokens)

    def readable(self, tokens, answer):
        return {"numbers": list(tokens), "answer": answer}

    def answer_bits(self):
        """The greatest so far is one of S numbers, and each of them needs a state of its own."""
        return (self.vocabulary - 1).bit_length()
