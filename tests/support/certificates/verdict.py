"""The words of the checker for a certificate that holds."""

import seqsep_check


def held(data: bytes) -> str:
    """The line; an AssertionError with it if the certificate is refused."""
    status, line = seqsep_check.check(data)
    assert status == 0, line
    return line
