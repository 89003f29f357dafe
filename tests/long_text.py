"""The long check of retrieval in text: a model trained here on phonebooks answers them, by the whole way that users go.

`verify()` trains it (about a CPU-minute), saves it, and asks it as `seqsep text phonebook` does: so the scoring is shown to
say "right" of a model that is, and not only to run.
"""

import tempfile
from pathlib import Path

from seqsep.lab.store.store import Store
from seqsep.text.accuracy import accuracies
from seqsep.text.evaluation import Evaluation
from seqsep.text.language_model import LanguageModel
from seqsep.text.lookup import Lookups
from seqsep.text.model_folder import find_model
from seqsep.text.phonebook import phonebook_question
from seqsep.theorems import Claim, Outcome

NAME = "text-trained"
SOURCES = tuple(
    f"text/{name}.py"
    for name in (
        "accuracy",
        "evaluation",
        "language_model",
        "lookup",
        "model_folder",
        "phonebook",
        "question",
        "reply",
        "word_lists",
    )
)
CLAIM = Claim(NAME, "seqsep text phonebook", "A model that was trained on phonebooks is scored above 95 %")
LENGTH = 6
DIGITS = 3
STEPS = 600
QUESTIONS = 200
ENOUGH = 0.95


def verify(length: int = LENGTH, digits: int = DIGITS, steps: int = STEPS, count: int = QUESTIONS) -> list[Outcome]:
    """One outcome: of so many questions at the length of training, how many are right."""
    from support.language_models import trained_on_phonebooks

    with tempfile.TemporaryDirectory() as place:
        folder = trained_on_phonebooks(Path(place) / "trained", length, digits, steps)
        model = LanguageModel(find_model(str(folder)))
        questions = [phonebook_question(Lookups(length), index, digits) for index in range(count)]
        with Store(Path(place) / "store.sqlite") as store, store.driving():
            (accuracy,) = accuracies(Evaluation(model, store, "phonebook").replies(questions))
    assert accuracy.chance is not None
    assert accuracy.chance < 0.6
    right = sum(reply.right for reply in accuracy.replies)
    return [
        CLAIM.lower(
            length=length,
            inputs=count,
            exhaustive=False,
            measured={"right": right},
            bound={"right": int(ENOUGH * count)},
            variant=f"{length} entries of {digits} digits, {steps} steps of training",
            holds=right > ENOUGH * count,
        )
    ]
