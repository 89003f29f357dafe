"""The long check of retrieval in text: a model trained here on phonebooks answers them, by the whole way that users go.

`verify()` trains it (about a CPU-minute), saves it, and asks it as `seqsep text phonebook` does: so the scoring is shown to
say "right" of a model that is, and not only to run. `seqsep audit FOLDER` is then to prove most of a book to be in its state.
"""

import tempfile
from math import log2
from pathlib import Path

from seqsep.lab.store.store import Store
from seqsep.language_models.audit.answer import audit_language_model
from seqsep.language_models.text.accuracy import accuracies
from seqsep.language_models.text.evaluation import Evaluation
from seqsep.language_models.text.language_model import LanguageModel
from seqsep.language_models.text.lookup import Lookups
from seqsep.language_models.text.model_folder import find_model
from seqsep.language_models.text.phonebook import phonebook_question
from seqsep.theorems import Claim, Outcome

NAME = "text-trained"
SOURCES = tuple(
    f"language_models/text/{name}.py"
    for name in (
        "accuracy",
        "evaluation",
        "language_model",
        "lookup",
        "model_folder",
        "phonebook",
        "question",
        "reply",
        "tokenizer",
        "tokenizer_process",
        "word_lists",
    )
)
SOURCES += tuple(f"language_models/audit/{name}.py" for name in ("answer", "books", "reader"))
CLAIM = Claim(NAME, "seqsep text phonebook", "A model that was trained on phonebooks is scored above 95 %")
CARRIED = Claim(
    NAME, "seqsep audit FOLDER", "Its state is shown to carry most of the bits of a book, and no more than there are"
)
LENGTH = 6
DIGITS = 3
STEPS = 600
QUESTIONS = 200
ENOUGH = 0.95
MOST_OF_THE_BITS = 0.75


def verify() -> list[Outcome]:
    """The number of right answers at the length of training, and the whole bits that an audit shows."""
    with tempfile.TemporaryDirectory() as place:
        folder = trained(Path(place), LENGTH, DIGITS, STEPS)
        return [scored(folder, LENGTH, DIGITS, QUESTIONS), audited(folder, LENGTH, DIGITS)]


def trained(place: Path, length: int, digits: int, steps: int) -> Path:
    from support.language_models import trained_on_phonebooks

    return trained_on_phonebooks(place / "trained", length, digits, steps)


def scored(folder: Path, length: int, digits: int, count: int) -> Outcome:
    """Return True if enough questions are answered right, as `seqsep text phonebook` asks them."""
    model = LanguageModel(find_model(str(folder)))
    questions = [phonebook_question(Lookups(length), index, digits) for index in range(count)]
    with Store(folder / "store.sqlite") as store, store.driving():
        (accuracy,) = accuracies(Evaluation(model, store, "phonebook").replies(questions))
    assert accuracy.chance is not None
    assert accuracy.chance < 0.6
    right = sum(reply.right for reply in accuracy.replies)
    return CLAIM.lower(
        length=length,
        inputs=count,
        exhaustive=False,
        measured={"right": right},
        bound={"right": int(ENOUGH * count)},
        variant=f"{length} entries of {digits} digits: {right} of {count} right",
        holds=right > ENOUGH * count,
    )


def audited(folder: Path, length: int, digits: int) -> Outcome:
    """Return True if most bits of a book are shown to be carried, by `seqsep audit`."""
    audit = audit_language_model(folder, entries=length, digits=digits)
    print(audit, flush=True)
    bits = length * digits * log2(10)
    carried = int(audit.carries_at_least_bits)
    return CARRIED.lower(
        length=length,
        inputs=audit.questions,
        exhaustive=False,
        measured={"carried bits": carried},
        bound={"carried bits": int(MOST_OF_THE_BITS * bits)},
        variant=f"{length} entries of {digits} digits, audited: {carried} of {int(bits)} bits are carried at least",
        holds=MOST_OF_THE_BITS * bits <= carried <= bits and audit.needs_at_most_bits is not None,
    )
