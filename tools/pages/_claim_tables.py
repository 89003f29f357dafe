"""The tables of a figure's claims: a short one with a verdict a row, and a folded one with size, steps and seeds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pages._markdown import folded, table
from seqsep.lab.experiments.claims.claim import STATUSES, Accuracy, Claim, ClaimRows, Outside, RankingClaim, Speed, Trained
from seqsep.lab.experiments.claims.known import Found
from seqsep.lab.row import read_rows
from seqsep.lab.run import Run
from seqsep.report.formatting import count, percent
from seqsep.tasks import IsTree

Seeds = Mapping[str, Sequence[float]]
"""By the key of a row, the accuracies of all seeds of its setting."""


def accuracies_by_seed(folder: Path) -> Seeds:
    """Return, by the key of a row, the accuracies of all seeds of its setting."""
    rows = [row for path in sorted(folder.glob("*.jsonl")) for row in read_rows(path) if row.has_outcome]
    groups: dict[Run, dict[int, float]] = {}
    for row in rows:
        accuracy = row.result.get("live_accuracy") if isinstance(row.run.task, IsTree) else row.result.get("accuracy")
        if accuracy is not None and not row.failed:
            groups.setdefault(replace(row.run, seed=0), {})[row.run.seed] = accuracy
    return {row.key: list(groups.get(replace(row.run, seed=0), {}).values()) for row in rows}


def figure(beginning: str, claims: Sequence[Claim], found: Found, seeds: Seeds) -> str:
    """Return the tables of the claims of one figure. The short one leaves out the beginning of their names."""
    lines = [line for several in _by_model(claims) for line in _lines(beginning, several, found, seeds)]
    rest = _not_run(claims)
    short = table([["Claim", "Paper", "Ours", "Verdict"], *lines]) if lines else ""
    names = f"The names of these claims begin with `{beginning}`." + (" The first table omits this beginning." if lines else "")
    said = f"Verdicts: {_counts(claims, found)}{rest}. {names}{_sizes(claims)}\n\n"
    return said + short + _details(claims, found, seeds)


def _counts(claims: Iterable[Claim], found: Found) -> str:
    """Return how many of these claims have each verdict."""
    verdicts = [found.verdict(claim).status for claim in claims]
    return ", ".join(f"{verdicts.count(status)} {status}" for status in STATUSES if status in verdicts)


def _is_run(claim: Claim, found: Found) -> bool:
    return found.verdict(claim).status != "not run"


def _by_model(claims: Iterable[Claim]) -> list[list[Claim]]:
    """Return the claims in groups: on IsTree the sizes of a model at a length are one, any other claim is its own."""
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.name if isinstance(claim, Speed) else _without_size(claim.name), []).append(claim)
    return list(groups.values())


def _size(name: str) -> str | None:
    """Return the size of the model that the name of a claim on IsTree has, None for other names.

    >>> _size("is-tree-cot-mamba-0.5M-32"), _size("figure-2-dss-400")
    ('0.5M', None)
    """
    size = name.split("-")[-2]
    return size if size.endswith("M") else None


def _without_size(name: str) -> str:
    """Return the name of a claim without the size of its model.

    >>> _without_size("is-tree-cot-mamba-0.5M-32")
    'is-tree-cot-mamba-32'
    """
    size = _size(name)
    return name if size is None else name.replace(f"-{size}-", "-")


def _sizes(claims: Iterable[Claim]) -> str:
    """Return a sentence on rows of several sizes, if there are any."""
    sizes = list(dict.fromkeys(filter(None, (_size(claim.name) for claim in claims))))
    if not sizes:
        return ""
    return (
        f" Each row is about three models, with {', '.join(sizes[:-1])} and {sizes[-1]} parameters."
        " If the three entries of a cell differ, the cell has all of them, in this order."
    )


def _lines(beginning: str, claims: Sequence[Claim], found: Found, seeds: Seeds) -> Iterator[list[str]]:
    """Yield the row of these claims, if there is a row of ours for one."""
    if any(_is_run(claim, found) for claim in claims):
        cells = zip(*(_row(claim, found, seeds) for claim in claims), strict=True)
        yield [
            f"`{_without_size(claims[0].name).removeprefix(beginning)}`",
            *(cell[0] if len(set(cell)) == 1 else " / ".join(cell) for cell in cells),
        ]


def _joined(entries: Sequence[str]) -> str:
    """Return the entries of one cell: equal ones once, and an ending that all have once.

    >>> _joined(["45.4, smaller", "46.4, smaller"]), _joined(["open", "open"])
    ('45.4 / 46.4, smaller', 'open')
    """
    if len(set(entries)) == 1:
        return entries[0]
    numbers, endings = zip(*(entry.partition(", ")[::2] for entry in entries), strict=True)
    return f"{' / '.join(numbers)}, {endings[0]}" if set(endings) == {endings[0]} != {""} else " / ".join(entries)


def _row(claim: Claim, found: Found, seeds: Seeds) -> tuple[str, str, str]:
    """Return the paper's number, ours and the verdict of one claim."""
    verdict = f"**{found.verdict(claim).status}**"
    if isinstance(claim, Accuracy):
        return printed(claim), _ours(claim, found.evidence[claim.name], seeds), verdict
    if isinstance(claim, RankingClaim):
        return _order(claim), _compared(claim, found), verdict
    if isinstance(claim, Speed):
        return f"99 % in {count(claim.most_steps)} steps", _first(found.evidence[claim.claim.name].best), verdict
    return claim.statement, "", verdict


def _not_run(claims: Iterable[Claim]) -> str:
    """Return a sentence on why no run decides these claims, after one that ends with their number; "" if runs do."""
    reasons = {claim.why for claim in claims if isinstance(claim, Outside)}
    return f". The reason: {'; '.join(sorted(reasons))}" if reasons else ""


def printed(claim: Accuracy) -> str:
    """Return the paper's number, or its words."""
    if claim.printed is None:
        return "near-perfect" if claim.learns else "below"
    return percent(claim.printed)


def _ours(claim: Accuracy, evidence: ClaimRows, seeds: Seeds) -> str:
    """Return our best, or the range over seeds, and whether its model has the paper's size."""
    best = evidence.best
    if best is None:
        return "-"
    several = seeds.get(best.key, [])
    numbers = dict.fromkeys(map(percent, (min(several), max(several)))) if several else [percent(best.accuracy)]
    is_same = (best.layers, best.width) == (len(claim.layers), claim.width)
    return f"{' to '.join(numbers)}, {'same size' if is_same else 'smaller'}"


def _order(claim: RankingClaim) -> str:
    above = claim.above.layers[0]
    below = claim.below[0].layers[0] if len(claim.below) == 1 else f"{len(claim.below)} others"
    return f"{above} above {below}"


def _compared(claim: RankingClaim, found: Found) -> str:
    """Return our best of the upper model, and the best of the lower ones."""
    upper = found.evidence[claim.above.name].best
    lower = [one.accuracy for other in claim.below if (one := found.evidence[other.name].best) is not None]
    if upper is None or not lower:
        return "-"
    return f"{percent(upper.accuracy)} against {percent(max(lower))}"


def _first(best: Trained | None) -> str:
    if best is None:
        return "-"
    return f"99 % in {count(best.first_steps)} steps" if best.first_steps else f"{percent(best.accuracy)} at the end"


def _details(claims: Sequence[Claim], found: Found, seeds: Seeds) -> str:
    """Return the folded table of all claims with the rows that their verdicts rest on."""
    lines = []
    for claim in claims:
        verdict = found.verdict(claim)
        several = _spread(found.evidence[claim.name].best, seeds) if isinstance(claim, Accuracy) else ""
        lines.append([f"`{claim.name}`", claim.statement, verdict.evidence + several, verdict.status])
    summary = f"Size, steps and seeds of {len(claims)} claims"
    return folded(
        summary, table([["Claim", "The paper says", "Ours: layers x width, steps, training inputs", "Verdict"], *lines])
    )


def _spread(best: Trained | None, seeds: Seeds) -> str:
    """Return the range over seeds in words, if there are several."""
    several = [] if best is None else seeds.get(best.key, [])
    return f"; {percent(min(several))} to {percent(max(several))} over {len(several)} seeds" if len(several) > 1 else ""
