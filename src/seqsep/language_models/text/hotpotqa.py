"""HotpotQA with n paragraphs before the question: the two that it needs, and n - 2 that distract.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), section 6.2: n in {2, 4, 6, 8}, in random order ("retrieval required") or with
the needed ones last ("retrieval free"), 4 examples with a chain of thought before the question, greedy.
We say what the paper leaves open: an example shows only the two paragraphs that it needs, its thought is the sentences that
support its answer, and examples are questions of the same file that are never asked. The distracting paragraphs of n are among
those of n + 2, and at n = 2 both orders are the same prompt.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from seqsep.core.stream import Use, draws
from seqsep.language_models.text.hotpotqa_file import NEEDED, HotpotFile, HotpotQAExample, Paragraph
from seqsep.language_models.text.lookup import distinct
from seqsep.language_models.text.question import Question

TASK = "hotpotqa"
Order = Literal["random", "needed-last"]
ORDERS: tuple[Order, ...] = ("random", "needed-last")
MARK = "Answer:"
MOST_TOKENS = 256
END = r"Answer:[^\n]*\n|\n\n"
OPENING = "Answer each question from the paragraphs before it.\n\n"


@dataclass(frozen=True)
class Benchmark:
    """The questions asked of a file, in an order drawn by the seed, and the examples that every prompt shows."""

    asked: tuple[HotpotQAExample, ...]
    examples: tuple[HotpotQAExample, ...]
    sha256: str
    seed: int

    @classmethod
    def of(cls, file: HotpotFile, most_paragraphs: int, shots: int = 4, seed: int = 0) -> "Benchmark":
        """Return the questions with enough paragraphs, except the first `shots`, which are the examples.

        Raises ValueError if none is left.
        """
        enough = [one for one in file.questions if NEEDED + len(one.distracting) >= most_paragraphs]
        ordered = sorted(enough, key=lambda one: hashlib.sha256(f"{seed} {one.id}".encode()).digest())
        if len(ordered) <= shots:
            expected = f"more than {shots} questions of {most_paragraphs} paragraphs, two of which are needed"
            raise ValueError(f"HotpotQA: expected {expected}, found {len(ordered)}")
        return cls(tuple(ordered[shots:]), tuple(ordered[:shots]), file.sha256, seed)

    def question(self, asked: HotpotQAExample, paragraphs: int, order: Order) -> Question:
        """Return the prompt of a question with `paragraphs` paragraphs. Raises ValueError for fewer than 2 or more than it
        has.
        """
        if not NEEDED <= paragraphs <= NEEDED + len(asked.distracting):
            most = NEEDED + len(asked.distracting)
            raise ValueError(f"HotpotQA, question {asked.id}: expected 2 to {most} paragraphs, found {paragraphs}")
        examples = "".join(
            f"{_paragraphs(example.needed)}{_asking(example)} {' '.join(example.support)}\n{MARK} {example.answer}\n\n"
            for example in self.examples
        )
        shown = self.paragraphs(asked, paragraphs, order)
        return Question(
            fields={
                "task": TASK,
                "length": paragraphs,
                "order": "random" if paragraphs == NEEDED else order,
                "id": asked.id,
                "shots": len(self.examples),
                "seed": self.seed,
                "data": self.sha256,
            },
            prompt=f"{OPENING}{examples}{_paragraphs(shown)}{_asking(asked)}",
            expected=asked.answer,
            end=END,
            most_tokens=MOST_TOKENS,
            mark=MARK,
            grading="normalised",
        )

    def paragraphs(self, asked: HotpotQAExample, count: int, order: Order) -> list[Paragraph]:
        """Return the paragraphs in the order of the prompt. Draws depend only on the seed and the question's id."""
        start = int.from_bytes(hashlib.sha256(asked.id.encode()).digest()[:5], "big")
        available = NEEDED + len(asked.distracting)
        values = [int(value) for value in draws(self.seed, Use.EVALUATION, start, count=1, each=2 * available)[0]]
        needed = [asked.needed[place] for place in distinct(values[:NEEDED], NEEDED)]
        shuffled = [asked.distracting[place] for place in distinct(values[NEEDED:available], len(asked.distracting))]
        chosen = [*shuffled[: count - NEEDED], *needed]
        if order == "needed-last" or count == NEEDED:
            return chosen
        return [chosen[place] for place in distinct(values[available : available + count], count)]


def _paragraphs(paragraphs: Sequence[Paragraph]) -> str:
    lines = (f"{paragraph.title}: {' '.join(map(str.strip, paragraph.sentences))}\n" for paragraph in paragraphs)
    return "".join(lines) + "\n"


def _asking(asked: HotpotQAExample) -> str:
    return f"Question: {asked.question}\nThought:"
