"""Index lookup in words: a list of N words, then the word at one place is asked for. No place is written in the list.

The words are uniform among 64 and independent, so the list holds 6 N bits that any state must carry to answer every question.
"""

from seqsep.language_models.text.lookup import Lookups, chance, scaled
from seqsep.language_models.text.question import Question
from seqsep.language_models.text.word_lists import WORDS

TASK = "index"
OPENING = "Here is a list of words, then questions about it.\n\n"
LONGEST_WORD = max(map(len, WORDS))


def index_question(lookups: Lookups, index: int) -> Question:
    """Return question `index`: a list of words, examples and the question. Places count from 1.

    >>> question = index_question(Lookups(length=6, shots=1), 0)
    >>> question.prompt.splitlines()[2]
    'cup mouth bank lake root forest'
    >>> question.prompt.splitlines()[-2:], question.expected
    (['Question: Which word is number 5 in the list?', 'Answer:'], 'root')
    """
    asked, values = lookups.drawn(index, further=lookups.length)
    words = [WORDS[scaled(value, len(WORDS))] for value in values]
    examples = "".join(f"\n{asking(place)} {words[place]}\n" for place in asked[:-1])
    return Question(
        fields={
            "task": TASK,
            "length": lookups.length,
            "shots": lookups.shots,
            "seed": lookups.seed,
            "index": index,
        },
        prompt=f"{OPENING}{' '.join(words)}\n{examples}\n{asking(asked[-1])}",
        expected=words[asked[-1]],
        end=r"\n",
        most_tokens=LONGEST_WORD + 4,
        chance=chance(words, asked),
    )


def asking(place: int) -> str:
    """Return the words that ask for the word at a place, counted here from 0. The answer follows them."""
    return f"Question: Which word is number {place + 1} in the list?\nAnswer:"
