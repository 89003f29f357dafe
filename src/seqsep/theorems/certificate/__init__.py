"""Certificates: the evidence of a theorem, as canonical JSON that `seqsep_check.py` checks without seqsep.

Files:

    write        a theorem's evidence as the bytes of a file
    _networks    a network with its inputs and answers, as the file shows it, and the checker's work on it
    _collisions  a recurrence with two words that reach one state, as the file shows it
    _record      the fields of a witness in a file, and the checker's counts for a task
"""

from seqsep.theorems.certificate.write import canonical, certificate, certify, evidence_of_matrix

__all__ = ["canonical", "certificate", "certify", "evidence_of_matrix"]
