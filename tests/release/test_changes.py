"""The changelog has one screen a release, and the guide to upgrade lists names that exist now and not the earlier ones."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from seqsep.commands.run_settings import FLAGS, flag
from seqsep.lab.experiments import EXPERIMENTS
from seqsep.models.mixers import Mixer
from seqsep.theorems import Theorem

ROOT = Path(__file__).parents[2]
SCREEN = 45
"""The most lines of a release."""
UPGRADE = (ROOT / "docs/how-to/upgrade.md").read_text(encoding="utf-8")
MOVED = re.findall(r"^\| (`seqsep\.[^|]*) \| (`seqsep\.[^|]*) \|$", UPGRADE, flags=re.MULTILINE)


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_a_release_is_one_screen() -> None:
    head, *releases = re.split(r"^## ", text("CHANGELOG.md"), flags=re.MULTILINE)
    assert (head.count("\n"), len(releases)) == (2, 3)
    assert [one.splitlines()[0] for one in releases if one.count("\n") > SCREEN] == []
    assert "| " not in text("CHANGELOG.md")
    assert "## Decisions on the design" in text("CONTRIBUTING.md")


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_links_lead_to_files(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text(name))
    assert [link for link in links if not link.startswith("https:") and not (ROOT / link).exists()] == []


def modules(cell: str) -> list[str]:
    return re.findall(r"`(seqsep[\w.]*)`", cell)


def found(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def test_the_moved_modules() -> None:
    assert len(MOVED) == 12
    assert [name for _, now in MOVED for name in modules(now) if not found(name)] == []
    earlier = [name for before, _ in MOVED for name in modules(before) if found(name)]
    assert earlier == []


def test_the_renamed_names() -> None:
    for name in ("prefill", "step_output"):
        assert hasattr(Mixer, name)
    assert {"predictor", "certificate_witness", "call"} <= set(dir(Theorem)) | set(Theorem.__dataclass_fields__)
    for field in FLAGS:
        assert f"| `--{field}` | `{flag(field)}` |" in UPGRADE
    presets = {preset for experiment in EXPERIMENTS for preset in experiment.presets}
    assert {"length-scaling", "length-scaling-long", "length-scaling-demo"} <= presets
    for name in ("prefill", "step_output", "predictor", "certificate_witness", "length-scaling-demo"):
        assert f"`{name}`" in UPGRADE
