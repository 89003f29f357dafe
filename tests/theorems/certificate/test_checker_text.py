"""The text of the checker: what a stranger must read of it, whether it reads like its specification, and its test of itself."""

import ast
import builtins
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import seqsep_check
from support.certificates.samples import TYPES
from test_style import MOST_BY_FILE, ROOT, code_lines, lines_with_code

CHECKER = Path(seqsep_check.__file__)
TEXT = CHECKER.read_text(encoding="utf-8")
LINES = TEXT.splitlines()
TREE = ast.parse(TEXT)
HEAD = ast.get_docstring(TREE) or ""
SPECIFICATION = " ".join((ROOT / "docs/reference/certificates.md").read_text(encoding="utf-8").split())
LINE_BY_LINE = ("main", "answer", "check", "read", "verify")


def ranges(text: str) -> set[int]:
    """Return the line numbers of "A to B and C to D"."""
    found = [range(int(first), int(last) + 1) for first, last in re.findall(r"(\d+) to (\d+)", text)]
    assert found
    return {number for part in found for number in part}


def to_audit(kind: str) -> set[int]:
    [(named, count)] = re.findall(rf"To audit `{kind}` read lines ([^:]+): (\d+) lines of code\.", HEAD)
    lines = ranges(named)
    assert len(lines & lines_with_code(CHECKER)) == int(count)
    return lines


def for_task(name: str) -> set[int]:
    """Return the lines of a task that the head mentions by name, and of the tasks that are common to all types."""
    common = ranges(re.findall(r"In the lines ([^,]+), which are", HEAD)[0])
    mentioned = [lines for lines, names in re.findall(r"Read lines (.+?) for the tasks? (.+)\.", HEAD) if f"`{name}`" in names]
    return common.union(*map(ranges, mentioned))


def defined() -> dict[str, list[ast.stmt]]:
    """Return the statements that define each name of the module; a name that is extended has several."""
    found: dict[str, list[ast.stmt]] = {}
    for node in TREE.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        names += [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
        for name in names:
            found.setdefault(name, []).append(node)
    return found


def needed(first: tuple[str, ...], without: set[str]) -> set[int]:
    """Return the lines of the definitions that these names need, and those that they need, and so on."""
    definitions = defined()
    reached: set[str] = set()
    waiting = list(first)
    while waiting:
        name = waiting.pop()
        if name in reached or name in without:
            continue
        reached.add(name)
        for node in definitions[name]:
            waiting += [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and part.id in definitions]
    nodes = [node for name in reached for node in definitions[name]]
    return {number for node in nodes for number in range(node.lineno, (node.end_lineno or 0) + 1)}


@pytest.mark.parametrize("kind", TYPES)
def test_the_head_lists_all_lines_of_a_type(kind):
    check = f"check_{kind.replace('-', '_')}"
    others = {name for name in defined() if name.startswith("check_") and name not in (check, "check_runs")}
    without = others | {"self_test", "TASKS", "THEOREMS"}
    lines = to_audit(kind)
    assert needed((*LINE_BY_LINE, check), without) <= lines
    for first, last in re.findall(r"(\d+) to (\d+)", re.findall(rf"To audit `{kind}` read lines ([^:]+):", HEAD)[0]):
        assert LINES[int(first) - 1].startswith("# ---- ")
        assert LINES[int(last) - 1].strip()
        assert LINES[int(last)] == LINES[int(last) + 1] == ""
    rows = [name for name, (of_type, _, _) in seqsep_check.THEOREMS.items() if of_type == kind]
    of_patterns = {"retrieval-by-pattern"}
    assert {name for name in rows if not any(f'"{name}"' in LINES[number - 1] for number in lines)} <= of_patterns


def test_fooling_sets_are_audited_in_one_reading():
    lines = to_audit("fooling-set")
    assert len(lines) == max(lines) - min(lines) + 1
    assert max(lines) < len(LINES) / 2


@pytest.mark.parametrize("name", list(seqsep_check.TASKS))
def test_the_head_lists_all_lines_of_a_task(name):
    make = seqsep_check.TASKS[name].__name__
    lines = for_task(name) | to_audit("generated-run")
    assert needed((make,), {"TASKS", "THEOREMS"}) <= lines


def test_every_line_of_code_is_in_some_reading():
    listed = set().union(*map(to_audit, TYPES), *map(for_task, seqsep_check.TASKS))
    after = LINES.index("# ---- The test of itself.") + 1
    before = min(to_audit("network"))
    left = [number for number, line in enumerate(LINES, 1) if line.strip() and before < number < after and number not in listed]
    assert not left


def test_no_line_changes_what_an_earlier_line_defines():
    """So that a reader of some lines knows what they do, whatever the other lines hold."""
    assert {name for name, nodes in defined().items() if len(nodes) > 1} == {"LIMITS", "TASKS", "THEOREMS"}
    assert not defined().keys() & set(dir(builtins))
    rows = [row for node in TREE.body for row in rows_added(node)]
    assert sorted(rows) == sorted([*seqsep_check.TASKS, *seqsep_check.THEOREMS])
    used = {part.id for part in ast.walk(TREE) if isinstance(part, ast.Name)}
    assert not used & {"globals", "locals", "vars", "setattr", "exec", "eval", "__import__"}
    assert not any(isinstance(part, ast.Global | ast.Nonlocal) for part in ast.walk(TREE))


def rows_added(node: ast.stmt) -> list[str]:
    """Return the names of the tasks or theorems that a statement of the module adds."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id in ("TASKS", "THEOREMS"):
        return list(eval(compile(ast.Expression(node.value), CHECKER.name, "eval"), vars(seqsep_check)))
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return [ast.literal_eval(node.targets[0].slice)]
    return []


def test_the_checker_is_one_file_of_the_standard_library():
    assert code_lines(CHECKER) <= MOST_BY_FILE["src/seqsep_check.py"] == 725
    imported = set()
    for node in ast.walk(TREE):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    assert imported <= set(sys.stdlib_module_names)
    assert Path(sysconfig.get_paths()["stdlib"]) not in CHECKER.parents


@pytest.mark.parametrize("kind", TYPES)
def test_a_check_opens_with_its_theorem_and_proof(kind):
    said = getattr(seqsep_check, f"check_{kind.replace('-', '_')}").__doc__
    assert said.startswith("Theorem: ")
    assert "Proof. " in said


def comments() -> list[str]:
    """Return the docstrings and the comments, a block of comment lines as one."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    said = [ast.get_docstring(node) or "" for node in ast.walk(TREE) if isinstance(node, kinds)]
    block: list[str] = []
    for line in [*LINES, ""]:
        if re.match(r"\s*# ", line):
            block.append(line.strip()[2:])
        else:
            said.append(" ".join(block))
            block = []
    said += [line.partition("  # ")[2] for line in LINES if "  # " in line and not line.strip().startswith("#")]
    return said


def test_quoted_sentences_are_in_the_specification():
    quoted = [part for said in comments() for part in re.findall(r'"((?:[^"]|"(?=\w))+?)"(?!\w)', " ".join(said.split()))]
    assert len(quoted) > 50
    plain = SPECIFICATION.lower().replace("*", "")
    missing = [
        part
        for sentence in quoted
        for part in sentence.split(" [..]")
        if part.strip(" ;:,.").lower().replace("*", "") not in plain
    ]
    assert not missing, "\n".join(missing)


def test_it_is_free_of_tricks():
    """No XOR, no doubled reversal, no method of a literal dictionary as a function, no unpacking of dictionaries."""
    for node in ast.walk(TREE):
        assert not isinstance(getattr(node, "op", None), ast.BitXor)
        if isinstance(node, ast.Slice):
            assert not isinstance(node.step, ast.UnaryOp)
        if isinstance(node, ast.Attribute):
            assert not isinstance(node.value, ast.Dict)
        if isinstance(node, ast.Call):
            assert all(keyword.arg for keyword in node.keywords)
            assert getattr(node.func, "id", "") not in ("next", "iter", "any") or len(node.args) == 1
        if isinstance(node, ast.Expr):
            assert not isinstance(node.value, ast.Call) or getattr(node.value.func, "id", "") not in (
                "any",
                "all",
                "list",
                "next",
            )


def test_no_list_grows_while_it_is_iterated():
    for node in ast.walk(TREE):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Name):
            parts = [part for one in node.body for part in ast.walk(one)]
            grown = [
                part.func.value.id
                for part in parts
                if isinstance(part, ast.Call)
                and isinstance(part.func, ast.Attribute)
                and isinstance(part.func.value, ast.Name)
                and part.func.attr in ("append", "extend", "insert", "pop", "remove")
            ]
            grown += [part.target.id for part in parts if isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name)]
            assert node.iter.id not in grown


def test_no_name_of_python_is_taken():
    assert not {name for name in defined() if hasattr(builtins, name)}


def test_the_self_test_passes_alone(tmp_path):
    command = [sys.executable, "-I", "-S", str(CHECKER), "--self-test"]
    alone = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    said = "self-test passed: of each type a sound certificate holds, and a forged one is rejected\n"
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, said, "")


@pytest.mark.parametrize("kind", TYPES)
def test_the_self_test_notices_a_wrong_check(kind, monkeypatch):
    """So it has a sound and a forged certificate of this type."""
    assert seqsep_check.SELF_TEST.count(f'{{"type":"{kind}",') == 1
    name = f"check_{kind.replace('-', '_')}"
    honest = getattr(seqsep_check, name)

    def accepts(certificate, task, witness):
        try:
            return honest(certificate, task, witness)
        except seqsep_check.Answer:
            return certificate["claims"]

    def rejects(_certificate, _task, _witness):
        raise seqsep_check.Answer(1, "rejected: always")

    for wrong, said in ((accepts, "expected rejected: "), (rejects, "expected holds: , found rejected: always")):
        monkeypatch.setattr(seqsep_check, name, wrong)
        status, line = seqsep_check.self_test()
        assert status == 1
        assert line.startswith(f"self-test failed: {kind}: {said}")
