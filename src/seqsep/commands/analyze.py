"""`seqsep analyze`: its flags, and what it prints and writes."""

import argparse
import json
import sys

from seqsep.analysis import Analysis, analyze
from seqsep.analysis.analyze import PRECISIONS
from seqsep.analysis.evidence import least_state
from seqsep.analysis.record import HEADER
from seqsep.certificate import certificate
from seqsep.report.least_state_chart import draw_least_state, require_format


def run(options: argparse.Namespace) -> int:
    """Analyse every function, printing each length as it is done (or JSON at the end); then write the files.

    Returns 0, the exit status. Raises ValueError for whatever is wrong with a function, its lengths, its alphabet, or the name
    of the picture.
    """
    if options.output is not None:
        require_format(options.output)
    if options.certificate is not None and len(options.targets) > 1:
        raise ValueError(f"--certificate {options.certificate}: expected one function, found {len(options.targets)}")
    found = [_one(target, options) for target in options.targets]
    if options.json:
        record = found[0].record() if len(found) == 1 else {"functions": [one.record() for one in found]}
        print(json.dumps(record, ensure_ascii=False, allow_nan=False))
    if options.automata is not None:
        made = [{"function": one.name, "lengths": [at.automaton_record() for at in one.lengths]} for one in found]
        options.automata.write_text(json.dumps(made) + "\n", encoding="utf-8")
    if options.certificate is not None:
        data = certificate("least-state", least_state(found[0].lengths[-1]))
        options.certificate.write_bytes(data)
        print(f"{len(data):,} bytes to {options.certificate}", file=sys.stderr)
    if options.output is not None:
        draw_least_state(options.output, found)
    return 0


def _one(target: str, options: argparse.Namespace) -> Analysis:
    precisions = PRECISIONS if options.precision is None else options.precision
    asked = (target, options.lengths, options.alphabet, precisions, options.fields, options.regex)
    if options.json:
        return analyze(*asked)
    head = [f"{target}\n{HEADER}\n"]
    found = analyze(*asked, report=lambda one: print(f"{head.pop() if head else ''}{one.line()}", flush=True))
    print("\n".join(found.closing_lines()), flush=True)
    return found
