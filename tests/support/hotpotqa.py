"""A file of HotpotQA's form, and a model that answers it by looking: nothing is downloaded and nothing is loaded."""

import json
import re
from pathlib import Path

from seqsep.language_models.text.language_model import Completion, Facts


def entry(number: int, distracting: int = 8) -> dict:
    """A question whose answer stands in the second sentence of the second paragraph that it needs."""
    needed = [
        [f"Film {number}", [f"Film {number} was made by Person {number}.", " It was long."]],
        [f"Person {number}", [f"Person {number} was quiet.", f" Person {number} was born in the Town {number}."]],
    ]
    others = [[f"Other {number} {other}", [f"Other {other} was born in Village {other}."]] for other in range(distracting)]
    return {
        "_id": f"id{number}",
        "question": f"Where was the maker of Film {number} born?",
        "answer": f"Town {number}",
        "supporting_facts": [[f"Film {number}", 0], [f"Person {number}", 1]],
        "context": [others[0], needed[1], *others[1:], needed[0]] if distracting else needed,
        "type": "bridge",
        "level": "hard",
    }


def write_file(path: Path, count: int = 12, distracting: int = 8) -> Path:
    """Write a file of so many questions."""
    path.write_text(json.dumps([entry(number, distracting) for number in range(count)]))
    return path


class Reader:
    """A stand-in for `LanguageModel`: a token is a letter, and it sees only the last `window` letters of a prompt.

    It answers if the sentence with the answer is in its window, and its number is none of `never`.
    """

    def __init__(self, name: str = "reader", window: int = 10**6, never: tuple[int, ...] = ()) -> None:
        self.facts = Facts(name, sha256=name, dtype="float32", architecture="reader", parameters=0, context=None)
        self.window = window
        self.never = never
        self.asked: list[str] = []

    def read(self, prompt: str) -> list[int]:
        return list(map(ord, prompt))

    def answer_tokens(self, prompt: str, answer: str) -> tuple[int, ...]:
        return tuple(self.read(f" {answer}"))

    def require_room(self, prompt_tokens: int, most_tokens: int, what: str) -> None:
        pass

    def complete(self, prompts, is_complete, most_tokens) -> list[Completion]:
        return [self._completion("".join(map(chr, prompt))) for prompt in prompts]

    def _completion(self, prompt: str) -> Completion:
        self.asked.append(prompt)
        (number,) = re.findall(r"Film (\d+) born\?\nThought:$", prompt)
        born = f"Person {number} was born in the Town {number}."
        knows = born in prompt[-self.window :] and int(number) not in self.never
        text = f" {born}\nAnswer: the town {number}!\n\nFilm" if knows else " I do not know.\nAnswer: nowhere\n"
        return Completion(text, tuple(self.read(text)), state_bits=None)
