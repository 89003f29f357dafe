"""Engines as Python objects: laws whose methods are missing are named, and every way to be wrong has a message."""

import json
import re
from pathlib import Path

import pytest

import seqsep
from seqsep.commands.cli import main
from seqsep.core.names import BadInput
from seqsep.language_models.engines.check import ENGINE_LAWS
from seqsep.language_models.engines.protocol import OPTIONAL, REQUIRED, InferenceEngine
from seqsep.language_models.engines.serve import Server
from seqsep.language_models.laws.check import LANGUAGE_MODEL_LAWS, LawsFail
from support.engines.toy import Bare, Deaf, LastOnly, Narrow, Rounded, Toy

PAGE = (Path(__file__).parents[3] / "docs/reference/engine-protocol.md").read_text(encoding="utf-8")
WITHOUT_METHODS = ["finite numbers", "one pass", "causal", "token by token", "nothing kept between calls"]


@pytest.mark.parametrize("kind", [Toy, LastOnly])
def test_a_python_engine_obeys_all_laws(kind: type[Toy]) -> None:
    """Also one that returns the logits of the last token only."""
    assert isinstance(kind(), InferenceEngine)
    verdicts = seqsep.check_engine(kind(), another=kind, length=12)
    assert [verdict.law for verdict in verdicts if not verdict.holds] == ["window passed by one"]


def test_laws_without_their_method_are_named() -> None:
    verdicts = {verdict.law: verdict for verdict in seqsep.check_engine(Bare(), length=9, batch=2)}
    assert [law for law, verdict in verdicts.items() if verdict.holds] == WITHOUT_METHODS
    assert verdicts["rolled back"].line() == "not tried  rolled back: the engine has no extend and no crop"
    for law, verdict in verdicts.items():
        assert verdict.where == ("" if verdict.holds else f"the engine has no {' and no '.join(ENGINE_LAWS[law].needs)}")


def test_the_laws_are_those_of_models() -> None:
    """One law is of engines only; the code of all others is that which models of transformers are tested with."""
    own = [name for name, law in ENGINE_LAWS.items() if law.holds is not LANGUAGE_MODEL_LAWS.get(name)]
    assert own == ["one pass"]


def test_an_engine_that_does_not_read_fails() -> None:
    with pytest.raises(LawsFail) as failure:
        seqsep.check_engine(Deaf(), laws=["one pass"])
    assert failure.value.verdicts[0].where == "other tokens change no logit: the engine does not read them"


def test_all_verdicts_are_in_the_error() -> None:
    with pytest.raises(LawsFail) as failure:
        seqsep.check_engine(Narrow(), laws=["causal", "reset"])
    assert [verdict.holds for verdict in failure.value.verdicts] == [False, False]
    assert "prefill: expected 24 x 11 or 1 x 11 logits, found 24 x 10" in failure.value.verdicts[0].where


def test_an_exception_says_what_was_asked() -> None:
    engine = Toy()
    engine.fork = lambda state: {}["slot"]  # type: ignore[method-assign]
    with pytest.raises(LawsFail, match=r"state copied: it raises EngineFails: fork\(\[\[.*\) raises KeyError: 'slot'"):
        seqsep.check_engine(engine, laws=["state copied"])


def test_fewer_bits_need_a_reference_or_tolerance() -> None:
    """A tolerance is a share of the greatest logit."""
    with pytest.raises(BadInput, match="dtype float32: without a reference, rounding cannot be distinguished from a fault"):
        seqsep.check_engine(Rounded())
    assert all(verdict.holds is not False for verdict in seqsep.check_engine(Rounded(), tolerance=1e-4, length=9))
    with pytest.raises(LawsFail):
        seqsep.check_engine(Rounded(), dtype="float64", length=9, laws=["token by token"])


class Silent(Rounded):
    """It computes in float32, and does not say so."""

    dtype = "float64"


def test_an_engine_says_its_type() -> None:
    """Its rounding is not taken for a fault; with a tolerance, or a type that is given, nothing is refused."""
    words = 'engine Silent: expected logits of float64, which is its dtype, found float32; set dtype = "float32" in its class'
    with pytest.raises(BadInput, match=re.escape(words)):
        seqsep.check_engine(Silent(), length=9)
    assert all(verdict.holds is not False for verdict in seqsep.check_engine(Silent(), tolerance=1e-4, length=9))
    server = Server(Silent())
    assert server.answer(b'{"id": 1, "method": "prefill", "tokens": [1, 2]}')["dtype"] == "float32"
    given = b'{"id": 2, "method": "batch", "tokens": [[1], [2]], "states": [null, null]}'
    assert server.answer(given)["dtype"] == "float32"
    assert "dtype" not in Server(Rounded()).answer(b'{"id": 1, "method": "prefill", "tokens": [1]}')


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"length": 8}, "length: expected a whole number from 9, found 8"),
        ({"batch": 1}, "batch: expected a whole number from 2, found 1"),
        ({"tolerance": float("nan")}, "tolerance: expected a number from 0 to 1, found nan"),
        ({"dtype": "float8"}, "dtype: expected one of float64, float32, bfloat16, float16, found 'float8'"),
        ({"laws": ["static"]}, "unknown law 'static'"),
        ({"reference": "config.json"}, "reference config.json: expected a folder with config.json and model.safetensors"),
        ({"reference": 5}, "reference: expected the path of a folder, found 5"),
        ({"reference": {}}, "reference: expected the path of a folder, found {}"),
        ({"tolerance": "small"}, "tolerance: expected a number from 0 to 1, found 'small'"),
        ({"another": 5}, "another: expected a function that returns an engine, found 5"),
        ({"laws": 5}, "laws: expected a list of names, found 5"),
        ({"laws": "causal"}, "laws: expected a list of names, found 'causal'"),
    ],
)
def test_bad_arguments_are_bad_input(options: dict, words: str) -> None:
    with pytest.raises(BadInput, match=re.escape(words)):
        seqsep.check_engine(Toy(), **options)


def test_an_object_without_methods_is_bad_input() -> None:
    with pytest.raises(BadInput, match="engine dict: expected a method prefill, found none"):
        seqsep.check_engine({})
    engine = Toy()
    engine.vocabulary = 0
    with pytest.raises(BadInput, match="vocabulary: expected a whole number from 2, found 0"):
        seqsep.check_engine(engine)


@pytest.mark.slow
def test_a_class_of_a_file_is_served(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """FILE.py:CLASS runs in a process of its own; what it prints does not disturb the protocol."""
    source = Path(__file__).parents[2] / "support/engines/toy.py"
    (tmp_path / "mine.py").write_text(source.read_text() + "\n\nprint('loaded')\n")
    words = ["--law", "state as bytes", "--law", "in chunks", "--length", "9"]
    assert main(["check", "--engine", f"{tmp_path}/mine.py:Toy", *words]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["holds  in chunks", "holds  state as bytes"]
    (tmp_path / "silent.py").write_text(f"{source.read_text()}\n\nRounded.dtype = 'float64'\n")
    assert main(["check", "--engine", f"{tmp_path}/silent.py:Rounded", "--law", "causal", "--length", "9"]) == 2
    assert 'found float32; set dtype = "float32" in its class' in capsys.readouterr().err


def test_the_page_has_every_method_and_law() -> None:
    tables = re.findall(r"^\| `([\w ]+)` \|(.*?)\|", PAGE, flags=re.MULTILINE)
    assert [name for name, _ in tables][:12] == ["describe", *REQUIRED, *OPTIONAL]
    laws = {name: tuple(re.findall(r"`(\w+)`", needs)) for name, needs in tables if name in ENGINE_LAWS and name != "generate"}
    laws["generate"] = ("generate",)
    assert laws == {name: law.needs for name, law in ENGINE_LAWS.items()}


class Sums:
    """The engine of the page: a logit is the sum of the tokens, times the number of the token that it is of, from 1."""

    vocabulary = 3

    def prefill(self, tokens):
        return self.extend(tokens, [0])

    def extend(self, tokens, state):
        after = list(state)
        for token in tokens:
            after.append(after[-1] + token)
        return [[float(value * (other + 1)) for other in range(3)] for value in after[-len(tokens) :]], after

    def decode(self, token, state):
        return self.extend([token], state)

    def batch(self, tokens, states):
        pairs = [self.extend(new, state or [0]) for new, state in zip(tokens, states, strict=True)]
        return tuple(zip(*pairs, strict=True))

    def fork(self, state):
        return list(state)

    def save(self, state):
        return json.dumps(state).encode()

    def load(self, data):
        return json.loads(data)

    def crop(self, state, count):
        return state[:-count]

    def reset(self, state):
        return [0]

    def generate(self, tokens, count):
        logits, state = self.prefill(tokens)
        written = []
        rows = []
        for _ in range(count):
            rows.append(logits[-1])
            written.append(max(range(3), key=rows[-1].__getitem__))
            logits, state = self.decode(written[-1], state)
        return written, rows


def test_the_answers_of_the_page_are_right() -> None:
    """Each line of the example is what an engine answers, key for key."""
    lines = PAGE.split("```text\n")[1].split("```")[0].splitlines()
    server = Server(Sums())
    assert len(lines) == 26
    for request, answer in zip(lines[::2], lines[1::2], strict=True):
        found = server.answer(request.removeprefix("> ").encode())
        assert found == json.loads(answer.removeprefix("< ")) | ({"name": "Sums"} if "vocabulary" in found else {})
    assert {json.loads(line[2:])["method"] for line in lines[::2]} == {"describe", *REQUIRED, *OPTIONAL}
