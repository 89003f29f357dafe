"""The types of models that `seqsep capacity` reads, by rule, or refuses: a section of docs/reference/capacity.md."""

from collections import Counter

from pages._markdown import folded, table
from seqsep.language_models.capacity.families import (
    COUNTED,
    PUBLISHED_CODE,
    any_decoder,
    family,
    model_types,
    named_inside,
    other_names,
    refused,
    types,
    versions,
)

TEXT = """
## Types of models that are read

This table is for people who have a file of `transformers` and want to know how it is read. Each line is an
auto class (`AutoModelFor...`) of `transformers` {version} for models that generate. The `model_type` of the file decides:

* **counted**: A tiny model of the type, or of the text model that it contains, was run, and the numbers in its cache were
  counted.
* **by code**: The rule is read from the code of the library. It was not counted.
* **refused**: The answer is an error with a reason. [The list below](#refused-types) has every such type.

"""
OUTSIDE = """
`seqsep capacity` also reads types that `transformers` does not contain:

* {others} types under other names, by the rules of the family that their code follows:
  {names}.
* {published} by the rules of its published code, which were not counted in a running model.
* {remembered} types by rules that neither a count nor the code of the library confirms: {by_rule}.
  The answer is marked "by rule, not verified".
* Every other type by the general rule, if its file gives depth, heads and widths. The answer is marked in the same way. If a
  field shows layers of another kind, such as `mamba_d_state`, the file is refused.

### Refused types

"""


def model_types_section() -> str:
    """Count the types of each automatic class by how they are read, and list the others."""
    rows = []
    for name, members in types().items():
        found = Counter(map(status, members))
        rows.append([name, *(str(count) for count in (len(members), found["counted"], found["by code"], found["refused"]))])
    reasons = "".join(f"* `{name}`: {reason}.\n" for name, reason in sorted(refused().items()))
    remembered = [f"`{name}`" for name in model_types() if family(name).basis not in (COUNTED, PUBLISHED_CODE)]
    in_library = {name for members in types().values() for name in members}
    published = [f"`{name}`" for name in model_types() if family(name).basis == PUBLISHED_CODE and name not in in_library]
    outside = OUTSIDE.format(
        others=len(other_names()),
        names=", ".join(f"`{name}`" for name in sorted(other_names())),
        published=", ".join(published),
        remembered=len(remembered),
        by_rule=", ".join(remembered),
    )
    head = TEXT.format(version=versions()["transformers"]) + table([["class", "types", "counted", "by code", "refused"], *rows])
    listed = table([["type", "read"], *([f"`{name}`", status(name)] for name in sorted(in_library))])
    return head + outside + reasons + "\n" + folded(f"All {len(in_library)} types", listed)


def status(name: str) -> str:
    """Return how a type of `transformers` is read: "counted", "by code" or "refused".

    Raises KeyError for a type that is neither read nor refused.
    """
    if name in refused():
        return "refused"
    if name in any_decoder():
        return "counted"
    inner = named_inside().get(name) or other_names().get(name) or name
    return "counted" if family(inner).basis == COUNTED else "by code"
