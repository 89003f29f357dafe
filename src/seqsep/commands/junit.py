"""Verdicts as a JUnit file, which continuous integration reads: a suite for each model, a test case for each law."""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree


def junit_text(suites: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the text of a JUnit file: by name of the suite, records with `law`, `holds` and `where`.

    A law that was not tested, whose `holds` is None, is a skipped test case.

    >>> print(junit_text({"llama": [{"law": "causal", "holds": False, "where": "at token 3"}]}))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites tests="1" failures="1" skipped="0">
      <testsuite name="llama" tests="1" failures="1" skipped="0">
        <testcase classname="llama" name="causal">
          <failure message="at token 3" />
        </testcase>
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    root = ElementTree.Element("testsuites", _counts([record for records in suites.values() for record in records]))
    for name, records in suites.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": name, **_counts(records)})
        for record in records:
            case = ElementTree.SubElement(suite, "testcase", {"classname": name, "name": record["law"]})
            if not record["holds"]:
                kind = "skipped" if record["holds"] is None else "failure"
                ElementTree.SubElement(case, kind, {"message": record["where"]})
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _counts(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    failed = sum(record["holds"] is False for record in records)
    skipped = sum(record["holds"] is None for record in records)
    return {"tests": str(len(records)), "failures": str(failed), "skipped": str(skipped)}
