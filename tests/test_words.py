"""Every public text keeps the words of the house style; tests/support/words_exceptions.json counts the exceptions.

Public texts are pages, docstrings, the help of commands, the strings that the code prints, and the templates of pages.

`python tests/test_words.py --update` lowers counts that could be smaller. With `--initial` too, it counts all files
again, also where a count grows: use it only when files move.
"""

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages._glossary import uses

ROOT = Path(__file__).parents[1]
EXCEPTIONS = ROOT / "tests/support/words_exceptions.json"
GLOSSARY = ROOT / "docs/explanation/glossary.md"
MOST_WORDS = 40
RECORDS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
REASONS = {
    "pages": "the page is being rewritten",
    "templates": "the template is being rewritten",
    "modules": "the issue on a smaller house rewrites docstrings",
}
FIRST = re.compile(r"(?:What|Whether|Who|Which|How|Where|So many)\b")
FORBIDDEN = re.compile(
    r"\b(?:behind it|behind the|but for|is told|told apart|of one's own|so many bits|as printed|"
    r"is no(?= (?!longer\b|more\b|less\b|better\b|worse\b|other than\b)[a-z]))\b",
    re.IGNORECASE,
)


def prose(page: str) -> str:
    """Return a page of Markdown without code, tables, comments and addresses of links."""
    page = re.sub(r"^(`{3,}|~{3,}).*?^\1", "\n", page, flags=re.MULTILINE | re.DOTALL)
    page = re.sub(r"<!--(?:.|\n)*?-->|^[ \t]*\|.*$|`[^`\n]*`|^(?: {4,}|\t).*$", " ", page, flags=re.MULTILINE)
    return re.sub(r"\]\([^)]*\)", "]", page)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences: they end at a full stop, a blank line, a heading or an item of a list."""
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[*+-]|\d+\.|#+)\s)", text):
        yield from (part for part in re.split(r"(?<=[.!?:])\s+", " ".join(re.sub(r"^[\s#*+>-]+", "", block).split())) if part)


def broken(text: str, *, first_words: bool = True) -> Counter[str]:
    """Return how often a text breaks each rule."""
    found: Counter[str] = Counter()
    for sentence in sentences(text):
        found["first word"] += bool(first_words and FIRST.match(sentence) and not sentence.endswith("?"))
        found["long sentence"] += len(sentence.split()) > MOST_WORDS
        found["words"] += forbidden(sentence)
    return +found


def forbidden(text: str) -> int:
    """Return how many forbidden words a text has, also across the ends of lines."""
    return len(FORBIDDEN.findall(" ".join(text.split())))


def template_text(template: str) -> str:
    """Return the text of a template of HTML: without tags, and with a dash for each value."""
    return re.sub(r"<[^>]*>", "", re.sub(r"\{%.*?%\}", " ", re.sub(r"\{\{.*?\}\}", "-", template)))


def printed_words(tree: ast.AST) -> int:
    """Return how many forbidden words the strings of a module have that contain a space and are not docstrings."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]
    return sum(forbidden(text) for text in strings if " " in text)


def unexplained(page: str, terms: list[str]) -> int:
    """Return how many terms of the glossary a page uses with neither an explanation (bold) nor a link to the glossary."""
    text = prose(page).lower()
    used = [term for term in terms if uses(text, term)]
    known = [
        rf"\*\*{re.escape(term)}|\[[^]]*{re.escape(term)}[^]]*\]\([^)]*glossary|\{{term\}}`{re.escape(term)}" for term in used
    ]
    return sum(not re.search(pattern, page, re.IGNORECASE) for pattern in known)


def of_pages() -> dict[str, Counter[str]]:
    terms = re.findall(r"^### (.+)$", GLOSSARY.read_text(), re.MULTILINE) if GLOSSARY.exists() else []
    counts = {}
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text()
        found = broken(prose(text))
        if path != GLOSSARY and path.name != "README.md":
            found["glossary"] += unexplained(text, terms)
        counts[path.relative_to(ROOT).as_posix()] = +found
    return counts | {name: +Counter({"words": forbidden(prose((ROOT / name).read_text()))}) for name in RECORDS}


def of_templates() -> dict[str, Counter[str]]:
    """Return the counts of each template of pages, of forbidden words only."""
    folders = ("src/seqsep/report/page", "src/seqsep/commands/explore/templates")
    files = [path for folder in folders for path in sorted((ROOT / folder).glob("*.html"))]
    return {
        path.relative_to(ROOT).as_posix(): +Counter({"words": forbidden(template_text(path.read_text()))}) for path in files
    }


def of_modules() -> dict[str, Counter[str]]:
    """Return the counts of each module: over the first sentences of its public docstrings, and over its printed strings."""
    counts = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text())
        found: Counter[str] = Counter()
        if path.is_relative_to(ROOT / "src/seqsep"):
            found["printed words"] = printed_words(tree)
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                said = ast.get_docstring(node)
                found += broken(next(sentences(prose(said)), "")) if said else Counter()
                waiting += (
                    [
                        one
                        for one in node.body
                        if not getattr(one, "name", "").startswith("_")
                        or (isinstance(node, ast.Module) and getattr(one, "name", "") == "__init__")
                    ]
                    if not isinstance(node, ast.FunctionDef)
                    else []
                )
        counts[path.relative_to(ROOT).as_posix()] = +found
    return counts


def found_now() -> dict[str, dict[str, object]]:
    """Return the counts of every file that has any, as the file of exceptions holds them."""
    kinds = {"pages": of_pages(), "templates": of_templates(), "modules": of_modules()}
    return {
        name: {"counts": dict(sorted(found.items())), "reason": REASONS[kind]}
        for kind, files in kinds.items()
        for name, found in sorted(files.items())
        if found
    }


def differences(found: dict[str, dict], allowed: dict[str, dict]) -> Iterator[tuple[str, str, int, int]]:
    """Yield file, rule, count and allowed count wherever the two differ."""
    for name in sorted({*found, *allowed}):
        now, before = (one.get(name, {"counts": {}})["counts"] for one in (found, allowed))
        yield from (
            (name, rule, now.get(rule, 0), before.get(rule, 0))
            for rule in sorted({*now, *before})
            if now.get(rule, 0) != before.get(rule, 0)
        )


def test_the_exceptions_are_exactly_what_is_found() -> None:
    allowed = json.loads(EXCEPTIONS.read_text())
    assert all(one["reason"] for one in allowed.values())
    wrong = [f"{name}: {rule}: found {now}, allowed {before}" for name, rule, now, before in differences(found_now(), allowed)]
    assert not wrong, "rewrite what grew; `python tests/test_words.py --update` lowers the rest:\n" + "\n".join(wrong)


@pytest.mark.parametrize("folder", ["src", "tools", "tests"])
def test_no_docstring_begins_with_a_question_word(folder: str) -> None:
    """Neither does a docstring of a constant or of a private function."""
    found = [
        f"{path.relative_to(ROOT)}:{part.lineno}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(body := getattr(node, "body", None), list)
        for part in body
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and FIRST.match(str(part.value.value).strip())
    ]
    assert found == []


def test_names_that_are_printed_can_be_read_alone() -> None:
    """Names of laws and questions of experiments are printed without the sentence that explains them."""
    from seqsep.commands.bound import SIZE_WORDS
    from seqsep.lab.experiments import EXPERIMENTS
    from seqsep.models.laws.mixer import MIXER_LAWS
    from seqsep.models.laws.task import TASK_LAWS

    names = [*MIXER_LAWS, *TASK_LAWS]
    assert [name for name in names if re.search(r"\b(?:alone|apart|asked|surroundings)\b", name)] == []
    unclear = r"\bWho\b|(?<!chain of )\bthought\b"
    assert [one.question for one in EXPERIMENTS if re.search(unclear, one.question)] == []
    unclear = r"(?:with fewer it|none has|, at most$|every layer with fewer|must have|of the least)"
    assert [words for words in SIZE_WORDS.values() if re.search(unclear, words)] == []


def help_texts() -> dict[str, str]:
    """Return each text of the help of every command, by command and flag."""
    from seqsep.commands import COMMANDS

    texts = {}
    for command in COMMANDS:
        parser = argparse.ArgumentParser()
        command.add_flags(parser)
        texts[command.name] = f"{command.purpose}.\n\n{prose(command.details)}"
        texts |= {f"{command.name} {action.dest}": action.help or "" for action in parser._actions}
    return texts


def test_help_has_no_exceptions() -> None:
    wrong = {name: dict(broken(text)) for name, text in help_texts().items() if broken(text)}
    assert not wrong


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("What a model keeps.", "first word"),
        ("So many digits.", "first word"),
        ("The two are told apart.", "words"),
        ("This is no proof.", "words"),
        ("word " * 41 + ".", "long sentence"),
    ],
)
def test_each_rule_finds_what_breaks_it(text: str, rule: str) -> None:
    assert broken(text) == {rule: 1}


def test_strings_that_are_printed_are_read() -> None:
    code = '''
def told(x):
    """It is told."""
    print(f"The two {x} are told apart: " "this is no proof")
    return "behind\\nit"
'''
    assert printed_words(ast.parse(code)) == 2
    assert printed_words(ast.parse('"""This is no proof."""\nWORDS = ("this is a proof", "is no\\n proof")\n')) == 1


def test_templates_are_read_without_tags_and_values() -> None:
    template = '<p title="as printed">So <b>many</b> bits</p>{% if behind it %}\n{{ "is told" }}<p>is no {{ name }}</p>'
    assert forbidden(template_text(template)) == 1


def test_what_the_rules_allow() -> None:
    assert not broken(prose("It is no longer slow.\n\n| What | is told |\n\n```\nbehind the\n```\n`as printed` is fine."))
    assert unexplained("A state grows.", ["state"]) == 1
    assert unexplained("A [state](glossary.md#state) grows.", ["state"]) == unexplained("A **state** grows.", ["state"]) == 0


def test_nothing_says_to_install_an_extra_from_an_index() -> None:
    """No package index has seqsep: `seqsep.core.names.install` gives the command, which works in a clone."""
    files = [path for name in ("src", "docs", "tools", "examples") for path in (ROOT / name).rglob("*.*")]
    texts = {path: path.read_text() for path in files if path.suffix in (".py", ".md", ".json")}
    assert [str(path) for path, text in texts.items() if re.search(r"pip install [^\n]*seqsep\[", text)] == []


def update(*, initial: bool) -> None:
    """Write the counts. Exit with the counts that grew, unless `initial`."""
    found = found_now()
    before = json.loads(EXCEPTIONS.read_text()) if EXCEPTIONS.exists() else {}
    grown = [one for one in differences(found, before) if one[2] > one[3]]
    if grown and not initial:
        sys.exit("\n".join(f"{name}: {rule}: found {now}, allowed {most}" for name, rule, now, most in grown))
    for name, one in found.items():
        one["reason"] = before.get(name, one)["reason"]
    EXCEPTIONS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true", required=True)
    parser.add_argument("--initial", action="store_true")
    update(initial=parser.parse_args().initial)
