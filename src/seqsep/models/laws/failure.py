"""The exception of every law. It has its own file so that the laws of tasks do not wait for torch."""


class LawFails(AssertionError):
    """A mixer, task, theorem or language model breaks a law; the message says which one, what differs, and where.

    Raised explicitly, so that `python -O` tries the laws too.

    >>> raise LawFails("MyLayer: forward mixes the examples of a batch")
    Traceback (most recent call last):
        ...
    seqsep.models.laws.failure.LawFails: MyLayer: forward mixes the examples of a batch
    """
