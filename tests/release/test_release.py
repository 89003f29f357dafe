"""The wheel and the sdist are complete, and the checks of a release notice what is missing; tools/release.py has them all."""

import json
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

import release
from release import ROOT, Built, build, problems_of, readme_commands, sdist_problems, wheel_problems
from seqsep.commands.shipped import shipped_files


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.mark.slow
def test_both_files_are_complete(built: Built) -> None:
    assert problems_of(built) == []


def test_the_wheel_has_what_commands_read_and_no_more(built: Built) -> None:
    names = built.wheel_names()
    needed = {"seqsep_check.py", "seqsep/py.typed", "seqsep/report/page/page.html"}
    needed |= {
        f"seqsep/data/{name}" for name in ("results/demo.jsonl", "results/audit/lstm.safetensors", "examples/own_layer.py")
    }
    assert needed <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"seqsep", "seqsep_check.py"}
    with zipfile.ZipFile(built.wheel) as file:
        for path in shipped_files(ROOT):
            assert file.read(f"seqsep/data/{path.as_posix()}") == (ROOT / path).read_bytes()
        [scripts] = [file.read(name).decode() for name in names if name.endswith("entry_points.txt")]
    assert scripts.split() == [
        "[console_scripts]",
        "seqsep",
        "=",
        "seqsep.commands.cli:script",
        "seqsep-check",
        "=",
        "seqsep_check:main",
    ]


def test_the_sdist_has_the_folders_that_tests_need(built: Built) -> None:
    names = built.sdist_names()
    assert {"benchmarks", "docs", "examples", "results", "src", "tests", "tools"} <= {name.split("/")[0] for name in names}
    assert {
        "Makefile",
        "MANIFEST.in",
        "constraints.txt",
        "setup.py",
        "CITATION.cff",
        "results/verify/pages-how-to.json",
    } <= names


def test_the_metadata(built: Built) -> None:
    metadata = built.metadata()
    description = str(metadata.get_payload())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository = project["urls"]["Repository"]
    links = re.findall(r"\]\(([^)]*)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    for link in links:
        if not link.startswith(("http", "#")):
            assert re.search(
                rf"{re.escape(repository)}/(?:raw|blob)/v{re.escape(metadata['Version'])}/{re.escape(link)}\)", description
            )


def test_addresses_are_placeholders_in_one_place() -> None:
    files = [
        ROOT / name for name in ("README.md", "CITATION.cff", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "setup.py")
    ]
    assert not [file.name for file in files if "seqsep.invalid" in file.read_text(encoding="utf-8")]


def test_the_version_is_one() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f'__version__ = "{version}"' in (ROOT / "src/seqsep/__init__.py").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_what_is_missing_or_too_much_is_found(built: Built) -> None:
    files = ["src/seqsep/a.py", "src/seqsep/b.html", "tests/test_a.py", "Makefile", ".gitignore"]
    shipped = ["results/demo.jsonl"]
    right = {"seqsep/a.py", "seqsep/b.html", "seqsep/data/results/demo.jsonl", "seqsep-1.dist-info/METADATA"}
    assert wheel_problems(right, files, shipped) == []
    for name in sorted(right - {"seqsep-1.dist-info/METADATA"}):
        assert wheel_problems(right - {name}, files, shipped) == [f"the wheel lacks {name}"]
    assert wheel_problems(right | {"tools/c.py"}, files, shipped) == ["the wheel should not have tools/c.py"]
    sdist = {"src/seqsep/a.py", "src/seqsep/b.html", "tests/test_a.py", "Makefile", "PKG-INFO", "setup.cfg"}
    assert sdist_problems(sdist, files) == []
    assert sdist_problems(sdist - {"Makefile"}, files) == ["the sdist lacks Makefile"]
    assert sdist_problems(sdist | {"runs/a"}, files) == ["the sdist should not have runs/a"]


def test_a_build_without_a_shipped_file_is_found(built: Built, tmp_path: Path) -> None:
    less = tmp_path / built.wheel.name
    with zipfile.ZipFile(built.wheel) as whole, zipfile.ZipFile(less, "w") as file:
        for name in whole.namelist():
            if not name.endswith(("demo.jsonl", "seqsep_check.py")):
                file.writestr(name, whole.read(name))
    found = problems_of(Built(less, built.sdist))
    assert found[:2] == ["the wheel lacks seqsep/data/results/demo.jsonl", "the wheel lacks seqsep_check.py"]


def test_a_relative_link_in_the_description_is_found(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = built.metadata()
    metadata.set_payload("[a page](docs/page.md) [one](#here) [two](https://example.org)")
    monkeypatch.setattr(Built, "metadata", lambda self: metadata)
    assert release.metadata_problems(built) == ["the description has the relative link docs/page.md"]


def test_commands_of_the_readme() -> None:
    assert readme_commands("```\nseqsep demo\n```\n") == []
    assert readme_commands("```console\n$ seqsep run a --dry-run\nout\n$ seqsep list \\\n  tasks\n```\n") == [
        "seqsep run a --dry-run",
        "seqsep list    tasks",
    ]


def test_each_question_of_the_readme_runs_in_the_wheel() -> None:
    """All rows of the table are run, apart from the one that needs a model of the reader's own."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .*\| `(seqsep [^`]*)` \|", text, flags=re.MULTILINE)
    found = readme_commands(text)
    assert len(rows) >= 10
    left_out = [row for row in rows if not {row, f"{row} --dry-run"} & set(found)]
    assert left_out == ["seqsep check --model FOLDER"]
    assert "seqsep check index-lookup-state" in found


def test_the_sample_for_the_sdist_has_each_wing() -> None:
    """CONTRIBUTING.md says how large it is."""
    assert [name for name in release.TESTS if not (ROOT / name).is_file()] == []
    wings = {path.name for path in (ROOT / "src/seqsep").iterdir() if (path / "__init__.py").exists()}
    assert wings <= {name.split("/")[1] for name in release.TESTS}
    page = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    assert f"a sample of {len(release.TESTS)} test files" in page


def test_a_version_of_python_that_was_not_run() -> None:
    """The page of the installation says it of the first version without a classifier."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    last = max(map(int, re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', text)))
    page = (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8")
    assert f"It was not run with 3.{last + 1}." in " ".join(page.split())


def test_the_versions_of_python_are_those_that_were_run() -> None:
    """The page of the installation and the classifiers name the interpreters of the committed row."""
    path = ROOT / "results/verify/release.json"
    if not path.exists():
        pytest.skip("the check that writes the row is running; test_verify.py fails if it stays away")
    row = json.loads(path.read_text(encoding="utf-8"))
    versions = row["outcomes"][0]["variant"].rpartition("; Python ")[2].split(", ")
    page = (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8")
    assert f"run with {', '.join(versions[:-1])} and {versions[-1]}." in " ".join(page.split())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [
        line.rpartition(" ")[2] for line in project["classifiers"] if line.startswith("Programming Language :: Python :: 3.")
    ]
    assert named == versions
