"""The bibliography has an entry for every mixer, as the mixer's docstring names it, and nothing that is not shown."""

import inspect
import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from seqsep.commands.cli import main
from seqsep.lab.row import read_rows
from seqsep.models.mixers import BY_NAME, PAPER_MIXERS
from seqsep.report.bibliography import METHODS, STATEMENTS, bibliography, entries, write_bibliography

ROOT = Path(__file__).parents[2]


def fields(entry):
    """By name; lines of one field are joined."""
    text = " ".join(entry.split())
    found = dict(re.findall(r"(\w+) = {(.*?)}(?=, \w+ = {| })", text))
    assert found
    return found


def test_every_mixer_of_a_paper_has_an_entry_and_no_more():
    assert set(METHODS) == {name for name, mixer in BY_NAME.items() if "Source: " in inspect.getdoc(inspect.getmodule(mixer))}
    assert [*STATEMENTS, *dict.fromkeys(METHODS.values())] == list(entries())


@pytest.mark.parametrize("name", METHODS)
def test_an_entry_is_the_source_that_the_mixer_names(name):
    """First author, year of the first version, and number at arXiv; attention's and the LSTM's sources name none there."""
    source = inspect.getdoc(inspect.getmodule(BY_NAME[name])).split("Source: ")[1]
    entry = fields(entries()[METHODS[name]])
    assert source.startswith(entry["author"].split(",")[0])
    named = re.match(r"[^;:]*?(\d{4})(?: \(arXiv:(\d{4}\.\d{5})\))?", source)
    assert entry.get("eprint") == named[2] or name in ("attention", "lstm")
    assert entry["year"] == named[1] or (entry["eprint"].startswith(named[1][2:]) and "booktitle" in entry)


def test_the_two_papers_are_those_of_the_numbers():
    said = json.loads(files("seqsep.lab.experiments.claims").joinpath("papers.json").read_text())["source"]
    assert re.findall(r"arXiv:(\d{4}\.\d{5})", said) == [fields(entries()[key])["eprint"] for key in STATEMENTS]
    plain = {re.sub("[{}]", "", fields(entries()[key])["title"]) for key in STATEMENTS}
    assert all(title.split(":")[0] in said for title in plain)


@pytest.mark.parametrize("key", entries())
def test_an_entry_is_whole(key):
    entry = entries()[key]
    assert entry.count("{") == entry.count("}")
    found = fields(entry)
    assert {"title", "author", "year"} <= set(found)
    assert "eprint" in found or {"journal", "doi"} <= set(found)
    assert ("archiveprefix" in found) == ("eprint" in found)
    assert ("booktitle" in found) == entry.startswith("@inproceedings")
    assert all(", " in author for author in found["author"].split(" and "))
    assert found["year"] in key


def test_exactly_what_is_shown():
    assert set(re.findall(r"@\w+{([\w-]+),", bibliography([]))) == set(STATEMENTS)
    shown = bibliography(["mamba", "attention", "mamba", "MyLayer@0123"])
    assert re.findall(r"@\w+{([\w-]+),", shown) == [*STATEMENTS, "vaswani2017attention", "gu2023mamba"]
    assert shown == bibliography({"attention", "mamba"})
    assert bibliography(["mlstm", "slstm"]).count("@") == len(STATEMENTS) + 1


def test_the_demo_shows_the_papers_mixers_and_one_more(tmp_path):
    mixers = {name for row in read_rows(ROOT / "results/demo.jsonl") for name in row.run.layers}
    assert mixers == {mixer.name for mixer in PAPER_MIXERS} | {"gated-delta"}
    path = write_bibliography(tmp_path / "new", mixers)
    assert path == tmp_path / "new" / "references.bib"
    assert path.read_text().count("@") == 9


@pytest.mark.parametrize("flag", [[], ["--bibtex"]])
def test_the_command_hands_the_flag_on(capsys, monkeypatch, flag):
    seen = []

    def write_report(rows, folder, check, bibtex, named, is_own):
        seen.append((rows, folder, bibtex))
        assert named == []
        return Path("out/index.html")

    monkeypatch.setattr("seqsep.report.write.write_report", write_report)
    assert main(["report", "-o", "out", *flag]) == 0
    assert seen == [(ROOT / "results/demo.jsonl", Path("out"), bool(flag))]
    assert capsys.readouterr().out == "open out/index.html\n"


@pytest.mark.skipif(shutil.which("bibtex") is None, reason="no BibTeX here")
def test_bibtex_reads_it(tmp_path):
    write_bibliography(tmp_path, METHODS)
    (tmp_path / "all.aux").write_text("\\citation{*}\n\\bibdata{references}\n\\bibstyle{plain}\n")
    done = subprocess.run(["bibtex", "all"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "Warning" not in done.stdout
    assert (tmp_path / "all.bbl").read_text().count("\\bibitem") == len(entries())
