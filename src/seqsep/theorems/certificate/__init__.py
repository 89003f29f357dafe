"""Certificates: what a theorem exhibits, as canonical JSON that `seqsep_check.py` checks without seqsep.

Files:

    write      a theorem's evidence as the bytes of a file
    _networks  a network with its inputs and answers, as the file shows it, and the checker's work on it
    _record    what a file shows of a witness, and what the checker counts of a task
"""

from seqsep.theorems.certificate.write import canonical, certificate, certify, evidence_of_matrix

__all__ = ["canonical", "certificate", "certify", "evidence_of_matrix"]
