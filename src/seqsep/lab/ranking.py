"""The order of several runs of one setting, best first: the same for pruning, for searches and for the figures."""


def rank(*, accuracy: float, steps: int, learning_rate: float, diverged: bool) -> tuple[float, int, float]:
    """Order runs, the best one greatest: by accuracy, then by fewer steps, then by the lower learning rate.

    A run that diverged is below all others, whatever accuracy it had reached before.

    >>> slow = rank(accuracy=1.0, steps=2000, learning_rate=1e-3, diverged=False)
    >>> fast = rank(accuracy=1.0, steps=500, learning_rate=3e-3, diverged=False)
    >>> lost = rank(accuracy=1.0, steps=100, learning_rate=1e-2, diverged=True)
    >>> max(slow, fast, lost) == fast
    True
    """
    return -1.0 if diverged else accuracy, -steps, -learning_rate
