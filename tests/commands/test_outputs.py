"""Outputs of a command are checked before its work, and written before its verdict is printed."""

import csv
import io
import json
import os

import pytest
from matplotlib.figure import Figure

from seqsep.commands import check, demo
from seqsep.commands.outputs import require_folder, require_report
from seqsep.core.files import write_file
from seqsep.core.names import UNSEEN, BadInput
from seqsep.core.tables import as_csv
from seqsep.lab.store.store import Store
from seqsep.report.figures.picture_file import svg_text
from support.command_line import call

FORMULAS = ["=1+1", '=HYPERLINK("x")', "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n=1", "\uff1d1"]


@pytest.fixture
def no_work(monkeypatch):
    """Nothing of a command's work may begin."""

    def begins(*given, **named):
        raise AssertionError("work has begun")

    monkeypatch.setattr("seqsep.commands.report.check_every_theorem", begins)
    monkeypatch.setattr(demo, "check_every_theorem", begins)
    monkeypatch.setattr(check, "checked", begins)
    monkeypatch.setattr("seqsep.report.write.read_rows", begins)
    monkeypatch.setattr("seqsep.theorems.analysis.analyze", begins)
    monkeypatch.setattr("seqsep.commands.certify.certify", begins)
    monkeypatch.setattr("seqsep.theorems.build", begins)
    monkeypatch.setattr("seqsep.language_models.capacity.answer.capacity", begins)
    monkeypatch.setattr("seqsep.lab.store.store.Store.rows", begins)
    monkeypatch.setattr("seqsep.lab.sweep.Sweep.train", begins)


@pytest.mark.parametrize(
    "words",
    [
        "report --report FILE",
        "report --report FILE/pages",
        "report --report FOLDER",
        "demo --report FILE --store STORE",
        "certify bounded-dyck-state --depth 2 -o FILE/c.json",
        "export-network index-lookup-attention --length 4 -o FILE/n.npz",
        "analyze parity --length 4 --automata FILE/a.json",
        "analyze parity --length 4 -o FILE/a.png",
        "capacity config.json --compare --chart FILE/c.svg",
        "export --store FILE -o FILE/rows.csv",
        "export --store FILE -o LABELLED.jsonl",
        "train index-lookup --length 5 --layers lstm --store STORE --log tensorboard --log-folder FILE",
        "train index-lookup --length 5 --layers lstm --store WEIGHTED --keep-weights",
    ],
)
def test_outputs_are_refused_before_the_work(words, tmp_path, capsys, no_work):
    (tmp_path / "FILE").write_text("mine")
    (tmp_path / "FOLDER" / "index.html").mkdir(parents=True)
    (tmp_path / "LABELLED.jsonl.labels.json").mkdir()
    (tmp_path / "WEIGHTED.weights").write_text("mine")
    given = [str(tmp_path / word) if word.split("/")[0].split(".")[0].isupper() else word for word in words.split()]
    status, out, err = call(capsys, *given)
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith(f"seqsep {given[0]}: {tmp_path}")
    assert ": expected a " in err
    assert (tmp_path / "FILE").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(BadInput, match="found no right to write"):
        require_folder(tmp_path / "report")


def test_a_new_folder_and_an_old_report_are_accepted(tmp_path):
    require_report(tmp_path / "a" / "b")
    for name in ("figures", "tables"):
        (tmp_path / name).mkdir()
    (tmp_path / "index.html").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    require_report(tmp_path / "link")


@pytest.mark.parametrize("flag", ["--automata", "--certificate", "-o"])
@pytest.mark.parametrize("as_json", [False, True])
def test_analyze_prints_no_verdict_without_its_file(flag, as_json, tmp_path, capsys, monkeypatch):
    def refused(*given, **named):
        raise PermissionError(13, "Permission denied", "file")

    monkeypatch.setattr("seqsep.commands.analyze.write_file", refused)
    monkeypatch.setattr("seqsep.report.figures.picture_file.write_file", refused)
    words = ["analyze", "(0|1)*1", "--regex", "--lengths", "2..3", flag, str(tmp_path / "a.png"), *(["--json"] * as_json)]
    assert call(capsys, *words) == (2, "", "seqsep analyze: file: Permission denied\n")


def test_analyze_prints_the_same_with_a_file(tmp_path, capsys):
    words = ["analyze", "(0|1)*1", "1*", "--regex", "--lengths", "2..3"]
    _, at_once, _ = call(capsys, *words)
    _, afterwards, _ = call(capsys, *words, "--automata", str(tmp_path / "a.json"))
    assert at_once == afterwards != ""
    assert len(json.loads((tmp_path / "a.json").read_text())) == 2


@pytest.mark.parametrize(
    "words",
    [
        ("certify", "bounded-dyck-state", "--depth", "3", "-o"),
        ("export-network", "equality-two-layers", "--length", "4", "-o"),
    ],
)
def test_a_store_is_never_overwritten(words, tmp_path, capsys):
    path = tmp_path / "store.sqlite"
    with Store(path):
        pass
    before = path.read_bytes()
    status, out, error = call(capsys, *words, str(path))
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert f"{path}: expected a file to write that is not a store or another database, found one" in error
    assert path.read_bytes() == before
    assert call(capsys, *words, str(tmp_path / "new.json"))[0] == call(capsys, *words, str(tmp_path / "new.json"))[0] == 0


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_is_a_formula(text):
    [line] = csv.DictReader(io.StringIO(as_csv([{"text": text, "less": -0.5, "none": None}])))
    assert line["text"][0] in "'\\"
    assert float(line["less"]) == -0.5
    assert line["none"] == ""


def test_the_name_of_a_file_is_no_formula(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sizes = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}
    (tmp_path / "=1+1.json").write_text(json.dumps(sizes))
    _, out, _ = call(capsys, "capacity", "=1+1.json", "--compare", "--csv")
    [line] = csv.DictReader(io.StringIO(out))
    assert (line["file"], line["fixed numbers"]) == ("'=1+1.json", "224")


def test_no_file_of_text_has_marks_of_direction(tmp_path):
    """Pages, tables and pictures: a label in them cannot reverse what stands next to it, and XML stays XML."""
    write_file(tmp_path / "page.html", "<p>a\u202eb\x1b</p>\n")
    assert (tmp_path / "page.html").read_text() == "<p>a\\u202eb\\u001b</p>\n"
    figure = Figure()
    figure.text(0, 0, "a\u202eb")
    picture = svg_text(figure)
    assert "a\\u202eb" in picture
    assert not UNSEEN.search(picture.replace("\n", ""))
