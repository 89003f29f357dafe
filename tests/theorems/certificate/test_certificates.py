"""The checker, as a stranger runs it, and against what is wrong; the whole of each bar is in tests/long_certificates.py."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import long_certificates
import seqsep_check
from seqsep.commands.cli import main
from seqsep.maths.communication.communication import distinct_rows, fooling_set, incompatible_rows, of_values
from seqsep.maths.networks.generation import generate
from seqsep.maths.networks.network import Network
from seqsep.theorems import BY_NAME
from seqsep.theorems.analysis.analyze import analyze
from seqsep.theorems.analysis.evidence import least_state
from seqsep.theorems.certificate import certificate, certify, evidence_of_matrix, write
from seqsep.theorems.evidence import Evidence, FoolingSetWords, GeneratedRun, NetworkRun
from seqsep.theorems.retrieval import recall_attention
from support.certificates.checker_corpus import corpus
from support.certificates.checker_mutants import EQUIVALENT, mutants, survivors
from support.certificates.checker_work import work_of
from support.certificates.forgeries import FORGERIES
from support.certificates.hostile import WORST, try_file
from support.certificates.mutants import try_mutants
from support.certificates.samples import TYPES, of_type, samples, seal
from support.certificates.truth import holds
from support.certificates.verdict import held

CHECKER = Path(seqsep_check.__file__)
USAGE = "usage: python -I -S seqsep_check.py FILE, or --self-test; expected one certificate, found "
THEOREMS = [name for name, theorem in BY_NAME.items() if theorem.certificate_witness is not None]


def certified_as(theorem: str) -> str:
    """The name in the certificate: the theorem's, or a general one if the specification does not name it."""
    if theorem in seqsep_check.THEOREMS:
        return theorem
    return write.name_in_file(theorem, json.loads(certify(theorem))["type"])


@pytest.mark.parametrize("theorem", THEOREMS)
def test_theorems_with_evidence_have_certificates_that_hold(theorem):
    data = certify(theorem)
    assert held(data).startswith(f"holds: {certified_as(theorem)}: ")
    assert certify(theorem) == data


@pytest.mark.parametrize("type_", TYPES)
def test_the_program_prints_the_line_and_ends_with_0(type_, tmp_path):
    path = tmp_path / "certificate.json"
    path.write_bytes(next(data for name, data in samples().items() if name.startswith(f"{type_}: ")))
    command = [sys.executable, "-I", "-S", str(CHECKER), str(path)]
    alone = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, f"{held(path.read_bytes())}\n", "")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], f"{USAGE}none"),
        (["a", "b"], f"{USAGE}a b"),
        (["a\x1b]0;b\a\u202e", "b"], f"{USAGE}a\\u001b]0;b\\u0007\\u202e b"),
        (["no-such-file"], "unfit: [Errno 2] No such file or directory: 'no-such-file'"),
        (["."], "unfit: [Errno 21] Is a directory: '.'"),
        (["pipe"], "unfit: expected a regular file, found another kind at 'pipe'"),
        (["/dev/zero"], "unfit: expected a regular file, found another kind at '/dev/zero'"),
    ],
)
def test_as_a_program_it_answers_2_to_what_is_no_file(arguments, why, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    command = [sys.executable, "-I", "-S", str(CHECKER), *arguments]
    alone = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert alone.returncode == 2
    assert alone.stdout == f"{why}\n"
    assert alone.stderr == ""


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_checker_says_how_it_is_called(flag):
    asked = subprocess.run([sys.executable, "-I", "-S", str(CHECKER), flag], capture_output=True, text=True, timeout=60)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout == f"{USAGE.partition(';')[0]}\n"


@pytest.mark.parametrize(
    ("redirection", "status"),
    [(">&-", 2), (">&- 2>&- <&-", 2), ("2>/dev/full", 2), (">/dev/full", 3)],
)
def test_the_checker_notices_a_line_that_is_lost(redirection, status, tmp_path):
    """It says nothing more than its exit status; a stream that is closed from the start loses nothing."""
    script = f"{{ '{sys.executable}' -I -S '{CHECKER}' no-such-file; echo $? >status; }} {redirection}"
    ended = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert (tmp_path / "status").read_text() == f"{status}\n"
    assert ended.stderr == ""


def test_a_claim_that_is_off_is_told_with_both_numbers():
    given = json.loads(certify("equality-state"))
    given["claims"]["state_bits"] = 6
    assert seqsep_check.check(seal(given)) == (1, "rejected: claims: state_bits: claimed 6, found 5")


def test_it_runs_where_seqsep_cannot_be_imported(tmp_path):
    copied = tmp_path / "seqsep_check.py"
    copied.write_bytes(CHECKER.read_bytes())
    (tmp_path / "c.json").write_bytes(samples()["network: lookup"])
    command = [sys.executable, "-I", "-S", "seqsep_check.py", "c.json"]
    assert subprocess.run(command, capture_output=True, cwd=tmp_path, timeout=60).returncode == 0
    probe = [sys.executable, "-I", "-S", "-c", "import seqsep"]
    assert subprocess.run(probe, capture_output=True, cwd=tmp_path, timeout=60).returncode == 1


@pytest.mark.slow
def test_the_samples_hold_and_are_true():
    for name, data in samples().items():
        assert seqsep_check.check(data)[0] == 0, name
        assert holds(json.loads(data)), name


@pytest.mark.slow
def test_logits_weights_limits_and_reasons_are_as_expected():
    assert not [case for case in corpus() if case.kills(seqsep_check)]


@pytest.mark.parametrize("kind", TYPES)
def test_no_flipped_bit_and_no_cut_is_accepted(kind):
    data = min(of_type(kind).values(), key=len)
    assert long_certificates.accepted_flips(data, step=1) == 0
    assert long_certificates.accepted_cuts(data) == 0


@pytest.mark.parametrize("kind", TYPES)
def test_no_false_mutant_is_accepted(kind):
    counts = try_mutants(kind, 0, 120)
    assert counts["rejected"] >= 60
    assert counts["valid rewrites"] >= 5


@pytest.mark.parametrize("kind", TYPES)
def test_forgeries_are_rejected_for_their_reason(kind):
    forged = FORGERIES[kind]()
    assert len(forged) >= 30
    assert len({forgery.data() for forgery in forged}) == len(forged)
    for forgery in forged:
        status, line = seqsep_check.check(forgery.data())
        assert status == forgery.status, (forgery, line)
        assert forgery.why in line, (forgery, line)


def test_every_depth_of_nesting_has_an_answer():
    """Python's stack ends in `canonical`, in `digest` or where a claim is printed; none of these is a crash."""
    sound = json.loads(samples()["fooling-set: dyck"])
    body = {name: part for name, part in sound.items() if name != "digest"}
    found = set()
    deepest = sys.getrecursionlimit()
    for depth in (*range(1, deepest + 60, 7), *range(deepest - 120, deepest)):
        text = json.dumps(body | {"digest": "0" * 64}, sort_keys=True, separators=(",", ":"))
        bits = json.dumps({"bits": sound["claims"]["bits"]}, separators=(",", ":"))[1:-1]
        found.add(seqsep_check.check(text.replace(bits, f'"bits":{"[" * depth}{"]" * depth}').encode()))
    assert found == {(1, "rejected: the digest differs"), (2, "unfit: nested too deeply")}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_the_worst_files_end_in_time_and_memory(name):
    try_file(name)


@pytest.mark.slow
def test_a_sample_of_mutants_of_the_checker_is_killed():
    made = mutants()
    assert len(made) >= 300
    assert {mutant.name for mutant in made} >= EQUIVALENT.keys()
    assert survivors(made[::160]) == []


def test_no_automaton_is_at_the_bound():
    """So that of the two comparisons of the work of an automaton, `<=` and `<`, no file can tell."""
    for kinds in range(1, 1 << 15):
        for depth in range(1, 4097):
            work = (sum(kinds**height for height in range(depth + 1)) + 1) * kinds * (depth + 8)
            assert work != seqsep_check.MOST_WORK
            if work > seqsep_check.MOST_WORK:
                break


def test_beyond_the_work_bound_nothing_is_written():
    with pytest.raises(ValueError, match=r"equality-two-layers.*work is [\d,]+, at most 30,000,000"):
        certify("equality-two-layers", length=400)
    with pytest.raises(ValueError, match=r"work is [\d,]+, at most 4,000,000"):
        certify("bounded-dyck-state", kinds=100, depth=2)
    words = [[number % 2] * 2 for number in range(200_000)]
    witness = FoolingSetWords(alice=[0], value=1, words=words, complete=True)
    with pytest.raises(ValueError, match="brackets"):
        certificate("", Evidence("equality", {"alphabet": 2, "length": 2}, witness))
    parity = Network.of_table("parity", np.array([[0, 1], [1, 0]]), np.array([0, 1]))
    run_of_parity = NetworkRun(parity, np.array([[0, 1]]), np.array([1]))
    with pytest.raises(ValueError, match="no form for a AutomatonLayer"):
        certificate("", Evidence("equality", {"alphabet": 2, "length": 2}, run_of_parity))
    with pytest.raises(ValueError, match=r"theorem is one of .*index-lookup-state"):
        certify("no-such-theorem")


def test_runs_that_prove_nothing_are_not_written():
    """A network that reads what comes later has no generated run; what a stranger checks is what decoding writes."""
    network = recall_attention.build(2, 2)
    backward = replace(network, layers=tuple((replace(mixer, causal=False), part) for mixer, part in network.layers))
    prompts = np.array([[0, 1, 2, 1], [0, 1, 1, 1]])
    fields = {"alphabet": 2, "gram": 2, "length": 2}
    with pytest.raises(ValueError, match="expected a causal network"):
        certificate("recall-attention", Evidence("ngram", fields, GeneratedRun(backward, prompts, [[2], [1]])))
    for answer, status in (([2], 0), ([1], 1), ([0], 1), ([2, 2], 1)):
        data = certificate("recall-attention", Evidence("ngram", fields, GeneratedRun(network, prompts, [answer, [1]])))
        assert seqsep_check.check(data)[0] == status


@pytest.mark.parametrize("theorem", ["is-tree-peeling", "is-tree-hybrid"])
def test_thoughts_in_certificates_are_what_decoding_writes(theorem):
    evidence = BY_NAME[theorem].certificate_witness(length=3, graphs=4)
    run = evidence.witness
    for prompt, written in zip(run.prompts.tolist(), run.generated, strict=True):
        assert generate(run.network, prompt, stops={5, 6}, most=9) == written
    given = json.loads(certificate(theorem, evidence))
    assert [len(prompt) for prompt in given["witness"]["inputs"]] == [7] * len(given["witness"]["inputs"])
    assert max(map(len, given["witness"]["answers"])) == 6


def test_certify_and_the_checker_count_the_same_work():
    """A certificate is written at the bound that the checker just accepts, and not below."""
    attention = ("equality-two-layers", "recall-attention", "circuits-attention")
    machines = ("turing-machine-hybrid", "turing-machine-retrieval", "turing-machine-recurrent")
    for theorem in (*attention, "is-tree-hybrid", "is-tree-walk", "retrieval-by-pattern", *machines):
        evidence = BY_NAME[theorem].certificate_witness()
        spent = work_of(json.loads(certify(theorem)))
        bound = -(-spent // 16)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(write, "MOST_NETWORK_WORK", bound)
            certificate(theorem, evidence)
            patch.setattr(write, "MOST_NETWORK_WORK", bound - 1)
            with pytest.raises(ValueError, match="the checker's work"):
                certificate(theorem, evidence)


def test_witnesses_of_matrices_have_certificates():
    values = np.arange(24).reshape(2, 3, 4) % 5
    f = of_values(values, [0, 2])
    for measure in (distinct_rows(f), fooling_set(f, value=3), incompatible_rows(f)):
        status, line = seqsep_check.check(certificate("", evidence_of_matrix(measure.witness)))
        assert status == 0, line
        assert str(measure.bits) in line


def test_what_analyze_finds_has_a_certificate():
    given = analyze(lambda word: 7 * word[0] + word[2], [3], alphabet=[2, 3, 4]).lengths[-1]
    data = certificate("least-state", least_state(given))
    assert "table: rows 8, state_bits 3, alice [0, 1, 2]" in held(data)
    assert max(json.loads(data)["task"]["values"]) == 10, "the answers themselves"
    below = analyze(lambda word: -1 - word[0] if word[1] else None, [3]).lengths[-1]
    data = certificate("least-state", least_state(below))
    assert "rows 2, state_bits 1" in held(data)
    assert set(json.loads(data)["task"]["values"]) == {-1, 0, 1}, "outside the domain, and numbers of answers"
    nothing = analyze(lambda word: None, [2]).lengths[-1]
    assert seqsep_check.check(certificate("least-state", least_state(nothing)))[0] == 0
    for length in (4, 6):
        equal = analyze(lambda word: int(word[::2] == word[1::2]) if word[0] or sum(word) % 3 else None, [length]).lengths[-1]
        assert equal.least is None
        assert f"rows {equal.classes}, state_bits {equal.bits[0]}," in held(certificate("least-state", least_state(equal)))
    long = analyze("(01)*", [58], is_regular=True).lengths[-1]
    with pytest.raises(ValueError, match=r"least_state\(length=58\): 288,230,376,151,711,744 answers"):
        least_state(long)


def test_a_message_with_the_complete_input_answers_by_itself():
    """Two classes of complete words need a bit of state only if the answer is read from the state; the line says so."""
    told = ", answer read from the state; sha256 "
    given = json.loads(samples()["distinguishing-table: total"])
    for alice, rows, columns in (([0, 1, 2], [[0, 0, 0], [0, 0, 1]], [[]]), ([0, 1], [[0, 0], [0, 2]], [[0], [1]])):
        given["witness"] = {"alice": alice, "columns": columns, "rows": rows}
        given["claims"] = {"rows": 2, "state_bits": 1}
        for theorem in ("least-state", "one-way-cost"):
            line = held(seal(given | {"theorem": theorem}))
            assert f"alice {alice}" in line
            assert (told in line) == (len(alice) == 3)
    one = json.loads(samples()["fooling-set: one"])
    one["witness"]["alice"] = [0, 1]
    assert told in held(seal(one | {"claims": {"bits": 0, "complete": 0, "size": 1}}))


def test_analyze_writes_it(tmp_path, capsys):
    path = tmp_path / "c.json"
    assert main(["analyze", "majority", "--lengths", "4,6", "--json", "--certificate", str(path)]) == 0
    captured = capsys.readouterr()
    row = json.loads(captured.out)["lengths"][-1]
    assert captured.err == f"{len(path.read_bytes()):,} bytes to {path}\n"
    assert f"rows {row['classes']}, state_bits {row['state_bits']}," in held(path.read_bytes())
    assert main(["analyze", "majority", "equality", "--lengths", "4", "--certificate", str(path)]) == 2
    assert "--certificate" in capsys.readouterr().err
